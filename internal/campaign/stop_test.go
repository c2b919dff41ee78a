package campaign

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// TestStopAndClose stops a campaign while it opens, closes what no one has touched,
// and lets it go on.
func TestStopAndClose(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	for _, name := range []string{"acme/r00", "acme/r01", "acme/r02", "acme/r03"} {
		if err := os.WriteFile(filepath.Join(w.bare(name), "deletes"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := w.plan()
	w.work(p)
	var stopped *StoppedError
	n, err := w.opens(func(o *Open) {
		o.Told = func(r *Record) {
			if r.Stage == Opened && len(w.forge.Pulls) == 3 {
				if _, err := w.open().Stop(t.Context(), "rita"); err != nil {
					t.Error(err)
				}
			}
		}
	}).Run(t.Context(), p)
	if !errors.As(err, &stopped) || stopped.By != "rita" || len(w.forge.Pulls) != 3 {
		t.Fatalf("opened %d, %d pull requests, %v", n, len(w.forge.Pulls), err)
	}
	if _, err := w.opens(func(o *Open) { o.Holder = "two" }).Run(t.Context(), p); !errors.As(err, &stopped) {
		t.Errorf("another opener: %v", err)
	}
	if st, err := Count(t.Context(), w.open()); err != nil || st.Stop == nil || st.Counts["open"] != 3 {
		t.Errorf("%+v, %v", st, err)
	}

	// A maintainer has one, and another one is theirs; the third is closed, once.
	w.forge.Close(w.forge.Newest(w.forge.Pulls[0].Repo))
	edited := w.forge.Pulls[1].Repo
	w.commit(edited, p.Branch(), map[string]string{"a.yaml": "mine\n"})
	w.follow()
	for i := range 2 {
		if n, err := w.opens().Close(t.Context(), p); err != nil || n != 1-i {
			t.Fatalf("closed %d, %v", n, err)
		}
	}
	left := w.forge.Pulls[2]
	if left.State != "closed" || w.forge.Head(left.Repo, p.Branch()) != "" || len(w.forge.Comments) != 1 {
		t.Errorf("%+v, branch %q, %d comments", left, w.forge.Head(left.Repo, p.Branch()), len(w.forge.Comments))
	}
	if got := w.stages(); got[left.Repo] != Withdrawn || got[edited] != Edited || w.forge.Head(edited, p.Branch()) == "" {
		t.Errorf("%v", got)
	}

	if was, err := w.open().Resume(t.Context()); !was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
	w.run(p)
	if got := w.stages(); got[left.Repo] != Opened || len(w.forge.Pulls) != 5 {
		t.Errorf("%v, %d pull requests", got, len(w.forge.Pulls))
	}
}

// TestOtherRulesAreAskedAbout counts what another plan of the name would change, and
// changes the text of a pull request with its commit.
func TestOtherRulesAreAskedAbout(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	w.run(p)
	other := *p
	other.Rulesets = []Rules{{p.Rulesets[0].Name, strings.ReplaceAll(p.Rulesets[0].Text, "workload.codeflare.dev", "work.codeflare.dev")}}
	other.Title = "Move them elsewhere"
	for want, next := range map[int]*Plan{0: p, 1: &other} {
		if n, err := w.open().Changes(t.Context(), next); n != want || err != nil {
			t.Errorf("%d open would change, want %d, %v", n, want, err)
		}
	}
	if err := w.open().WritePlan(t.Context(), &other); err != nil {
		t.Fatal(err)
	}
	w.work(&other)
	if n := w.run(&other); n != 1 || w.forge.Newest("acme/r00").Title != other.Title || !strings.Contains(w.forge.Newest("acme/r00").Body, other.Commit) {
		t.Errorf("moved %d, %+v", n, w.forge.Newest("acme/r00"))
	}
}

// TestDeadHolder takes over a lease that a process of this machine left, at once, and
// none of a process that runs or of another machine.
func TestDeadHolder(t *testing.T) {
	if machine() == "" {
		t.Skip("this system does not say which machine it is")
	}
	cmd := exec.Command("git", "version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	for _, c := range []struct {
		machine string
		process int
		held    bool
	}{{machine(), os.Getpid(), true}, {"elsewhere", cmd.Process.Pid, true}, {"", 0, true}, {machine(), cmd.Process.Pid, false}} {
		r, err := w.open().ref(t.Context(), "opener")
		if err == nil {
			err = r.write(t.Context(), "taken", []git.Change{{Path: leaseFile, Data: encode(lease{"other", w.clock().Add(time.Hour).Unix(), c.machine, c.process})}})
		}
		if err != nil {
			t.Fatal(err)
		}
		var held *HeldError
		if _, err := w.opens().Run(t.Context(), p); errors.As(err, &held) != c.held || !c.held && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestWrongClock is not kept from opening by what an opener noted whose clock was a year ahead.
func TestWrongClock(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	year := w.clock().AddDate(1, 0, 0).Unix()
	r, err := w.open().ref(t.Context(), "opener")
	if err == nil {
		err = r.write(t.Context(), "taken", []git.Change{
			{Path: leaseFile, Data: encode(lease{"other", year, "elsewhere", 1})},
			{Path: budgetFile, Data: encode(spent{Times: []int64{year}, Limits: []int64{year}, Until: year})},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := w.opens().Run(t.Context(), p); !errors.As(err, &held) || held.Until.After(w.clock().Add(leaseTime)) {
		t.Errorf("it is held: %v", err)
	}
	w.pass(leaseTime + time.Second)
	if n := w.run(p, func(o *Open) { o.For = 2 * time.Hour }); n != 1 {
		t.Errorf("opened %d", n)
	}
}
