package source

import (
	"os"
	"path/filepath"
	"testing"
)

// The top of a project outside of git is told by its files, and is neither the directory of
// a user, nor one that everyone writes into, nor above of these.
func TestProjectTop(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"home/go.mod", "home/p/go.mod", "home/p/sub/Chart.yaml", "home/q/a/b", "open/go.mod", "open/p/a", "k/Chart.yaml", "k/a/kustomization.yaml", "k/a/b/c"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "open"), 0o777); err != nil { //nolint:gosec // what the test is about
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	for at, want := range map[string]string{"home/p/sub": "home/p", "home/p": "home/p", "home/q/a": "", "home": "", "open/p": "", "k/a/b": "k", "k": "k"} {
		got := projectTop(filepath.Join(dir, at))
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got != want {
			t.Errorf("the top of %s is %q, want %q", at, got, want)
		}
	}
}
