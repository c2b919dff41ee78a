package migrate

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// A path that is compared as it is matches what the glob matches.
func TestSamePath(t *testing.T) {
	globs := []string{"/a.json", "/a", "/a/b", "/a/", "/", "a", "/a*", "/a b", "/a/b/c.json", "/!a", "!/a", "/a\\*"}
	for _, glob := range globs {
		for _, name := range []string{"a", "a.json", "a/b", "a/b/c.json", "a.json/x", "ab", "b/a", "a b", "!a", "a*"} {
			want := ignore.NewGlobs([]string{glob}).Match(name)
			if same, plain := samePath(glob, name); plain && same != want || matchPath(glob, name) != want {
				t.Errorf("%s, %s: %v, %v; want %v", glob, name, same, plain, want)
			}
		}
	}
}
