package migrate

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Objects in strings of every language change their shape, or keep their
// version and are listed for a person. UPDATE=1 writes testdata/embedded/after.
func TestEmbeddedShapes(t *testing.T) {
	set, m := kubernetesRemoved(t, Options{Target: "1.999"})
	before := memory{}
	for name, text := range readTree(t, "testdata/embedded/before") {
		before[strings.TrimSuffix(name, ".txt")] = text // a.go.txt is no package
	}
	after := migrated(t, before, Options{Rulesets: []*rules.Ruleset{set}})
	if again := migrated(t, after, Options{Rulesets: []*rules.Ruleset{set}}); !maps.Equal(again, after) {
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

// A string that looks like JSON and is none, because the language takes its
// escapes for its own, is left to a person where its shape would change.
func TestShapeInBrokenJSON(t *testing.T) {
	in := "x = '''{\"apiVersion\": \"same.example.com/v1beta1\", \"kind\": \"Pear\", \"metadata\": {\"a\": \"x\\ny\"}, \"spec\": {\"colour\": \"red\"}}\n'''\n"
	p := fuzzMigration(t).One("a.py", []byte(in))
	if s := p.Summary(); s.Unread != 0 || s.Changes != 0 || s.Review != 1 {
		t.Errorf("%+v: %+v", s, p.Files[0].Sites)
	}
}
