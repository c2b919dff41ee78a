package git

import (
	"path/filepath"
	"strings"
	"testing"
)

// What was pushed, fetched and deleted on the remote can be pushed again, by the
// repository that fetched it without its history. Where its parent is not here, the
// error says why the remote has refused it.
func TestPushAgainWhatWasFetched(t *testing.T) {
	work := example(t)
	bare := filepath.Join(t.TempDir(), "x.git")
	sh(t, work, "clone", "-q", "--bare", ".", bare)
	sh(t, bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	base := sh(t, work, "rev-parse", "HEAD")
	child := sh(t, work, "commit-tree", base+"^{tree}", "-p", base, "-m", "Child")
	sh(t, work, "push", "-q", bare, child+":refs/heads/work")
	r, err := (&Cache{Dir: t.TempDir()}).Mirror(t.Context(), "file://"+bare, Commits, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // of a test
	if err := r.FetchCommits(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	sh(t, bare, "update-ref", "-d", "refs/heads/work")
	push := func() error {
		return r.Push(t.Context(), "file://"+bare, Update{Ref: "refs/heads/work", New: child})
	}
	if err := push(); err == nil || !strings.Contains(err.Error(), "shallow update not allowed") {
		t.Errorf("without its parent: %v", err)
	}
	if err := r.FetchCommits(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	if err := push(); err != nil {
		t.Errorf("with its parent: %v", err)
	}
	if got := sh(t, bare, "rev-parse", "refs/heads/work"); got != child {
		t.Errorf("the branch is at %s", got)
	}
}
