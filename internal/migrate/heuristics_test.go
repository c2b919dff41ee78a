package migrate

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/report"
)

// Each heuristic keeps something that changes when it is switched off: by a flag, and
// by a ruleset.
func TestHeuristics(t *testing.T) {
	fenced := "```yaml\n" + oldThing + "```\n"
	pear := "apiVersion: same.example.com/v1beta1\nkind: Pear\n"
	fencedPear := "```yaml\n" + pear + "```\n"
	examples := map[string][2]string{
		"change-log":      {"HISTORY.md", fenced},
		"log-folder":      {"docs/blog/a.md", fenced},
		"guide":           {"upgrading-to-beta.md", fenced},
		"snapshot":        {"test/__snapshots__/a.yaml", oldThing},
		"released-folder": {"0.3.0/a.yaml", oldThing},
		"released-file":   {"deploy/v1.2.3-alpha.4.yaml", oldThing},
		"template-choice": {"templates/a.yaml", "{{- if .Capabilities.APIVersions.Has \"x/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: x/v1\n{{- end }}\nkind: Thing\n"},
		"proposal":        {"proposals/a.md", fencedPear},
		"version-folder":  {"api/v1beta1/a.yaml", pear},
		"when-words":      {"a.txt", "deprecated: same.example.com/v1beta1, Pear\n"},
		"past-name":       {"a.go", "package a\n\nconst LegacyGroup = \"old.example.com\"\n"},
		"both-names":      {"a.txt", "old.example.com/v1 became new.example.org/v1\n"},
		"label-line":      {"a.md", "The label old.example.com is used.\n"},
		"pinned-link":     {"a.md", "[the CRD](https://example.net/blob/v1.2.3/crd/old.example.com_things.yaml)\n"},
	}
	for _, g := range judge.Heuristics {
		path, in := examples[g.ID][0], examples[g.ID][1]
		if got := onceOf(t, fuzzMigration(t), path, in); got != in {
			t.Errorf("%s: %s becomes\n%s", g.ID, path, indent(got))
		}
		off := parsedMigration(t, fuzzRules+"heuristics: {off: ["+g.ID+"]}\n", false)
		if got := onceOf(t, off, path, in); got == in && g.ID != "pinned-link" { // the file that it names is not there
			t.Errorf("%s: switched off, %s still stays", g.ID, path)
		}
		m := fuzzMigration(t)
		flagged, err := New(Options{Rulesets: m.opts.Rulesets, HeuristicsOff: []string{g.ID}})
		if err != nil {
			t.Fatal(err)
		}
		if got := onceOf(t, flagged, path, in); got == in && g.ID != "pinned-link" {
			t.Errorf("%s: switched off by an option, %s still stays", g.ID, path)
		}
		p := fuzzMigration(t).One(path, []byte(in))
		said := slices.ContainsFunc(p.Report(ReportOptions{Kept: true}).Findings, func(f report.Finding) bool { return strings.HasSuffix(f.Message, "; heuristic "+g.ID+")") })
		said = said || g.ID == "template-choice" // needs review
		if !said || !slices.ContainsFunc(p.Account(), func(e Entry) bool { return e.Guard == g.ID }) {
			t.Errorf("%s: the preview and the account do not name it", g.ID)
		}
	}
	m := fuzzMigration(t)
	if _, err := New(Options{Rulesets: m.opts.Rulesets, HeuristicsOff: []string{"snapshots"}}); err == nil || !strings.Contains(err.Error(), "snapshots") {
		t.Errorf("an unknown heuristic: %v", err)
	}
}

// Each heuristic about kinds of one word decides about a line of a tree, and does not where
// it is switched off.
func TestGoHeuristics(t *testing.T) {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(crateTree)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	said := func(to string, off ...string) string {
		rules := "  - {id: item, from: {group: old.example.com, kind: Item, plural: items}, to: {group: old.example.com, kind: " + to + "}}\n"
		_, after, review := nextPlan(t, goMigration(t, rules, Options{HeuristicsOff: off}), tree)
		for _, name := range slices.Sorted(maps.Keys(after)) {
			review = append(review, "-- "+name+" --\n"+string(after[name].Data))
		}
		return strings.Join(review, "\n")
	}
	lines := map[string]string{
		"kind-part":        "type ItemSource struct{}",
		"follows-name":     "func use(crateReconciler string) {",
		"file-comments":    "// What is done with each Crate.",
		"crd-descriptions": "description: The Crate of a user.",
		"code-spans":       "`Crate` is stored.",
		"log-kinds":        `"controller", "Crate"`,
		"scaffold":         "-- crate_viewer_role.yaml --",
	}
	all := said("Crate")
	for _, h := range judge.GoHeuristics {
		if h.ID == "longer-name" {
			const line = "	var sortedItem v1.SortedItem\n"
			if strings.Contains(said("SortedItem"), line) || !strings.Contains(said("SortedItem", h.ID), line) {
				t.Errorf("%s does not decide about %s in\n%s", h.ID, line, said("SortedItem", h.ID))
			}
			continue
		}
		if off := said("Crate", h.ID); !strings.Contains(all, lines[h.ID]) || strings.Contains(off, lines[h.ID]) {
			t.Errorf("%s does not decide about %s in\n%s", h.ID, lines[h.ID], off)
		}
	}
	if !strings.Contains(all, ": kind-part\n") {
		t.Errorf("kind-part is not in review in\n%s", all)
	}
}

const crateTree = `-- go.mod --
module example.com/op
-- README.md --
An ` + "`Item`" + ` is stored.
-- item_viewer_role.yaml --
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: item-viewer-role}
rules:
- {apiGroups: [old.example.com], resources: [items], verbs: [get]}
-- crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: items.old.example.com}
spec:
  group: old.example.com
  names:
    kind: Item
    plural: items
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object,
      description: The Item of a user.}}
-- api/v1/item_types.go --
// +groupName=old.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var GroupVersion = schema.GroupVersion{Group: "old.example.com", Version: "v1"}

// +kubebuilder:object:root=true
type Item struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	From ItemSource
}

type ItemList struct {
	Items []Item ` + "`json:\"items\"`" + `
}

type ItemSource struct{}
-- a/a.go --
package a

import v1 "example.com/op/api/v1"

// What is done with each Item.
type ItemReconciler struct{ done *v1.Item }

func (r *ItemReconciler) Do() error { return nil }

func newItem(name string) *v1.Item { return nil }

type log struct{}

func (log) Error(args ...any) {}

func use(itemReconciler string) {
	var item v1.Item
	_ = item
	itemName := "a"
	log{}.Error("not made", "controller", "Item", newItem(itemName))
}
`

// The table of heuristics in docs/migrate.md is that of the code; UPDATE=1 writes it.
func TestHeuristicsAreDocumented(t *testing.T) {
	const file, head = "../../docs/migrate.md", "| heuristic | what it decides |\n|---|---|\n"
	docs, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(docs), head)
	if !ok {
		t.Fatal("docs/migrate.md has no table of heuristics")
	}
	table, after, _ := strings.Cut(rest, "\n\n")
	var want []string
	for _, h := range slices.Concat(judge.Heuristics, judge.GoHeuristics) {
		want = append(want, "| `"+h.ID+"` | "+h.Doc+" |")
	}
	if table == strings.Join(want, "\n") {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("docs/migrate.md has another table of heuristics; UPDATE=1 writes it")
	}
	if err := os.WriteFile(file, []byte(before+head+strings.Join(want, "\n")+"\n\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A document is a guide by its title as well, and a folder is of a release only where it has a
// version of one.
func TestRecordsOfThePast(t *testing.T) {
	for _, x := range []struct {
		path, in string
		stays    bool
	}{
		{"docs/things.md", "# Thing Migration Guide: v1alpha1 to v1beta1\n\n```yaml\n" + oldThing + "```\n", true},
		{"docs/things.md", "# Thing migration\n\n```yaml\n" + oldThing + "```\n", false},
		{"docs/things.md", "# Things\n\n```yaml\n" + oldThing + "# migrate from v1 to v2\n```\n", false},
		{"version-1.2/a.yaml", oldThing, true},
		{"sample/version-1/a.yaml", oldThing, false},
	} {
		if got := onceOf(t, fuzzMigration(t), x.path, x.in); (got == x.in) != x.stays {
			t.Errorf("%s becomes\n%s", x.path, indent(got))
		}
	}
}
