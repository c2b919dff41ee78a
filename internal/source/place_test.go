package source

import (
	"os"
	"path/filepath"
	"testing"
)

// The place of a file is its path within its own work tree, or else within what
// was named, wherever the tree was opened.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one/.git/HEAD", "one/docs/a.md", "one/sub/.git", "one/sub/docs/a.md", "plain/docs/a.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ cwd, named, file, place, root string }{
		{".", "one", "one/docs/a.md", "docs/a.md", "one"},
		{".", "one/docs", "one/docs/a.md", "docs/a.md", "one"},
		{"one", ".", "docs/a.md", "docs/a.md", ""},
		{"one/docs", ".", "a.md", "docs/a.md", ""},
		{".", ".", "one/sub/docs/a.md", "docs/a.md", "one/sub"},
		{".", "plain", "plain/docs/a.md", "docs/a.md", "plain"},
		{".", ".", "plain/docs/a.md", "plain/docs/a.md", ""},
		{".", "plain/docs/a.md", "plain/docs/a.md", "plain/docs/a.md", ""},
	} {
		t.Chdir(filepath.Join(dir, c.cwd))
		tree, err := Open([]string{c.named})
		if err != nil {
			t.Fatal(err)
		}
		if place, root := tree.Place(c.file), tree.Root(c.file); place != c.place || root != c.root {
			t.Errorf("%s named from %s: %s is at %q in %q, want %q in %q", c.named, c.cwd, c.file, place, root, c.place, c.root)
		}
		if !tree.Covers(c.file) || tree.Covers("../x") {
			t.Errorf("%s named from %s covers otherwise", c.named, c.cwd)
		}
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
