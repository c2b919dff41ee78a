package campaign

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// opens is an opener of the actual state; it sleeps by moving the clock.
func (w *world) opens(change ...func(*Open)) *Open {
	o := &Open{Store: w.open(), Forge: w.api, Holder: "one", Budget: Budget{5, 200}, Sleep: func(ctx context.Context, d time.Duration) error {
		w.pass(d)
		return ctx.Err()
	}}
	for _, c := range change {
		c(o)
	}
	return o
}

func (w *world) run(p *Plan, change ...func(*Open)) int {
	w.t.Helper()
	n, err := w.opens(change...).Run(w.t.Context(), p)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) follow() {
	w.t.Helper()
	if _, _, err := Follow(w.t.Context(), w.open(), w.api); err != nil {
		w.t.Fatal(err)
	}
}

// stages are the stages of all repositories, by name.
func (w *world) stages() map[string]Stage {
	w.t.Helper()
	s := w.open()
	r, err := s.ref(w.t.Context(), "opener")
	if err != nil {
		w.t.Fatal(err)
	}
	records, err := recordsOf(r)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _, _, seen, err := s.known(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]Stage{}
	for key, rec := range records {
		all[rec.Name] = stageOf(rec, seen[key])
	}
	return all
}

// TestOpenedOnce opens what was made, at the pace of the budget, and has nothing
// to do the second time.
func TestOpenedOnce(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	p := w.plan()
	w.work(p)
	start := w.clock()
	if n := w.run(p, func(o *Open) { o.Budget = Budget{2, 3} }); n != 4 {
		t.Errorf("opened %d", n)
	}
	if took := w.clock().Sub(start); took < time.Hour {
		t.Errorf("4 at 3 an hour took %v", took)
	}
	for _, name := range []string{"acme/r00", "acme/r03"} {
		r, pull := w.result(p, name), w.forge.Newest(name)
		if pull.SHA != r.Commit || pull.Base != "main" {
			t.Errorf("%s: %+v", name, pull)
		}
	}
	before := w.forge.Counts["git"]
	if n := w.run(p); n != 0 || len(w.forge.Pulls) != 4 || w.forge.Counts["git"] != before {
		t.Errorf("again: %d, %d pull requests, %d requests to git", n, len(w.forge.Pulls), w.forge.Counts["git"]-before)
	}
}

// TestPeopleAreObeyed has people close, take over, merge, rename, archive, and
// change the default branch; none of it is overruled.
func TestPeopleAreObeyed(t *testing.T) {
	w := newWorld(t)
	w.seed(8)
	p := w.plan()
	w.work(p)
	w.forge.Repo("acme/r05").Archived = true
	w.forge.Repo("acme/r06").Default = "trunk"
	w.forge.Rename(w.forge.Repo("acme/r07"), "acme/moved")
	theirs := w.commit("acme/r04", p.Branch(), map[string]string{"a.yaml": "mine\n"}) // a branch of that name is there already
	w.run(p)
	w.forge.Close(w.forge.Newest("acme/r00"))
	w.forge.Take(w.forge.Newest("acme/r01"))
	edit := w.commit("acme/r02", p.Branch(), map[string]string{"a.yaml": "edited\n"})
	w.git(w.bare("acme/r03"), "update-ref", "-d", "refs/heads/"+p.Branch())
	w.forge.Close(w.forge.Newest("acme/r03"))
	w.follow()
	want := map[string]Stage{"acme/r00": Declined, "acme/r01": Merged, "acme/r02": Edited, "acme/r03": Declined, "acme/r04": Edited, "acme/r05": Away, "acme/r06": Stale, "acme/moved": Opened}
	if got := w.stages(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	for i := range 4 { // they go on, and everything is made again
		w.commit(fmt.Sprintf("acme/r%02d", i), "main", map[string]string{"b.yaml": oldManifest})
	}
	w.work(p)
	w.run(p)
	w.follow()
	if got := w.stages(); fmt.Sprint(got) != fmt.Sprint(want) || len(w.forge.Pulls) != 5 {
		t.Errorf("after a second round: %v, %d pull requests", got, len(w.forge.Pulls))
	}
	if got := w.git(w.bare("acme/r02"), "rev-parse", p.Branch()); got != edit {
		t.Error("a branch with a person's commit was pushed to")
	}
	if got := w.git(w.bare("acme/r04"), "rev-parse", p.Branch()); got != theirs {
		t.Error("a branch of somebody else was pushed to")
	}
	w.run(p, func(o *Open) { o.Reopen = []string{"acme/r00", "acme/r02"} })
	got := w.stages()
	if got["acme/r00"] != Opened || got["acme/r02"] != Edited || len(w.forge.Pulls) != 6 {
		t.Errorf("reopened: %v, %d pull requests", got, len(w.forge.Pulls))
	}
	w.forge.Repo("acme/r05").Archived = false
	w.run(p)
	if got := w.stages()["acme/r05"]; got != Opened {
		t.Errorf("a repository that is back: %v", got)
	}
}

// TestRepositoryThatIsNotOursToPushTo is blocked, with what it lacks, and opened as
// soon as the token may push.
func TestRepositoryThatIsNotOursToPushTo(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	w.forge.Repo("acme/r00").NoPush = true
	p := w.plan()
	w.work(p)
	w.run(p)
	st, err := Count(t.Context(), w.open())
	if err != nil || st.Rows[0].State != "blocked" || !strings.Contains(st.Rows[0].Text, "may not push to it, and campaigns make no forks") {
		t.Errorf("%+v, %v", st, err)
	}
	w.forge.Repo("acme/r00").NoPush = false
	if n := w.run(p); n != 1 {
		t.Errorf("opened %d", n)
	}
}

// TestShorterPlanKeepsItsPulls plans again without repositories that have pull
// requests: each has its row, and one that is open is left.
func TestShorterPlanKeepsItsPulls(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	p := w.plan()
	w.work(p)
	w.run(p)
	w.forge.Close(w.forge.Newest("acme/r00"))
	w.follow()
	w.plan(func(p *Plan) { p.Repositories = p.Repositories[2:] })
	w.forge.Take(w.forge.Newest("acme/r02"))
	w.follow()
	st, err := Count(t.Context(), w.open())
	if err != nil || len(st.Rows) != 3 || !st.Left || st.Counts["open"] != 1 || st.Counts["declined"] != 1 || !strings.Contains(st.Rows[0].Text, "does not have it any more") {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestConflictIsWorkedAgain makes a pull request that no longer merges: it is
// moved to the new base, and only then.
func TestConflictIsWorkedAgain(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	w.run(p)
	w.commit("acme/r00", "main", map[string]string{"a.yaml": oldManifest + "  labels: {}\n"})
	w.work(p)
	if n := w.run(p); n != 0 {
		t.Error("a pull request without a conflict was moved")
	}
	w.forge.Newest("acme/r00").Conflicts = true
	w.follow()
	if n := w.run(p); n != 1 || len(w.forge.Pulls) != 1 {
		t.Errorf("moved %d", n)
	}
	if r := w.result(p, "acme/r00"); w.forge.Head("acme/r00", p.Branch()) != r.Commit {
		t.Error("the branch is not at the new commit")
	}
	if n := w.run(p); n != 0 {
		t.Error("it was moved twice")
	}
}

// TestWavesWaitForEachOther opens what others need, then the canaries, then the
// rest.
func TestWavesWaitForEachOther(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	p := w.plan(func(p *Plan) { p.Needs, p.Canaries = []string{"acme/r02"}, []string{"acme/r01"} })
	w.work(p)
	for _, step := range []struct {
		before func()
		pulls  int
	}{
		{func() {}, 1},
		{func() { w.forge.Newest("acme/r02").Checks = "SUCCESS" }, 1}, // green is not merged
		{func() { w.forge.Take(w.forge.Newest("acme/r02")) }, 2},
		{func() { w.forge.Newest("acme/r01").Checks = "FAILURE" }, 2},
		{func() { w.forge.Newest("acme/r01").Checks = "SUCCESS" }, 4},
	} {
		step.before()
		w.follow()
		w.run(p)
		if len(w.forge.Pulls) != step.pulls {
			t.Fatalf("%d pull requests, want %d", len(w.forge.Pulls), step.pulls)
		}
	}
}

// TestNeedsInOrder opens what others need one after another: the next one when
// the one before it has merged, and the rest after the last.
func TestNeedsInOrder(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	p := w.plan(func(p *Plan) { p.Needs, p.Ordered = []string{"acme/r02", "acme/r00", "acme/r03"}, true })
	w.work(p)
	for i, name := range []string{"acme/r02", "acme/r00", "acme/r03", "acme/r01"} {
		w.follow()
		w.run(p)
		if len(w.forge.Pulls) != i+1 || w.forge.Newest(name) == nil {
			t.Fatalf("%d pull requests, want %d, the last of %s", len(w.forge.Pulls), i+1, name)
		}
		w.forge.Newest(name).Checks = "SUCCESS" // green is not merged
		w.follow()
		if w.run(p); len(w.forge.Pulls) != i+1 {
			t.Fatalf("%d pull requests before %s has merged", len(w.forge.Pulls), name)
		}
		w.forge.Take(w.forge.Newest(name))
	}
}
