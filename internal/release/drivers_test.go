package release

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A faultyGit fails at one of its calls, once.
type faultyGit struct {
	ports.GitPort
	mu    sync.Mutex
	n, at int
	err   error
}

func (g *faultyGit) fault() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n++; g.n == g.at {
		return g.err
	}
	return nil
}

func (g *faultyGit) Heads(ctx context.Context, repo string) (git.Heads, error) {
	if err := g.fault(); err != nil {
		return git.Heads{}, err
	}
	return g.GitPort.Heads(ctx, repo)
}

func (g *faultyGit) Tree(ctx context.Context, repo, commit string, large bool) (ports.Snapshot, error) {
	if err := g.fault(); err != nil {
		return ports.Snapshot{}, err
	}
	return g.GitPort.Tree(ctx, repo, commit, large)
}

func (g *faultyGit) Contains(ctx context.Context, repo, tip, commit string) (bool, error) {
	if err := g.fault(); err != nil {
		return false, err
	}
	return g.GitPort.Contains(ctx, repo, tip, commit)
}

func (g *faultyGit) Push(ctx context.Context, repo, objects string, updates ...git.Update) error {
	if err := g.fault(); err != nil {
		return err
	}
	return g.GitPort.Push(ctx, repo, objects, updates...)
}

// faults are how git fails: on the way, by a repository that is not there, by a no.
var faults = []error{
	&wire.TransitError{Err: errors.New("connection reset")},
	&git.RemoteError{URL: "x", Refused: true, Err: errors.New("permission denied")},
	wire.ErrNotFound,
}

// Whatever git fails at, verify is not green: it says what it could not look at.
func TestVerifyIsNotGreenOverFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	verify := func(at int, fault error) (calls int, green bool) {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		faulty := &faultyGit{GitPort: env.Git, at: at, err: fault}
		env.Git = faulty
		findings, err := On(w.train("v0.2.0"), env).Verify(context.Background(), &env.Env)
		return faulty.n, err == nil && len(findings) == 0
	}
	calls, green := verify(0, nil)
	if !green || calls < 8 {
		t.Fatalf("green: %v, after %d calls", green, calls)
	}
	for at := 1; at <= calls; at++ {
		if fault := faults[at%len(faults)]; at%2 == 1 {
			if _, green := verify(at, fault); green {
				t.Errorf("green, though call %d of %d failed: %v", at, calls, fault)
			}
		}
	}
}

// An abort that git fails says so, and the next one goes on: nothing is left, and
// the release can be run again.
func TestAbortOverFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.forge.(*fakeForge)
	journal := journalIn(t)
	abort := func(at int, fault error) (calls int, err error) {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		faulty := &faultyGit{GitPort: env.Git, at: at, err: fault}
		env.Git = faulty
		a, err := On(w.train("v0.2.0"), env).Abort(context.Background(), &env.Env, "rita")
		if err == nil && strings.Contains(strings.Join(a.Stays, "; "), "not for this token") {
			err = errors.New("it tells what it could not look at")
		}
		return faulty.n, err
	}
	w.until(journal, "operator-merged", Waiting)
	calls, err := abort(0, nil)
	if err != nil || calls < 5 {
		t.Fatalf("%v after %d calls", err, calls)
	}
	for at, i := calls, 0; at > 0 && i < 2*len(faults); at, i = at-2, i+1 {
		for range 3 {
			if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Until: "operator-merged", Who: "rita"}); r.Of("operator-merged").State == Waiting {
				break
			}
		}
		if _, err := abort(at, faults[i%len(faults)]); err == nil && w.left(f) != "" {
			t.Errorf("call %d failed (%v), and the abort is done; left: %s", at, faults[i%len(faults)], w.left(f))
		}
		if _, err := abort(0, nil); err != nil {
			t.Errorf("the abort after that: %v", err)
		}
		if left := w.left(f); left != "" {
			t.Errorf("call %d failed, and after the next abort %s is left", at, left)
		}
	}
	arrive(t, w, sprint(w), journal)
}

// left is what an abort should have taken away: the root's branch and its PR.
func (w *world) left(f *fakeForge) string {
	if refsIn(w.t, w.bare("orchard/operator"))[workBranch] != "" {
		return workBranch
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, p := range f.Pulls {
		if p.Repo == "orchard/operator" && p.State == "open" {
			return p.Title
		}
	}
	return ""
}

// What is declared as a test has to have passed on the very commit that is
// proposed, before anything is tagged: skipped is not, another app's is not, and a
// reviewer's commit is tested again.
func TestDeclaredTestsArePassedFirst(t *testing.T) {
	t.Parallel()
	r := &traveller{world: newWorld(t), t: t, journal: journalIn(t)}
	r.config = func(s string) string {
		return strings.Replace(s, "\nrelease:\n", "\nrelease:\n  tests:\n    - {name: e2e, check: end to end, app: github-actions}\n", 1)
	}
	r.reach("operator-merged", Waiting)
	said := func(list ...map[string]any) { r.fake().Says = forgetest.Says{Checks: list} }
	other := forgetest.Check("end to end", "completed", "success")
	other["app"] = map[string]any{"id": 7, "slug": "somebodys"}
	for _, c := range []struct {
		check map[string]any
		want  State
		says  string
	}{
		{forgetest.Check("unit", "completed", "success"), Waiting, "has not begun"},
		{other, Waiting, "has not begun"},
		{forgetest.Check("end to end", "queued", ""), Waiting, "(queued)"},
		{forgetest.Check("end to end", "completed", "skipped"), Conflict, "ended with skipped"},
		{forgetest.Check("end to end", "completed", "failure"), Conflict, "ended with failure"},
		{forgetest.Check("end to end", "completed", "success"), Done, "passed"},
		{forgetest.Check("end to end", "completed", "failure"), Done, "passed"}, // of that commit it has
	} {
		said(c.check)
		if o := r.look("tested:e2e"); o.State != c.want || !strings.Contains(o.Text, c.says) || c.want == Conflict && (o.Reason != why.CheckRed || o.URL == "") {
			t.Errorf("%v: %s %s: %s", c.check, o.State, o.Reason, o.Text)
		}
	}
	said()
	r.somebody("orchard/operator", workBranch, workBranch, "REVIEW", holding("better\n"))
	if o := r.look("tested:e2e"); o.State != Waiting {
		t.Errorf("a commit of a reviewer is not tested: %s: %s", o.State, o.Text)
	}
	r.play()
	if o := r.look("tag:operator"); o.State != Blocked {
		t.Errorf("merged, and not tested: tag:operator is %s: %s", o.State, o.Text)
	}
	said(forgetest.Check("end to end", "completed", "success"))
	r.reach("tag:operator", Done)
}
