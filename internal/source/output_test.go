package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestOutputStaysInTheTree writes files and folders that the user named to places
// that a user's tree has prepared: nothing outside of the tree changes, and
// nothing in git's own folder, whatever the working directory is.
func TestOutputStaysInTheTree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right of their own")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, folder := range []string{"home/.git", "repo/.git/hooks", "repo/in/deep", "plain/in", "repo/inner/.git"} {
		if err := os.MkdirAll(at(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"repo/file": "../home/.profile", "repo/folder": "../home", "repo/absent": "../home/new", "repo/hook": ".git/hooks/pre-push", "repo/git": ".git", "repo/GIT": ".git/../.git",
		"repo/in/file": "deep/inside", "repo/in/up": "../in", "repo/inner/out": "../in/deep", "repo/chain": "chain2", "repo/chain2": at("home/.profile"),
		"plain/file": "../home/.profile", "plain/folder": at("home"), "link": "repo/in",
	} {
		if err := os.Symlink(filepath.FromSlash(target), at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"home/.profile", "repo/.git/hooks/pre-push", "repo/in/deep/inside"} {
		if err := os.WriteFile(at(name), []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	makePipe(t, at("repo/pipe")) // opening it would wait for a reader
	for _, c := range []struct {
		in, name string
		want     error // nil = it is written
		written  string
	}{
		{"repo", "file", errLeadsOut, ""}, {"repo", "folder/.profile", errLeadsOut, ""}, {"repo", "folder/new", errLeadsOut, ""}, {"repo", "absent", fs.ErrNotExist, ""},
		{"repo", "chain", errLeadsOut, ""}, {"repo", "./in/../file", errLeadsOut, ""}, {"repo", at("repo/file"), errLeadsOut, ""}, {"home", at("repo/file"), errLeadsOut, ""},
		{"repo/in", "../file", errLeadsOut, ""}, {"plain", "file", errLeadsOut, ""}, {"plain", at("plain/folder/new"), errLeadsOut, ""}, {"repo/inner", "out/x", errLeadsOut, ""},
		{"repo", "hook", errInGit, ""}, {"repo", "git/config", errInGit, ""}, {"repo", "GIT/hooks/new", errInGit, ""}, {"repo", ".git/hooks", errNotRegular, ""},
		{"repo", "in", errNotRegular, ""}, {"repo", "pipe", errNotRegular, ""},
		{"repo", "report.json", nil, "repo/report.json"}, {"repo", "new/folder/x", nil, "repo/new/folder/x"}, {"repo", "in/file", nil, "repo/in/deep/inside"},
		{"repo", "in/up/y", nil, "repo/in/y"}, {"plain", "in/x", nil, "plain/in/x"}, {"repo", at("home/x"), nil, "home/x"}, {"repo", "../home/z", nil, "home/z"},
		{"plain", at("link/x"), nil, "repo/in/x"}, {"repo", ".git/report", nil, "repo/.git/report"},
	} {
		t.Chdir(at(c.in))
		before := contentsBelow(t, dir)
		err := WriteFile(c.name, []byte("new"), 0o644)
		if !errors.Is(err, c.want) || c.want != nil && !strings.HasPrefix(err.Error(), c.name) {
			t.Errorf("in %s: %s: %v, want %v", c.in, c.name, err, c.want)
		}
		after := contentsBelow(t, dir)
		if c.want == nil {
			if after[c.written] != "new" {
				t.Errorf("in %s: %s: %s has %q", c.in, c.name, c.written, after[c.written])
			}
			delete(after, c.written)
			delete(before, c.written)
		}
		if len(after) != len(before) {
			t.Errorf("in %s: %s: other files are there: %v, before %v", c.in, c.name, after, before)
		}
		for name, text := range before {
			if after[name] != text {
				t.Errorf("in %s: %s changed %s", c.in, c.name, name)
			}
		}
	}
	t.Chdir(at("repo"))
	for name, want := range map[string]error{"folder": errLeadsOut, "folder/sub": errLeadsOut, "git": errInGit, "absent": fs.ErrNotExist, "in/deep": nil, "made/here": nil, ".": nil, at("home/made"): nil} {
		r, err := OutputRoot(name)
		if !errors.Is(err, want) {
			t.Errorf("a folder: %s: %v, want %v", name, err, want)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}

// contentsBelow is what the regular files below a folder hold.
func contentsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
