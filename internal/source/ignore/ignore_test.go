package ignore

import (
	"strings"
	"testing"
)

func TestGlobs(t *testing.T) {
	g := NewGlobs([]string{"docs/**", "*.lock", "!docs/keep.md", "build/"})
	for path, want := range map[string]bool{
		"docs/a.md": true, "docs/keep.md": false, "a/b/c.lock": true, "build/x": true, "build": false, "src/docs/a": false,
	} {
		if got := g.Match(path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

// Many stars take no time that grows with each of them: such a pattern would never end.
func TestManyStars(t *testing.T) {
	deep := strings.Repeat("d/", 50) + "x.yaml"
	long := strings.Repeat("a", 100) + "b"
	for _, x := range []struct {
		pattern, path string
		want          bool
	}{
		{strings.Repeat("**/", 25) + "zz", deep, false},
		{strings.Repeat("**/", 25) + "x.yaml", deep, true},
		{strings.Repeat("**/d/", 25) + "x.yaml", deep, true},
		{strings.Repeat("**/d/", 25) + "zz", deep, false},
		{strings.Repeat("*a", 25) + "z", long, false},
		{strings.Repeat("*a", 25) + "b", long, true},
	} {
		if got := NewGlobs([]string{x.pattern}).Match(x.path); got != x.want {
			t.Errorf("%s: got %v", x.pattern, got)
		}
	}
}
