package migrate

import (
	"maps"
	"os"
	"strings"
	"testing"
)

// Objects in strings of every language change their shape, or keep their
// version and are listed for a person. UPDATE=1 writes testdata/embedded/after.
func TestEmbeddedShapes(t *testing.T) {
	set, m := kubernetesRemoved(t)
	before := memory{}
	for name, text := range readTree(t, "testdata/embedded/before") {
		before[strings.TrimSuffix(name, ".txt")] = text // a.go.txt is no package
	}
	after := migrated(t, before, Options{Rulesets: []*Ruleset{set}})
	if again := migrated(t, after, Options{Rulesets: []*Ruleset{set}}); !maps.Equal(again, after) {
		t.Error("a second run changes something")
	}
	var finds strings.Builder
	for _, name := range sortedNames(before) {
		_, _, said, err := m.Once(name, []byte(before[name]))
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(said) {
			finds.WriteString(name + ": " + line)
		}
	}
	got := memory{"finds.txt": finds.String()}
	for name, text := range after {
		got[name+".txt"] = text
	}
	if os.Getenv("UPDATE") != "" {
		writeTree(t, "testdata/embedded/after", got)
	}
	want := readTree(t, "testdata/embedded/after")
	for _, name := range sortedNames(got) {
		if got[name] != want[name] {
			t.Errorf("%s: got\n%swant\n%s", name, indent(got[name]), indent(want[name]))
		}
	}
}

// A string of which every byte comes back as it was, through all its languages.
func FuzzRespell(f *testing.F) {
	f.Add("a\nb\n", byte('"'))
	f.Add("a: '{x}'\n\n  \\ \"b\"\n", byte('\''))
	f.Fuzz(func(t *testing.T, text string, quote byte) {
		if strings.ContainsAny(text, "\r\x00\x7f") || strings.ToValidUTF8(text, "") != text {
			t.Skip()
		}
		spelled, ok := escaped(quote, false)(text)
		if quote == '"' && ok {
			v := whole([]byte(`"` + spelled + `"`))
			if got := string(unescape(v, spanOf(1, len(spelled)+1), false).data); got != text {
				t.Errorf("%q spelled %q is %q", text, spelled, got)
			}
		}
		if doubled, ok := doubledQuotes(text); ok {
			if got := string(unquoteSingle(whole([]byte(doubled)), spanOf(0, len(doubled))).data); got != text {
				t.Errorf("%q spelled %q is %q", text, doubled, got)
			}
		}
	})
}
