package author

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// notes keep what is said.
type notes struct{ lines []string }

func (n *notes) progress() report.Progress {
	return report.Progress{Note: func(format string, args ...any) { n.lines = append(n.lines, fmt.Sprintf(format, args...)) }, Status: func(string, ...any) {}}
}

// treeOf is a working directory with files, by path.
func treeOf(t *testing.T, files map[string]string) *source.Root {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := source.OpenRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// TestRegister adds a ruleset to configurations of every layout, and changes
// nothing else.
func TestRegister(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "migrate:\n  rulesets:\n    - hack/r.yaml\n",
		"# only a comment":             "# only a comment\nmigrate:\n  rulesets:\n    - hack/r.yaml\n",
		"stack: {root: a}\n":           "stack: {root: a}\n\nmigrate:\n  rulesets:\n    - hack/r.yaml\n",
		"migrate:\n":                   "migrate:\n  rulesets:\n    - hack/r.yaml\n",
		"migrate:":                     "migrate:\n  rulesets:\n    - hack/r.yaml\n",
		"migrate:\n    mode: dual\n":   "migrate:\n    rulesets:\n      - hack/r.yaml\n    mode: dual\n",
		"migrate: {rulesets: []}\n":    "migrate: {rulesets: [hack/r.yaml]}\n",
		"migrate: {rulesets: [a-b]}\n": "migrate: {rulesets: [a-b, hack/r.yaml]}\n",
		"migrate:\n  rulesets: [] # none yet\nstack: {root: a}\n":                          "migrate:\n  rulesets: [hack/r.yaml] # none yet\nstack: {root: a}\n",
		"migrate:\n  rulesets:\n  - a-b # one\n  # more\n  mode: dual\n":                   "migrate:\n  rulesets:\n  - a-b # one\n  - hack/r.yaml\n  # more\n  mode: dual\n",
		"migrate:\n  rulesets:\n    - a-b":                                                 "migrate:\n  rulesets:\n    - a-b\n    - hack/r.yaml\n",
		"migrate:\n  rulesets:\n    - hack/r.yaml\n":                                       "migrate:\n  rulesets:\n    - hack/r.yaml\n",
		"migrate:\n  # To rename a: x\n  rulesets:\n    - a-b # 1 place\n\n# next\nx: 1\n": "migrate:\n  # To rename a: x\n  rulesets:\n    - a-b # 1 place\n    - hack/r.yaml\n\n# next\nx: 1\n",
		"migrate:\n  rulesets: [\n    a-b,\n    c-d\n  ]\n":                                "migrate:\n  rulesets: [\n    a-b,\n    c-d\n  , hack/r.yaml]\n",
	} {
		got, err := Register([]byte(in), "hack/r.yaml")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"migrate: [a]\n", "migrate: {mode: dual}\n", "migrate: &a\n  rulesets: *b\n", "- a\n", "migrate: {rulesets: text}\n", "{stack: {root: a}}\n", `migrate: {rulesets: ["a]b"]}`} {
		if got, err := Register([]byte(in), "hack/r.yaml"); err == nil {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// TestCheck refuses options that name no rename.
func TestCheck(t *testing.T) {
	for _, x := range []struct {
		o    Options
		want string
	}{
		{Options{From: "a.dev", To: "b.dev"}, ""},
		{Options{From: "a.dev", To: "a.dev", Versions: map[string]string{"v1alpha1": "v1"}}, ""},
		{Options{From: "a.dev", To: "a.dev", Kinds: map[string]string{"A": "B"}}, ""},
		{Options{From: "a.dev", To: "a.dev", Kinds: map[string]string{"postgresql": "Database"}}, ""},
		{Options{From: "a.dev"}, "--to, --kind or --version is needed: what is renamed of a.dev"},
		{Options{From: "a.dev: {", To: "b.dev"}, "is not the name of an API group"},
		{Options{From: "a.dev", To: "a.dev"}, "within one group, --kind or --version"},
		{Options{From: "a.dev", To: "b.dev", Kinds: map[string]string{"A": "x: y"}}, "a kind is a word"},
		{Options{From: "a.dev", To: "b.dev", Kinds: map[string]string{"Ab": "ab"}}, "a kind is a word"},
		{Options{Kinds: map[string]string{"A": "B"}}, "--from is needed"},
		{Options{From: "a.dev", To: "b.dev", Versions: map[string]string{"v1": "v1"}}, "want two versions"},
	} {
		err := x.o.Check()
		if got := fmt.Sprint(err); (err == nil) != (x.want == "") || !strings.Contains(got, x.want) {
			t.Errorf("%+v: %v, want %q", x.o, err, x.want)
		}
	}
}

const gadgets = "apiVersion: old.example.com/v1alpha1\nkind: Gadget\nmetadata: {name: a}\n---\napiVersion: old.example.com/v1\nkind: Widget\nmetadata: {name: b}\n"

// TestDraft: the rules of a draft, by what is renamed.
func TestDraft(t *testing.T) {
	for _, x := range []struct {
		name string
		o    Options
		want []string // ids of the rules, with from and to
	}{
		{"a group", Options{From: "old.example.com", To: "new.example.dev"}, []string{
			"group: old.example.com -> new.example.dev", "gadget: old.example.com Gadget -> new.example.dev Gadget", "widget: old.example.com Widget -> new.example.dev Widget",
			"ops-group: ops.old.example.com -> ops.new.example.dev", "ops-cog: ops.old.example.com Cog -> ops.new.example.dev Cog",
		}},
		{"a version", Options{From: "old.example.com", To: "old.example.com", Versions: map[string]string{"v1alpha1": "v1"}}, []string{
			"v1alpha1: old.example.com/v1alpha1 -> old.example.com/v1",
		}},
		{"a kind", Options{From: "old.example.com", To: "old.example.com", Kinds: map[string]string{"Gadget": "Policy"}}, []string{
			"gadget: old.example.com Gadget -> old.example.com Policy",
		}},
		{"a kind with its version", Options{From: "old.example.com", To: "old.example.com", Kinds: map[string]string{"Gadget": "Tool"}, Versions: map[string]string{"v1alpha1": "v1"}}, []string{
			"gadget-v1alpha1: old.example.com/v1alpha1 Gadget -> old.example.com/v1 Tool", "gadget: old.example.com Gadget -> old.example.com Tool",
		}},
		{"one kind to another group", Options{From: "old.example.com", To: "new.example.dev", Kinds: map[string]string{"Gadget": "Gadget"}}, []string{
			"gadget: old.example.com Gadget -> new.example.dev Gadget",
		}},
		{"one kind's version", Options{From: "old.example.com", To: "old.example.com", Kinds: map[string]string{"Gadget": "Gadget"}, Versions: map[string]string{"v1alpha1": "v1"}}, []string{
			"gadget-v1alpha1: old.example.com/v1alpha1 Gadget -> old.example.com/v1 Gadget",
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			root := treeOf(t, map[string]string{"a.yaml": gadgets, "b.yaml": "apiVersion: ops.old.example.com/v1\nkind: Cog\n", "test/c.yaml": "apiVersion: old.example.com/v1\nkind: Dummy\n"})
			drafted, err := Draft(t.Context(), root, x.o, (&notes{}).progress())
			if err != nil {
				t.Fatal(err)
			}
			set, err := migrate.ParseRuleset("r.yaml", []byte(drafted.Text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range set.Rules {
				got = append(got, fmt.Sprintf("%s: %s -> %s", r.ID, r.From, r.To))
			}
			if strings.Join(got, "\n") != strings.Join(x.want, "\n") {
				t.Errorf("rules\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(x.want, "\n"))
			}
			if failed, err := migrate.Examples(set); err != nil || len(failed) > 0 || !drafted.Examples {
				t.Errorf("examples: %v %v", failed, err)
			}
			if err := set.Lint(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDraftOfLongFiles: where no file is short enough to be an example, an object of the kind is one.
func TestDraftOfLongFiles(t *testing.T) {
	root := treeOf(t, map[string]string{"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: gadgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Gadget, plural: gadgets}\n" + strings.Repeat("# long\n", maxExample)})
	drafted, err := Draft(t.Context(), root, Options{From: "old.example.com", To: "old.example.com", Kinds: map[string]string{"Gadget": "Tool"}}, (&notes{}).progress())
	if err != nil || !drafted.Examples || !strings.Contains(drafted.Text, "kind: Tool\n") {
		t.Errorf("%v\n%+v", err, drafted)
	}
}

// TestDraftOfChart: the kinds of CRDs in templates are read, a group that only they define is
// renamed with the shorter one, and names that nothing changes are not proposed.
func TestDraftOfChart(t *testing.T) {
	crd := func(group, kind, plural string) string {
		return "{{- if .Values.crds }}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations:\n    a: b\n    {{- toYaml .Values.annotations | nindent 4 }}\n  labels:\n    app: {{ .Values.name }}\n  name: " +
			plural + "." + group + "\nspec:\n  group: " + group + "\n  names: {kind: " + kind + ", plural: " + plural + "}\n{{- end }}\n"
	}
	root := treeOf(t, map[string]string{
		"Chart.yaml":            "name: a\nversion: 1.0.0\n",
		"templates/job.yaml":    crd("old.example.com", "GadgetJob", "gadgetjobs"),
		"templates/policy.yaml": crd("old.example.com", "Policy", "policies"),
		"templates/cog.yaml":    crd("ops.old.example.com", "Cog", "cogs"),
		"values.yaml":           "image: {repository: pictures.old.example.com/tools/gadget}\nid: lock.old.example.com # leader election\n",
		"README.md":             "See https://www.old.example.com and ops2.old.example.com.\n",
	})
	n := &notes{}
	drafted, err := Draft(t.Context(), root, Options{From: "old.example.com", To: "new.example.dev"}, n.progress())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kind: GadgetJob, plural: gadgetjobs", "kind: Policy, plural: policies", "kind: Cog, plural: cogs", "{value: lock.old.example.com, why: ...} # a lock"} {
		if !strings.Contains(drafted.Text, want) {
			t.Errorf("no %q in\n%s", want, drafted.Text)
		}
	}
	if strings.Count(drafted.Text, "why: ...") != 1 || strings.Contains(drafted.Text, "pictures") || n.lines[len(n.lines)-1] != "old.example.com, ops.old.example.com: 3 kinds, 6 references in 3 files" {
		t.Errorf("%v\n%s", n.lines, drafted.Text)
	}
}

// TestDraftLeavesGroupsOfOthers: a longer group that another repository defines is not renamed
// with one that the tree defines, and a domain that is no group is said to be one.
func TestDraftLeavesGroupsOfOthers(t *testing.T) {
	const theirs = "apiVersion: ops.old.example.com/v1\nkind: Cog\nmetadata: {name: a}\n"
	root := treeOf(t, map[string]string{
		"crd.yaml":  "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gadgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Gadget, plural: gadgets}\n",
		"cog.yaml":  theirs,
		"nut.yaml":  "apiVersion: old.example.com/v1\nkind: Nut\nmetadata: {name: a}\n",
		"README.md": "A port of bin.example.org.\n",
	})
	n := &notes{}
	drafted, err := Draft(t.Context(), root, Options{From: "old.example.com", To: "new.example.dev"}, n.progress())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(drafted.Text, "Cog") || n.lines[0] != "hint: not renamed: ops.old.example.com: no CRD here defines their kinds" ||
		!slices.Contains(n.lines, "hint: no CRD here defines Nut, renamed with the group; if another project owns it, write group: old.example.com in to of its rule") {
		t.Errorf("%v\n%s", n.lines, drafted.Text)
	}
	theirsToo := strings.Replace(drafted.Text, "to: {group: new.example.dev, kind: Nut", "to: {group: old.example.com, kind: Nut", 1)
	set, err := migrate.ParseRuleset("r.yaml", []byte(theirsToo))
	if err != nil || set.Lint() != nil || theirsToo == drafted.Text {
		t.Errorf("with the old group: %v, %v\n%s", err, set.Lint(), theirsToo)
	}
	if _, err := Draft(t.Context(), root, Options{From: "bin.example.org", To: "new.example.dev"}, n.progress()); err != nil || !strings.Contains(strings.Join(n.lines, "\n"), "warning: no CRD, object or Go constant") {
		t.Errorf("%v: %v", err, n.lines)
	}
}

// TestDraftProposesWholeKeys: uncommented, the entries of keys rename the keys that are there.
func TestDraftProposesWholeKeys(t *testing.T) {
	root := treeOf(t, map[string]string{
		"a.yaml":  gadgets,
		"keys.go": "package a\n\nconst (\n\tA = \"old.example.com/current-state\"\n\tB = \"old.example.com/a_b.c\"\n\tC = \"ops.old.example.com/last-seen\"\n)\n",
		"a.md":    "The label `old.example.com/keep-until` is set, and old.example.com/skip-it.\n",
	})
	drafted, err := Draft(t.Context(), root, Options{From: "old.example.com", To: "new.example.dev"}, (&notes{}).progress())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(drafted.Text) {
		if key, ok := strings.CutPrefix(line, "#   - {from: "); ok {
			got = append(got, key[:strings.IndexByte(key, ',')])
		}
	}
	want := "old.example.com/a_b.c old.example.com/current-state old.example.com/keep-until old.example.com/skip-it ops.old.example.com/"
	if strings.Join(got, " ") != want {
		t.Errorf("proposes %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestDraftOfNothing: a group to which nothing refers is an error that names others.
func TestDraftOfNothing(t *testing.T) {
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: old.example.com, names: {kind: Gadget, plural: gadgets}}\n"
	root := treeOf(t, map[string]string{"a.yaml": gadgets, "crd.yaml": crd, "testdata/b.yaml": "apiVersion: never.example.com/v1\nkind: A\n", "test-assets/c.yaml": "apiVersion: never.example.com/v1\nkind: A\n", "hack/r.yaml": "name: r\nrules:\n  - {id: a, from: {group: gone.example.com}, to: {group: old.example.com}}\n"})
	for o, want := range map[*Options][2]string{
		{From: "old.exmaple.com", To: "b.dev"}: {"nothing in this repository refers to the API group old.exmaple.com", "did you mean old.example.com?"},
		{From: "zebra.dev", To: "b.dev"}:       {"nothing in this repository refers to the API group zebra.dev", "the API groups of this repository are old.example.com"},
		{From: "old.example.com", To: "old.example.com", Versions: map[string]string{"v7": "v8"}}:    {"nothing in this repository refers to v7 of old.example.com", "git grep old.example.com"},
		{From: "old.example.com", To: "old.example.com", Kinds: map[string]string{"Gadgt": "Tool"}}:  {"nothing in this repository refers to Gadgt of old.example.com", "did you mean Gadget?"},
		{From: "old.example.com", To: "old.example.com", Kinds: map[string]string{"Volume": "Disk"}}: {"nothing in this repository refers to Volume of old.example.com", "its kinds here are Gadget"},
	} {
		_, err := Draft(t.Context(), root, *o, (&notes{}).progress())
		var e interface {
			error
			Hint() string
		}
		if !errors.As(err, &e) || e.Error() != want[0] || e.Hint() != want[1] {
			t.Errorf("%+v: %v, want %q", *o, err, want)
		}
	}
}

// TestConfigure: a repository's own group and its own rulesets come first.
func TestConfigure(t *testing.T) {
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {group: old.example.com, names: {kind: Gadget, plural: gadgets}}\n"
	treeOf(t, map[string]string{
		"crd.yaml": crd, "deploy.yaml": "apiVersion: extensions/v1beta1\nkind: Deployment\n", "v1.2/deploy.yaml": "apiVersion: extensions/v1beta1\nkind: Deployment\n", "fixtures/crd.yaml": strings.ReplaceAll(crd, "old.", "never."),
		"src/main/java/Gear.java": "@Group(\"gears.example.com\")\n@Version(\"v1\")\npublic class Gear extends CustomResource<GearSpec, Void> {}\n", "src/test/java/Cog.java": "@Group(\"never.example.com\")\nclass Cog {}\n",
		"hack/r.yaml": "name: r\ndoc: The group is renamed.\nrules:\n  - {id: a, from: {group: old.example.com}, to: {group: new.example.com}}\n",
	})
	n := &notes{}
	text, next, _, err := Configure(t.Context(), n.progress())
	want := "migrate:\n  rulesets:\n    - hack/r.yaml # The group is renamed.\n    - kubernetes-removed # 1 reference in 1 file, first deploy.yaml:1\n"
	if err != nil || text != want || next != "cfctl migrate" {
		t.Errorf("%v, next %q\n%s\nwant\n%s", err, next, text, want)
	}
	if all := strings.Join(n.lines, "\n"); !strings.Contains(all, "group old.example.com: Gadget") || !strings.Contains(all, "group gears.example.com: Gear, first in src/main/java/Gear.java") || strings.Contains(all, "never") {
		t.Errorf("says\n%s", all)
	}
}

// TestRegenerate: the command is named where a change is of a generated file, or of
// what it is generated from, and the Makefile has it.
func TestRegenerate(t *testing.T) {
	const (
		makefile = "build:\n\tgo build\n\nmanifests: controller-gen ## Generate.\n\t@echo one\n\t$(CONTROLLER_GEN) rbac:roleName=manager\n"
		marker   = "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=gadgets,verbs=get\n"
		crd      = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations: {controller-gen.kubebuilder.io/version: v0.16.1}\n  name: gadgets.old.example.com\nspec: {group: old.example.com, names: {kind: Gadget, plural: gadgets}}\n"
	)
	set, err := migrate.ParseRuleset("r.yaml", []byte("name: r\nrules:\n  - {id: a, from: {group: old.example.com}, to: {group: new.example.com}}\n  - {id: s, from: {group: s.example.com, version: v1alpha1}, to: {version: v1}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, makefile, file, text, want string
	}{
		{"a marker", makefile, "a.go", marker, "make manifests"},
		{"a CRD", makefile, "crd.yaml", crd, "make manifests"},
		{"a CRD that lacks a version", makefile, "crd.yaml", "kind: CustomResourceDefinition\nmetadata: {name: as.s.example.com, annotations: {controller-gen.kubebuilder.io/version: v0.16.1}}\nspec: {group: s.example.com, names: {kind: A, plural: as}, versions: [{name: v1alpha1, served: true}]}\n", "make manifests"},
		{"a CRD of another project that lacks a version", makefile, "crd.yaml", "kind: CustomResourceDefinition\nmetadata: {name: as.s.example.com}\nspec: {group: s.example.com, names: {kind: A, plural: as}, versions: [{name: v1alpha1, served: true}]}\n", ""},
		{"a rule for a file in a variable", "STAMP = .stamp\n.PHONY: all\nall: build\ngenerate: tools $(STAMP)\n$(STAMP): $(shell find api)\n\t@$(CONTROLLER_GEN) crd paths=./...\n$(OTHER): x\n\t@$(CONTROLLER_GEN) crd paths=./...\n", "crd.yaml", crd, "make generate"},
		{"another file", makefile, "a.yaml", "apiVersion: old.example.com/v1\nkind: Gadget\n", ""},
		{"no such target", "manifests:\n\techo none\n", "a.go", marker, ""},
		{"an included file", "-include a.mk\ninclude manifests.mk\n", "a.go", marker, "make manifests"},
		{"more included files than are read", strings.Repeat("include a.mk\n", 16) + "include manifests.mk\n", "a.go", marker, ""},
		{"no Makefile", "", "a.go", marker, ""},
		// cloudfoundry/korifi, metal3-io/cluster-api-provider-metal3.
		{"targets of other names, continued lines", "crds: tools\n\techo\n\n\tbin/controller-gen \\\n\t\tpaths=./... \\\n\t\tcrd:crdVersions=v1\n\nroles:\n\t$(CONTROLLER_GEN) rbac:roleName=a\n\ntools:\n\tgo build -o bin/controller-gen ./crd\n", "a.go", marker, "make crds roles"},
		// metal3-io/baremetal-operator.
		{"the first prerequisite, in another folder", "crds: $(CONTROLLER_GEN)\n\tcd apis; $(abspath $<) $(OPTIONS) paths=./...\n\t$< rbac:roleName=a\n\nother: $(KUSTOMIZE)\n\t$< build a/crd\n", "a.go", marker, "make crds"},
		// kubernetes-sigs/scheduler-plugins, spotahome/redis-operator.
		{"clients", "build:\n\tgo build\n", "a.go", "// Code generated by client-gen. DO NOT EDIT.\n\npackage a\n\nconst Group = \"old.example.com\"\n", "hack/update-codegen.sh"},
		{"clients, by make", "generate: tools\n\t. ./kube_codegen.sh; \\\n\tkube::codegen::gen_client\n", "a.go", "// Code generated by client-gen. DO NOT EDIT.\n\npackage a\n\nconst Group = \"old.example.com\"\n", "make generate"},
	} {
		files := map[string]string{x.file: x.text, "manifests.mk": makefile, "hack/update-codegen.sh": "client-gen\n"}
		if x.makefile != "" {
			files["Makefile"] = x.makefile
		}
		root := treeOf(t, files)
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := planOf(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if got := Regenerate(plan, root.ReadFile); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
	root := treeOf(t, map[string]string{"Makefile": makefile, "old.example.com_gadgets.yaml": crd})
	m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := planOf(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	written := func(name string) ([]byte, error) {
		if name == "new.example.com_gadgets.yaml" {
			return []byte(crd), nil
		} else if name != "Makefile" {
			return nil, fs.ErrNotExist
		}
		return root.ReadFile(name)
	}
	if got := Regenerate(renamed, written); got != "make manifests" {
		t.Errorf("after a write that renames the file: %q", got)
	}
	both := makefile + "\ncode: controller-gen\n\t$(CONTROLLER_GEN) object paths=./...\n"
	plan := &migrate.Plan{Generators: []string{"controller-gen"}}
	if got := Regenerate(plan, func(string) ([]byte, error) { return []byte(both), nil }); got != "make code" {
		t.Errorf("a generated Go file: %q", got)
	}
}

func TestRenamedGroups(t *testing.T) {
	var d draft
	d.From, d.To = "a.example.com", "b.example.org"
	for group, want := range map[string]string{"a.example.com": "b.example.org", "apps.a.example.com": "apps.b.example.org",
		"a.example.com.a.example.com": "b.example.org.b.example.org", "data.example.com": "data.example.com"} {
		if got := d.renamed(group); got != want {
			t.Errorf("%s becomes %s, want %s", group, got, want)
		}
	}
}

// TestDraftGivesEachRuleAnID: kinds that differ in case alone.
func TestDraftGivesEachRuleAnID(t *testing.T) {
	root := treeOf(t, map[string]string{"a.yaml": "apiVersion: old.example.com/v1\nkind: EKSCluster\n", "b.yaml": "apiVersion: old.example.com/v1\nkind: EksCluster\n"})
	drafted, err := Draft(t.Context(), root, Options{From: "old.example.com", To: "new.example.dev"}, (&notes{}).progress())
	if err != nil || strings.Count(drafted.Text, "- id: ekscluster") != 2 {
		t.Errorf("%v", err)
	}
}

// TestDraftOfProduct: a kind that has the name of an image is proposed with its API alone, and the
// types of a schema of OpenAPI are no kinds.
func TestDraftOfProduct(t *testing.T) {
	object := "apiVersion: old.example.com/v1\nkind: Gadget\nspec: {image: %s}\n"
	schema := `{"definitions": {"GadgetSpec": {"x-kubernetes-group-version-kind": [{"group": "old.example.com", "kind": "GadgetSpec", "version": "v1"}]}}}`
	for image, want := range map[string]bool{"example/gadget:1.2": true, "gadget:1.2": true, "gadget:8080": false, "example/gadgets:1.2": false} {
		root := treeOf(t, map[string]string{"a.yaml": fmt.Sprintf(object, image), "schema.json": schema})
		n := &notes{}
		drafted, err := Draft(t.Context(), root, Options{From: "old.example.com", To: "new.example.dev", Kinds: map[string]string{"Gadget": "Tool"}}, n.progress())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(drafted.Text, "    words: surface # gadget is also an image, a.yaml:3"); got != want {
			t.Errorf("%s: a product is %t\n%s", image, got, drafted.Text)
		}
		if strings.Contains(drafted.Text, "GadgetSpec}") {
			t.Errorf("a type of a schema is a kind\n%s", drafted.Text)
		}
	}
}

// TestAbbreviations: what variables call a kind, not its whole name.
func TestAbbreviations(t *testing.T) {
	for _, x := range []struct {
		word, kind string
		want       bool
	}{{"ws", "WidgetSet", true}, {"wdgt", "Widget", true}, {"amp", "AMP", false}, {"w", "Widget", false}} {
		if got := abbreviates(x.word, x.kind); got != x.want {
			t.Errorf("abbreviates(%q, %q) = %v", x.word, x.kind, got)
		}
	}
}

// TestDraftReadsGoCodeLast: the Go identifiers of a kind, which take long, are looked for only
// where nothing else refers to it.
func TestDraftReadsGoCodeLast(t *testing.T) {
	files := map[string]string{
		"go.mod":               "module example.net/op\n\ngo 1.25\n\nrequire (\n\tk8s.io/apimachinery v0.34.0\n\tsigs.k8s.io/controller-runtime v0.22.0\n)\n",
		"api/v1/group.go":      "// +groupName=old.example.com\npackage v1\n\nimport (\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n\t\"sigs.k8s.io/controller-runtime/pkg/scheme\"\n)\n\nvar GroupVersion = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}\n\nvar SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}\n",
		"api/v1/gear_types.go": "package v1\n\ntype GearBox struct{}\n\ntype GearBoxList struct{ Items []GearBox }\n\nfunc init() { SchemeBuilder.Register(&GearBox{}, &GearBoxList{}) }\n",
	}
	for _, tt := range []struct{ file, want string }{{"go.sum", "old.example.com: 1 kind, 5 references in 1 file"}, {"a.yaml", "old.example.com: 1 kind, 1 reference in 1 file"}} {
		files[tt.file] = map[string]string{"a.yaml": "apiVersion: old.example.com/v1\nkind: GearBox\n"}[tt.file]
		n := &notes{}
		if _, err := Draft(t.Context(), treeOf(t, files), Options{From: "old.example.com", Kinds: map[string]string{"GearBox": "CogBox"}}, n.progress()); err != nil || n.lines[0] != tt.want {
			t.Errorf("%s: %v: %q", tt.file, err, n.lines)
		}
	}
}
