package gorefactor

import (
	"strconv"
	"strings"
	"testing"
)

// A new name that means something else already keeps the old name everywhere,
// and is one entry. The rest changes, and the tree still type-checks.
func TestTakenNames(t *testing.T) {
	for _, x := range []struct {
		name, code string
		rules      []Rule
		want       []string // lines of the file afterwards
		review     []string
	}{
		{name: "package level", code: `
func newGadgetGroup() {}
func newWidgetSet() { newGadgetGroup() }
func use() { newWidgetSet() }
`, want: []string{"func newWidgetSet() { newGadgetGroup() }", "func use() { newWidgetSet() }"}, review: []string{`"newWidgetSet" is not renamed to "newGadgetGroup": "newGadgetGroup" is declared in a/a.go:5`}},
		{name: "a local variable hides the new name", code: `
func newWidgetSet() int { return 1 }
func use(newGadgetGroup int) int { return newWidgetSet() + newGadgetGroup }
`, want: []string{"return newWidgetSet() + newGadgetGroup"}, review: []string{`"newWidgetSet" is not renamed to "newGadgetGroup": "newGadgetGroup" is declared in a/a.go:6`}},
		{name: "in one scope", code: `
func use(widgetSet, gadgetGroup *v1alpha1.WidgetSet) { _, _ = widgetSet, gadgetGroup }
`, want: []string{"func use(widgetSet, gadgetGroup *v1alpha1.GadgetGroup) { _, _ = widgetSet, gadgetGroup }"}, review: []string{`"widgetSet" is not renamed to "gadgetGroup": "gadgetGroup" is declared in a/a.go:5`}},
		{name: "it would hide a name of the package", code: `
var gadgetGroup int

func use(widgetSet *v1alpha1.WidgetSet) int { return gadgetGroup + widgetSet.Spec.Size }
`, want: []string{"return gadgetGroup + widgetSet.Spec.Size"}, review: []string{`"widgetSet" is not renamed to "gadgetGroup": "gadgetGroup" is declared in a/a.go:5`}},
		{name: "another function's variable is no conflict", code: `
func other(gadgetGroup int) {}

func use(widgetSet *v1alpha1.WidgetSet) {}
`, want: []string{"func use(gadgetGroup *v1alpha1.GadgetGroup) {}"}},
		{name: "a method", code: `
type x struct{}

func (x) GadgetGroup() {}
func (x) WidgetSet()   {}

type y interface{ WidgetSet() }
`, want: []string{"func (x) WidgetSet()   {}", "type y interface{ WidgetSet() }"}, review: []string{`"WidgetSet" is not renamed to "GadgetGroup": "GadgetGroup" is declared in a/a.go:7`}},
		{name: "an import", code: `
func gadgetgroups() {}

var widgetsets = v1alpha1.WidgetSetList{}
`, want: []string{"var widgetsets = v1alpha1.GadgetGroupList{}"}, review: []string{`"widgetsets" is not renamed to "gadgetgroups": "gadgetgroups" is declared in a/a.go:5`}},
		{name: "a word of Go", rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "Func"}}, code: `
func use(widgetSet *v1alpha1.WidgetSet) { _ = widgetSet }
`, want: []string{"func use(widgetSet *v1alpha1.Func) { _ = widgetSet }"}, review: []string{`"widgetSet" is not renamed to "func": "func" is a word of Go`}},
		{name: "two names become one", rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "GadgetGroup", Alias: map[string]string{"wdgt": "gadgetGroup"}}}, code: `
func use(widgetSet, wdgt *v1alpha1.WidgetSet) { _, _ = widgetSet, wdgt }
`, want: []string{"func use(gadgetGroup, wdgt *v1alpha1.GadgetGroup) { _, _ = gadgetGroup, wdgt }"}, review: []string{`"wdgt" is not renamed to "gadgetGroup": "widgetSet" gets the same name`}},
	} {
		t.Run(x.name, func(t *testing.T) {
			before := world(group + "-- a/a.go --\npackage a\n\nimport \"example.com/widgets/api/v1alpha1\"\n" + x.code + "\nvar _ v1alpha1.WidgetSet\n")
			rules := x.rules
			if rules == nil {
				rules = gadget
			}
			_, p := plan(t, before, rules)
			got := string(apply(t, before, p)["a/a.go"].Data)
			for _, line := range x.want {
				if !strings.Contains(got, line) {
					t.Errorf("no line %q in\n%s", line, got)
				}
			}
			var review []string
			for _, e := range p.Review {
				review = append(review, strings.Replace(e.Why, "it is", strconv.Quote(e.Text)+" is", 1))
			}
			if strings.Join(review, "\n") != strings.Join(x.review, "\n") {
				t.Errorf("review is\n%s\nwant\n%s", strings.Join(review, "\n"), strings.Join(x.review, "\n"))
			}
		})
	}
}

// What makes a whole kind impossible is one entry, and nothing changes.
func TestKindNeedsReview(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "the new kind exists", rules: gadget, in: "-- api/v1alpha1/z.go --\npackage v1alpha1\n\ntype GadgetGroup struct{}\n", review: []string{"kind-taken api/v1alpha1/z.go"}},
		{name: "two kinds of one name get two others", rules: []Rule{gadget[0], {Group: "other.example.com", Kind: gadget[0].Kind, ToKind: "Crate"}},
			in:     "-- api/other/x.go --\n// +groupName=other.example.com\npackage other\n\nimport (\n\t\"k8s.io/apimachinery/pkg/runtime/schema\"\n\t\"sigs.k8s.io/controller-runtime/pkg/scheme\"\n)\n\nvar GroupVersion = schema.GroupVersion{Group: \"other.example.com\", Version: \"v1\"}\n\ntype WidgetSet struct{}\n\nfunc init() { (&scheme.Builder{GroupVersion: GroupVersion}).Register(&WidgetSet{}) }\n",
			review: []string{"kind-taken api/other/x.go", "kind-taken api/v1alpha1/widgetset_types.go"}},
		{name: "a file of the package does not parse", rules: gadget, in: "-- api/v1alpha1/z.go --\npackage v1alpha1\n\ntype {\n", review: []string{"package-broken api/v1alpha1/z.go", "go-syntax api/v1alpha1/z.go"}},
	})
}

// A file of cgo is checked and renamed as others are; what C declares there has one name in both languages.
func TestCgo(t *testing.T) {
	const file = `-- a/a.go --
package a

// int widgetSetSize(void) { return 1; }
import "C"

import v1 "example.com/widgets/api/v1alpha1"

// size is that of a WidgetSet.
func size(widgetSet v1.WidgetSet) int { return int(C.widgetSetSize()) }
`
	runTrees(t, group, []treeCase{{name: "cgo", rules: gadget, extra: true, in: file, want: strings.NewReplacer("WidgetSet", "GadgetGroup", "(widgetSet ", "(gadgetGroup ").Replace(file)}})
}

func TestFilesThatExistAreNotReplaced(t *testing.T) {
	before := world(group + "-- docs/widgetset.md --\na\n-- docs/gadgetgroup.md --\nb\n-- docs/widget-set.md --\nc\n-- docs/widget_set.md --\nd\n")
	_, p := plan(t, before, gadget)
	if p.Moves["docs/widgetset.md"] != "" {
		t.Errorf("moves are %v", p.Moves)
	}
	if p.Moves["docs/widget-set.md"] != "docs/gadget-group.md" || p.Moves["docs/widget_set.md"] != "docs/gadget_group.md" {
		t.Errorf("moves are %v", p.Moves)
	}
	if len(p.Review) != 1 || p.Review[0].ID != "file-taken" || p.Review[0].Path != "docs/widgetset.md" {
		t.Errorf("review is %v", p.Review)
	}
}
