package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/project-codeflare/cfctl/internal/wire"
)

func TestCacheRef(t *testing.T) {
	root := t.TempDir()
	work := example(t)
	sh(t, work, "clone", "-q", "--bare", ".", filepath.Join(root, "org", "x.git"))
	var count atomic.Int64
	s := serve(t, root, &count)
	url := s.URL + "/org/x.git"
	c := &Cache{Dir: t.TempDir(), patience: wire.Patience{Sleep: noPause}}
	defer c.Close()
	read := func(ref string) (string, error) {
		tree, err := c.Ref(t.Context(), url, ref)
		if err != nil {
			return "", err
		}
		data, err := fs.ReadFile(tree, "README.md")
		return string(data), err
	}
	if got, err := read("v1.0.0"); err != nil || got != "one\n" {
		t.Fatalf("first: %q, %v", got, err)
	}
	asked := count.Load()
	if got, err := read("v1.0.0"); err != nil || got != "one\n" || count.Load() != asked {
		t.Errorf("second: %q, %v, %d requests more", got, err, count.Load()-asked)
	}
	if got, err := read("main"); err != nil || got != "one\ntwo\n" {
		t.Errorf("branch: %q, %v", got, err)
	}
	write(t, work, "README.md", "three\n")
	sh(t, work, "commit", "-qam", "Third")
	sh(t, work, "push", "-q", filepath.Join(root, "org", "x.git"), "main")
	if got, err := read("main"); err != nil || got != "three\n" {
		t.Errorf("branch that has moved: %q, %v", got, err)
	}
	if got, err := read("HEAD"); err != nil || got != "three\n" {
		t.Errorf("default branch: %q, %v", got, err)
	}
	if got, err := read(sh(t, work, "rev-parse", "v1.0.0")); err != nil || got != "one\n" {
		t.Errorf("hash: %q, %v", got, err)
	}
	if _, err := read("v9"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown ref: %v", err)
	}
	for _, bad := range []string{"", "-x", "a b"} {
		if _, err := read(bad); err == nil {
			t.Errorf("ref %q was taken", bad)
		}
	}
	s.Close()
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"v1.0.0", "main"} {
		if _, err := read(ref); err != nil {
			t.Errorf("%s, offline: %v", ref, err)
		}
	}
	var remote *RemoteError
	if _, err := read("v1.1.0"); !errors.As(err, &remote) {
		t.Errorf("not cached, offline: %v", err)
	}
}

func TestCacheRange(t *testing.T) {
	root := t.TempDir()
	work := example(t)
	sh(t, work, "tag", "v1.1.1") // the same commit
	sh(t, work, "clone", "-q", "--bare", ".", filepath.Join(root, "org", "x.git"))
	var count atomic.Int64
	s := serve(t, root, &count)
	url := s.URL + "/org/x.git"
	c := &Cache{Dir: t.TempDir(), patience: wire.Patience{Sleep: noPause}}
	for range 2 {
		commits, err := c.Range(t.Context(), url, "v1.0.0", "v1.1.0")
		if err != nil || len(commits) != 1 || commits[0].Subject != "Second" {
			t.Fatalf("%+v, %v", commits, err)
		}
	}
	if count.Load() != 1 {
		t.Errorf("%d requests, want 1", count.Load())
	}
	if commits, err := c.Range(t.Context(), url, "v1.1.0", "v1.1.1"); err != nil || len(commits) != 0 {
		t.Errorf("nothing between: %+v, %v", commits, err)
	}
	for _, bad := range [][2]string{{"v1.0.0", "v9"}, {"v9", "v1.0.0"}} {
		if _, err := c.Range(t.Context(), url, bad[0], bad[1]); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := c.Range(t.Context(), url, "-x", "v1.0.0"); err == nil {
		t.Error("an option was taken for a tag")
	}
	s.Close()
	var remote *RemoteError
	if _, err := c.Range(t.Context(), url, "v1.0.0", "v1.2.0"); !errors.As(err, &remote) || errors.Is(err, ErrNotFound) {
		t.Errorf("offline: %v", err)
	}
}
