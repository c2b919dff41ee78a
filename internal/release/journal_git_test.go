package release

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/train"
)

// A release that was begun on one machine goes on on another, and two cannot
// drive it at once.
func TestJournalOnARef(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	open := func() (*Env, train.Log) {
		env, _ := w.env(filepath.Join(t.TempDir(), "unused"))
		j, err := (&ports.Journals{Remotes: remotesOf(env), Repo: "orchard/operator", OnRefs: true}).Open(ctx, &env.Env, "v0.2.0", nil)
		if err != nil {
			t.Fatal(err)
		}
		env.Journal = j
		return env, j
	}
	for range 12 {
		env, _ := open() // a new machine each time: nothing local is left
		r, err := On(w.train("v0.2.0"), env).Run(ctx, &env.Env, yes)
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
	pushes := w.run(w.bare("orchard/operator"), "git", "rev-list", "--count", "refs/cfctl/releases/v0.2.0")
	t.Logf("%d records in %s pushes", len(here.Records()), pushes)
	if n, _ := strconv.Atoi(pushes); n > len(here.Records())/2 { // docs/release.md, "The journal"
		t.Error("more pushes than stated")
	}
	_, there := open()
	write := func(j train.Log) error {
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
	if err != nil || len(heads.Branches) != 2 {
		t.Errorf("the journal is among the branches, next to main and the work branch: %v %v", git.Sorted(heads.Branches), err)
	}

	// One that reads of a mail which another driver is about to send asks a maintainer.
	all := here.Records()
	at := slices.IndexFunc(all, func(r Record) bool { return r.Step == steps.MailStep && r.Kind == steps.RecIntent })
	w.run(w.bare("orchard/operator"), "git", "update-ref", "-d", "refs/cfctl/releases/v0.2.0")
	_, cut := open()
	for _, r := range all[:at+1] {
		if err := cut.Append(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := cut.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	for _, pick := range []string{"", "--done"} {
		env, j := open()
		if pick != "" {
			if err := On(w.train("v0.2.0"), env).Approve(ctx, &env.Env, steps.MailStep, "rita", true); err != nil {
				t.Fatal(err)
			}
			env, j = open()
		}
		r, err := On(w.train("v0.2.0"), env).Run(ctx, &env.Env, Choices{})
		if err != nil {
			t.Fatal(err)
		}
		o := r.Of(steps.MailStep)
		if asks := o.State == Conflict && o.Reason == why.Unsure && strings.Contains(o.Who, "--done"); asks != (pick == "") || len(w.mail.got) != 1 {
			t.Errorf("%q after %d records: %s %s, %d mails", pick, len(j.Records()), o.State, o.Text, len(w.mail.got))
		}
	}
}
