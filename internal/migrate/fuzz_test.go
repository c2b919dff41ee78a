package migrate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The laws of a migration, held on whatever the fuzzers write:
//
//   - no panic, and an answer in time;
//   - the edits apply, and every byte outside of them stays;
//   - what parsed before parses after;
//   - migrating the result again changes nothing.

// kindRules are the beginning of a ruleset, up to more rules: a whole group, kinds
// that split one, a version by kind, a kind with another name, one that is gone.
const kindRules = `
name: kinds
rules:
  - {id: whole, from: {group: old.example.com}, to: {group: new.example.org}}
  - {id: split-a, from: {group: split.example.com, kind: Apple, plural: apples}, to: {group: a.example.org}}
  - {id: split-b, from: {group: split.example.com, kind: Berry, plural: berries}, to: {group: b.example.org, version: v2}}
  - {id: version, from: {group: same.example.com, version: v1beta1, kind: Pear, plural: pears}, to: {version: v1}}
  - {id: kind, from: {group: same.example.com, version: v1alpha1, kind: Quince, plural: quinces}, to: {version: v1, kind: Medlar, plural: medlars}}
  - {id: gone, from: {group: gone.example.com, kind: Ghost, plural: ghosts}, removed: nothing takes its place}
`

// fuzzRules have every kind of rule: whole groups, kinds that split one, a
// version by kind, a kind with another name, one that is gone, keys.
const fuzzRules = kindRules + `  - {id: word, from: {group: words, version: v1beta1, kind: Apple, plural: apples}, to: {group: words.example.org, version: v1}}
convert:
  - id: pear-shape
    kind: Pear
    from: same.example.com/v1beta1
    to: same.example.com/v1
    steps:
      - {rename: spec.colour, to: color}
      - {move: spec.size, to: spec.dimensions.size}
      - {move: "spec.seeds[*].kind", to: "spec.seeds[*].of.kind"}
      - {wrap: spec.tree, to: "[*]"}
      - {drop: spec.worm, report: true}
      - {set: spec.ripe, value: "true"}
guard: [Apple]
keys:
  - {from: old.example.com/, to: new.example.org/}
  - {from: apple.old.example.com, to: apple.new.example.org}
keep:
  - {value: kept.old.example.com, why: it stays}
`

func fuzzMigration(tb testing.TB) *Migration {
	tb.Helper()
	r, err := rules.Parse("fuzz.yaml", []byte(fuzzRules))
	if err != nil {
		tb.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{r}})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// lawsOf checks one text under one name.
func lawsOf(t *testing.T, m *Migration, name string, data []byte) {
	t.Helper()
	start := time.Now()
	f := fileOf(m, name, bytes.Clone(data))
	if took := time.Since(start); took > 30*time.Second {
		t.Fatalf("%d bytes took %v", len(data), took)
	}
	if f != nil && f.Fault {
		t.Fatalf("%v\n%s", f.Skip, data)
	}
	if f == nil || f.Skip != nil {
		return
	}
	edits, err := source.Sort(data, f.Edits(data))
	if err != nil {
		t.Fatalf("the edits do not apply: %v", err)
	}
	out, err := source.Apply(data, edits)
	if err != nil {
		t.Fatalf("the edits do not apply: %v", err)
	}
	outside(t, data, out, edits)
	if strings.HasSuffix(name, ".json") && json.Valid(data) && !json.Valid(out) {
		t.Fatalf("the result is no JSON:\n%s", out)
	}
	if strings.HasSuffix(name, ".yaml") && parsesYAML(data) && !parsesYAML(out) {
		t.Fatalf("the result is no YAML:\n%s", out)
	}
	again := fileOf(m, f.To, bytes.Clone(out))
	if again == nil || again.Skip != nil {
		return
	}
	more := again.Edits(out)
	more = slices.DeleteFunc(more, func(e source.Edit) bool { return e.New == string(e.Of(out)) })
	if len(more) > 0 {
		t.Fatalf("a second run changes %q to %q in\n%s\nwhich came of\n%s", more[0].Of(out), more[0].New, out, data)
	}
}

// outside holds the bytes between the edits.
func outside(t *testing.T, before, after []byte, edits []source.Edit) {
	t.Helper()
	at, to := 0, 0
	for _, e := range edits {
		n := e.Start - at
		if n < 0 || to+n > len(after) || !bytes.Equal(before[at:e.Start], after[to:to+n]) {
			t.Fatalf("bytes before offset %d changed", e.Start)
		}
		at, to = e.End, to+n+len(e.New)
	}
	if !bytes.Equal(before[at:], after[to:]) {
		t.Fatal("bytes behind the last edit changed")
	}
}

func parsesYAML(data []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for range 100 {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			return err.Error() == "EOF"
		}
	}
	return true
}

func fuzzFormat(f *testing.F, name string, seeds ...string) {
	for _, s := range slices.Concat(seeds, commonSeeds, pears) {
		f.Add([]byte(s))
	}
	m := fuzzMigration(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			t.Skip()
		}
		lawsOf(t, m, name, data)
	})
}

// pears are objects whose shape changes, in several languages.
var pears = []string{
	"apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  colour: red # c\n  size: 3\n  seeds:\n  - kind: a\n  - {kind: b}\n  tree: {a: b}\n  worm: x\n",
	"x: |\n  apiVersion: same.example.com/v1beta1\n  kind: Pear\n  spec:\n    size: 3\n    colour: \"red\"\n",
	"x: \"{\\\"apiVersion\\\":\\\"same.example.com/v1beta1\\\",\\\"kind\\\":\\\"Pear\\\",\\\"spec\\\":{\\\"size\\\":1}}\"\n",
	`{"x":"{\"apiVersion\":\"same.example.com/v1beta1\",\"kind\":\"Pear\",\"spec\":{\"colour\":\"red\",\"size\":[1]}}"}`,
	"x = f\"\"\"\napiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  size: {s}\n  tree: {{a: b}}\n\"\"\"\n",
	"cat <<EOF\napiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  size: $S\nEOF\n",
	"```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\nspec: {size: 3, colour: red}\n```\n",
	"package a\n\nvar x = `apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  size: 3`\n",
	"# apiVersion: same.example.com/v1beta1\n# kind: Pear\n# spec:\n#   size: 3\n",
	`{"cells":[{"cell_type":"code","source":["'''\n","apiVersion: same.example.com/v1beta1\n","kind: Pear\n","spec:\n","  size: 3\n","'''"]}]}`,
}

var commonSeeds = []string{
	"", "\n", "\x00", "\xff\xfe", "old.example.com", "old.example.com/v1", "words/v1beta1 Apple", "{{", "{{ }}", "}}", "<<EOF\n",
	"\ufeffapiVersion: old.example.com/v1\r\nkind: X\r\n",
	"a: old.example.com\u2028b: old.example.com\u0085c: old.example.com/v1",
	"😀 apiVersion: old.example.com/v1\n",
	"https://old.example.com/v1 me@old.example.com x.old.example.com old.example.com.example.net",
	"apples.split.example.com berries.v1.split.example.com split.example.com/Apple split.example.com_Berry",
	"cfctl:keep old.example.com\nold.example.com # cfctl:keep\n",
}

func FuzzYAML(f *testing.F) {
	fuzzFormat(f, "a.yaml",
		"apiVersion: old.example.com/v1\nkind: X\n---\nkind: Berry\napiVersion: split.example.com/v1\n",
		"%YAML 1.2\n---\n&a apiVersion: !!str 'old.example.com/v1'\nb: *a\n...\n",
		"x: |\n  apiVersion: old.example.com/v1\n  kind: X\ny: >-\n  old.example.com/v1\n",
		"x: \"{\\\"apiVersion\\\":\\\"old.example.com/v1\\\"}\"\n",
		"rules:\n- apiGroups: [split.example.com, 'old.example.com']\n  resources: [apples, berries]\n  verbs: [get]\n",
		"rules:\n- apiGroups:\n  - split.example.com # one\n  resources:\n  - apples\n  - berries # two\n  verbs: [get]\n",
		"{apiVersion: same.example.com/v1beta1, kind: Pear, a: [1, {b: old.example.com/v1}]}\n",
		"apiVersion: {{ .x }}/v1\nkind: X\ngroup: old.example.com\n{{- if .y }}\napiVersion: old.example.com/v1\n{{- end }}\n",
		"? old.example.com/v1\n: - - old.example.com/v1\n",
		"a: &a [*a, *a]\nb: &b [*a, *a]\napiVersion: old.example.com/v1\n",
		"spec:\n  group: old.example.com\n  names: {kind: X, plural: xs}\n  versions:\n  - name: v1\nmetadata: {name: xs.old.example.com}\nkind: CustomResourceDefinition\n",
		"# apiVersion: old.example.com/v1\n# kind: X\nkey: 1\t# old.example.com\n",
		"apiVersion: words/v1beta1\nkind: Apple\ngroup: words\nwords: words\n",
		"match: {apiVersion: '!old.example.com/v1', kind: X}\nany: {apiVersion: '(old.example.com|apps)/v1 | >old.example.com/*', kind: '?X'}\n",
	)
}

func FuzzJSON(f *testing.F) {
	fuzzFormat(f, "a.json",
		`{"apiVersion":"old.example.com\/v1","kind":"X","s":"{\"apiVersion\":\"old.example.com/v1\"}"}`,
		`[{"apiGroups":["split.example.com"],"resources":["apples","berries"],"verbs":["get"]}]`,
		"// c\n{\"a\": \"old.example.com/v1\", /* b */ \"kind\": \"X\",}\n",
		`{"\u006fld.example.com":"old.example.com"}`, `{"a":{"a":{"a":[[[[[["old.example.com/v1"]]]]]]}}}`)
}

func FuzzHelm(f *testing.F) {
	fuzzFormat(f, "templates/a.tpl",
		"{{- if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: old.example.com/v2\n{{- end }}\nkind: X\n",
		"{{- define \"a\" -}}\n{{ print \"old.example.com/v1\" }}\n{{- end }}\n  - {{ .a }}: old.example.com/v1 {{/* x */}}\n",
		"rules:\n{{- range .x }}\n- apiGroups: [\"split.example.com\"]\n  resources: [\"apples\", {{ . }}]\n{{- end }}\n")
}

func FuzzMarkdown(f *testing.F) {
	fuzzFormat(f, "a.md",
		"```yaml\napiVersion: old.example.com/v1\nkind: X\n```\n~~~sh\nkubectl get xs.old.example.com\n~~~\n",
		"> ```json\n> {\"apiVersion\": \"old.example.com/v1\"}\n> ```\n",
		"The `old.example.com` group, `old.example.com/v1`.\n\n| a | old.example.com/x |\n",
		"```\n````\nunclosed old.example.com/v1\n")
}

func FuzzGo(f *testing.F) {
	fuzzFormat(f, "a.go",
		"package v1\n\nimport \"example.com/old.example.com/v1\"\n\n// +groupName=old.example.com\nconst G = \"old.example.com\"\n",
		"package a\n\nvar x = schema.GroupVersionKind{Group: \"split.example.com\", Version: \"v1\", Kind: \"Berry\"}\nvar y = `\napiVersion: old.example.com/v1\nkind: X\n`\n",
		"package a\n\nvar (\n\ta   = \"old.example.com/v1\" // x\n\tbbb = 'x'\n)\n",
		"// Code generated by client-gen. DO NOT EDIT.\n\npackage v1\n\ntype OldV1Client struct{} // old.example.com\n")
}

func FuzzPython(f *testing.F) {
	fuzzFormat(f, "a.py",
		"group, version = \"old.example.com\", \"v1\"\nx = f\"\"\"\napiVersion: old.example.com/v1\nkind: {k}\n\"\"\"\n",
		"api.create(group='split.example.com', version='v1', plural='berries')\nr\"\\\"old.example.com\" # old.example.com\n",
		"x = {'apiVersion': 'same.example.com/v1beta1', 'kind': 'Pear'}\ny = b'old.example.com/v1'\n")
}

func FuzzShell(f *testing.F) {
	fuzzFormat(f, "a.sh",
		"kubectl apply -f - <<'EOF'\napiVersion: old.example.com/v1\nkind: X\nEOF\ng=\"old.example.com\"\n",
		"kubectl get apples.split.example.com -l old.example.com/x=1\ncurl /apis/old.example.com/v1/xs\n",
		"cat <<A <<-B\nold.example.com\nA\n\tgroup: old.example.com\n\tB\n")
}

func FuzzNotebook(f *testing.F) {
	fuzzFormat(f, "a.ipynb",
		`{"cells":[{"cell_type":"code","source":["x = \"old.example.com\"\n","y = '''\napiVersion: old.example.com/v1\n'''"],"outputs":[{"text":["xs.old.example.com created\n"]}]},{"cell_type":"markdown","source":"`+"```yaml\\napiVersion: old.example.com/v1\\n```"+`"}]}`)
}

func FuzzText(f *testing.F) {
	fuzzFormat(f, "a.rst", "::\n\n   apiVersion: old.example.com/v1\n   kind: X\n\nThe ``old.example.com`` group\n")
}
