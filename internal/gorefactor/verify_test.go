package gorefactor

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Verify finds an edit that a plan should not have, and one that it lacks.
func TestVerifyFindsWrongPlans(t *testing.T) {
	for _, x := range []struct {
		name string
		edit func(edits []source.Edit) []source.Edit // of a/a.go
		want string
	}{
		{"the plan", func(e []source.Edit) []source.Edit { return e }, ""},
		{"a type is not renamed", without("return nil", 1), "undefined"},
		{"one method of two is not renamed", without("type lister", 2), "does not implement"},
		{"a use of a variable is not renamed", without("return widgetSet", 1), "undefined: widgetSet"},
		{"a name too much", with("Size }", 0, 4, "Count"), "Count"},
		{"a name that the file lacks elsewhere", with("= impl{}", 2, 6, "Absent"), "undefined: Absent"},
		{"it does not parse", with("type impl", 0, 4, "{"), "does not parse"},
	} {
		t.Run(x.name, func(t *testing.T) {
			tree := world(group + "-- a/a.go --\n" + verified)
			loaded, err := Load(context.Background(), tree, paths(tree), LoadOptions{Bodies: Needed(gadget)})
			if err != nil {
				t.Fatal(err)
			}
			p, err := loaded.Plan(context.Background(), gadget, Options{History: past})
			if err != nil {
				t.Fatal(err)
			}
			p.Edits["a/a.go"] = x.edit(p.Edits["a/a.go"])
			checked, added, err := loaded.Verify(context.Background(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			if checked != 2 {
				t.Errorf("%d packages were checked", checked)
			}
			if x.want == "" {
				if len(added) > 0 {
					t.Errorf("new problems: %v", added)
				}
				return
			}
			if len(added) == 0 || !strings.Contains(fmt.Sprint(added), x.want) {
				t.Errorf("new problems %v do not mention %q", added, x.want)
			}
		})
	}
}

// The code of the fault table, for offsets.
const verified = `package a

import "example.com/widgets/api/v1alpha1"

type lister interface{ WidgetSets() []v1alpha1.WidgetSet }

type impl struct{ size int }

func (impl) WidgetSets() []v1alpha1.WidgetSet { return nil }

var _ lister = impl{}

func use(widgetSet v1alpha1.WidgetSet) int { return widgetSet.Spec.Size }

var _ = Absent
`

// without drops the n-th edit on the line of a text, from its end.
func without(line string, n int) func([]source.Edit) []source.Edit {
	at := strings.Index(verified, line)
	start := strings.LastIndex(verified[:at], "\n")
	end := at + strings.Index(verified[at:], "\n")
	return func(edits []source.Edit) []source.Edit {
		for i := len(edits) - 1; i >= 0; i-- {
			if edits[i].Start > start && edits[i].End < end {
				if n--; n == 0 {
					return append(edits[:i:i], edits[i+1:]...)
				}
			}
		}
		return edits
	}
}

// with adds an edit at a text.
func with(text string, from, to int, fresh string) func([]source.Edit) []source.Edit {
	at := strings.Index(verified, text)
	return func(edits []source.Edit) []source.Edit {
		edits = append(edits, source.Edit{Span: source.Span{Start: at + from, End: at + to}, New: fresh})
		sorted, err := source.Sort([]byte(verified), edits)
		if err != nil {
			panic(err)
		}
		return sorted
	}
}

// What was wrong before is no new problem, wherever the edits move it.
func TestVerifyIgnoresOldProblems(t *testing.T) {
	tree := world(group + "-- a/widgetset.go --\npackage a\n\nimport \"example.com/widgets/api/v1alpha1\"\n\nvar widgetSet v1alpha1.WidgetSet = undefined.WidgetSet(1) + missing\n\nfunc f() int { return widgetSet.Gone + \"x\" }\n")
	loaded, p := plan(t, tree, gadget)
	if len(loaded.Problems) == 0 || p.Moves["a/widgetset.go"] != "a/gadgetgroup.go" {
		t.Fatalf("problems %v, moves %v", loaded.Problems, p.Moves)
	}
	_, added, err := loaded.Verify(context.Background(), p, nil)
	if err != nil || len(added) > 0 {
		t.Errorf("new problems %v, %v", added, err)
	}
}

func TestMapping(t *testing.T) {
	// aaXXXbbYcc from aaxbbyyycc
	edits := []source.Edit{{Span: source.Span{Start: 2, End: 3}, New: "XXX"}, {Span: source.Span{Start: 5, End: 8}, New: "Y"}, {Span: source.Span{Start: 9, End: 9}, New: "zz"}}
	for at, want := range []int{0, 1, 2, 2, 2, 3, 4, 5, 8, 9, 9, 9, 10} {
		if got, _ := back(edits, at); got != want {
			t.Errorf("back(%d) = %d, want %d", at, got, want)
		}
	}
}

// A package of another module that cannot be imported is one problem, whichever
// files of a folder that moves have edits.
func TestVerifyMovedFolder(t *testing.T) {
	tree := world(group + "-- widgetset/sub/a.go --\npackage sub\n\nimport (\n\t\"example.net/other\"\n\t\"example.com/widgets/api/v1alpha1\"\n)\n\nvar _ other.T = v1alpha1.WidgetSet{}\n-- widgetset/sub/b.go --\npackage sub\n\nimport \"example.net/other\"\n\nvar _ = other.B\n")
	loaded, p := plan(t, tree, gadget)
	if name := "widgetset/sub/b.go"; p.Moves[name] == "" || len(p.Edits[name]) > 0 {
		t.Fatalf("moves %v, edits %v", p.Moves, p.Edits)
	}
	if _, added, err := loaded.Verify(context.Background(), p, nil); err != nil || len(added) > 0 {
		t.Errorf("new problems %v, %v", added, err)
	}
}

// others are packages of other modules, by their source.
type others map[string]string

func (o others) Import(name string) (*types.Package, error) {
	src, ok := o[name]
	if !ok {
		return nil, fmt.Errorf("no package %s", name)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", src, 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(name, fset, []*ast.File{file}, nil)
}

// The packages of other modules are the second opinion: what they declare keeps its name.
func TestVerifyWithOtherModules(t *testing.T) {
	code := `package a

import (
	"example.com/widgets/api/v1alpha1"
	"example.net/other"
)

type impl struct{ set v1alpha1.WidgetSet }

func (impl) WidgetSetName() string { return "" }

var _ other.Namer = impl{}

var _ other.Namer = struct{}{}
`
	known := others{"example.net/other": "package other\n\ntype Namer interface{ WidgetSetName() string }\n"}
	for _, x := range []struct {
		name   string
		others types.Importer
		want   int
	}{
		{"without them", nil, 0},
		{"with them, a method is missed; the last line was wrong before", known, 1},
		{"they have not this one", others{}, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			loaded, p := plan(t, world(group+"-- a/a.go --\n"+code), gadget)
			_, added, err := loaded.Verify(context.Background(), p, x.others)
			if err != nil || len(added) != x.want || x.want > 0 && !strings.Contains(added[0].Msg, "WidgetSetName") {
				t.Errorf("new problems %v, %v, want %d", added, err, x.want)
			}
		})
	}
}
