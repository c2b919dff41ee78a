package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// opens is an opener of the world; it sleeps by moving the clock.
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
	seen, err := s.followed(w.t.Context())
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
	p = w.plan(func(p *Plan) { p.Repositories = p.Repositories[2:] })
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

// TestChecksAreWaitedFor opens two, and goes on when follow has seen that the
// checks of one are over.
func TestChecksAreWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	p := w.plan()
	w.work(p)
	two := func(o *Open) { o.MaxPending = 2 }
	if n := w.run(p, two); n != 2 {
		t.Errorf("opened %d", n)
	}
	w.follow()
	if n := w.run(p, two); n != 0 {
		t.Errorf("opened %d while two wait", n)
	}
	w.forge.Pulls[0].Checks = "FAILURE"
	w.follow()
	if n := w.run(p, two); n != 1 {
		t.Errorf("opened %d after the checks of one were over", n)
	}
}

// TestLimitIsObeyed has a forge that wants a pause after the second.
func TestLimitIsObeyed(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	w.forge.PerHour = 2
	p := w.plan()
	w.work(p)
	start := w.clock()
	if n := w.run(p); n != 3 || len(w.forge.Pulls) != 3 || w.forge.Counts["limited"] != 1 {
		t.Errorf("opened %d, refused %d times", n, w.forge.Counts["limited"])
	}
	if took := w.clock().Sub(start); took < limitPause {
		t.Errorf("went on after %v", took)
	}
	o := w.opens(func(o *Open) { o.For = time.Minute; o.Windows = []Window{{From: 0, To: 1}} })
	if n, err := o.Run(t.Context(), p); n != 0 || err != nil {
		t.Errorf("outside of the windows: %d, %v", n, err)
	}
}

// TestBudgetHoldsInEveryWindow opens at random for a day, with kills and clocks
// that differ: no minute and no hour has more than the budget.
func TestBudgetHoldsInEveryWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, b := range []Budget{{5, 200}, {80, 500}, {1, 1}, {7, 20}} {
		var s spent
		var acts []time.Time
		now := time.Unix(1_000_000, 0)
		for range 3000 {
			if wait := s.wait(now, b); wait > 0 {
				now = now.Add(wait)
				continue
			}
			s.intend(now, now.Add(leaseTime))
			now = now.Add(time.Duration(r.IntN(2000)) * time.Millisecond)
			acts = append(acts, now)
			if r.IntN(50) > 0 { // else it was killed before it could say when
				s.done(now)
			}
			now = now.Add(time.Duration(r.IntN(500)) * time.Millisecond)
		}
		for i, at := range acts {
			for _, x := range []struct {
				window time.Duration
				most   int
			}{{time.Minute, b.PerMinute}, {time.Hour, b.PerHour}} {
				if i >= x.most && at.Sub(acts[i-x.most]) < x.window {
					t.Fatalf("%v: more than %d in %v", b, x.most, at.Sub(acts[i-x.most]))
				}
			}
		}
	}
	var s spent
	s.limited(time.Unix(0, 0), &wire.RateError{Secondary: true})
	if s.wait(time.Unix(1, 0), Budget{5, 200}) < 59*time.Minute {
		t.Error("no pause after a secondary limit")
	}
	after := time.Unix(0, 0).Add(time.Hour)
	for range 2 {
		s.intend(after, after)
	}
	if s.wait(after, Budget{5, 200}) == 0 || s.wait(after, Budget{10, 200}) > 0 {
		t.Error("a secondary limit halves the budget")
	}
	for _, b := range []Budget{{0, 1}, {81, 1}, {1, 0}, {1, 501}} {
		if b.Check() == nil {
			t.Errorf("%v", b)
		}
	}
}

// TestDecisions has a row for everything that can be seen of a repository.
func TestDecisions(t *testing.T) {
	r := &Result{Commit: "new", Digest: "d"}
	rec := func(stage Stage, pushed ...string) *Record { return &Record{Stage: stage, Pushed: pushed, Digest: "d"} }
	pull := func(state, head string) []forge.Pull {
		return []forge.Pull{{Number: 7, Open: state == "open", Merged: state == "merged", Head: head}}
	}
	for _, c := range []struct {
		name string
		v    view
		want act
	}{
		{"nothing is there", view{}, act{Opening, true, true, forge.Pull{}}},
		{"killed after the push", view{record: rec(Opening, "new"), head: "new"}, act{Opening, false, true, forge.Pull{}}},
		{"killed before the push", view{record: rec(Opening, "new")}, act{Opening, true, true, forge.Pull{}}},
		{"killed before a second push", view{record: rec(Opening, "old", "new"), head: "old", pulls: pull("open", "old"), conflicts: true}, act{Opening, true, false, pull("open", "old")[0]}},
		{"a branch of that name is somebody's", view{head: "x"}, act{Edited, false, false, forge.Pull{}}},
		{"open, as it was made", view{record: rec(Opened, "new"), head: "new", pulls: pull("open", "new")}, act{Opened, false, false, pull("open", "new")[0]}},
		{"open, of an older base", view{record: rec(Opened, "old"), head: "old", pulls: pull("open", "old")}, act{Opened, false, false, pull("open", "old")[0]}},
		{"open, by somebody else", view{head: "x", pulls: pull("open", "x")}, act{Edited, false, false, pull("open", "x")[0]}},
		{"somebody pushed onto it", view{record: rec(Opened, "new"), head: "x", pulls: pull("open", "new"), conflicts: true}, act{Edited, false, false, pull("open", "new")[0]}},
		{"closed", view{record: rec(Opened, "new"), head: "new", pulls: pull("closed", "new")}, act{Declined, false, false, pull("closed", "new")[0]}},
		{"closed by who knows", view{pulls: pull("closed", "y")}, act{Declined, false, false, pull("closed", "y")[0]}},
		{"merged", view{record: rec(Opened, "new"), pulls: pull("merged", "new")}, act{Merged, false, false, pull("merged", "new")[0]}},
		{"removed", view{record: rec(Opened, "new")}, act{Declined, false, false, forge.Pull{}}},
		{"closed, asked for again", view{record: rec(Declined, "new"), head: "new", pulls: pull("closed", "new"), reopen: true}, act{Opening, false, true, forge.Pull{}}},
		{"edited, asked for again", view{record: rec(Edited, "new"), head: "x", pulls: pull("open", "x"), reopen: true}, act{Edited, false, false, pull("open", "x")[0]}},
		{"other rules", view{record: &Record{Stage: Opened, Pushed: []string{"old"}, Digest: "c"}, head: "old", pulls: pull("open", "old")}, act{Opening, true, false, pull("open", "old")[0]}},
	} {
		c.v.result = r
		if got := decide(c.v); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestPackMustBeWhatItSays changes a result and its pack in every way that a
// worker could: nothing is pushed.
func TestPackMustBeWhatItSays(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	good := w.result(p, "acme/r00")
	s := w.open()
	pack, err := s.pack(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	url := w.forge.URL + "/acme/r00.git"
	side := w.commit("acme/r00", "side", map[string]string{"x": "x\n"})
	made := func(author git.Identity, message string, parents []string, changes ...git.Change) (Result, []byte) {
		local, done, err := git.Scratch(t.Context(), url, false)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if err := errors.Join(local.FetchLean(t.Context(), good.Base, leanLimit), local.FetchLean(t.Context(), side, leanLimit)); err != nil {
			t.Fatal(err)
		}
		tree, err := local.WriteTree(t.Context(), good.Base, changes)
		if err != nil {
			t.Fatal(err)
		}
		r := *good
		if r.Commit, err = local.CommitTree(t.Context(), git.NewCommit{Tree: tree, Parents: parents, Message: message, Author: author, Time: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
		r.Paths = nil
		for _, c := range changes {
			r.Paths = append(r.Paths, c.Path)
		}
		slices.Sort(r.Paths)
		pack, err := local.Pack(t.Context(), r.Commit, r.Base)
		if err != nil {
			t.Fatal(err)
		}
		return r, pack
	}
	edit := git.Change{Path: "a.yaml", Data: []byte("x\n")}
	parents := []string{good.Base}
	for name, c := range map[string]func() (Result, []byte){
		"other paths":    func() (Result, []byte) { r := *good; r.Paths = []string{"b.yaml"}; return r, pack },
		"no paths":       func() (Result, []byte) { r := *good; r.Paths = nil; return r, pack },
		"another branch": func() (Result, []byte) { r := *good; r.Branch = "x y"; return r, pack },
		"an option":      func() (Result, []byte) { r := *good; r.Commit = "--all"; return r, pack },
		"no pack":        func() (Result, []byte) { return *good, nil },
		"a broken pack":  func() (Result, []byte) { return *good, pack[:len(pack)-7] },
		"two parents":    func() (Result, []byte) { return made(author, p.Message(), []string{good.Base, side}, edit) },
		"no parent":      func() (Result, []byte) { return made(author, p.Message(), nil, edit) },
		"another author": func() (Result, []byte) {
			return made(git.Identity{Name: "Eve", Email: "e@x"}, p.Message(), parents, edit)
		},
		"a message": func() (Result, []byte) { return made(author, "other", parents, edit) },
		"a new file": func() (Result, []byte) {
			return made(author, p.Message(), parents, edit, git.Change{Path: ".github/workflows/x.yaml", Data: []byte("x")})
		},
	} {
		r, pack := c()
		local, done, err := git.Scratch(t.Context(), url, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkPack(t.Context(), local, p, &r, pack); !errors.Is(err, errPack) {
			t.Errorf("%s: %v", name, err)
		}
		_ = done()
	}
	local, done, err := git.Scratch(t.Context(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if err := checkPack(t.Context(), local, p, good, pack); err != nil {
		t.Error(err)
	}
	for name, changes := range map[string][]git.FileChange{
		"a link":      {{Path: "a", OldMode: "100644", NewMode: "120000"}},
		"a submodule": {{Path: "a", OldMode: "000000", NewMode: "160000"}},
		"a program":   {{Path: "a", OldMode: "100644", NewMode: "100755"}},
		"new":         {{Path: "a", OldMode: "000000", NewMode: "100644"}},
	} {
		if err := checkChanges(changes, []string{"a"}, false); !errors.Is(err, errPack) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkChanges([]git.FileChange{{Path: "a", OldMode: "000000", NewMode: "100644"}, {Path: "b", OldMode: "100644", NewMode: "000000"}}, []string{"a", "b"}, false); err != nil {
		t.Errorf("a rename: %v", err)
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

// TestOpenStopsAtItsBounds has a bound of open ones, and a token without the
// scope for workflows.
func TestOpenStopsAtItsBounds(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	w.commit("acme/flow", "main", map[string]string{".github/workflows/x.yaml": "run: kubectl get appwrappers.mcad.ibm.com\n"})
	w.forge.Add("acme/flow").Size = 1000 // the first
	w.forge.Scopes = "repo"
	p := w.plan()
	w.work(p)
	w.run(p, func(o *Open) { o.MaxOpen = 2 })
	if got := w.stages(); len(w.forge.Pulls) != 2 || got["acme/flow"] != Blocked {
		t.Errorf("%v", got)
	}
	w.forge.Scopes = "repo, workflow"
	w.run(p, func(o *Open) { o.MaxOpen = 3 })
	if got := w.stages(); len(w.forge.Pulls) != 3 || got["acme/flow"] != Opened {
		t.Errorf("with the scope: %v", got)
	}
	body := p.Body(&Result{Proven: 278, Files: 2, Person: 3, ByHand: []string{"a.go:1: ` @everyone <img>"}, Owners: []string{"@acme/platform"}})
	for _, want := range []string{"278 places", "@acme/platform", "<!-- cfctl-campaign groups " + p.Commit, "and 2 more"} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
}

// TestWindows reads times of the week.
func TestWindows(t *testing.T) {
	w, err := ParseWindow("Fri-Mon,Wed 09:00-17:30")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{"2026-11-02T09:00:00Z": true, "2026-11-02T08:59:59Z": false, "2026-11-02T17:30:00Z": false, "2026-11-03T12:00:00Z": false, "2026-11-04T12:00:00Z": true, "2026-11-08T12:00:00Z": true, "2026-11-02T18:00:00+02:00": true} {
		when, _ := time.Parse(time.RFC3339, at)
		if w.open(when) != want {
			t.Errorf("%s: %v", at, !want)
		}
	}
	for _, bad := range []string{"", "Mon", "Mon 9-5", "Mo 09:00-10:00", "Mon 10:00-09:00", "Mon 00:00-24:01", "Mon 00:60-02:00"} {
		if _, err := ParseWindow(bad); err == nil {
			t.Errorf("%q", bad)
		}
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
	if going, err := full.ready(t.Context()); going || err != nil || len(notes) != 1 || !strings.Contains(notes[0], "room again at 2026-11-02T10:00:00Z") {
		t.Errorf("%v, %v, %q", going, err, notes)
	}
}
