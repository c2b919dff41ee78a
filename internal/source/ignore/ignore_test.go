package ignore

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
		{strings.Repeat("**/", 8000) + "zz", deep, false},
		{strings.Repeat("**/", 8000) + "x.yaml", deep, true},
		{"d/" + strings.Repeat("**/", 3) + "x.yaml", "d/x.yaml", true},
		{`*\**[x-z].yaml`, "a*x.yaml", true},
		{`*\**[x-z].yaml`, "axx.yaml", false},
	} {
		if got := NewGlobs([]string{x.pattern}).Match(x.path); got != x.want {
			t.Errorf("%s: got %v", x.pattern, got)
		}
	}
}

// TestManyPatternsInTime: patterns of many stars that match nothing cost little, for each of
// many paths.
func TestManyPatternsInTime(t *testing.T) {
	var patterns []string
	for i := range 900 {
		patterns = append(patterns, strings.Repeat("*a", 25)+fmt.Sprintf("*b%d", i))
	}
	g, begin := NewGlobs(patterns), time.Now()
	for range 2000 {
		if g.Match("dir/sub/" + strings.Repeat("a", 64) + ".yaml") {
			t.Fatal("it matches")
		}
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it takes %v", took)
	}
}
