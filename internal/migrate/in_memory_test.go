package migrate

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// mapOf is a tree of files.
func mapOf(tree memory) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range tree {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

// outcomesIn is what a plan of a tree leaves to a person: path, line, reason, spelling
// and what it becomes, and what it changes, each on a line.
func outcomesIn(t *testing.T, m *Migration, tree memory) string {
	t.Helper()
	p, err := m.planFS(t.Context(), mapOf(tree))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range p.Files {
		if f.Skip != nil {
			list = append(list, f.Path+" unread: "+f.Skip.Err.Error())
		}
		for _, s := range f.Sites {
			switch s.Action() {
			case NeedsReview:
				list = append(list, fmt.Sprintf("%s:%d %s %s → %s", f.Path, s.Pos.Line, s.ID(), s.Old, s.New))
			case Change:
				list = append(list, fmt.Sprintf("%s:%d %s → %s", f.Path, s.Pos.Line, s.Old, s.New))
			}
		}
	}
	return strings.Join(list, "\n")
}

const goRuleset = `
name: go
rules:
  - {id: plum, from: {group: tree.example.com, kind: Plum, plural: plums}, to: {group: tree.example.com, kind: Prune, plural: prunes}}
  - {id: step, from: {group: step.example.com, version: v1alpha1, kind: Step, plural: steps}, to: {group: step.example.com, version: v1}}
`

// Text with NUL bytes that holds a name is said to be unread; what is no text, is
// installed or of another project is skipped, with the reason.
func TestWhatIsNotRead(t *testing.T) {
	m := parsedMigration(t, goRuleset, false)
	const object = "apiVersion: tree.example.com/v1\nkind: Plum\n"
	tree := memory{
		"nul.yaml": object + "a: \x00\n", "first.sh": "\n\x00\necho tree.example.com\n", "program": "\x00\x01\x02\x7f" + object, "image.png": "\x00\x01\x02\x7f", "latin.txt": "caf\xe9 tree.example.com/v1 Plum, in a text of one byte each\x00\n",
		"utf16.yaml":      "\xff\xfe" + strings.Join(strings.Split(object, ""), "\x00") + "\x00",
		"vendor/a/a.yaml": object, "ui/node_modules/a.yaml": object,
		"late.bin": strings.Repeat("Plum ", 2000) + "\x00\x01\x0ctree.example.com", "set.pb": "\x0a\x0a\xf4\xbf\x9b\x01\x10tree.example.com", "form.yaml": "# \x0c\n" + object,
	}
	p, err := m.planFS(t.Context(), mapOf(tree))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range p.Account() {
		got = append(got, e.Path+" "+e.Reason+" "+e.Why)
	}
	want := `first.sh unread it has NUL bytes
form.yaml unread control characters are not allowed
latin.txt unread it has NUL bytes
nul.yaml unread it has NUL bytes
utf16.yaml unread it is written in UTF-16
image.png binary binary
late.bin binary binary: it is no text, and holds an old name
program binary binary: it is no text, and holds an old name
set.pb binary binary: it is no text, and holds an old name
ui/node_modules installed installed packages
vendor vendored vendored`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}

// A review tells of files that keep an old name, of files that cannot be read,
// and of a head that does not agree with itself where the base did.
func TestReviewFiles(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	const name, fresh = "old.example.com_things.yaml", "new.example.org_things.yaml"
	crd := "kind: CustomResourceDefinition\nmetadata:\n  name: things.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Thing, plural: things}\n"
	moved := strings.ReplaceAll(crd, "old.example.com", "new.example.org")
	for _, tt := range []struct {
		name       string
		base, head memory
		want       string
		errors     int
	}{
		{"renamed", memory{name: crd}, memory{fresh: moved}, "", 0},
		{"under its old name", memory{name: crd}, memory{name: moved}, "file-missed:0", 1},
		{"kept", memory{name: crd}, memory{name: strings.NewReplacer("  name: things.", "  # cfctl:keep later\n  name: things.", "  group:", "  # cfctl:keep later\n  group:").Replace(crd)}, "other-change:3 other-change:6", 0},
		{"not readable any more", memory{"a.yaml": "apiVersion: old.example.com/v1\n"}, memory{"a.yaml": "apiVersion: old.example.com/v1\na: [\n"}, "unreadable:2 other-change:1", 1},
		{"the name of a CRD without its group", memory{"crd.yaml": crd}, memory{"crd.yaml": strings.Replace(moved, "things.new.example.org", "things.other.example.org", 1)}, "differs:3", 1},
		{"gone", memory{name: crd}, memory{}, "other-change:0", 0},
		{"binary now", memory{"a.yaml": "apiVersion: old.example.com/v1\n"}, memory{"a.yaml": "\x00"}, "other-change:1 other-change:0", 0},
	} {
		var touched []string
		for n := range tt.base {
			touched = append(touched, n)
		}
		for n := range tt.head {
			touched = append(touched, n)
		}
		r, err := m.Review(t.Context(), mapOf(tt.base), mapOf(tt.head), Diff{Touched: touched})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Report().Findings {
			got = append(got, fmt.Sprintf("%s:%d", f.Rule, f.Line))
		}
		if strings.Join(got, " ") != tt.want || r.Errors() != tt.errors {
			t.Errorf("%s: %v, %d errors", tt.name, got, r.Errors())
		}
	}
}
