package release

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/train"
)

// A traveller runs one release through a world in which people do everything
// that stops it, and then what its texts say.
type traveller struct {
	*world
	t       *testing.T
	journal string
	config  func(string) string // changes the configuration; nil = not
	change  func(*steps.Train)  // the same of the train
	base    http.RoundTripper   // what requests go through; nil = the network
	far     time.Duration       // how far behind the clock of this machine is
}

func (r *traveller) fake() *fakeForge { return r.forge.(*fakeForge) }

// pull is the newest PR to the root.
func (r *traveller) pull() *forgetest.Pull {
	list := r.fake().pullsTo("orchard/operator")
	return list[len(list)-1]
}

func (r *traveller) made() *steps.Train {
	r.t.Helper()
	config := string(r.world.config())
	if r.config != nil {
		config = r.config(config)
	}
	made, err := r.read([]byte(config), "v0.2.0")
	if err != nil {
		r.t.Fatal(err)
	}
	if r.change != nil {
		r.change(made)
	}
	return made
}

// look runs the train once, no further than a step.
func (r *traveller) look(step string) *train.StepResult {
	r.t.Helper()
	env, q := r.env(r.journal)
	defer env.Journal.Close()
	q.Base = r.base
	now := env.Now
	env.Now = func() time.Time { return now().Add(-r.far) }
	got, err := On(r.made(), env).Run(context.Background(), &env.Env, Choices{Until: step, Who: "rita"})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range got.Findings {
		if f.Severity > 1 {
			r.t.Logf("preflight: %s %s", f.Rule, f.Message)
		}
	}
	if o := got.Of(step); o != nil {
		return o
	}
	r.t.Fatalf("no result of %s: %v", step, got.Findings)
	return nil
}

// reach runs until a step has a state, everyone doing what they do.
func (r *traveller) reach(step string, want State) {
	r.t.Helper()
	var o *train.StepResult
	for range 10 {
		if o = r.look(step); o.State == want {
			return
		}
		if gate := r.look("approve:publish"); gate.State == Waiting && strings.Contains(gate.Text, "approv") {
			r.obey(gate, "approve")
		}
		r.play()
	}
	r.t.Fatalf("%s is never %s: %s: %s", step, want, o.State, o.Text)
}

var commands = regexp.MustCompile(`cfctl release (approve|abort|skip) (v[0-9.]+)(?: ([a-z][a-z:-]*))?( --done)?`)

// obey does what the text of a step says, by the command of a verb in it.
func (r *traveller) obey(o *train.StepResult, verb string) {
	r.t.Helper()
	for _, m := range commands.FindAllStringSubmatch(o.Who, -1) {
		if m[1] != verb {
			continue
		}
		env, _ := r.env(r.journal)
		defer env.Journal.Close()
		var err error
		switch verb {
		case "abort":
			_, err = On(r.made(), env).Abort(context.Background(), &env.Env, "rita")
		case "approve":
			err = On(r.made(), env).Approve(context.Background(), &env.Env, m[3], "rita", m[4] != "")
		case "skip":
			_, err = On(r.made(), env).Skip(context.Background(), &env.Env, m[3], "it is said to", "rita")
		}
		if err != nil {
			r.t.Fatalf("%s: %v", m[0], err)
		}
		return
	}
	r.t.Fatalf("%s names no cfctl release %s: %q", o.Name, verb, o.Who)
}

// A way is how a step comes to stop, and how it goes on.
type way struct {
	reason   string
	at       string                                  // the step that stops
	says     string                                  // a part of what it tells people to do
	stop     func(r *traveller)                      // what people do to it
	out      func(r *traveller, o *train.StepResult) // what the text says
	after    State                                   // of the step then; empty = anything that is no stop
	runTrain func(r *traveller)                      // to where it happens
}

// ways has each reason for which a step stops, in the order of one run.
func ways() []way {
	const operator, picker, sorter, eco, fork = "orchard/operator", "orchard/picker", "orchard/sorter", "eco/community-operators", "orchard/community-operators"
	var take func()
	taken := func(*traveller, *train.StepResult) { take() }
	obstructed := func(p obstacle) func(*traveller) { return func(r *traveller) { take = p.put(r.world) } }
	until := func(step string, s State) func(*traveller) { return func(r *traveller) { r.reach(step, s) } }
	says := func(set func(*forgetest.Says)) func(*traveller) { return func(r *traveller) { set(&r.fake().Says) } }
	abort := func(r *traveller, o *train.StepResult) { r.obey(o, "abort") }
	var was string
	return []way{
		{reason: why.TagUnmanaged, at: "tag:picker", says: "delete it if it is not in use yet", stop: obstructed(tagObstacle(picker, "v1.1.0")), out: taken, after: Done},
		{reason: why.NoBranch, at: "tag:sdk", says: "set branch: trunk", runTrain: until("tag:picker", Done), stop: func(r *traveller) {
			r.fake().Tells = true
			r.run(r.bare("orchard/sdk"), "git", "branch", "-m", "main", "trunk") // HEAD goes with it
		}, out: func(r *traveller, _ *train.StepResult) {
			r.run(r.bare("orchard/sdk"), "git", "branch", "-m", "trunk", "main")
		}, after: Waiting},
		{reason: why.TakenBack, at: "tag:picker", says: "restore it", stop: func(r *traveller) { r.run(r.bare(picker), "git", "tag", "-d", "v1.1.0") },
			out: func(r *traveller, o *train.StepResult) { r.obey(o, "approve") }, after: Done},
		{reason: why.RunFailed, at: "tag:sdk", says: "run it again", runTrain: until("tag:sdk", Waiting),
			stop: func(r *traveller) { r.fake().Runs[0].Status, r.fake().Runs[0].Result = "completed", "failure" },
			out: func(r *traveller, _ *train.StepResult) {
				r.fake().Runs[0].Status, r.fake().Runs[0].Result = "queued", ""
			}, after: Waiting},
		{reason: why.RunGone, at: "tag:sdk", says: "by hand", stop: func(r *traveller) { r.fake().Runs = nil },
			out: func(r *traveller, _ *train.StepResult) { r.run(r.bare("orchard/sdk"), "git", "tag", "v2.1.0", "main") }, after: Done},
		{reason: why.ImageRun, at: "built:picker", says: "run it again on the forge", stop: func(r *traveller) {
			run := func(r *traveller, conclusion string) map[string]any {
				return map[string]any{"id": 900, "name": "image", "head_sha": r.run(r.bare(picker), "git", "rev-parse", "v1.1.0^{commit}"), "head_branch": "v1.1.0", "status": "completed", "conclusion": conclusion, "html_url": "https://forge.invalid/runs/900"}
			}
			r.fake().Says.Runs = []map[string]any{run(r, "failure")}
		}, out: func(r *traveller, _ *train.StepResult) { r.fake().Says.Runs[0]["status"] = "in_progress" }, after: Waiting},
		{reason: why.ImageRevision, at: "built:picker", says: "build it again from the tag", stop: obstructed(imageObstacle(picker, "v1.1.0")), out: taken, after: Done},
		{reason: why.ImageAgain, at: "built:sorter", says: "push the previous image again", runTrain: until("built:sorter", Done), stop: obstructed(imageObstacle(sorter, "v0.4.0")),
			out: func(r *traveller, _ *train.StepResult) { r.image(sorter, "v0.4.0") }, after: Done},
		{reason: why.Place, at: "operator-branch", says: "push the line to that branch", stop: func(r *traveller) {
			take = r.set(operator, "refs/heads/main", "main")
			r.commit(operator, "Makefile", "all:\n")
		},
			out: taken, after: Done},
		{reason: why.Row, at: "operator-branch", says: "correct the row", stop: func(r *traveller) {
			r.run(r.bare(operator), "git", "update-ref", "-d", workBranch)
			was = r.run(r.bare(operator), "git", "rev-parse", "main")
			r.commit(operator, ".cfctl.yaml", "matrix:\n  releases:\n    - version: v0.2.0\n      components:\n        - {name: picker, version: v9.9.9}\n")
		}, out: func(r *traveller, _ *train.StepResult) {
			r.run(r.bare(operator), "git", "update-ref", "refs/heads/main", was)
		}, after: Done},
		{reason: why.BranchChanged, at: "operator-branch", says: "revert that", stop: func(r *traveller) {
			was = r.run(r.bare(operator), "git", "rev-parse", workBranch)
			r.somebody(operator, workBranch, workBranch, "Makefile", holding("PICKER_VERSION ?= v7.7.7\nSORTER_VERSION ?= v0.4.0\nSDK_VERSION ?= 2.1.0\n"))
		}, out: func(r *traveller, _ *train.StepResult) { r.run(r.bare(operator), "git", "update-ref", workBranch, was) }, after: Done},
		{reason: why.BranchUnmanaged, at: "operator-branch", says: "rename it", stop: func(r *traveller) {
			was = r.run(r.bare(operator), "git", "rev-parse", workBranch)
			r.somebody(operator, "main", workBranch, "Makefile", holding("PICKER_VERSION ?= v7.7.7\nSORTER_VERSION ?= v0.3.0\nSDK_VERSION ?= 2.0.0\n"))
		}, out: func(r *traveller, _ *train.StepResult) {
			r.run(r.bare(operator), "git", "update-ref", "-d", workBranch)
		}, after: Done},
		{reason: why.PRElsewhere, at: "operator-branch", says: "make main its base", runTrain: until("operator-merged", Waiting), stop: func(r *traveller) { r.pull().Base = "dev" },
			out: func(r *traveller, _ *train.StepResult) { r.pull().Base = "main" }, after: Done},
		{reason: why.CheckRed, at: "operator-merged", says: "push a commit that fixes it to cfctl/release-v0.2.0", stop: says(func(s *forgetest.Says) { s.Checks = []map[string]any{forgetest.Check("build", "completed", "failure")} }),
			out: func(r *traveller, o *train.StepResult) {
				head := r.put(operator, workBranch, workBranch, "MENDED", new(string), "Anna <anna@example.com>", "Mend the build")
				r.fake().Says.Of = map[string][]map[string]any{head: {forgetest.Check("build", "completed", "success")}}
			}, after: Waiting},
		{reason: why.PRChanges, at: "operator-merged", says: "answer otto", stop: says(func(s *forgetest.Says) {
			*s = forgetest.Says{Reviews: []map[string]any{{"user": map[string]any{"login": "otto"}, "state": "CHANGES_REQUESTED"}}}
		}), out: func(r *traveller, _ *train.StepResult) {
			r.fake().Says.Reviews = append(r.fake().Says.Reviews, map[string]any{"user": map[string]any{"login": "otto"}, "state": "APPROVED"})
		}, after: Waiting},
		{reason: why.CheckSilent, at: "operator-merged", says: "start it", stop: func(r *traveller) {
			r.fake().Says = forgetest.Says{Rules: []map[string]any{forgetest.Requires(15368, "build")}}
			r.look("operator-merged")
			r.clock.Pass(2 * time.Hour)
		}, out: func(r *traveller, _ *train.StepResult) {
			r.fake().Says.Checks = []map[string]any{forgetest.Check("build", "in_progress", "")}
		}, after: Waiting},
		{reason: why.CheckApp, at: "operator-merged", says: "the required checks of main", stop: func(r *traveller) {
			other := forgetest.Check("build", "completed", "success")
			other["app"] = map[string]any{"id": 7, "slug": "somebodys"}
			r.fake().Says = forgetest.Says{Rules: []map[string]any{forgetest.Requires(15368, "build")}, Checks: []map[string]any{other}}
		}, out: func(r *traveller, _ *train.StepResult) {
			r.fake().Says.Checks = append(r.fake().Says.Checks, forgetest.Check("build", "completed", "success"))
		}, after: Waiting},
		{reason: why.PRConflict, at: "operator-merged", says: "merge main into cfctl/release-v0.2.0", stop: func(r *traveller) {
			r.commit(operator, "Makefile", "PICKER_VERSION ?= v1.0.7\nSORTER_VERSION ?= v0.3.0\nSDK_VERSION ?= 2.0.0\n")
			r.fake().Says = forgetest.Says{Merge: map[string]any{"mergeable": false, "mergeable_state": "dirty"}}
		}, out: func(r *traveller, o *train.StepResult) {
			if !strings.Contains(o.Text, "conflicts with main in Makefile") {
				r.t.Errorf("the file is not named: %s", o.Text)
			}
			merged := r.run(r.bare(operator), "git", "commit-tree", workBranch+"^{tree}", "-p", workBranch, "-p", "main", "-m", "Merge main")
			r.run(r.bare(operator), "git", "update-ref", workBranch, merged)
			r.fake().Says = forgetest.Says{}
		}, after: Waiting},
		{reason: why.PRClosed, at: "operator-branch", says: "reopen it", stop: func(r *traveller) { r.pull().State = "closed" }, out: abort, after: Done},
		{reason: why.Merged, at: "operator-merged", says: "abort", runTrain: until("operator-merged", Waiting), stop: obstructed(obstacles["operator-merged"][0]),
			out: func(r *traveller, o *train.StepResult) { abort(r, o) }, after: Waiting},
		{reason: why.MergeLost, at: "tag:operator", says: "bring the commit back", runTrain: until("approve:publish", Waiting), stop: func(r *traveller) {
			r.obey(r.look("approve:publish"), "approve")
			take = r.set(operator, "refs/heads/main", "main^1")
		}, out: taken, after: Done},
		{reason: why.Draft, at: steps.ReleaseStep, says: "delete it", runTrain: until("built:operator", Done), stop: obstructed(releaseObstacle(true, "")), out: taken, after: Done},
		{reason: why.ForkAhead, at: "catalog-branch", says: "move those commits to another branch", stop: obstructed(obstacles["catalog-branch"][1]), out: taken, after: Done},
		{reason: why.BranchOutdated, at: "catalog-branch", says: "abort", runTrain: until("catalog-merged", Waiting), stop: func(r *traveller) {
			csv := r.run(r.bare(eco), "git", "show", "main:"+strings.ReplaceAll(ourCSV, "0.2.0", "0.1.0"))
			r.somebody(eco, "main", "refs/heads/main", strings.ReplaceAll(ourCSV, "0.2.0", "0.1.1"), holding(strings.ReplaceAll(csv, "0.1.0", "0.1.1")))
		}, out: abort, after: Done},
		{reason: why.Merged, at: "catalog-merged", says: "mend it there", runTrain: until("catalog-merged", Waiting), stop: obstructed(obstacles["catalog-merged"][0]), out: func(r *traveller, _ *train.StepResult) {
			r.run(r.bare(eco), "git", "fetch", "-q", r.bare("orchard/community-operators"), workBranch)
			r.run(r.bare(eco), "git", "update-ref", "refs/heads/main", "FETCH_HEAD")
		}, after: Done},
		{reason: why.StableUnmanaged, at: "stable:picker", says: "move it back", runTrain: until("catalog-merged", Done), stop: obstructed(stableObstacle(picker, "v1.0.0")), out: taken, after: Done},
		{reason: why.Unsure, at: "announce:slack", says: "--done (it is there)", runTrain: until("stable:operator", Done), stop: func(r *traveller) {
			r.base = deafTo("")
			r.look("announce:slack")
			r.base = nil
		},
			out: func(r *traveller, o *train.StepResult) {
				o.Who = strings.ReplaceAll(o.Who, "approve v0.2.0 announce:slack (sends it), or with --done", "approve v0.2.0 announce:slack --done")
				r.obey(o, "approve")
			}, after: Done},
	}
}

// apart are the reasons that one run cannot have, with the test that has them.
var apart = map[string]string{
	why.Runs: "TestWaysOfDispatches", why.Clock: "TestWaysOfDispatches", why.Bundle: "TestWayOfABundle", why.Release: "TestWayOfAPublishedRelease",
	why.Reverted: "TestAdversaries", why.PushRefused: "TestAdversaries",
	why.Module: "TestModuleThatCannotBeHad", why.Versions: "TestTagIsMadeAgainWhereItWas",
}

// deafTo loses the answers of all posts to a path.
type deafTo string

func (d deafTo) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil && req.Method == http.MethodPost && req.URL.Path == string(d) {
		_ = res.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return res, err
}

// Each reason has a way out: it stops where it should, with its id, and says what
// a maintainer does; doing it makes the run go on. At the end the release is complete,
// and was announced once.
func TestEveryStopHasAWayOut(t *testing.T) {
	t.Parallel()
	r := &traveller{world: newWorld(t), t: t, journal: journalIn(t)}
	tried := map[string]bool{}
	for _, w := range ways() {
		if w.runTrain != nil {
			w.runTrain(r)
		}
		w.stop(r)
		o := r.look(w.at)
		if o.Reason != w.reason || o.State != Conflict && o.State != Unmanaged || !strings.Contains(o.Who, w.says) {
			t.Fatalf("%s: %s is %s %q: %s (%s) %v", w.reason, w.at, o.State, o.Reason, o.Text, o.Who, o.Err)
		}
		tried[w.reason] = true
		w.out(r, o)
		for range 6 {
			if o = r.look(w.at); o.State != Blocked && (w.after == "" || o.State == w.after) {
				break
			}
			if gate := r.look("approve:publish"); gate.State == Waiting {
				r.obey(gate, "approve") // an abort has made the approval void
				continue
			}
			r.play()
		}
		if o.Reason == w.reason || w.after != "" && o.State != w.after {
			t.Fatalf("%s: %s is %s after what its text says: %s (%s) %v", w.reason, w.at, o.State, o.Text, o.Who, o.Err)
		}
	}
	for _, reason := range why.Reasons {
		if !tried[reason.ID] && apart[reason.ID] == "" {
			t.Errorf("nobody has tried the way out of %s", reason.ID)
		}
		delete(tried, reason.ID)
	}
	if len(tried) > 0 {
		t.Errorf("no reasons: %v", tried)
	}
	r.reach("workloads-merged", Done)
	r.reach("announce:mail", Done)
	if len(r.chat.texts()) != 1 || len(r.mail.ids()) != 1 {
		t.Errorf("%d messages, %d mails", len(r.chat.texts()), len(r.mail.ids()))
	}
}

// The tests that have the other reasons are there.
func TestWaysApartAreTried(t *testing.T) {
	var all strings.Builder
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") {
			data, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			all.Write(data)
		}
	}
	for reason, name := range apart {
		if !strings.Contains(all.String(), "func "+name+"(") {
			t.Errorf("%s: there is no %s", reason, name)
		}
	}
}

// Runs that may all be the one that was dispatched, and a clock that is behind.
func TestWaysOfDispatches(t *testing.T) {
	t.Parallel()
	r := &traveller{world: newWorld(t), t: t, journal: journalIn(t)}
	r.fake().Others = 1
	r.reach("tag:picker", Done)
	for _, x := range r.fake().Runs {
		x.Actor = "orchard"
	}
	r.look("tag:sdk")
	for _, x := range r.fake().Runs {
		x.Actor = "orchard"
	}
	o := r.look("tag:sdk")
	if o.Reason != why.Runs || !strings.Contains(o.Who, "cancel the runs") {
		t.Fatalf("%s %q: %s (%s)", o.State, o.Reason, o.Text, o.Who)
	}
	runs := r.fake().Runs
	r.fake().Runs = nil
	r.far = time.Hour
	if o := r.look("tag:sdk"); o.Reason != why.Clock || !strings.Contains(o.Who, "set the clock") {
		t.Fatalf("%s %q: %s (%s)", o.State, o.Reason, o.Text, o.Who)
	}
	r.far = 0
	if o := r.look("tag:sdk"); o.State != Waiting {
		t.Errorf("with the right clock: %s: %s", o.State, o.Text)
	}
	r.fake().Runs = runs[:1]
	if o := r.look("tag:sdk"); o.State != Waiting || !strings.Contains(o.Text, "run ") {
		t.Errorf("with one run: %s: %s", o.State, o.Text)
	}
}

// A bundle that the catalog would refuse is left out of the release by a maintainer.
func TestWayOfABundle(t *testing.T) {
	t.Parallel()
	r := &traveller{world: newWorld(t), t: t, journal: journalIn(t)}
	r.reach(steps.ReleaseStep, Done)
	r.change = func(made *steps.Train) {
		sound := made.Bundle
		made.Bundle = func(ctx context.Context, tree fs.FS, req steps.BundleRequest) (map[string][]byte, error) {
			files, err := sound(ctx, tree, req)
			for name, data := range files {
				files[name] = []byte(strings.ReplaceAll(string(data), "version: 0.2.0", "version: 0.2.x"))
			}
			return files, err
		}
	}
	o := r.look("catalog-branch")
	if o.Reason != why.Bundle || !strings.Contains(o.Who, "you: `cfctl release skip v0.2.0 catalog") {
		t.Fatalf("%s %q: %s (%s) %v", o.State, o.Reason, o.Text, o.Who, o.Err)
	}
	r.obey(o, "skip")
	r.reach("workloads-merged", Done)
}

// A release that a user has published is taken as it is.
func TestWayOfAPublishedRelease(t *testing.T) {
	t.Parallel()
	r := &traveller{world: newWorld(t), t: t, journal: journalIn(t)}
	r.reach("built:operator", Done)
	r.fake().Releases = nil
	releaseObstacle(false, "").put(r.world)
	o := r.look(steps.ReleaseStep)
	if o.Reason != why.Release {
		t.Fatalf("%s %q: %s (%s) %v", o.State, o.Reason, o.Text, o.Who, o.Err)
	}
	r.obey(o, "approve")
	if o := r.look(steps.ReleaseStep); o.State != Done {
		t.Errorf("%s: %s", o.State, o.Text)
	}
}

// Every reason says what is wrong and how to fix it.
func TestReasonsAreExplained(t *testing.T) {
	seen := []string{}
	for _, r := range why.Reasons {
		if r.Means == "" || r.Out == "" || slices.Contains(seen, r.ID) {
			t.Errorf("%+v", r)
		}
		seen = append(seen, r.ID)
	}
}
