package git

import (
	"slices"
	"testing"
)

// Changes names every file that differs, in any folder: by content, by mode,
// there or not, a file that became a folder; the same tree differs in nothing.
func TestTreeChanges(t *testing.T) {
	dir := t.TempDir()
	sh(t, dir, "init", "-q", "-b", "main")
	for _, name := range []string{"same", "a/same", "a/b/text", "a/b/mode", "a/gone", "folder"} {
		write(t, dir, name, "1\n")
	}
	sh(t, dir, "add", "-A")
	sh(t, dir, "commit", "-q", "-m", "one")
	sh(t, dir, "rm", "-q", "folder", "a/gone")
	write(t, dir, "a/b/text", "2\n")
	write(t, dir, "folder/new", "1\n")
	sh(t, dir, "add", "-A")
	sh(t, dir, "update-index", "--chmod=+x", "a/b/mode")
	sh(t, dir, "commit", "-q", "-m", "two")
	r := open(t, dir)
	one, err := r.Tree(t.Context(), "HEAD^")
	if err != nil {
		t.Fatal(err)
	}
	two, err := r.Tree(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a/b/mode", "a/b/text", "a/gone", "folder", "folder/new"}
	for _, pair := range [][2]*Tree{{one, two}, {two, one}} {
		if got, err := pair[0].Changes(pair[1]); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
	if got, err := one.Changes(one); err != nil || len(got) > 0 {
		t.Errorf("a tree and itself: %q %v", got, err)
	}
}
