package migrate

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

const mergeRules = `
name: merge
rules:
  - {id: a, from: {group: a.example.dev}, to: {group: x.example.dev}}
  - {id: b, from: {group: b.example.dev}, to: {group: x.example.dev}}
keys:
  - {from: a.example.dev/, to: x.example.dev/}
keep:
  - {value: a.example.dev/lock, why: running clusters hold it}
`

func parsedMigration(t *testing.T, text string, dual bool) *Migration {
	t.Helper()
	set, err := rules.Parse("r.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{set}, Dual: dual})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Two groups that become one stand in a list once, in whatever order and style
// they stood there, with the new one or without it.
func TestTwoGroupsBecomeOne(t *testing.T) {
	orders := [][]string{{"a", "b"}, {"a", "b", "x"}, {"x", "a", "b"}, {"a", "x", "b"}, {"o", "a", "b"}, {"a", "o", "b"}, {"a", "b", "o"}, {"o", "x", "a", "b"}, {"a"}, {"x", "b"}}
	styles := map[string]func([]string) string{
		"flow": func(l []string) string {
			return "rules:\n- apiGroups: [" + strings.Join(l, ", ") + "]\n  resources: [things]\n"
		},
		"quoted": func(l []string) string {
			return "rules:\n- apiGroups: [\"" + strings.Join(l, `", "`) + "\"]\n  resources: [things]\n"
		},
		"block": func(l []string) string {
			return "rules:\n- apiGroups:\n  - " + strings.Join(l, "\n  - ") + "\n  resources: [things]\n"
		},
		"marker": func(l []string) string {
			return "package x\n\n// +kubebuilder:rbac:groups=" + strings.Join(l, ";") + ",resources=things,verbs=get\n"
		},
	}
	replace, dual := parsedMigration(t, mergeRules, false), parsedMigration(t, mergeRules, true)
	for style, spell := range styles {
		name := "role.yaml"
		if style == "marker" {
			name = "a.go"
		}
		for _, order := range orders {
			groups := make([]string, len(order))
			for i, g := range order {
				groups[i] = g + ".example.dev"
			}
			in := spell(groups)
			got := onceOf(t, replace, name, in)
			if n := strings.Count(got, "x.example.dev"); n != 1 || strings.Contains(got, "a.example") || strings.Contains(got, "b.example") ||
				strings.Contains(in, "o.example") != strings.Contains(got, "o.example") || onceOf(t, replace, name, got) != got {
				t.Errorf("%s %v: got\n%s", style, order, indent(got))
			}
			both := onceOf(t, dual, name, in)
			if strings.Count(both, "x.example.dev") != 1 || strings.Count(both, "a.example.dev") != strings.Count(in, "a.example.dev") || onceOf(t, dual, name, both) != both {
				t.Errorf("%s %v in dual mode: got\n%s", style, order, indent(both))
			}
		}
	}
}

// Two files whose CRDs become one have one twin in dual mode; where they differ,
// the other needs review.
func TestTwinsOfOneName(t *testing.T) {
	crd := func(group string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: things." + group + "\nspec:\n  group: " + group + "\n  names: {kind: Thing, plural: things}\n"
	}
	m := parsedMigration(t, mergeRules, true)
	for more, persons := range map[string]int{"": 0, "  scope: Namespaced\n": 1} {
		tree := memory{"crd/a.example.dev_things.yaml": crd("a.example.dev"), "crd/b.example.dev_things.yaml": crd("b.example.dev") + more}
		p := tree.planned(m)
		if p.Files[0].Twin == nil || p.Files[1].Twin != nil || p.Count(NeedsReview) != persons {
			t.Errorf("%q: twins %v and %v, %d for a person", more, p.Files[0].Twin, p.Files[1].Twin, p.Count(NeedsReview))
		}
	}
}

// What a ruleset keeps does not move by its keys.
func TestKeysNeverOverrideKeep(t *testing.T) {
	m := parsedMigration(t, mergeRules, false)
	in := "metadata:\n  labels:\n    a.example.dev/lock: held\n    a.example.dev/name: y\n"
	if got := onceOf(t, m, "a.yaml", in); got != strings.Replace(in, "a.example.dev/name", "x.example.dev/name", 1) {
		t.Errorf("got\n%s", indent(got))
	}
}

// A ClusterServiceVersion keeps its entries when only the version of a group
// moves, and an entry goes for one of the same version alone.
func TestOwnedEntriesStay(t *testing.T) {
	set, err := BuiltinRuleset("external-secrets-v1")
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name, version string) string {
		return "    - name: " + name + "\n      kind: Thing\n      version: " + version + "\n"
	}
	head := "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n"
	in := head + entry("externalsecrets.external-secrets.io", "v1beta1") + entry("secretstores.external-secrets.io", "v1beta1")
	if got := onceOf(t, m, "csv.yaml", in); got != in {
		t.Errorf("got\n%s", indent(got))
	}
	in = head + entry("things.a.example.dev", "v1") + entry("things.a.example.dev", "v2") + entry("things.x.example.dev", "v1")
	want := head + entry("things.x.example.dev", "v2") + entry("things.x.example.dev", "v1")
	rules := strings.Replace(mergeRules, "group: a.example.dev}", "group: a.example.dev, kind: Thing, plural: things}", 1)
	if got := onceOf(t, parsedMigration(t, rules, false), "csv.yaml", in); got != want {
		t.Errorf("got\n%s", indent(got))
	}
}
