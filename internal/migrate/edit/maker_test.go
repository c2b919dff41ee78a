package edit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// moves are the rules of most tests: a group that moves as a whole, one whose
// kinds go apart, a kind and a version that become others, a key.
const moves = `
name: moves
guard: [Thing]
rules:
  - {id: whole, from: {group: old.example.com}, to: {group: new.example.org}}
  - {id: below, from: {group: low.of.example.com}, to: {group: low.of.example.org}}
  - {id: also, from: {group: also.example.com}, to: {group: new.example.org}}
  - {id: apple, from: {group: fruit.example.com, kind: Apple}, to: {group: apple.example.org}}
  - {id: pear, from: {group: fruit.example.com, kind: Pear}, to: {group: pear.example.org}}
  - {id: plum, from: {group: tree.example.com, kind: Plum, plural: plums}, to: {group: wood.example.org, kind: Prune, plural: prunes}}
  - {id: step, from: {group: step.example.com, version: v1alpha1, kind: Step}, to: {group: step.example.com, version: v1}}
  - {id: dodo, from: {group: gone.example.com, kind: Dodo}, removed: it is extinct}
  - {id: thing, from: {group: lost.example.com, kind: Thing}, to: {group: found.example.org}}
  - {id: nest, from: {group: home.example.com, version: v1alpha1, kind: Nest, plural: nests}, to: {group: nest.example.org, version: v1}}
  - {id: elm, from: {group: elm.example.com, kind: Elm, plural: elms}, to: {group: elm.example.com, kind: Oak, plural: oaks}}
  - {id: fir, from: {group: fir.example.com, version: v1, kind: Fir, plural: firs}, to: {group: fir.example.com, version: v2, kind: Pine, plural: pines}}
  - {id: yew, from: {group: yew.example.com, version: v1, kind: Yew, plural: yews}, to: {group: wood.example.org, version: v2, kind: Bow, plural: bows}}
keys:
  - {from: old.example.com/, to: new.example.org/}
keep:
  - {path: "frozen/**", why: on purpose}
`

// A bench is what a plan is made with, but for the file.
type bench struct {
	table *rules.Table
	names *find.Names
	dual  bool
	keeps Keeps
	shape Shape
	mixed judge.Mixed
}

// newBench compiles rules.
func newBench(t *testing.T, in string) *bench {
	t.Helper()
	table := rulestest.Table(t, in)
	return &bench{table: table, names: judge.NamesOf(table, judge.Clients(table))}
}

// file is one of a name and a content.
func (b *bench) file(name, text string) File {
	facts := judge.FactsOf(b.table, nil, b.dual, name, []byte(text), find.FormatOf(name, []byte(text)))
	facts.Mixed = b.mixed
	return File{Path: name, Table: b.table, Names: b.names, Clients: judge.Clients(b.table), Keeps: b.keeps, Shape: b.shape, Facts: facts}
}

// planned is what becomes of a file.
func (b *bench) planned(name, text string) Planned {
	f := b.file(name, text)
	return Plan(f, judge.Decisions(b.names, b.table, f.Facts, name))
}

// plan is what becomes of the names of a file.
func (b *bench) plan(name, text string) []Outcome { return b.planned(name, text).Made }

// written is a file with the edits of its outcomes, and what a person is told.
func written(t *testing.T, text string, made []Outcome) (string, []string) {
	t.Helper()
	var edits []source.Edit
	var told []string
	for _, o := range made {
		switch o.Action() {
		case Change:
			edits = append(edits, o.Edits()...)
		case Person:
			told = append(told, o.Reason+": "+o.Old)
		}
	}
	fresh, err := source.Apply([]byte(text), WithoutCovered(edits))
	if err != nil {
		t.Fatal(err)
	}
	return string(fresh), told
}

// A row is a file and what it becomes; a line end before its text is none of it.
// Empty want = it stays. Told is what a person hears, and stays what is said of
// names that stay: the reason and the old spelling of each.
type row struct {
	name, file, in, want string
	told                 string // joined with "; "
	stays                string // the same; empty = not looked at
	dual                 bool
}

// rows runs rows, each by the rules of moves.
func rows(t *testing.T, list []row) {
	t.Helper()
	b := newBench(t, moves)
	for _, r := range list {
		t.Run(r.name, func(t *testing.T) {
			b := *b
			b.dual = r.dual
			in, want := strings.TrimPrefix(r.in, "\n"), strings.TrimPrefix(r.want, "\n")
			if want == "" {
				want = in
			}
			made := b.plan(r.file, in)
			got, told := written(t, in, made)
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if said := strings.Join(told, "; "); said != r.told {
				t.Errorf("a person is told %q, want %q", said, r.told)
			}
			if said := staying(made); r.stays != "" && said != r.stays {
				t.Errorf("of what stays is said %q, want %q", said, r.stays)
			}
			if again, _ := written(t, got, b.plan(r.file, got)); again != got {
				t.Errorf("a second run makes\n%s", again)
			}
		})
	}
}

// staying is what is said of names that stay.
func staying(made []Outcome) string {
	var said []string
	for _, o := range made {
		if o.Action() == Stay {
			said = append(said, o.Reason+": "+o.Old)
		}
	}
	return strings.Join(said, "; ")
}

// A name is written as the rules say, with what stands beside it.
func TestNames(t *testing.T) {
	rows(t, []row{
		{name: "object", file: "a.yaml", in: "apiVersion: old.example.com/v1\nkind: Any\n", want: "apiVersion: new.example.org/v1\nkind: Any\n"},
		{name: "kind and group", file: "a.yaml", in: "apiVersion: tree.example.com/v1\nkind: Plum\n", want: "apiVersion: wood.example.org/v1\nkind: Prune\n"},
		{name: "version", file: "a.yaml", in: "apiVersion: step.example.com/v1alpha1\nkind: Step\n", want: "apiVersion: step.example.com/v1\nkind: Step\n"},
		{name: "two objects", file: "a.yaml", in: "apiVersion: fruit.example.com/v1\nkind: Apple\n---\napiVersion: fruit.example.com/v1\nkind: Pear\n",
			want: "apiVersion: apple.example.org/v1\nkind: Apple\n---\napiVersion: pear.example.org/v1\nkind: Pear\n"},
		{name: "key", file: "a.yaml", in: "metadata:\n  labels:\n    old.example.com/app: x\n", want: "metadata:\n  labels:\n    new.example.org/app: x\n"},
		{name: "resource", file: "a.sh", in: "kubectl get apples.fruit.example.com\n", want: "kubectl get apples.apple.example.org\n"},
		{name: "begin of a name", file: "a.go", in: "package a\n\nvar x = \"plums.tree.example.com/\" + ns\n", told: "unknown-place: plums.tree.example.com"},
		{name: "constants of a version", file: "a.java", in: "interface A { String GROUP = \"step.example.com\"; String V = \"v1alpha1\"; }\n", told: "splits: step.example.com"},
		{name: "finalizer of a generated reconciler", file: "a.go", in: "// Code generated by injection-gen. DO NOT EDIT.\n\npackage a\n\nconst defaultFinalizerName = \"plums.tree.example.com\"\n", stays: "label-like: plums.tree.example.com"},
		{name: "finalizer where the group moves whole", file: "a.go", in: "// Code generated by injection-gen. DO NOT EDIT.\n\npackage a\n\nconst defaultFinalizerName = \"things.old.example.com\"\n", stays: "label-like: things.old.example.com"},
		{name: "depends on the kind", file: "a.go", in: "package a\n\nconst Group = \"fruit.example.com\"\n", told: "splits: fruit.example.com"},
		{name: "import", file: "a.go", in: "package a\n\nimport \"example.net/client/tree.example.com/v1\"\n", told: "module: tree.example.com/v1"},
		{name: "removed", file: "a.yaml", in: "apiVersion: gone.example.com/v1\nkind: Dodo\n", told: "removed: gone.example.com/v1"},
		{name: "mail", file: "a.md", in: "Write to me@old.example.com.\n"},
	})
}

// A reference that a generator wrote is for a person, once, with what it tells of.
func TestGeneratedReference(t *testing.T) {
	b := newBench(t, moves)
	text := "See `step.example.com/v1alpha1` Step.\n\nSee `step.example.com/v1alpha1` Step.\n" + string(find.ReferenceMark) + "\n"
	got, told := written(t, text, b.plan("reference.md", text))
	if got != text || strings.Join(told, ";") != "generated-document: step.example.com/v1alpha1" {
		t.Errorf("%v %s", told, got)
	}
}

// A place in which the new spelling cannot be written is for a person.
func TestUnwritable(t *testing.T) {
	d := draft{Outcome: Outcome{Old: "a", New: "c"}}
	d.part(text.Whole([]byte("a b")), source.Span{Start: 0, End: 1}, "x", "c") // x does not stand there
	if o := d.done(); o.Action() != Person || o.Reason != "spelling" || o.New != "" || len(o.Edits()) > 0 {
		t.Errorf("%+v", o)
	}
}

// Outcomes come in the order of the file, and no place has two.
func TestPlanIsInOrder(t *testing.T) {
	b := newBench(t, moves)
	text := strings.Repeat("apiVersion: old.example.com/v1\nkind: Any\nmetadata:\n  labels: {old.example.com/a: b}\n  annotations: {x: old.example.com/v1}\n---\n", 20)
	made := b.plan("a.yaml", text)
	if !slices.IsSortedFunc(made, func(x, y Outcome) int { return x.Start - y.Start }) || len(made) < 60 {
		t.Errorf("%d outcomes", len(made))
	}
	seen := map[source.Span]bool{}
	for _, o := range made {
		if seen[o.Span] || o.Action() == "" || o.Old != text[o.Start:o.End] {
			t.Errorf("%+v", o)
		}
		seen[o.Span] = true
	}
}

// What becomes of a document in a string when shapes change is asked once for
// each document, and replaces what was made in it alone.
func TestShapeOfADocument(t *testing.T) {
	b := newBench(t, moves)
	text := "data:\n  a: |\n    apiVersion: old.example.com/v1\n    kind: Any\nhost: old.example.com\n"
	var asked []string
	b.shape = func(d find.Document, made []Outcome) ([]Outcome, bool) {
		asked = append(asked, fmt.Sprint(len(made)))
		if d.Doc.Depth == 0 {
			return nil, false
		}
		list := slices.Clone(made)
		list[0] = list[0].Leave("spelling", "cannot be written", "")
		return append(list, Outcome{Span: made[0].Span}.Whole(nil)), true
	}
	got, told := written(t, text, b.plan("a.yaml", text))
	if got != text || strings.Join(told, ";") != "spelling: old.example.com/v1" || len(asked) != 2 {
		t.Errorf("asked %v, told %v, got\n%s", asked, told, got)
	}
}

// A name moves with what stands beside it, wherever that is.
func TestPlaces(t *testing.T) {
	rows(t, []row{
		{name: "the kind of a list", file: "a.yaml", in: `
apiVersion: tree.example.com/v1
kind: PlumList
`, want: `
apiVersion: wood.example.org/v1
kind: PruneList
`},
		{name: "a key with its prefix alone", file: "a.yaml", in: `
metadata:
  annotations:
    old.example.com/: x
`, want: `
metadata:
  annotations:
    new.example.org/: x
`},
		{name: "a resource that the tree may have", file: "a.yaml", in: `
key: plums.tree.example.com
`, stays: "label-like: plums.tree.example.com"},
		{name: "a group, a version and a kind in code", file: "a.go", in: `
package a

var gvk = schema.GroupVersionKind{Group: "tree.example.com", Version: "v1", Kind: "Plum"}
`, want: `
package a

var gvk = schema.GroupVersionKind{Group: "wood.example.org", Version: "v1", Kind: "Prune"}
`},
		{name: "a resource in code", file: "a.go", in: `
package a

var gvr = schema.GroupVersionResource{Group: "tree.example.com", Version: "v1", Resource: "plums"}
`, want: `
package a

var gvr = schema.GroupVersionResource{Group: "wood.example.org", Version: "v1", Resource: "prunes"}
`},
		{name: "a group and its version apart", file: "a.go", in: `
package a

var gv = schema.GroupVersion{Group: "home.example.com", Version: "v1alpha1"}
`, want: `
package a

var gv = schema.GroupVersion{Group: "nest.example.org", Version: "v1"}
`},
		{name: "a REST path", file: "a.sh", in: `
curl https://k/apis/tree.example.com/v1/namespaces/a/plums
`, want: `
curl https://k/apis/wood.example.org/v1/namespaces/a/prunes
`},
		{name: "a file that stays", file: "frozen/a.yaml", in: `
apiVersion: old.example.com/v1
kind: Any
`, stays: "ruleset: old.example.com/v1"},
		{name: "while both are served", file: "a.yaml", dual: true, in: `
apiVersion: old.example.com/v1
kind: Any
metadata:
  labels: {old.example.com/x: y}
`, stays: "dual: old.example.com/v1; dual: old.example.com/x"},
		{name: "a mapping that has the new key", file: "a.yaml", in: `
metadata:
  labels:
    old.example.com/x: y
    new.example.org/x: y
`, told: "name-taken: old.example.com/x"},
		{name: "a string in which it cannot be written", file: "a.yaml", in: `
data: {a: "apiVersion: old.example.com/v1\nkind: Any\n"}
`, want: `
data: {a: "apiVersion: new.example.org/v1\nkind: Any\n"}
`},
		{name: "the import of a version", file: "a.go", in: `
package a

import "example.net/client/home.example.com/v1alpha1"
`, told: "module: home.example.com/v1alpha1"},
		{name: "the import of a group that is gone", file: "a.go", in: `
package a

import "example.net/client/gone.example.com/v1"
`},
		{name: "the import of a group that stays", file: "a.go", in: `
package a

import "example.net/client/step.example.com/v1alpha1"
`, told: "module: step.example.com/v1alpha1"},
		{name: "a word that is no group", file: "a.md", in: `
An apple, a pear and a plum.

`},
	})
}
