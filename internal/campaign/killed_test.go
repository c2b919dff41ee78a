package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// killed ends an opener at its k-th point: a write to the store, or the moment
// before or after something is made on the forge. Another one comes when the lease
// is over. The error is that of the first; nil = it was done before.
func (w *world) killed(p *Plan, k int, change ...func(*Open)) error {
	w.t.Helper()
	ctx, kill := context.WithCancel(w.t.Context())
	defer kill()
	points := 0
	point := func() error {
		if points++; points < k {
			return nil
		}
		kill()
		return context.Canceled
	}
	w.forge.Strike = func(what string, _ int, _ bool) bool {
		return !strings.HasSuffix(what, "/git-receive-pack") && point() != nil
	}
	o := w.opens(change...)
	o.Store.wrote = func(string) error { return point() }
	_, err := o.Run(ctx, p)
	w.forge.Strike = nil
	w.pass(2 * leaseTime)
	next := w.opens(change...)
	next.Holder = "two"
	if _, err := next.Run(w.t.Context(), p); err != nil {
		w.t.Fatal(err)
	}
	return err
}

// TestKilledOpenerLeavesNoSecond ends the opener after every write to the store,
// and before and after the pull request is made; whoever comes next leaves one
// pull request.
func TestKilledOpenerLeavesNoSecond(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	for k := 1; ; k++ {
		w.id, w.forge.Pulls = fmt.Sprintf("kill-%d", k), nil
		p := w.plan()
		w.work(p)
		err := w.killed(p, k)
		if stage := w.stages()["acme/r00"]; len(w.forge.Pulls) != 1 || stage != Opened {
			t.Errorf("killed at point %d: %d pull requests, %s", k, len(w.forge.Pulls), stage)
		}
		if err == nil {
			if k != 7 {
				t.Errorf("killed at %d points, want 6", k-1)
			}
			return
		}
	}
}

// TestForgeSigns has the forge make the commits, and ends the opener at the
// points of it: one pull request is left, of a commit that is the forge's own with
// the files of the result, and no other branch.
func TestForgeSigns(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	// The points: lease, intent, before and after the commit, its record, before and
	// after the pull request, its record, the lease.
	for _, k := range []int{3, 4, 5, 6, 100} {
		w.id, w.forge.Pulls = fmt.Sprintf("sign-%d", k), nil
		p := w.plan()
		w.work(p)
		err := w.killed(p, k, func(o *Open) { o.Sign = true })
		bare, r := w.bare("acme/r00"), w.result(p, "acme/r00")
		if stage := w.stages()["acme/r00"]; len(w.forge.Pulls) != 1 || stage != Opened {
			t.Errorf("killed at point %d: %d pull requests, %s", k, len(w.forge.Pulls), stage)
		}
		if who := w.git(bare, "log", "-1", "--format=%an %p", p.Branch()); who != "the forge "+w.git(bare, "rev-parse", "--short", r.Base) {
			t.Errorf("the commit is by %s", who)
		}
		if text := w.git(bare, "show", p.Branch()+":a.yaml"); !strings.Contains(text, "workload.codeflare.dev") {
			t.Errorf("it has %s", text)
		}
		if left := w.git(bare, "for-each-ref", "--format=%(refname)", "refs/heads/"+p.Branch()+"-signing"); left != "" {
			t.Errorf("left: %s", left)
		}
		before := w.git(bare, "rev-parse", p.Branch())
		w.run(p, func(o *Open) { o.Sign = true })
		if after := w.git(bare, "rev-parse", p.Branch()); after != before {
			t.Error("a second run moved the branch")
		}
		if (err == nil) != (k == 100) {
			t.Errorf("killed at point %d: %v", k, err)
		}
	}
}

// TestForgeSignsWhatWasJudged has a forge whose commit has more than the result:
// it does not come to the campaign's branch.
func TestForgeSignsWhatWasJudged(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	w.forge.Spoils = true
	p := w.plan()
	w.work(p)
	w.run(p, func(o *Open) { o.Sign = true })
	if got := w.stages()["acme/r00"]; got != Blocked || w.forge.Head("acme/r00", p.Branch()) != "" || len(w.forge.Pulls) != 0 {
		t.Errorf("%s, the branch is at %q", got, w.forge.Head("acme/r00", p.Branch()))
	}
}

// TestOneOpenerAtATime has a second one come while the first works, and a third
// whose clock is an hour ahead.
func TestOneOpenerAtATime(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	p := w.plan()
	w.work(p)
	var second, third error
	_, err := w.opens(func(o *Open) {
		o.Told = func(r *Record) {
			if r.Stage != Opened || second != nil {
				return
			}
			_, second = w.opens(func(o *Open) { o.Holder = "two" }).Run(t.Context(), p)
			w.pass(time.Hour)
			_, third = w.opens(func(o *Open) { o.Holder = "three" }).Run(t.Context(), p)
			w.pass(-time.Hour)
		}
	}).Run(t.Context(), p)
	var held *HeldError
	if !errors.As(second, &held) || held.Holder != "one" {
		t.Errorf("the second: %v", second)
	}
	if third != nil || !errors.Is(err, errMoved) {
		t.Errorf("the third: %v; the first: %v", third, err)
	}
	if len(w.forge.Pulls) != 3 {
		t.Errorf("%d pull requests", len(w.forge.Pulls))
	}
}

// TestOpenersThatBeginAtOnce has a second opener take the lease between the look
// and the write of the first, whose time does not do for the budget either.
func TestOpenersThatBeginAtOnce(t *testing.T) {
	w := newWorld(t)
	p := w.plan()
	other := w.opens(func(o *Open) { o.Holder = "other" })
	taken := false
	late := w.opens(func(o *Open) {
		o.Store.Now = func() time.Time {
			if !taken {
				taken = true
				if err := (&opener{Open: other, plan: p}).acquire(t.Context()); err != nil {
					t.Error(err)
				}
			}
			return w.clock()
		}
	})
	var held *HeldError
	if _, err := late.Run(t.Context(), p); !errors.As(err, &held) || held.Holder != "other" {
		t.Error(err)
	}
	var notes []string
	full := &opener{Open: w.opens(func(o *Open) { o.Note = func(text string) { notes = append(notes, text) } }), plan: p, end: w.clock().Add(time.Minute)}
	full.spent.Until = w.clock().Add(time.Hour).Unix()
	if going, err := full.ready(t.Context()); going || err != nil || len(notes) != 1 || !strings.Contains(notes[0], "next pull request at 2026-11-02T10:00:00Z") {
		t.Errorf("%v, %v, %q", going, err, notes)
	}
}
