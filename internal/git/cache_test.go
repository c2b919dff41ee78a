package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestUsesShareOneFolder reads one remote in every way with one cache, single
// commits last: what cuts the history of the one use leaves that of the others
// whole, and all of them lie side by side.
func TestUsesShareOneFolder(t *testing.T) {
	work := example(t)
	bare := filepath.Join(t.TempDir(), "x.git")
	sh(t, work, "clone", "-q", "--bare", ".", bare)
	url, head := "file://"+bare, sh(t, work, "rev-parse", "HEAD")
	first := sh(t, work, "rev-parse", "v1.0.0^{commit}")
	c := &Cache{Dir: t.TempDir()}
	if _, err := rangeOf(t, c, url, "v1.0.0", "v1.1.0"); err != nil {
		t.Fatal(err)
	}
	for _, use := range []struct {
		name  string
		fetch func(context.Context, *Repo) error
	}{
		{History, func(ctx context.Context, r *Repo) error { return r.FetchHistory(ctx, head) }},
		{Commits, func(ctx context.Context, r *Repo) error { return r.FetchCommits(ctx, head) }},
	} {
		r, err := c.Mirror(t.Context(), url, use.name, true)
		if err == nil {
			err = errors.Join(use.fetch(t.Context(), r), r.Close())
		}
		if err != nil {
			t.Fatalf("%s: %v", use.name, err)
		}
	}
	commits, err := rangeOf(t, c, url, "v1.0.0", "v1.1.0")
	if err != nil || len(commits) != 1 {
		t.Errorf("range: %d commits, %v", len(commits), err)
	}
	r, err := c.Mirror(t.Context(), url, History, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // of a test
	if has, err := r.Contains(t.Context(), head, first); err != nil || !has {
		t.Errorf("history has %s: %v, %v", first, has, err)
	}
	entries, err := os.ReadDir(c.Dir)
	repos := 0
	for _, e := range entries {
		if e.IsDir() {
			repos++
		}
		if _, err := os.Stat(filepath.Join(c.Dir, e.Name(), wholeMark)); e.IsDir() && err != nil {
			t.Error(err)
		}
	}
	if err != nil || repos != 2 {
		t.Errorf("%d repositories for 2 uses, %v", repos, err)
	}
}
