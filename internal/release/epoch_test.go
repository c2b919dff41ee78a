package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// abort aborts v0.2.0, killed at a chance (0 = not), and then for good. It
// returns how many chances there were.
func (w *world) abort(journal string, at int) int {
	w.t.Helper()
	k := &killer{at: at}
	for {
		ctx, cancel := context.WithCancel(context.Background())
		k.mu.Lock()
		k.cancel, k.dead = cancel, false
		k.mu.Unlock()
		env, q := w.env(journal)
		q.Base = &killerTrip{k}
		file := env.Journal
		env.Journal, env.Git = &killerLog{file, k}, &killerGit{env.Git, k}
		_, err := On(w.train("v0.2.0"), env).Abort(ctx, &env.Env, "rita")
		file.Close()
		cancel()
		if !k.dead {
			if err != nil {
				w.t.Fatal(err)
			}
			return k.n
		}
	}
}

// runAborted goes to a stage, approves, aborts with a kill on the way, lets
// a user mend main, and runs again, to the end.
func runAborted(t *testing.T, stage string, at int) (chances int) {
	t.Helper()
	w := newWorld(t)
	journal := journalIn(t)
	for try := 0; ; try++ {
		r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Who: "rita"})
		if r.Of(stage).State == Done {
			break
		}
		if try == 6 {
			t.Fatalf("%s is never done", stage)
		}
		w.play()
	}
	env, _ := w.env(journal)
	if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, "approve:publish", "rita", false); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	chances = w.abort(journal, at)

	w.commit("orchard/operator", "MENDED", "what the release was aborted for\n")
	fix := w.run(w.bare("orchard/operator"), "git", "rev-parse", "main")
	r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Who: "otto"})
	for try := 0; try < 4 && r.Of("approve:publish").State != Waiting; try++ {
		w.play()
		r, _ = once(t, w, w.train("v0.2.0"), journal, Choices{Who: "otto"})
	}
	if o := r.Of("approve:publish"); o.State != Waiting {
		t.Fatalf("killed at %d: approve:publish is %s: %s", at, o.State, o.Text)
	}
	arrive(t, w, sprint(w), journal)
	w.run(w.bare("orchard/operator"), "git", "merge-base", "--is-ancestor", fix, "v0.2.0^{commit}")
	return chances
}

// Abort, mend, run again arrives, wherever the abort was killed on its way: no
// decision and no approval of before it counts, and what is tagged is mended.
func TestAbortMendRunAgain(t *testing.T) {
	for stage, at := range map[string]int{"operator-pr": 7, "operator-merged": 4} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			if os.Getenv("CFCTL_KILL") != "all" {
				runAborted(t, stage, at)
				return
			}
			for at, chances := 0, 0; at <= chances; at++ {
				chances = max(chances, runAborted(t, stage, at))
			}
		})
	}
}

// A PR that a maintainer closed is given up with an abort: there is a way on.
func TestAbortGivesUpAClosedPR(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	f := w.forge.(*fakeForge)
	for range 4 {
		once(t, w, w.train("v0.2.0"), journal, Choices{Until: "operator-pr"})
		if len(f.pullsTo("orchard/operator")) == 0 {
			w.play()
		}
	}
	f.pullsTo("orchard/operator")[0].State = "closed"
	env, _ := w.env(journal)
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Until: "operator-pr"})
	env.Journal.Close()
	if o := r.Of("operator-branch"); err != nil || o.State != Conflict || !strings.Contains(o.Who, "cfctl release abort v0.2.0, then run it again") {
		t.Fatalf("%v %+v", err, o.Observation)
	}
	w.abort(journal, 0)
	once(t, w, w.train("v0.2.0"), journal, Choices{Until: "operator-pr"})
	if pulls := f.pullsTo("orchard/operator"); len(pulls) != 2 || pulls[1].State != "open" {
		t.Errorf("%d PRs", len(pulls))
	}
}

// An approval is given to a plan. When a version, a step or a commit that it
// was given to changes, it is asked for again, in words that say what changed;
// what was not known yet then is no change.
func TestApprovalIsOfOnePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	approve := func(train *steps.Train) {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		if err := On(train, env).Approve(context.Background(), &env.Env, "approve:publish", "rita", false); err != nil {
			t.Fatal(err)
		}
	}
	look := func(train *steps.Train) *StepResult {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		v := newView(train, env)
		v.Learn("operator-merged", steps.Done("merged", "commit", strings.Repeat("a", 40)))
		for _, s := range train.Steps() {
			if s.Approval() {
				o, err := look(train, env, s, v)
				return &StepResult{Observation: o, Err: err}
			}
		}
		return nil
	}
	approve(w.train("v0.2.0"))
	if o := look(w.train("v0.2.0")); o.State != Done || len(o.Facts["plan"]) != 64 {
		t.Errorf("the approved plan: %s %s", o.State, o.Text)
	}
	for _, change := range []struct {
		says string
		make func(train *steps.Train)
	}{
		{"version of picker was v1.1.0, is v1.1.1", func(train *steps.Train) { train.Versions["picker"] = "v1.1.1" }},
		{"step twice-branch is new", func(train *steps.Train) {
			d := train.Recipe.Downstream[0]
			d.Name = "twice"
			train.Recipe.Downstream = append(train.Recipe.Downstream, d)
		}},
		{"step announce:mail is gone", func(train *steps.Train) { train.Recipe.Announce.SMTP = "" }},
		{"announcement was", func(train *steps.Train) { train.Recipe.Announce.Text = "other words" }},
	} {
		train := w.train("v0.2.0")
		change.make(train)
		if o := look(train); o.State != Waiting || !strings.Contains(o.Text, "needs a new approval: rita approved another plan (") || !strings.Contains(o.Text, change.says) {
			t.Errorf("%s: %s %q", change.says, o.State, o.Text)
		}
	}
	env, _ := w.env(journal)
	written(t, env, Record{Kind: steps.RecDone, Step: "operator-merged", Facts: map[string]string{"commit": strings.Repeat("b", 40)}})
	env.Journal.Close()
	approve(w.train("v0.2.0"))
	if o := look(w.train("v0.2.0")); o.State != Waiting || !strings.Contains(o.Text, "commit of operator-merged was bbb") {
		t.Errorf("another merge commit: %s %q", o.State, o.Text)
	}
}

// Gates and steps have names that are known and are one's own, or the recipe is
// refused with the place.
func TestStepNamesAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	read := func(from, to string) error {
		config := strings.Replace(string(w.config()), from, to, 1)
		_, err := w.read([]byte(config), "v0.2.0")
		return err
	}
	gate := `before: ["tag:operator"]`
	for _, test := range []struct{ from, to, says string }{
		{gate, `before: ["tag:opertor"]`, `:80:76: release: approval publish: no release has a step "tag:opertor"`},
		{gate, `before: ["stable:sdk"]`, `no release has a step "stable:sdk"`},
		{gate, `before: []`, "before which steps"},
		{gate, gate + "}\n    - {name: publish, " + gate, "two steps are called approve:publish"},
		{gate, gate + ", bfore: x", `unknown key "bfore"`},
		{"name: workloads", "name: catalog", "two steps are called catalog-branch"},
		{"name: workloads", "name: operator", "two steps are called operator-branch"},
	} {
		err := read(test.from, test.to)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.to, err)
		}
	}
	if err := read(gate, gate); err != nil {
		t.Error(err)
	}
	train := w.train("v0.2.0")
	train.Recipe.Approvals = []recipe.Approval{{Name: "go", Before: []string{"operator-pr", "release"}}}
	if err := steps.Complete(train.Recipe, "x", train.Stack); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, s := range train.Steps() {
		if s.Name == "approve:go" || strings.Contains(fmt.Sprint(s.After()), "approve:go") {
			order = append(order, s.Name)
		}
	}
	if got := strings.Join(order, " "); got != "approve:go operator-pr release" {
		t.Errorf("a gate over two steps: %s", got)
	}
}

// The hotfix command, broken off after its first tag and run again, goes on
// with the same release.
func TestHotfixAgainIsTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	branch := map[string]string{"orchard/picker": "refs/heads/release-v1.0", "orchard/operator": "refs/heads/release-v0.1"}
	for repo, ref := range branch {
		w.run(w.bare(repo), "git", "update-ref", ref, "main")
	}
	w.somebody("orchard/picker", "main", branch["orchard/picker"], "FIX", holding("fix\n"))
	base := w.train("v0.1.0")
	journal := filepath.Join(t.TempDir(), "v0.1.1.jsonl")
	for range 2 {
		env, _ := w.env(journal)
		train, err := steps.NewHotfix(context.Background(), base.Stack, base.Recipe, env.Git, "picker", "v0.1.0", "release-{minor}", base.Versions)
		if err != nil {
			t.Fatal(err)
		}
		if train.Version != "v0.1.1" || train.Versions["picker"] != "v1.0.1" {
			t.Errorf("the hotfix is %s with picker %s", train.Version, train.Versions["picker"])
		}
		train.Bundle = testBundle
		if _, err := On(train, env).Run(context.Background(), &env.Env, Choices{Only: "tag:picker", Who: "rita"}); err != nil {
			t.Fatal(err)
		}
		env.Journal.Close()
	}
}

// A release that had nothing to change in the root stays done when its main
// moves on, and its tag is what was decided.
func TestNothingToChangeStaysDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for repo, tag := range map[string]string{"orchard/picker": "v1.1.0", "orchard/sorter": "v0.4.0", "orchard/sdk": "v2.1.0"} {
		w.run(w.bare(repo), "git", "tag", tag, "main")
	}
	w.image("orchard/picker", "v1.1.0")
	w.image("orchard/sorter", "v0.4.0")
	journal := journalIn(t)
	once(t, w, w.train("v0.2.0"), journal, Choices{Until: "operator-branch"})
	bare := w.bare("orchard/operator")
	w.run(bare, "git", "update-ref", "refs/heads/main", workBranch) // somebody has made the changes by hand
	w.run(bare, "git", "update-ref", "-d", workBranch)
	arrive(t, w, sprint(w), journal)
	want := w.run(bare, "git", "rev-parse", "v0.2.0^{commit}")
	w.commit("orchard/operator", "Makefile", "PICKER_VERSION ?= v1.2.0\nSORTER_VERSION ?= v0.4.0\nSDK_VERSION ?= 2.1.0\n")
	for _, path := range []string{journal, journalIn(t)} { // also without the journal
		env, _ := w.env(path)
		r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Until: "tag:operator"})
		env.Journal.Close()
		if err != nil || r.Of("tag:operator") == nil {
			t.Fatal(err, r.Findings)
		}
		if o := r.Of("tag:operator"); o.State != Done || o.Facts["commit"] != want {
			t.Errorf("tag:operator is %s: %s", o.State, o.Text)
		}
	}
}

// A brokenGit does not answer the first question.
type brokenGit struct {
	ports.GitPort
	asked int
}

func (g *brokenGit) Heads(ctx context.Context, repo string) (git.Heads, error) {
	if g.asked++; g.asked == 1 {
		return git.Heads{}, &wire.TransitError{Err: errors.New("connection reset")}
	}
	return g.GitPort.Heads(ctx, repo)
}

// One question that broke on its way does not end a run that has done nothing.
func TestRunBeginsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	env, _ := w.env(journalIn(t))
	env.Git = &brokenGit{GitPort: env.Git}
	if r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Only: "tag:picker"}); err != nil || r.Of("tag:picker").State != Done {
		t.Error(err)
	}
}

// A catalog that gets another release below this one while the PR is open stops
// the train: what the PR replaces is outdated. Aborted and run again, it
// replaces the right one.
func TestCatalogMovesWhileThePRIsOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	for range 6 {
		if r, _ := once(t, w, w.train("v0.2.0"), journal, yes); r.Of("catalog-pr").State == Done {
			break
		}
		w.play()
	}
	const csv = "/manifests/orchard-operator.clusterserviceversion.yaml"
	old := w.run(w.bare("eco/community-operators"), "git", "show", "main:operators/orchard-operator/0.1.0"+csv)
	w.somebody("eco/community-operators", "main", "refs/heads/main", "operators/orchard-operator/0.1.1"+csv, holding(strings.ReplaceAll(old, "0.1.0", "0.1.1")))
	env, _ := w.env(journal)
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, yes)
	env.Journal.Close()
	if o := r.Of("catalog-branch"); err != nil || o.State != Conflict || !strings.Contains(o.Text, "it replaces 0.1.0, and the catalog has 0.1.1 now") {
		t.Fatalf("%v %s: %s", err, o.State, o.Text)
	}
	w.abort(journal, 0)
	arrive(t, w, sprint(w), journal)
	if now := w.run(w.bare("eco/community-operators"), "git", "show", "main:operators/orchard-operator/0.2.0"+csv); !strings.Contains(now, "replaces: orchard-operator.v0.1.1") {
		t.Error("it does not replace v0.1.1")
	}
}
