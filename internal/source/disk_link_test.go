package source

import (
	"errors"
	"os"
	"testing"
)

// TestDiskFollowsNoLink: a folder that is a link is refused wherever it leads, also within
// the root.
func TestDiskFollowsNoLink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("real/deep", 0o755), os.WriteFile("real/a", []byte("a"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Skip(err)
	}
	d, err := openDisk(".")
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	for name, do := range map[string]func() error{
		"create": func() error { _, err := d.create("link/b"); return err },
		"rename": func() error { return d.rename("link/a", "link/b") },
		"remove": func() error { return d.remove("link/a") },
		"mkdir":  func() error { return d.mkdir("link/deep/er") },
		"read":   func() error { _, _, err := d.read("link/a"); return err },
		"lookUp": func() error { _, err := d.lookUp("link/deep/c"); return err },
	} {
		if err := do(); !errors.Is(err, errIsLink) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := os.ReadFile("real/a"); string(data) != "a" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

// TestUndoFollowsNoLink: a folder that became a link to another one since the write is
// not restored through it.
func TestUndoFollowsNoLink(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if err := errors.Join(os.Mkdir("d", 0o755), os.WriteFile("d/a", []byte("old"), 0o600)); err != nil {
		t.Fatal(err)
	}
	tree, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := tree.Commit(t.Context(), []Change{{From: "d/a", To: "d/a", Before: SumOf([]byte("old")), Edits: []Edit{{Span: Span{0, 3}, New: "new"}}}}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("d", "other"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", "d"); err != nil {
		t.Skip(err)
	}
	if _, err := tree.Undo(t.Context()); err == nil {
		t.Error("undone through a link")
	}
	if data, _ := os.ReadFile("other/a"); string(data) != "new" {
		t.Errorf("%q", data)
	}
}
