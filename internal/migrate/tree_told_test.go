package migrate

import (
	"strings"
	"testing"
)

// What files of a tree say together needs review where they would become the
// same, and follows where one file tells of another.
func TestFilesTogether(t *testing.T) {
	object := func(group string) string {
		return "apiVersion: " + group + ".example.dev/v1\nkind: Thing\nmetadata:\n  name: one\n"
	}
	crd := func(group string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: things." + group + ".example.dev\nspec:\n  group: " + group + ".example.dev\n  names: {kind: Thing, plural: things}\n"
	}
	service := func(group string) string {
		return "kind: APIService\nmetadata:\n  name: v1." + group + ".example.dev\nspec:\n  group: " + group + ".example.dev\n  version: v1\n"
	}
	kind := func(kind string) string {
		plural := strings.ToLower(kind) + "s"
		return "kind: CustomResourceDefinition\nmetadata:\n  name: " + plural + ".y.example.dev\nspec:\n  group: y.example.dev\n  names: {kind: " + kind + ", plural: " + plural + "}\n"
	}
	m := parsedMigration(t, strings.Replace(mergeRules, "keys:", "  - {id: pear, from: {group: y.example.dev, kind: Pear, plural: pears}, to: {kind: Plum, plural: plums}}\nkeys:", 1), false)
	for _, tt := range []struct {
		name string
		tree memory
		want string
	}{
		{"two objects of one name in a folder", memory{"a.yaml": object("a"), "b.yaml": object("b")},
			"a.yaml:1 a.example.dev/v1 → x.example.dev/v1\nb.yaml:1 name-taken b.example.dev/v1 → x.example.dev/v1"},
		{"two objects of one name, one of the new group", memory{"a.yaml": object("a"), "x.yaml": object("x")},
			"a.yaml:1 name-taken a.example.dev/v1 → x.example.dev/v1"},
		{"two folders", memory{"a/a.yaml": object("a"), "b/b.yaml": object("b")},
			"a/a.yaml:1 a.example.dev/v1 → x.example.dev/v1\nb/b.yaml:1 b.example.dev/v1 → x.example.dev/v1"},
		{"two CRDs of one file", memory{"crd.yaml": crd("a") + "---\n" + crd("b")},
			"crd.yaml:3 things.a.example.dev → things.x.example.dev\ncrd.yaml:5 a.example.dev → x.example.dev\ncrd.yaml:10 name-taken things.b.example.dev →"},
		{"two CRDs of a folder", memory{"a.yaml": crd("a"), "b.yaml": crd("b")},
			"a.yaml:3 things.a.example.dev → things.x.example.dev\na.yaml:5 a.example.dev → x.example.dev\nb.yaml:3 name-taken things.b.example.dev →"},
		{"two APIServices of a folder, one of the new group", memory{"a.yaml": service("a"), "x.yaml": service("x")},
			"a.yaml:3 name-taken v1.a.example.dev →"},
		{"two APIServices of two folders", memory{"a/a.yaml": service("a"), "x/x.yaml": service("x")},
			"a/a.yaml:3 v1.a.example.dev → v1.x.example.dev"},
		// grafana/k6-operator: K6 and TestRun in bundle.yaml, and in templates of the chart
		{"two CRDs of a file, of which one gets the kind of the other", memory{"a.yaml": kind("Pear") + "---\n" + kind("Plum")}, "a.yaml:3 name-taken pears.y.example.dev →"},
		{"two CRDs of templates", memory{"templates/a.yaml": "{{- if .Values.crds }}\n" + kind("Pear") + "{{- end }}\n", "templates/b.yaml": "{{- if .Values.crds }}\n" + kind("Plum") + "{{- end }}\n"}, "templates/a.yaml:4 name-taken pears.y.example.dev →"},
		{"a file that does not parse", memory{"a.yaml": object("a") + "  a: [\n"}, "a.yaml unread: did not find expected node content"},
	} {
		got := outcomesIn(t, m, tt.tree)
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// A group may be spelled like the name of a CRD of another one, as those of
// application-gateway-kubernetes-ingress are.
func TestGroupsLikeNames(t *testing.T) {
	rules := "name: s\nrules:\n- {id: g, from: {group: a.example.dev}, to: {group: x.example.dev}}\n"
	tree := memory{}
	for _, kind := range []string{"Pear", "Plum"} {
		plural := strings.ToLower(kind) + "s"
		rules += "- {id: " + plural + ", from: {group: " + plural + ".a.example.dev}, to: {group: " + plural + ".x.example.dev}}\n"
		tree[plural+".yaml"] = "kind: CustomResourceDefinition\nmetadata:\n  name: " + plural + ".a.example.dev\nspec:\n  group: a.example.dev\n  names: {kind: " + kind + ", plural: " + plural + "}\n"
	}
	for name, data := range migrated(t, tree, parsedMigration(t, rules, false).opts) {
		if want := strings.ReplaceAll(tree[name], "a.example", "x.example"); data != want {
			t.Errorf("%s is\n%swant\n%s", name, data, want)
		}
	}
}

// The resource of a kind is the one that its rule names: code with another spelling of it stays
// when the manifests have the new group.
func TestResourceOfItsRule(t *testing.T) {
	m := parsedMigration(t, "name: s\nrules:\n- {id: g, from: {group: a.example.dev}, to: {group: x.example.dev}}\n- {id: b, from: {group: a.example.dev, kind: Bus, plural: bus}, to: {group: x.example.dev, kind: Bus, plural: bus}}\n", false)
	tree := migrated(t, memory{"a.yaml": "apiVersion: a.example.dev/v1\nkind: Bus\n", "a.go": "package a\n\nvar is = \"buses.a.example.dev\"\n"}, m.opts)
	if again := migrated(t, tree, m.opts); again["a.go"] != tree["a.go"] {
		t.Errorf("a second run makes\n%sof\n%s", again["a.go"], tree["a.go"])
	}
}

// A version that only text has is no version of the API, unless the tree has it, in the old
// group or where that moved: what needs review does so after all else was written.
func TestVersionsThatMoved(t *testing.T) {
	m := parsedMigration(t, "name: s\nrules:\n- {id: g, from: {group: a.example.dev}, to: {group: x.example.dev}}\n"+
		"- {id: w, from: {group: a.example.dev, kind: Widget, version: v1alpha1}, to: {group: x.example.dev, version: v2}}\n"+
		"- {id: r, from: {group: a.example.dev, kind: Relic}, removed: it is gone}\n", false)
	note := "# Notes\n\nWrite a.example.dev/v1 there.\n"
	for group, want := range map[string]bool{"": false, "a.example.dev": true, "x.example.dev": true, "y.example.dev": false} {
		tree := memory{"note.md": note}
		if group != "" {
			tree["a.yaml"] = "apiVersion: " + group + "/v1\nkind: Thing\nmetadata:\n  name: one\n"
		}
		if got := outcomesIn(t, m, tree); strings.Contains(got, "note.md") != want {
			t.Errorf("%q: got\n%s", group, got)
		}
		if group != "" {
			tree = memory{"note.md": note, "a.json": `{"apiVersion": "` + group + `/v1", "kind": "Thing", "metadata": {"name": "one"}}`}
		}
		if got := outcomesIn(t, m, tree); strings.Contains(got, "note.md") != want {
			t.Errorf("%q in JSON: got\n%s", group, got)
		}
	}
}

// A kind without a successor that a text names apart from its group keeps that from changing
// by what the tree has.
func TestKindsNamedApart(t *testing.T) {
	rest := "apiVersion: a.example.dev/v1\nkind: Thing\nmetadata:\n  name: one\n"
	code := "kind: ConfigMap\ndata:\n  a: |\n    package a\n\n    var m = \"{\\n\" +\n    \t\"    \\\"apiVersion\\\": \\\"a.example.dev/v1\\\",\\n\" +\n    \t\"    \\\"kind\\\": \\\"KIND\\\",\\n\" +\n    \t\"}\\n\"\n"
	m := parsedMigration(t, "name: s\nrules:\n- {id: g, from: {group: a.example.dev}, to: {group: x.example.dev}}\n"+
		"- {id: r, from: {group: a.example.dev, kind: Relic}, removed: it is gone}\n", false)
	for kind, want := range map[string]bool{"Thing": true, "Relic": false} {
		got := outcomesIn(t, m, memory{"a.yaml": strings.ReplaceAll(code, "KIND", kind), "b.yaml": rest})
		if strings.Contains(got, "a.yaml:7 a.example.dev/v1 → x.example.dev/v1") != want {
			t.Errorf("%s: got\n%s", kind, got)
		}
	}
}
