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

// rangeOf lists the commits between two tags, by the cache of their history.
func rangeOf(t *testing.T, c *Cache, url, from, to string) (list []Commit, err error) {
	t.Helper()
	heads, err := ListHeads(t.Context(), url)
	if err != nil {
		return nil, err
	}
	old, now := heads.Tags[from].Commit, heads.Tags[to].Commit
	return list, c.Use(t.Context(), url, History, true, func(r *Repo) (err error) {
		if err = r.FetchHistory(t.Context(), old, now); err == nil {
			list, err = r.Log(t.Context(), old, now)
		}
		return err
	})
}
