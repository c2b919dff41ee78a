package source

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
		asked, err := Open([]string{c.named})
		if err != nil {
			t.Fatal(err)
		}
		if place, root := asked.Place(c.file), asked.Root(c.file); place != c.place || root != c.root {
			t.Errorf("%s named from %s: %s is at %q in %q, want %q in %q", c.named, c.cwd, c.file, place, root, c.place, c.root)
		}
		told := false
		if _, _, err := tree.Walk(t.Context(), WalkOptions{}, func(f *File) error {
			if f.Path == c.file {
				known, ok := tree.places.roots.Load(path.Dir(f.Path))
				told = ok == (c.named != c.file) && (!ok || known == c.root) && tree.Place(c.file) == c.place
			}
			return nil
		}); err != nil || !told {
			t.Errorf("%s named from %s: a walk tells another place of %s (%v)", c.named, c.cwd, c.file, err)
		}
		if !tree.Covers(c.file) || tree.Covers("../x") {
			t.Errorf("%s named from %s covers otherwise", c.named, c.cwd)
		}
		if err := errors.Join(tree.Close(), asked.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// The work trees of what was named are opened whole, from the same base where it
// holds them; what was named whole, or is in none, has nothing next to it.
func TestWorkTrees(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one/.git/HEAD", "one/docs/a.md", "one/a.md", "two/.git/HEAD", "two/docs/a.md", "plain/docs/a.md"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cwd   string
		named []string
		base  string // of the work trees, "" for none
		want  string
	}{
		{".", []string{"."}, "", ""},
		{".", []string{"one", "two"}, "", ""},
		{".", []string{"plain/docs"}, "", ""},
		{"one", []string{"."}, "", ""},
		{"one", []string{"docs", "."}, "", ""},
		{"one", []string{"docs"}, "one", "a.md docs/a.md"},
		{"one/docs", []string{"a.md"}, "one", "a.md docs/a.md"},
		{".", []string{"one/docs/a.md", "plain"}, ".", "one/a.md one/docs/a.md"},
		{"plain", []string{"../one/docs", "../two/docs"}, ".", "one/a.md one/docs/a.md two/docs/a.md"},
	} {
		t.Chdir(filepath.Join(dir, c.cwd))
		tree, err := Open(c.named)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := tree.WorkTrees()
		if err != nil || (whole == nil) != (c.base == "") {
			t.Fatalf("%v from %s: %v, %v", c.named, c.cwd, whole, err)
		}
		if whole != nil {
			var names []string
			if _, _, err := whole.Walk(t.Context(), WalkOptions{Jobs: 1}, func(f *File) error { names = append(names, f.Path); return nil }); err != nil {
				t.Error(err)
			}
			slices.Sort(names)
			want, err := filepath.EvalSymlinks(filepath.Join(dir, c.base))
			if got := strings.Join(names, " "); err != nil || whole.Base() != want || got != c.want {
				t.Errorf("%v from %s: %q below %s, want %q below %s (%v)", c.named, c.cwd, got, whole.Base(), c.want, want, err)
			}
			_ = whole.Close()
		}
		_ = tree.Close()
	}
}
