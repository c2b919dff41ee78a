package migrate

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// secondRules rename a group with one of its kinds, such a kind alone or in its group, move
// one of the kinds, step its version, and split the group.
var secondRules = []string{
	"{id: all, from: {group: old.example.com}, to: {group: new.example.org}}, {id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org, kind: Tool, plural: tools}}",
	"{id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org, kind: Tool, plural: tools}}",
	"{id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {kind: Tool, plural: tools}}",
	"{id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}",
	"{id: w, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {version: v2}}",
	"{id: all, from: {group: old.example.com}, to: {group: new.example.org}}, {id: w, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {group: new.example.org, version: v2}}",
	"{id: all, from: {group: old.example.com}, to: {group: new.example.org}}, {id: w, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {group: new.example.org, version: v2}}, {id: g, from: {group: old.example.com, version: v1, kind: Gadget, plural: gadgets}, to: {group: new.example.org, kind: Tool, plural: tools}}",
	"{id: all, from: {group: old.example.com}, to: {group: new.example.org}}, {id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: third.example.net, kind: Tool, plural: tools}}",
	"{id: all, from: {group: old.example.com}, to: {group: new.example.org}}, {id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: third.example.net}}, {id: g, from: {group: old.example.com, kind: Gadget, plural: gadgets}, to: {group: new.example.org, kind: Tool, plural: tools}}",
}

// secondPieces say a group, a kind or both; § is a manifest of them. What is beside what
// is by chance.
var secondPieces = map[string][]string{
	"a.go": {
		"const group = \"old.example.com\"\n", "const kind = \"Widget\"\n", "var gv = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}\n", "var raw = `§`\n", "var r = Ref{\n\tKind: \"Widget\",\n}\n",
		"func f() {\n\traw := `§`\n\tapply(raw, \"old.example.com\", \"v1\")\n}\n", "var m = map[string]string{\"old.example.com\": \"Widget\"}\n", "func g() {\n\tif o.Kind == \"Widget\" {\n\t\tcall(\"old.example.com/v1\")\n\t}\n}\n", "var z = T{Text: `§`, Name: \"old.example.com\"}\n",
	},
	"api/v1/a.go": {
		"// +groupName=old.example.com\n", "const group = \"old.example.com\"\n", "var GroupVersion = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}\nvar b = &scheme.Builder{GroupVersion: GroupVersion}\n", "type Widget struct{}\n", "// +kubebuilder:object:root=true\ntype Gadget struct{}\n",
		"// +kubebuilder:webhook:path=/mutate-old-example-com-v1-widget,mutating=true,groups=old.example.com,resources=widgets,versions=v1,name=m.kb.io\n", "// +kubebuilder:rbac:groups=old.example.com,resources=widgets,verbs=get\n", "func (w *Widget) Kind() string { return \"Widget\" }\n", "const raw = `§`\n",
	},
	"a.py":   {"GROUP = \"old.example.com\"\n", "KIND = \"Widget\"\n", "VERSION = \"v1\"\n", "api.list(GROUP, \"v1\", \"gadgets\")\n", "api.list(GROUP, VERSION, \"widgets\")\n", "@on.create(GROUP, VERSION, \"others\")\ndef a(): pass\n", "raw = \"\"\"\n§\"\"\"\n", "api.list(\"old.example.com\", \"v1\", \"widgets\")\n", "apply('''§''', \"old.example.com\")\n", "if o[\"kind\"] == \"Widget\":\n    f(\"old.example.com/v1\")\n"},
	"a.sh":   {"GROUP=old.example.com\n", "KIND=Widget\n", "kubectl apply -f - <<EOF\n§EOF\n", "kubectl get widgets.$GROUP\n", "VERSION=v1\n", "kubectl get --raw /apis/$GROUP/v1/widgets\n", "kubectl get gadgets.v1.$GROUP\n", "create --kind=Widget\n", "create --group=old.example.com\n", "kubectl get widgets\n"},
	"a.java": {"static final String GROUP = \"old.example.com\";\n", "static final String KIND = \"Widget\";\n", "String x = \"\"\"\n§\"\"\";\n", "f(\"old.example.com/v1\", o.getKind());\n", "f(\"Widget\");\n"},
	"a.md":   {"```yaml\n§```\n", "The group `old.example.com` has `Widget`.\n", "| old.example.com | Widget |\n", "```go\nvar x = `§`\nvar g = \"old.example.com\"\n```\n"},
	"a.yaml": {
		"§", "group: old.example.com\ntext: |\n  apiVersion: old.example.com/v1\n  kind: Widget\n", "target:\n  group: old.example.com\n  version: v1\n", "target: {kind: Widget}\n", "env:\n- {name: GROUP, value: old.example.com}\n- {name: KIND, value: Widget}\n",
		"rules:\n- apiGroups: [old.example.com]\n  resources: [widgets]\n", "apiVersion: old.example.com/v1\nkind: Gadget\n", "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: w.kb.io\n  clientConfig: {service: {path: /validate-old-example-com-v1-widget}}\n  rules:\n  - apiGroups: [old.example.com]\n    apiVersions: [v1]\n    resources: [widgets]\n", "kind: ClusterServiceVersion\nspec:\n  webhookdefinitions:\n  - rules:\n    - apiGroups:\n      - old.example.com\n      apiVersions:\n      - v1\n      resources:\n      - widgets\n", "group: old.example.com\njson: '{\"apiVersion\": \"old.example.com/v1\", \"kind\": \"Widget\"}'\n",
	},
	"templates/a.yaml": {"§", "{{ dict \"group\" \"old.example.com\" }}\n", "{{ lookup \"old.example.com/v1\" \"Widget\" \"\" \"\" }}\n", "apiVersion: old.example.com/v1\nkind: {{ .k | default \"Widget\" }}\n", "rules:\n- apiGroups: [old.example.com]\n  resources: [{{ .x }}]\n",
		"apiVersion: old.example.com/{{ .Values.v }}\nkind: Widget\n", "apiVersion: old.example.com/v{{ .v }}\nkind: Widget\n", "apiVersion: old.example.com/{{ .v | default \"v1\" }}\nkind: Widget\n"},
	"a.xml":              {"<a>\n  <group>old.example.com</group>\n  <version>v1</version>\n  <kind>Widget</kind>\n</a>\n", "<apiVersion>old.example.com/v1</apiVersion>\n<kind>Widget</kind>\n", "<x>§</x>\n"},
	"a.tf":               {"resource \"kubernetes_manifest\" \"x\" {\n  manifest = {\n    apiVersion = \"old.example.com/v1\"\n    kind = \"Widget\"\n  }\n}\n", "locals {\n  group = \"old.example.com\"\n}\n", "x = <<EOF\n§EOF\n", "kind = \"Widget\"\n", "rule {\n  api_groups = [\"old.example.com\"]\n  resources = [\"widgets\"]\n}\n"},
	"Makefile":           {"GROUP ?= old.example.com\n", "x:\n\tkubectl get widgets.old.example.com\n", "KIND = Widget\n", "y:\n\tkubectl get crd widgets.$(GROUP)\n", "z:\n\tkubectl get widgets\n", "VERSION := v1\n"},
	"a.rego":             {"a { input.review.kind.group == \"old.example.com\" }\n", "b { input.kind == \"Widget\" }\n", "c { data.inventory.namespace[_][\"old.example.com/v1\"][\"Widget\"][n] }\n", "d { startswith(input.apiVersion, \"old.example.com/\") }\n"},
	"a.ts":               {"const GROUP = 'old.example.com';\n", "api.list('old.example.com', 'v1', ns, 'widgets');\n", "const o = { apiVersion: 'old.example.com/v1', kind: 'Widget' };\n", "const k = 'Widget';\n", "const y = `§`;\n", "if (o.kind === 'Widget') { f(GROUP); }\n"},
	"a.rs":               {"#[kube(group = \"old.example.com\", version = \"v1\", kind = \"Widget\")]\nstruct S;\n", "const GROUP: &str = \"old.example.com\";\n", "let g = GroupVersionKind::gvk(\"old.example.com\", \"v1\", \"Widget\");\n", "let k = \"Widget\";\n"},
	"kustomization.yaml": {"patches:\n- target: {group: old.example.com, version: v1, kind: Widget}\n", "resources: [a.yaml]\n", "patches:\n- target: {kind: Widget}\n", "configMapGenerator:\n- name: x\n  literals: [GROUP=old.example.com, KIND=Widget]\n", "patches:\n- patch: |-\n    apiVersion: old.example.com/v1\n    kind: Widget\n    metadata: {name: x}\n"},
	"values.yaml":        {"group: old.example.com\n", "kind: Widget\n", "objects:\n- apiVersion: old.example.com/v1\n  kind: Widget\n", "raw: |\n  apiVersion: old.example.com/v1\n  kind: Widget\n", "rules:\n- apiGroups: [old.example.com]\n  resources: [widgets]\n", "crd: widgets.old.example.com\n"},
	"a.ipynb":            {"{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"GROUP = 'old.example.com'\\n\", \"KIND = 'Widget'\"]}], \"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {}}\n"},
	"a.adoc":             {"`Widget` of `old.example.com/v1`\n\n", "[source,yaml]\n----\n§----\n", "== old.example.com/v1\n", "The group old.example.com has widgets.\n"},
	"service.yaml":       {"kind: APIService\nmetadata: {name: v1.old.example.com}\nspec: {group: old.example.com, version: v1}\n"},
	"Widget.java":        {"@Group(Widget.GROUP)\n@Version(\"v1\")\npublic class Widget extends CustomResource<A, B> {\n  static final String GROUP = \"old.example.com\";\n}\n"},
	"a.json":             {"{\"apiVersion\": \"old.example.com/v1\", \"kind\": \"Widget\"}\n", "{\"group\": \"old.example.com\", \"kind\": \"Widget\"}\n"},
	"a.csv":              {"old.example.com,v1,Widget,widgets\n", "old.example.com/v1,Gadget\n", "Widget,x\n", "v1,widgets\n"},
}

// secondFaults are trees of which a second run does not say all that the first one said:
// a version that the rules have left, two CRDs of which one becomes the other one.
var secondFaults = []string{"crd-names.txtar moved.yaml", "one-kind.txtar fold.yaml", "version-by-kind.txtar rules.yaml"}

// A second run writes nothing: what the first one left to a person is still a person's, and
// still said, as long as it is there. The gate says what the first one writes.
func TestSecondRun(t *testing.T) {
	racetest.OneGoroutine(t)
	scripts, err := filepath.Glob("../../testdata/migrate/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		tree, sets := scriptTree(t, script)
		maps.DeleteFunc(tree, func(name, _ string) bool { return path.Ext(name) == ".txt" }) // what a run is to print
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			secondRun(t, path.Base(script)+" "+name, tree, sets[name])
		}
	}
	for what, tree := range secondTrees(t, 200) {
		secondRun(t, what, tree.files, tree.set)
	}
}

// A ruledTree is a tree with rules for it.
type ruledTree struct {
	files memory
	set   *Ruleset
}

// secondTrees are trees of pieces at random, each with what it is.
func secondTrees(t *testing.T, n int) iter.Seq2[string, ruledTree] {
	r := rand.New(rand.NewPCG(1, 2))
	manifest := "apiVersion: old.example.com/v1\nkind: Widget\nmetadata: {name: x}\n"
	files := slices.Sorted(maps.Keys(secondPieces))
	return func(yield func(string, ruledTree) bool) {
		for i := range n {
			set, err := rules.Parse("r.yaml", []byte("name: r\nrules: ["+secondRules[i%len(secondRules)]+"]\n"))
			if err != nil {
				t.Fatal(err)
			}
			tree, what := memory{}, fmt.Sprint(i%len(secondRules))
			for range 1 + r.IntN(3)/2 {
				file := files[r.IntN(len(files))]
				tree[file] = map[string]string{"a.go": "package a\n\n", "api/v1/a.go": "package v1\n\n"}[file]
				for n := range 2 + r.IntN(3) {
					if n > 0 && path.Ext(file) == ".yaml" {
						tree[file] += "---\n"
					}
					tree[file] += strings.ReplaceAll(secondPieces[file][r.IntN(len(secondPieces[file]))], "§", manifest) + map[bool]string{true: "\n"}[r.IntN(2) == 0]
				}
				what += " " + file + "\n" + tree[file]
			}
			if r.IntN(2) == 0 {
				tree["b/gadget.yaml"] = "apiVersion: old.example.com/v1\nkind: Gadget\n---\n" + manifest
			}
			if !yield(what, ruledTree{tree, set}) {
				return
			}
		}
	}
}

// secondRun holds two runs on a tree to the law.
func secondRun(t *testing.T, what string, tree memory, set *Ruleset) {
	t.Helper()
	if slices.Contains(secondFaults, what) {
		return
	}
	opts := Options{Rulesets: []*Ruleset{set}}
	if _, err := New(opts); err != nil {
		return // rules in a circle
	}
	planned := func(tree memory) *Plan {
		m, err := New(opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.planFS(t.Context(), mapOf(tree))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	tree = maps.Clone(tree)
	first := planned(tree)
	for slices.ContainsFunc(first.Files, func(f *File) bool { return f.Skip != nil }) {
		for _, f := range first.Files {
			if f.Skip != nil {
				delete(tree, f.Path)
			}
		}
		first = planned(tree)
	}
	if opts.Glance = len(tree) < 3; opts.Glance { // the scripts ask the gate themselves
		if gate := planned(tree); answers(gate) != answers(first) {
			t.Errorf("%s\nthe gate says\n%s\nthe preview\n%s", what, answers(gate), answers(first))
		}
	}
	opts.Glance = false
	after := tree.written(t, first)
	second, said := planned(after), map[string]string{}
	for _, f := range second.Files {
		for _, s := range f.Sites {
			if s.Action() == Change {
				t.Errorf("%s\n%s:%d: a second run makes %s of %s", what, f.Path, s.Pos.Line, s.New, s.Old)
			}
			if s.Action() == NeedsReview {
				said[f.Path] += "\n" + s.Old + " " + s.Why()
			}
		}
	}
	for _, f := range first.Files {
		for _, s := range f.Sites {
			if s.Action() == NeedsReview && s.ID() != "shape" && strings.Contains(after[f.After()], s.Old) && !strings.Contains(said[f.After()], s.Old) {
				t.Errorf("%s\n%s:%d: a second run does not say any more of %s: %s", what, f.Path, s.Pos.Line, s.Old, s.Why())
			}
		}
	}
}
