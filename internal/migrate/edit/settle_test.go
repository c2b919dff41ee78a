package edit

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What waits for other files is decided by them, as a value of its own.
func TestSettle(t *testing.T) {
	written := Outcome{Old: "a", New: "b", group: "g"}.Write(source.Edit{Old: "a", New: "b"})
	waits := written.Keep("label-like", "perhaps").await(wait{resource: "g/as", then: &written})
	anchor, granted := written, written
	anchor.anchor, granted.granted = true, "g"
	typed := Outcome{typed: "g", group: "g"}.Leave("typed-client", "its client goes", "")
	generated := typed
	generated.made = true
	made := Outcome{Role: find.RoleClient}.Leave("generated", "a generated file", "")
	page := Outcome{guard: generatedDocument, group: "g"}.Leave("generated-document", "written by", "")
	imported := Outcome{Role: find.RoleImport, group: "g", imported: "example.com/p/g/v1"}.Leave("module", "it moves with its module", "go get")
	stepped := imported
	stepped.stepped = true
	own := func(of string) bool { return of == "example.com/p/g/v1" }
	say := func(what string) func(string) string { return func(string) string { return what } }
	g := map[string]bool{"g": true, "g/as": true}
	for _, tt := range []struct {
		name   string
		o      Outcome
		tree   Tree
		action Action // "" = nothing is said of it
		reason string
		hint   string
	}{
		{"resource of the tree", waits, Tree{Resources: g}, Change, "", ""},
		{"no resource", waits, Tree{}, Stay, "label-like", ""},
		{"anchor", anchor, Tree{}, Change, "", ""},
		{"anchor of a page that stays", anchor, Tree{References: g}, Stay, "kept-anchor", ""},
		{"granted", granted, Tree{}, Change, "", ""},
		{"granted and used", granted, Tree{Used: g}, Person, "granted", "take it out when the old API is not used any more"},
		{"typed client", typed, Tree{}, Person, "typed-client", ""},
		{"typed client that is generated", generated, Tree{Generate: say("make gen")}, Person, "generated", "move the Go types, then run: make gen"},
		{"typed client of the tree", typed, Tree{Clients: g}, "", "", ""},
		{"generated", made, Tree{Generate: say("make gen")}, Person, "generated", "move the Go types, then run: make gen"},
		{"import", imported, Tree{}, Person, "module", "go get"},
		{"import of a package of the tree", imported, Tree{Owns: own}, Stay, "own-package", ""},
		{"generated page", page, Tree{Document: say("make docs")}, Person, "generated-document", "make docs"},
		{"kept by hand", waits.KeptByHand("ours"), Tree{Resources: g}, Stay, "by-hand", ""},
	} {
		before := tt.o
		got, ok := tt.o.Settle("a.go", &tt.tree)
		if ok != (tt.action != "") || ok && (got.Action() != tt.action || got.Reason != tt.reason || got.Hint != tt.hint) {
			t.Errorf("%s: %v %+v", tt.name, ok, got)
		}
		if tt.o.Action() != before.Action() || tt.o.Why != before.Why {
			t.Errorf("%s: the outcome itself was written over", tt.name)
		}
		if got.Action() != Change && len(got.Edits()) > 0 {
			t.Errorf("%s has edits", tt.name)
		}
	}
	tree := &Tree{Owns: own}
	if imported.Uses(tree) != "" || stepped.Uses(tree) != "g" || imported.Uses(&Tree{}) != "g" {
		t.Error("an import of a package of the tree needs the old group only while that is a version of it")
	}
	if page.KeepsReference() != "g" || typed.Uses(&Tree{}) != "g" || written.Uses(&Tree{}) != "" || written.KeepsReference() != "" {
		t.Error("what others need to know is not told")
	}
}
