package edit

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// What tells no kind by itself, in a tree of which Pear stays: KIND is Fig, which
// moves, Pear, and Lime, of which nothing is known.
var inDoubt = []struct {
	name, file, in string
	fig, pear, any string // what becomes of it: moves, stays, told
}{
	{"constant of a kind", "a.go", "var x = T{\n\tKind: api.KINDKind,\n\tAPIVersion: \"old.example.com/v1\",\n}", "moves", "stays", "told"},
	{"constant of a kind, the other way round", "a.go", "var x = T{Kind: KindKIND, Group: \"old.example.com\"}", "moves", "stays", "stays"},
	{"constant in a list of objects", "a.go", "var x = []T{{Kind: \"Pear\", Meta: M{Kind: api.KINDKind, APIVersion: \"old.example.com/v1\"}}}", "moves", "stays", "told"},
	{"value of a call", "a.go", "var x = T{Group: new(\"old.example.com\"), Kind: new(\"KIND\"), Name: new(\"x\")}", "moves", "stays", "stays"},
	{"keys that are alike", "a.go", "var x = map[string]string{\n\tapi.NameKey: \"Pear\",\n\tapi.KindKey: \"KIND\",\n\tapi.GroupKey: \"old.example.com\",\n}", "moves", "stays", "stays"},
	{"type around", "a.go", "var x = &api.KIND{TypeMeta: meta.TypeMeta{APIVersion: \"old.example.com/v1\"}}", "moves", "stays", "told"},
	{"statement before", "a.go", "func f() {\n\tx.Kind = api.KINDKind\n\tx.APIVersion = \"old.example.com/v1\"\n}", "moves", "stays", "told"},
	{"statement behind", "a.go", "func f() {\n\tx.WithAPIVersion(\"old.example.com/v1\")\n\tx.WithKind(\"KIND\")\n}", "moves", "stays", "stays"},
	{"statement of another object", "a.go", "func f() {\n\ty.Kind = api.KINDKind\n\tx.APIVersion = \"old.example.com/v1\"\n}", "told", "told", "told"},
	{"kind of a variable", "a.go", "var x = T{Kind: target.KIND, APIVersion: \"old.example.com/v1\"}", "told", "told", "told"},
	{"entry behind a manifest in a string", "a.go", "var y = `apiVersion: old.example.com/v1\nkind: KIND\n`\n\nvar x = map[string]string{\"old.example.com\": \"KIND\"}", "moves", "stays", "stays"},
	{"comment", "a.go", "// It has the Kind \"KIND\" and the API version\n// \"old.example.com/v1\" by default.\nvar x int", "moves", "stays", "stays"},
	{"comment of both", "a.go", "// One of `KIND` and `Fig` of 'old.example.com' here.\nvar x int", "moves", "told", "moves"},
	{"comment of no kind", "a.go", "// The KINDs of a line above.\n\n// It defaults to 'old.example.com'.\nvar x int", "stays", "stays", "stays"},
	{"sentence before", "a.md", "A `KIND` is one. It defaults to `old.example.com`.", "stays", "stays", "stays"},
	{"sentence", "a.md", "A `KIND` of `old.example.com` is one.", "moves", "stays", "stays"},
	{"word of a sentence", "a.md", "The KIND of `old.example.com` is one.", "told", "stays", "stays"},
	{"heading", "a.md", "# old.example.com/v1\n\nOf KIND and others.", "told", "told", "told"},
	{"description", "a.yaml", "description: |-\n  The group of KIND.\n  Defaults to 'old.example.com'.", "stays", "stays", "stays"},
	{"message", "a.go", "var x = \"no matches for kind \\\"KIND\\\" in group \\\"old.example.com\\\"\"", "moves", "stays", "stays"},
	{"words in a string", "a.go", "var x = \"ignores whatever is not of 'old.example.com' or empty\"", "stays", "stays", "stays"},
	{"argument", "a.sh", "run --group old.example.com", "told", "told", "told"},
	{"constant", "a.go", "const Group = \"old.example.com\"", "told", "told", "told"},
	{"marker", "a.go", "// +groupName=old.example.com\npackage a", "told", "told", "told"},
}

// A group that tells no kind follows the kind that stands beside it in whatever way, where
// another kind of the tree stays; what none tells is for a person.
func TestDoubts(t *testing.T) {
	b := newBench(t, "name: one\nrules:\n- {id: fig, from: {group: old.example.com, kind: Fig, plural: figs}, to: {group: new.example.org}}\n")
	for _, x := range inDoubt {
		for kind, want := range map[string]string{"Fig": x.fig, "Pear": x.pear, "Lime": x.any} {
			t.Run(x.name+"/"+kind, func(t *testing.T) {
				in := strings.ReplaceAll(x.in, "KIND", kind) + "\n"
				if strings.HasSuffix(x.file, ".go") && !strings.Contains(in, "package a") {
					in = "package a\n\n" + in
				}
				f := b.file(x.file, in)
				f.Facts.Mixed = judge.Mixed{Stays: map[string]string{"old.example.com": "Pear", "old.example.com/v1": "Pear", "old.example.com Pear": "Pear"}}
				got, told := written(t, in, Plan(f, judge.Decisions(b.names, b.table, f.Facts, x.file)).Made)
				is := "stays"
				switch {
				case len(told) > 0 && got == in:
					is = "told"
				case got == strings.ReplaceAll(in, "old.example.com", "new.example.org"):
					is = "moves"
				case got != in:
					is = got
				}
				if is != want {
					t.Errorf("it %s, and not %s: %s", is, want, in)
				}
			})
		}
	}
}

// The name of a webhook in a message follows its configuration. Where none is known, it
// moves with a kind that it is named after, and stays where a kind of the group does.
func TestNamesOfWebhooks(t *testing.T) {
	b := newBench(t, "name: one\nrules:\n- {id: fig, from: {group: old.example.com, kind: Fig, plural: figs}, to: {group: new.example.org}}\n")
	for _, x := range []struct {
		name  string
		mixed bool
		want  Action
	}{{"vfig", false, Change}, {"vpear", false, Stay}, {"validate", false, Stay}, {"vfig", true, Change}, {"validate", true, Stay}} {
		f := b.file("a.txt", "admission webhook \""+x.name+".old.example.com\" denied the request\n")
		if x.mixed {
			f.Facts.Mixed = judge.Mixed{Stays: map[string]string{"old.example.com": "Pear"}}
		}
		if made := Plan(f, judge.Decisions(b.names, b.table, f.Facts, "a.txt")).Made; len(made) != 1 || made[0].Action() != x.want {
			t.Errorf("%s %v: %+v", x.name, x.mixed, made)
		}
	}
}
