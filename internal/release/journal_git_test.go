package release

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// A release that was begun on one machine goes on on another, and two cannot
// drive it at once.
func TestJournalOnARef(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	open := func() (*Env, *GitJournal) {
		env, _ := w.env(filepath.Join(t.TempDir(), "unused"))
		j, err := OpenGitJournal(ctx, remotesOf(env), "orchard/operator", "v0.2.0")
		if err != nil {
			t.Fatal(err)
		}
		env.Journal = j
		return env, j
	}
	for range 12 {
		env, _ := open() // a new machine each time: nothing local is left
		r, err := Run(ctx, w.train("v0.2.0"), env, yes)
		if err != nil || r.Trouble() != nil {
			t.Fatal(err, r.Trouble())
		}
		if r.Complete() {
			break
		}
		w.play()
	}
	env, here := open()
	if s, _ := ReadStatus("v0.2.0", here.Records()); s == nil || s.State != "done" {
		t.Fatalf("status %v", s)
	}
	pushes := w.run(w.bare("orchard/operator"), "git", "rev-list", "--count", gitRef("v0.2.0"))
	t.Logf("%d records in %s pushes", len(here.Records()), pushes)
	if n, _ := strconv.Atoi(pushes); n > len(here.Records())/2 { // docs/release.md, "The journal"
		t.Error("more pushes than stated")
	}
	_, there := open()
	write := func(j *GitJournal) error {
		return errors.Join(j.Append(ctx, Record{Kind: recEnd, Time: time.Unix(1, 0)}), j.Sync(ctx))
	}
	if err := write(here); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also when it tries again
		if err := write(there); !errors.Is(err, ErrLocked) {
			t.Errorf("the slower driver gets %v", err)
		}
	}
	heads, err := env.Git.Heads(ctx, "orchard/operator")
	if err != nil || len(heads.Branches) != 1 {
		t.Errorf("the journal is among the branches: %v %v", git.Sorted(heads.Branches), err)
	}
}
