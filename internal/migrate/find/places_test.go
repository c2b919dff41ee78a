package find

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// testNames are the names of the examples in the tables of places.
var testNames = NewNames(Wanted{
	Known: []rules.GVK{
		{Group: "old.example.com"}, {Group: "plain", Version: "v1", Kind: "Apple"},
		{Group: "split.example.com", Kind: "Apple", Plural: "apples"}, {Group: "split.example.com", Kind: "Berry", Plural: "berries"},
		{Group: "same.example.com", Version: "v1beta1", Kind: "Pear", Plural: "pears"},
	},
	Keys:  []string{"old.example.com/"},
	Kinds: []string{"Apple", "Berry", "Pear"},
})

// found is what is found of the name that stands in ‹› in an example.
type found []Site

func (f *found) Site(s Site)  { *f = append(*f, s) }
func (f *found) Begin()       {}
func (f *found) End(Document) {}

// said is the place of the marked name of an example, and what is told of it.
func said(t *testing.T, file, example string, shell bool) (place *Place, facts rules.GVK) {
	t.Helper()
	before, rest, ok := strings.Cut(example, "‹")
	name, behind, closed := strings.Cut(rest, "›")
	if !ok || !closed {
		t.Fatalf("no name is marked in %q", example)
	}
	var got found
	data := []byte(before + name + behind)
	if shell {
		a := &analysis{Names: testNames, Reporter: &got}
		a.shell(text.Whole(data))
	} else {
		FormatOf(file, data).Read(testNames, file, data, &got)
	}
	for _, s := range got {
		if s.Place.Ask != Project && s.Doc.Start(s.Group.Start) >= len(before) && s.Doc.Start(s.Group.Start) < len(before)+len(name) {
			return s.Place, s.Facts
		}
	}
	return nil, rules.GVK{}
}

// A row is one of a table of places, whatever the table.
type row struct {
	id, why, yes, no string
	place            *Place
	shell            bool
	file             string
	without          func() (back func()) // takes the row out
}

// Every row of every table has a reason, speaks of its example, and not of the other
// one; without it, the example is read otherwise.
func TestEveryPlace(t *testing.T) {
	tables := map[string][]row{"a.txt": nil, "a.yaml": nil, "a.go": nil}
	for i, x := range phrases {
		tables["a.txt"] = append(tables["a.txt"], row{x.id, x.why, x.yes, x.no, x.place, x.shell, cmp.Or(x.file, "a.txt"), without(&phrases, i)})
	}
	for i, x := range yamlPlaces {
		tables["a.yaml"] = append(tables["a.yaml"], row{x.id, x.why, x.yes, x.no, x.place, false, cmp.Or(x.file, "a.yaml"), without(&yamlPlaces, i)})
	}
	for i, x := range codePlaces {
		tables["a.go"] = append(tables["a.go"], row{x.id, x.why, x.yes, x.no, x.place, false, "a.go", without(&codePlaces, i)})
	}
	for file, rows := range tables {
		ids := map[string]bool{}
		for _, r := range rows {
			if ids[r.id] {
				t.Errorf("%s: two rows %s", file, r.id)
			}
			ids[r.id] = true
			if !isReason(r.why) {
				t.Errorf("%s %s: why says no reason: %q", file, r.id, r.why)
			}
			r.check(t)
		}
	}
}

// isReason says whether a text tells why a row is there: in some words, and no links.
func isReason(why string) bool {
	return len(strings.Fields(why)) >= 3 && !strings.Contains(why, "://")
}

func (r row) check(t *testing.T) {
	file := r.file
	place, facts := said(t, file, r.example(file, r.yes), r.shell)
	if place != r.place {
		t.Errorf("%s %s: %q is in place %v", file, r.id, r.yes, place)
	}
	back := r.without()
	other, others := said(t, file, r.example(file, r.yes), r.shell)
	same, told := said(t, file, r.example(file, r.no), r.shell)
	back()
	if place == other && reflect.DeepEqual(facts, others) {
		t.Errorf("%s %s: without the row, %q is the same: %v", file, r.id, r.yes, other)
	}
	if was, facts := said(t, file, r.example(file, r.no), r.shell); was != same || facts != told {
		t.Errorf("%s %s: the row speaks of %q, too", file, r.id, r.no)
	}
}

func (row) example(file, text string) string {
	switch file {
	case "a.go":
		return "package a\n\n" + text + "\n"
	case "a.yaml", "PROJECT":
		return text + "\n"
	}
	return text
}

// without takes a row out of a table, until it is put back.
func without[T any](table *[]T, i int) func() func() {
	return func() func() {
		was := *table
		*table = slices.Delete(slices.Clone(was), i, i+1)
		return func() { *table = was }
	}
}

// Every row of the words speaks of its name, and not of the other one; without
// it, nothing does.
func TestEveryWord(t *testing.T) {
	for i, x := range words {
		if !isReason(x.why) {
			t.Errorf("%s: why says no reason: %q", x.id, x.why)
		}
		if got := speaksOf(x.yes, x.data); got == nil || got.id != x.id {
			t.Errorf("%s: %q speaks of %v", x.id, x.yes, got)
		}
		if got := speaksOf(x.no, true); got != nil && got.id == x.id {
			t.Errorf("%s: %q speaks of it, too", x.id, x.no)
		}
		back := without(&words, i)()
		if got := speaksOf(x.yes, x.data); got != nil {
			t.Errorf("%s: without the row, %q speaks of %s", x.id, x.yes, got.id)
		}
		back()
	}
}

// What a name speaks of that speaks of an API is the API.
func TestNamesOfGroups(t *testing.T) {
	for _, name := range []string{"Group", "API_GROUP", "ControllerGroup", "driverGroupName", "ownerAPIVersion", "crd", "composite", "security", "observer"} {
		if x := speaksOf(name, true); x != nil {
			t.Errorf("%q speaks of %s", name, x.id)
		}
	}
}
