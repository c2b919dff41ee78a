package edit

import "testing"

// What becomes of forms that the examples of a place do not have.
func TestForms(t *testing.T) {
	role := func(rule string) string { return "kind: Role\nrules:\n" + rule }
	split := func(before string) string {
		return before + "- apiGroups: [apple.example.org]\n  resources: [apples]\n  verbs: [get]\n- apiGroups: [pear.example.org]\n  resources: [pears]\n  verbs: [get]\n"
	}
	rows(t, []row{
		{name: "a kind within a longer word", file: "a.md", in: "A `xPlum` of tree.example.com/v1, a `Plum`.\n", want: "A `xPlum` of wood.example.org/v1, a `Prune`.\n"},
		{name: "rules at the top of a file", file: "a.yaml", in: "- apiGroups: [fruit.example.com]\n  resources: [apples, pears]\n  verbs: [get]\n", want: split("")},
		{name: "a comment and a blank line before the first rule", file: "a.yaml", in: role("# all\n\n- apiGroups: [fruit.example.com]\n  resources: [apples, pears]\n  verbs: [get]\n"), want: split("kind: Role\nrules:\n# all\n\n")},
		{name: "comments before each item", file: "a.yaml", in: role("- # ours\n  apiGroups:\n  # of fruit\n  - fruit.example.com\n  resources:\n  # both\n  - apples\n  # yes\n  - pears\n"),
			want: role("- # ours\n  apiGroups:\n  # of fruit\n  - apple.example.org\n  resources:\n  # both\n  - apples\n- # ours\n  apiGroups:\n  # of fruit\n  - pear.example.org\n  resources:\n  # yes\n  - pears\n")},
		{name: "escapes in a name that stays", file: "a.yaml", in: role("- apiGroups: [old.example.com]\n  resources: [\"\\u0061nys\", others]\n"), want: role("- apiGroups: [new.example.org]\n  resources: [\"\\u0061nys\", others]\n")},
		{name: "escapes in a rule that is split", file: "a.yaml", in: role("- apiGroups: [fruit.example.com]\n  resources: [\"\\u0061pples\", pears]\n"), told: "spelling: fruit.example.com"},
		{name: "escapes in a name that becomes another", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [\"\\u0070lums\"]\n"), told: "spelling: tree.example.com"},
		{name: "a marker in a path that is kept", file: "frozen/a.go", in: "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=anys,verbs=get\n", stays: "ruleset: old.example.com"},
		{name: "a marker that is kept by hand", file: "a.go", in: "package a\n\n// cfctl:keep here\n// +kubebuilder:rbac:groups=old.example.com,resources=anys,verbs=list\n", stays: "by-hand: old.example.com"},
		{name: "names of CRDs in a rule of more than CRDs", file: "a.yaml", in: role("- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions, others]\n  resourceNames: [anys.old.example.com]\n"), told: "splits: anys.old.example.com"},
		{name: "names of CRDs while both are served", file: "a.yaml", dual: true, in: role("- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  resourceNames: [anys.old.example.com]\n"),
			want: role("- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  resourceNames: [anys.old.example.com, anys.new.example.org]\n")},
		{name: "no comment, but a value that speaks of one", file: "a.yaml", in: "a: \"x cfctl:keep y\"\nb: old.example.com/v1\n", want: "a: \"x cfctl:keep y\"\nb: new.example.org/v1\n"},
		{name: "groups of arguments and of entries", file: "a.go",
			in:   "package a\n\nvar x = f(A{\"fruit.example.com\", \"Apple\"}, A{\"fruit.example.com\", \"Fig\"})\n\nvar y = []A{{Group: \"fruit.example.com\", Kind: \"Apple\"}, {Group: \"tree.example.com\", Kind: \"Fig\"}}\n",
			want: "package a\n\nvar x = f(A{\"apple.example.org\", \"Apple\"}, A{\"fruit.example.com\", \"Fig\"})\n\nvar y = []A{{Group: \"apple.example.org\", Kind: \"Apple\"}, {Group: \"tree.example.com\", Kind: \"Fig\"}}\n",
			told: "splits: fruit.example.com", stays: "no-rule: tree.example.com"},
		{name: "keys with arrows", file: "a.rb", in: "x = {\"group\" => \"tree.example.com\", \"kind\" => \"Plum\"}\ny = {\"group\" => \"tree.example.com\", \"kind\" => \"Fig\"}\n",
			want: "x = {\"group\" => \"wood.example.org\", \"kind\" => \"Prune\"}\ny = {\"group\" => \"tree.example.com\", \"kind\" => \"Fig\"}\n", stays: "no-rule: tree.example.com"},
		{name: "an entry of another name beside owned ones", file: "a.clusterserviceversion.yaml", in: "spec:\n  customresourcedefinitions:\n    owned:\n    - {name: old.example.com, kind: Any}\n    - {name: anys.old.example.com, kind: Any}\n    - {name: anys.new.example.org, kind: Any}\n    - {name: x-anys.old.example.com, kind: Any}\n",
			want: "spec:\n  customresourcedefinitions:\n    owned:\n    - {name: old.example.com, kind: Any}\n    - {name: anys.new.example.org, kind: Any}\n    - {name: x-anys.old.example.com, kind: Any}\n"},
		{name: "a domain above the groups of the rules", file: "PROJECT", in: "domain: of.example.com\nresources: []\n", told: "splits: of.example.com"},
		{name: "a file of a catalog of schemas", file: "old.example.com/anys_v1.json", in: "{\"type\": \"object\"}\n", told: "schema-file: old.example.com"},
		{name: "one list of groups for rules that agree", file: "a.yaml", in: role("- apiGroups: &g [fruit.example.com]\n  resources: [apples]\n- apiGroups: *g\n  resources: [apples]\n"),
			want: role("- apiGroups: &g [apple.example.org]\n  resources: [apples]\n- apiGroups: *g\n  resources: [apples]\n")},
		{name: "one list of groups for rules that are split alike", file: "a.yaml", in: role("- apiGroups: &g [fruit.example.com]\n  resources: [apples, pears]\n- apiGroups: *g\n  resources: [apples, pears]\n"), told: "shared: fruit.example.com"},
		{name: "one rule twice", file: "a.yaml", in: role("- &r\n  apiGroups: [fruit.example.com]\n  resources: [apples, pears]\n- *r\n"), told: "shared: fruit.example.com"},
		{name: "a CRD that serves both versions", file: "a.yaml", in: "kind: CustomResourceDefinition\nmetadata:\n  name: steps.step.example.com\nspec:\n  group: step.example.com\n  names: {kind: Step, plural: steps}\n  versions:\n  - name: v1alpha1\n  - name: v1\n"},
		{name: "a CRD that serves the old version behind another", file: "a.yaml", in: "kind: CustomResourceDefinition\nmetadata:\n  name: steps.step.example.com\nspec:\n  group: step.example.com\n  names: {kind: Step, plural: steps}\n  versions:\n  - name: v1beta1\n  - name: v1alpha1\n", told: "crd-version: step.example.com"},
	})
}

// Of suppressions those are told that keep nothing; in JSON none is but in a text.
func TestUnusedMarks(t *testing.T) {
	b := newBench(t, moves)
	for in, want := range map[string]int{
		"b: old.example.com/v1 # cfctl:keep y\n":                         0,
		"b: other.example.net/v1 # cfctl:keep y\n":                       1,
		"Write `cfctl:keep` here.\n":                                     0,
		"b: old.example.com/v1 # cfctl:keep y\nc: d # cfctl:keep more\n": 1,
	} {
		if got := b.planned("a.yaml", in).Unused; len(got) != want {
			t.Errorf("%q: %+v", in, got)
		}
	}
	json := "{\"a\": \"apiVersion: old.example.com/v1 # cfctl:keep why\\nkind: Any\"}\n"
	if made := b.plan("a.json", json); len(made) != 1 || made[0].Action() != Stay {
		t.Errorf("%+v", made)
	}
}

// The name of a group without a dot is an ordinary word where nothing marks it.
func TestPlainGroups(t *testing.T) {
	b := newBench(t, "name: plain\nrules:\n- {id: r, from: {group: tools}, to: {group: tools.example.org}}\n")
	for in, want := range map[string]int{"Of tools, and of (tools).\n": 0, "apiVersion: tools/v1 is of tools\n": 1, "`tools` and tools\n": 0} {
		if made := b.plan("a.md", in); len(made) != want {
			t.Errorf("%q: %+v", in, made)
		}
	}
}
