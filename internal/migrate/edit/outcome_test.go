package edit

import (
	"reflect"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Of edits that overlap the outer one is made; what is put in at its end is not
// a part of it.
func TestWithoutCovered(t *testing.T) {
	at := func(from, to int) source.Edit { return source.Edit{Span: source.Span{Start: from, End: to}} }
	for _, tt := range []struct {
		name     string
		in, want []source.Edit
	}{
		{"none", nil, nil},
		{"apart", []source.Edit{at(4, 6), at(0, 2)}, []source.Edit{at(0, 2), at(4, 6)}},
		{"the same twice", []source.Edit{at(0, 2), at(0, 2)}, []source.Edit{at(0, 2)}},
		{"inside", []source.Edit{at(1, 2), at(0, 4), at(3, 4)}, []source.Edit{at(0, 4)}},
		{"put in inside", []source.Edit{at(0, 4), at(2, 2)}, []source.Edit{at(0, 4)}},
		{"put in at the end", []source.Edit{at(0, 4), at(4, 4)}, []source.Edit{at(0, 4), at(4, 4)}},
		{"put in twice", []source.Edit{at(4, 4), at(4, 4)}, []source.Edit{at(4, 4)}},
		{"put in at the start, which is written anew", []source.Edit{at(4, 4), at(4, 6)}, []source.Edit{at(4, 6)}},
		{"over the end", []source.Edit{at(0, 4), at(2, 6)}, []source.Edit{at(0, 4), at(2, 6)}},
	} {
		if got := WithoutCovered(tt.in); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Each kind of outcome says what it is, and leaves the one that it is made of.
func TestOutcomes(t *testing.T) {
	e := source.Edit{Span: source.Span{Start: 0, End: 1}, Old: "a", New: "b"}
	o := Outcome{Old: "a", New: "b", guard: "g", unruled: true, Severe: true}.by(rules.Rule{ID: "r", Set: "s"})
	written, whole := o.Write(e), o.Whole([]source.Edit{e})
	for _, tt := range []struct {
		name       string
		got        Outcome
		action     Action
		fresh, why string
		edits      int
	}{
		{"written", written, Change, "b", "", 1},
		{"as a whole", whole, Change, "b", "", 1},
		{"written elsewhere", written.Borne(), Change, "b", "", 0},
		{"kept", written.Keep("x", "y"), Stay, "", "y", 0},
		{"left", written.Leave("x", "y", "z"), Person, "b", "y", 0},
		{"kept by hand", written.KeptByHand("ours"), Stay, "", "kept by hand: ours", 0},
		{"kept by hand without a reason", written.KeptByHand(""), Stay, "", "kept by hand", 0},
		{"not to be written", written.unwritable("b\n c"), Person, "", "becomes b c, which cfctl cannot write in this string", 0},
	} {
		if got := tt.got; got.Action() != tt.action || got.New != tt.fresh || got.Why != tt.why || len(got.Edits()) != tt.edits || got.Rule != "r" || got.Ruleset != "s" || got.Guard() != "g" {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	if len(written.Edits()) != 1 || o.Action() != "" {
		t.Error("an outcome was written over")
	}
	if kept := written.KeptByHand(""); kept.Unruled() || kept.Severe || !written.Keep("", "").Unruled() {
		t.Error("what a person keeps is no error of the tree, and what no rule knows is none either")
	}
}

// Who must be told that a name is used knows it by its outcome.
func TestUses(t *testing.T) {
	o := Outcome{group: "g"}
	typed, imported, chosen := o, o, o
	typed.typed, imported.Role, chosen.guard = "g", find.RoleImport, "template-choice"
	for _, tt := range []struct {
		name                  string
		o                     Outcome
		uses, calls, document string
	}{
		{"a name", o.Write(), "", "", ""},
		{"a call", typed.Leave("", "", ""), "g", "g", ""},
		{"an import", imported.Leave("", "", ""), "g", "", ""},
		{"an import that stays", imported.Keep("", ""), "", "", ""},
		{"a choice of a template", chosen.Keep("", ""), "g", "", ""},
		{"a name left to a person", o.Leave("", "", ""), "", "", ""},
		{"a generated reference", Outcome{group: "g", guard: generatedDocument}.Keep("", ""), "", "", "g"},
	} {
		if tt.o.Uses(&Tree{}) != tt.uses || tt.o.Calls() != tt.calls || tt.o.KeepsReference() != tt.document {
			t.Errorf("%s: uses %q, calls %q, keeps the reference of %q", tt.name, tt.o.Uses(&Tree{}), tt.o.Calls(), tt.o.KeepsReference())
		}
	}
}
