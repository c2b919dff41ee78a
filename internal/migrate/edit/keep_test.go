package edit

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The reason of a suppression ends with its comment.
func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		" it stays": "it stays", " ts */ const x = 1": "ts", " md -->": "md", " helm */}}": "helm", "": "", " a-b": "a-b",
	} {
		if got := reason(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What a person keeps stays, whatever maker is about it; a mark that keeps
// nothing is told of.
func TestKept(t *testing.T) {
	b := newBench(t, moves)
	b.keeps = Keeps{{Path: "kept/**", Why: "ours"}, {Path: "a.yaml", Value: "apples.fruit.example.com"}}
	for _, tt := range []struct{ name, file, in string }{
		{"a name", "b.yaml", "apiVersion: old.example.com/v1 # cfctl:keep ours\n"},
		{"the line below", "b.yaml", "# cfctl:keep\napiVersion: old.example.com/v1\n"},
		{"a permission", "b.yaml", "rules:\n- apiGroups: [old.example.com] # cfctl:keep\n  resources: [anys]\n"},
		{"a split rule", "b.yaml", "kind: Role\nrules:\n- apiGroups: [fruit.example.com] # cfctl:keep\n  resources: [apples, pears]\n"},
		{"a marker", "b.go", "package a\n\n// +groupName=old.example.com cfctl:keep\n"},
		{"a file", "b.yaml", "resources:\n- old.example.com_anys.yaml # cfctl:keep\n"},
		{"an owned CRD", "a.yaml", "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: apples.fruit.example.com\n"},
		{"a folder", "kept/x/b.yaml", "apiVersion: old.example.com/v1\n"},
	} {
		plan := b.planned(tt.file, tt.in)
		if got, told := written(t, tt.in, plan.Made); got != tt.in || len(told) > 0 || len(plan.Unused) > 0 || len(plan.Made) == 0 {
			t.Errorf("%s: %v %v %q", tt.name, told, plan.Unused, got)
		}
		for _, o := range plan.Made {
			if o, _ = o.Settle(tt.file, &Tree{Renames: map[string]string{o.Old: "x.yaml"}}); o.Action() != Stay {
				t.Errorf("%s: %+v", tt.name, o)
			}
		}
	}
	unused := b.planned("b.yaml", "a: b # cfctl:keep nothing\n# `cfctl:keep` is a comment\n").Unused
	if len(unused) != 1 || unused[0].Reason != "unused-suppression" {
		t.Errorf("unused: %+v", unused)
	}
	late, marks := Acknowledge([]byte("a # cfctl:keep\nb\n"), "b.yaml", nil, []Outcome{Outcome{}.Leave("link", "x", "y"), Outcome{Span: source.Span{Start: 15, End: 16}}.Leave("link", "x", "y")})
	if late[0].Action() != Stay || late[0].Hint != "" || late[1].Action() != Person || len(marks) != 1 {
		t.Errorf("%+v %v", late, marks)
	}
}

// What moves together stays together: a mark on a part of it keeps the whole.
func TestKeptTogether(t *testing.T) {
	crd := func(name, group, kind string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: plums.tree.example.com" + name + "\nspec:\n  group: tree.example.com" + group + "\n  names:\n    kind: Plum" + kind + "\n    plural: plums\n"
	}
	role := func(groups, resources string) string {
		return "kind: Role\nrules:\n- apiGroups:\n" + groups + "  resources:\n" + resources
	}
	const plums, keep = "  - plums\n", " # cfctl:keep ours\n"
	gvk := func(group, version, kind string) string {
		return "package a\n\nvar gvk = schema.GroupVersionKind{\n\tGroup: \"step.example.com\"," + group + "\n\tVersion: \"v1alpha1\"," + version + "\n\tKind: \"Step\"," + kind + "\n}\n"
	}
	csv := "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: apples.fruit.example.com\n      kind: Apple # cfctl:keep\n      version: v1\n"
	list := []row{
		{name: "the apiVersion", file: "a.yaml", in: "apiVersion: tree.example.com/v1" + keep + "kind: Plum\n"},
		{name: "the kind", file: "a.yaml", in: "apiVersion: tree.example.com/v1\nkind: Plum" + keep},
		{name: "the group of a permission", file: "a.yaml", in: role("  - tree.example.com"+keep, plums)},
		{name: "the resource of a permission", file: "a.yaml", in: role("  - tree.example.com\n", "  - plums"+keep)},
		{name: "one group of a rule that would split", file: "a.yaml", in: role("  - fruit.example.com\n  - old.example.com"+keep, "  - apples\n  - pears\n")},
		{name: "one resource of a rule that would split", file: "a.yaml", in: role("  - fruit.example.com\n", "  - apples\n  - pears"+keep)},
		{name: "the group of a webhook", file: "a.yaml", in: "kind: MutatingWebhookConfiguration\nwebhooks:\n- clientConfig:\n    service:\n      path: /mutate-old-example-com-v1-step\n  rules:\n  - apiGroups: [old.example.com] # cfctl:keep\n    apiVersions: [v1]\n    resources: [steps]\n"},
		{name: "the version of a webhook", file: "a.yaml", in: "kind: MutatingWebhookConfiguration\nwebhooks:\n- rules:\n  - apiGroups: [step.example.com] # cfctl:keep\n    apiVersions:\n    - v1alpha1\n    resources: [steps]\n"},
		{name: "the name of a CRD", file: "a.yaml", in: crd(" # cfctl:keep", "", "")},
		{name: "the group of a CRD", file: "a.yaml", in: crd("", " # cfctl:keep", "")},
		{name: "the kind of a CRD", file: "a.yaml", in: crd("", "", " # cfctl:keep")},
		{name: "the group of a project", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old" + keep + "  kind: Any\n"},
		{name: "the domain of a project", file: "PROJECT", in: "domain: example.com" + keep + "resources:\n- group: old\n  kind: Any\n"},
		{name: "the kind of a project", file: "PROJECT", in: "domain: example.com\nresources:\n- group: tree\n  kind: Plum" + keep},
		{name: "an owned CRD", file: "a.yaml", in: "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: plums.tree.example.com" + keep + "      kind: Plum\n"},
		{name: "the kind of one that is owned twice", file: "a.yaml", in: csv + "    - name: apples.apple.example.org\n      kind: Apple\n      version: v1\n"},
		{name: "the kind of one that is to be owned twice", file: "a.yaml", dual: true, in: csv},
		{name: "the group in code", file: "a.go", in: gvk(" // cfctl:keep", "", "")},
		{name: "the version in code", file: "a.go", in: gvk("", " // cfctl:keep", "")},
		{name: "a group of two", file: "a.yaml", in: role("  - old.example.com"+keep+"  - lost.example.com\n", "  - things\n"), want: role("  - old.example.com"+keep+"  - found.example.org\n", "  - things\n")},
		{name: "a kind that stays", file: "a.yaml", in: "apiVersion: old.example.com/v1\nkind: Any" + keep, want: "apiVersion: new.example.org/v1\nkind: Any" + keep},
	}
	rows(t, list)
	b := newBench(t, moves)
	for _, r := range list[:len(list)-1] {
		b.dual = r.dual
		if unused := b.planned(r.file, r.in).Unused; len(unused) > 0 {
			t.Errorf("%s: the mark is said to keep nothing", r.name)
		}
	}
}

// The configuration keeps together as marks do.
func TestConfiguredTogether(t *testing.T) {
	b := newBench(t, moves)
	b.keeps = Keeps{{Value: "tree.example.com", Why: "ours"}, {Value: "tree.example.com/v1"}, {Value: "Step"}}
	for _, in := range []string{
		"apiVersion: tree.example.com/v1\nkind: Plum\n",
		"kind: Role\nrules:\n- apiGroups: [tree.example.com]\n  resources: [plums]\n",
		"kind: CustomResourceDefinition\nmetadata:\n  name: plums.tree.example.com\nspec:\n  group: tree.example.com\n  names: {kind: Plum, plural: plums}\n",
	} {
		made := b.plan("a.yaml", in)
		if got, told := written(t, in, made); got != in || len(told) > 0 || made[0].Reason != Configured {
			t.Errorf("%v %+v\n%s", told, made, got)
		}
	}
}

// Why something stays is said with the reason that a person gives, where there
// is one; a mark that a document speaks of keeps nothing, and is not told of.
func TestReasonsOfKeeps(t *testing.T) {
	b := newBench(t, moves)
	in := "apiVersion: old.example.com/v1\nkind: Any\n"
	for _, tt := range []struct {
		name, in string
		keeps    Keeps
		want     string
	}{
		{"a mark", "apiVersion: old.example.com/v1 # cfctl:keep ours\n", nil, "kept by hand: ours"},
		{"a mark without a reason", "apiVersion: old.example.com/v1 # cfctl:keep\n", nil, "kept by hand"},
		{"two marks", "# cfctl:keep above\napiVersion: old.example.com/v1 # cfctl:keep beside\n", nil, "kept by hand: beside"},
		{"the configuration", in, Keeps{{Path: "*.yaml", Why: "ours"}}, "kept by the configuration: ours"},
		{"the configuration without a reason", in, Keeps{{Value: "old.example.com/v1"}}, "kept by the configuration"},
		{"the first that fits", in, Keeps{{Path: "b/**"}, {Value: "x"}, {Value: "old.example.com/v1", Why: "first"}, {Why: "second"}}, "kept by the configuration: first"},
	} {
		b.keeps = tt.keeps
		if made := b.plan("a.yaml", tt.in); len(made) != 1 || made[0].Action() != Stay || made[0].Why != tt.want {
			t.Errorf("%s: %+v", tt.name, made)
		}
	}
	b.keeps = nil
	if unused := b.planned("a.md", "Write `# cfctl:keep REASON` behind it.\n").Unused; len(unused) != 0 {
		t.Errorf("%+v", unused)
	}
}

// A mark keeps its line; alone on one, the line below as well.
func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		in     string
		lines  string // what the first mark keeps
		reason string
	}{
		{"a # cfctl:keep x\nb\n", "a # cfctl:keep x", "x"},
		{"a\n# cfctl:keep\nb\nc\n", "# cfctl:keep\nb", ""},
		{"a\n  // cfctl:keep why\r\nb\r\nc", "  // cfctl:keep why\r\nb", "why"},
		{"<!-- cfctl:keep why -->\nb", "<!-- cfctl:keep why -->\nb", "why"},
		{"{{/* cfctl:keep why */}}\nb\n", "{{/* cfctl:keep why */}}\nb", "why"},
		{"# cfctl:keep", "# cfctl:keep", ""},
		{"rem cfctl:keep why\nb", "rem cfctl:keep why", "why"},
		{"a = \"# cfctl:keep x\" # cfctl:keep why\n", "a = \"# cfctl:keep x\" # cfctl:keep why", "why"},
		{"a: b\n", "", ""},
		{"# cfctl:keeper of it\n", "", ""},
		{"# x-cfctl:keep it\n", "", ""},
		{"echo x#cfctl:keep it\n", "", ""},
		{"echo cfctl:keep it\n", "", ""},
	} {
		marks := Marks([]byte(tt.in))
		if tt.lines == "" && len(marks) == 0 {
			continue
		}
		if len(marks) != 1 || string(marks[0].Lines.Of([]byte(tt.in))) != tt.lines || marks[0].Why != tt.reason {
			t.Errorf("%q: %+v", tt.in, marks)
		}
	}
}
