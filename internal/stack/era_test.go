package stack

import (
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/strict"
)

func stackFrom(t testing.TB, text string) (*Stack, error) {
	t.Helper()
	s := &Stack{}
	if err := strict.Decode("c", []byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s, s.Complete("c")
}

// Versions may be branches and commits.
func TestOtherVersions(t *testing.T) {
	s, err := stackFrom(t, `root: a
components: [{name: a}, {name: lib, refs: true}, {name: cal, tag: "{major}_{minor}_{patch}", reason: x}]
places:
  - {component: lib, kind: properties, path: f, key: LIB, forms: ["v{version}", "{version}"]}
  - {component: cal, kind: properties, path: f, key: CAL}
`)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{
		"f": {Data: []byte("LIB=main\nCAL=2024_3_1\n")},
	}
	for i, c := range []struct{ version, set, to string }{{"main", "0a1b2c3", "0a1b2c3"}, {"v2024.3.1", "v2024.11.0", "2024_11_0"}} {
		matches, err := s.Places[i].Find(tree)
		if err != nil || len(matches) != 1 || matches[0].Version != c.version || matches[0].Spell(c.set) != c.to {
			t.Errorf("%s: %+v, %v", s.Places[i].Kind, matches, err)
		}
	}
}
