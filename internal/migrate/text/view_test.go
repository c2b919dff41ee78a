package text

import (
	"strings"
	"testing"
)

// An edit that does not say what is there is refused, in the view and in
// the file, and so is a text that the languages around cannot spell.
func TestEditsAreProven(t *testing.T) {
	file := []byte("a: |\n    one two\n    three\n")
	v := unindent(Whole(file), spanOf(5, len(file)))
	if e, err := v.Edit(spanOf(4, 7), "two", "2"); err != nil || e.Old != "two" || string(e.Of(file)) != "two" {
		t.Errorf("edit %+v, %v", e, err)
	}
	if e, err := v.Edit(spanOf(8, 14), "three\n", ""); err != nil || e.Old != "    three\n" {
		t.Errorf("a line goes with its indentation: %+v, %v", e, err)
	}
	for _, s := range []struct {
		from, to int
		old      string
	}{{4, 7, "one"}, {4, 6, "two"}, {5, 8, "two"}, {-1, 2, "on"}, {8, 99, "three"}, {7, 4, ""}} {
		if _, err := v.Edit(spanOf(s.from, s.to), s.old, "x"); err == nil {
			t.Errorf("%v is taken", s)
		}
	}
	shifted := *v
	shifted.Segs = append([]Segment(nil), v.Segs...)
	shifted.Segs[0].Src++
	if _, err := shifted.Edit(spanOf(4, 7), "two", "2"); err == nil {
		t.Error("a view that leads elsewhere is taken")
	}
	plain := *v
	plain.Spell = refuse
	if _, err := plain.Edit(spanOf(0, 3), "one", "x y"); err == nil {
		t.Error("text that cannot be spelled is taken")
	}
}

// A string of which every byte comes back as it was, through all its languages.
func FuzzRespell(f *testing.F) {
	f.Add("a\nb\n", byte('"'))
	f.Add("a: '{x}'\n\n  \\ \"b\"\n", byte('\''))
	f.Fuzz(func(t *testing.T, content string, quote byte) {
		if strings.ContainsAny(content, "\r\x00\x7f") || strings.ToValidUTF8(content, "") != content {
			t.Skip()
		}
		spelled, ok := escaped(quote, false)(content)
		if quote == '"' && ok {
			v := Whole([]byte(`"` + spelled + `"`))
			if got := string(unescape(v, spanOf(1, len(spelled)+1), false).Data); got != content {
				t.Errorf("%q spelled %q is %q", content, spelled, got)
			}
		}
		if doubled, ok := doubledQuotes(content); ok {
			if got := string(unquoteSingle(Whole([]byte(doubled)), spanOf(0, len(doubled))).Data); got != content {
				t.Errorf("%q spelled %q is %q", content, doubled, got)
			}
		}
	})
}
