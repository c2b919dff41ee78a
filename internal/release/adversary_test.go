package release

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

// An adversary is a world of releases in a row to which something happens that
// no one planned.
type adversary struct {
	*sprints
	recipe func(config string) string // changes the configuration of every train; nil = not
	hints  int                        // how many printed commands were followed
}

func newAdversary(t *testing.T) *adversary {
	return &adversary{sprints: &sprints{newWorld(t), t.TempDir()}}
}

// of is the release of the n-th sprint, by the configuration as it is.
func (a *adversary) of(n int) *steps.Train {
	a.t.Helper()
	base := a.train(n)
	if a.recipe == nil {
		return base
	}
	read, err := a.read([]byte(a.recipe(string(a.config()))), "v0.2.0")
	if err != nil {
		a.t.Fatal(err)
	}
	made, err := steps.NewTrain(read.Stack, read.Recipe, base.Version, base.Versions)
	if err != nil {
		a.t.Fatal(err)
	}
	made.Bundle = testBundle
	return made
}

// run runs a release once, as an hourly job does: without approvals.
func (a *adversary) run(n int) *Result {
	a.t.Helper()
	return a.look(a.of(n), Choices{Who: "job"})
}

// until runs and plays until a step has a state, approving what is asked.
func (a *adversary) until(n int, step string, want State) *train.StepResult {
	a.t.Helper()
	var r *Result
	for range 10 {
		r = a.look(a.of(n), Choices{Who: "job"})
		if o := r.Of(step); o != nil && o.State == want {
			return o
		}
		if gate := r.Of("approve:publish"); gate != nil && gate.State == Waiting {
			a.approve(n, "approve:publish", false)
			continue
		}
		a.play()
	}
	a.t.Fatalf("%s is never %s: %s", step, want, at(r))
	return nil
}

func (a *adversary) on(n int, act func(made *steps.Train, env *Env) error) {
	a.t.Helper()
	made := a.of(n)
	env, _ := a.env(a.journal(made))
	defer env.Journal.Close()
	if err := act(made, env); err != nil {
		a.t.Fatal(err)
	}
}

func (a *adversary) approve(n int, step string, done bool) {
	a.t.Helper()
	a.on(n, func(made *steps.Train, env *Env) error {
		if step == train.PlanStep {
			_, err := On(made, env).Replan(context.Background(), &env.Env, "rita")
			return err
		}
		return On(made, env).Approve(context.Background(), &env.Env, step, "rita", done)
	})
}

func (a *adversary) abort(n int) *train.Aborted {
	a.t.Helper()
	var out *train.Aborted
	a.on(n, func(made *steps.Train, env *Env) (err error) {
		out, err = On(made, env).Abort(context.Background(), &env.Env, "rita")
		return err
	})
	return out
}

func (a *adversary) skip(n int, step string) {
	a.t.Helper()
	a.on(n, func(made *steps.Train, env *Env) error {
		_, err := On(made, env).Skip(context.Background(), &env.Env, step, "it has no channel", "rita")
		return err
	})
}

// printed are the commands that a text tells people to type.
var printed = regexp.MustCompile(`cfctl release (run|approve|abort|skip) (v0\.([0-9])\.0)(?: ([a-z][a-z:-]*[a-z]))?( --done)?`)

// advice are the texts that a result prints, what stops first.
func advice(r *Result) (list []string) {
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			list = append(list, f.Hint)
		}
	}
	for _, s := range r.Steps {
		if s.State == Conflict || s.State == Unmanaged || s.Approval && s.State == Waiting || s.State == Waiting && s.Reason != "" {
			list = append(list, s.Who)
		}
	}
	return list
}

// obey types the first printed command; false = none is printed.
func (a *adversary) obey(r *Result) bool {
	a.t.Helper()
	for _, text := range advice(r) {
		m := printed.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		a.hints++
		n := int(m[3][0] - '0')
		step := m[4]
		if step == "goes" { // "goes on from here"
			step = ""
		}
		switch m[1] {
		case "run":
			a.arrive(n)
		case "approve":
			a.approve(n, step, m[5] != "")
		case "abort":
			a.abort(n)
		case "skip":
			a.skip(n, step)
		}
		return true
	}
	return false
}

// arrive drives a release to its end, everyone doing what they do, and typing what is
// printed, five commands at most.
func (a *adversary) arrive(n int) *Result {
	a.t.Helper()
	a.hints = 0
	var r *Result
	for range 20 {
		if r = a.look(a.of(n), Choices{Who: "job"}); len(r.Steps) > 0 && r.Complete() {
			return r
		}
		if a.obey(r) {
			if a.hints > 5 {
				break
			}
			continue
		}
		a.play()
	}
	a.t.Fatalf("v0.%d.0 does not arrive after %d printed commands: %s", n, a.hints, at(r))
	return nil
}

// finds is the finding of a rule, nil when there is none.
func finds(r *Result, rule string) *report.Finding {
	i := slices.IndexFunc(r.Findings, func(f report.Finding) bool { return f.Rule == rule })
	if i < 0 {
		return nil
	}
	return &r.Findings[i]
}

// tagged says whether the root has the tag of a release.
func (a *adversary) tagged(n int) bool {
	return refsIn(a.t, a.bare("orchard/operator"))["refs/tags/"+a.of(n).Version] != ""
}

// verifies fails the test when a release is not as it was released.
func (a *adversary) verifies(n int) {
	a.t.Helper()
	a.verified(a.of(n))
}

// What happens to releases, one case each. After each the state is right, nothing is
// done twice or without its approval, and who types what is printed arrives.
func TestAdversaries(t *testing.T) {
	const operator, picker = "orchard/operator", "orchard/picker"
	cases := map[string]func(t *testing.T, a *adversary){
		"a clone without approvals and catalog goes on": func(t *testing.T, a *adversary) {
			a.until(2, "approve:publish", Waiting)
			before := a.witness()
			a.recipe = func(config string) string {
				config, _, _ = strings.Cut(config, "  approvals:")
				return regexp.MustCompile(`(?m)^  catalog:\n(    .*\n)+`).ReplaceAllString(config, "")
			}
			r := a.run(2)
			f := finds(r, "plan-changed")
			if f == nil || f.Severity != report.Error || !strings.Contains(f.Message, "the approval approve:publish is gone") || !strings.Contains(f.Message, "catalog-pr is gone") || a.witness() != before {
				t.Fatalf("%+v", r.Findings)
			}
			other := a.recipe
			a.recipe = nil
			if r := a.run(2); finds(r, "plan-changed") != nil || r.Of("approve:publish").State != Waiting {
				t.Errorf("with the configuration that it began with: %s", at(r))
			}
			a.recipe = other
			if a.arrive(2); !a.tagged(2) || a.hints != 1 {
				t.Errorf("accepted, %d commands", a.hints)
			}
		},
		"an approval waits for people of the project": func(t *testing.T, a *adversary) {
			if o := a.until(2, "operator-merged", Waiting); !o.Ours {
				t.Errorf("a PR that waits for its merge: %s", o.Text)
			}
			if o := a.until(2, "approve:publish", Waiting); !o.Ours {
				t.Error("an approval is not for the project")
			}
			a.clock.Pass(30 * time.Hour)
			a.run(2)
			rs := mustRead(t, a.journal(a.of(2)))
			if waited := a.clock.Now().Sub(rs.Since("approve:publish")); waited < 30*time.Hour {
				t.Errorf("it waits for %s", waited)
			}
			if o := a.until(2, "catalog-merged", Waiting); o.Ours {
				t.Errorf("a PR to somebody's catalog: %s", o.Text)
			}
		},
		"the merge is lost aborted merged again and approved": func(t *testing.T, a *adversary) {
			a.until(2, "approve:publish", Waiting)
			a.approve(2, "approve:publish", false)
			a.set(operator, "refs/heads/main", "main^1")
			if o := a.run(2).Of("tag:operator"); o.Reason != why.MergeLost {
				t.Fatalf("%s %s", o.State, o.Text)
			}
			a.abort(2)
			if a.arrive(2); a.hints > 2 {
				t.Errorf("%d commands", a.hints)
			}
			a.verifies(2)
		},
		"the merged PR is reverted before the tag": func(t *testing.T, a *adversary) {
			a.until(2, "approve:publish", Waiting)
			a.approve(2, "approve:publish", false)
			bare := a.bare(operator)
			revert := a.world.run(bare, "git", "commit-tree", "main^1^{tree}", "-p", "main", "-m", "Revert the release")
			a.world.run(bare, "git", "update-ref", "refs/heads/main", revert)
			a.somebody(operator, "main", "refs/heads/main", "MORE", holding("work goes on\n"))
			o := a.run(2).Of("tag:operator")
			if o.Reason != why.Reverted || !strings.Contains(o.Text, revert[:7]) || !strings.Contains(o.Text, "rita approved it") || a.tagged(2) {
				t.Fatalf("%s %s: %s (%s)", o.State, o.Reason, o.Text, o.Who)
			}
			if a.arrive(2); a.hints != 1 {
				t.Errorf("%d commands", a.hints)
			}
		},
		"the reverted PR is brought back": func(t *testing.T, a *adversary) {
			a.until(2, "approve:publish", Waiting)
			bare := a.bare(operator)
			was := a.world.run(bare, "git", "rev-parse", "main")
			for _, tree := range []string{"main^1^{tree}", was + "^{tree}"} {
				a.world.run(bare, "git", "update-ref", "refs/heads/main", a.world.run(bare, "git", "commit-tree", tree, "-p", "main", "-m", "Change it"))
			}
			a.arrive(2)
			if at := a.world.run(bare, "git", "rev-parse", "v0.2.0^{commit}"); at != was {
				t.Errorf("v0.2.0 is at %.7s, and the PR was merged as %.7s", at, was)
			}
		},
		"aborted after a component's tag its main is fixed": func(t *testing.T, a *adversary) {
			a.until(2, "built:picker", Done)
			a.abort(2)
			a.somebody(picker, "main", "refs/heads/main", "FIX", holding("fixed\n"))
			before := a.witness()
			r := a.run(2)
			if f := finds(r, "still-public"); f == nil || f.Severity != report.Error || !strings.Contains(f.Message, "main has 1 commit since then") || a.witness() != before {
				t.Fatalf("%+v", r.Findings)
			}
			a.arrive(2)
			if at := a.world.run(a.bare(picker), "git", "log", "-1", "--format=%s", "v1.1.0"); at == "fixed" {
				t.Errorf("the tag was moved")
			}
			a.verifies(2)
		},
		"aborted after a component's tag and image both made again": func(t *testing.T, a *adversary) {
			a.until(2, "built:picker", Done)
			old := a.digest(picker, "v1.1.0")
			a.abort(2)
			a.world.run(a.bare(picker), "git", "tag", "-d", "v1.1.0")
			fix := a.somebody(picker, "main", "refs/heads/main", "FIX", holding("fixed\n"))
			before := a.witness()
			if f := finds(a.run(2), "image-exists"); f == nil || a.witness() != before {
				t.Fatal("an image that is there before its tag is not found")
			}
			a.world.run(a.bare(picker), "git", "tag", "v1.1.0", fix) // by hand
			if f := finds(a.run(2), "still-public"); f == nil || f.Severity != report.Error {
				t.Fatal("the image of before is taken for the one of the new tag")
			}
			a.unimage(picker, "v1.1.0")
			a.run(2)
			if at := a.world.run(a.bare(picker), "git", "rev-parse", "v1.1.0^{commit}"); at != fix {
				t.Fatalf("v1.1.0 is at %.7s, and main was fixed as %.7s: %s", at, fix, "")
			}
			a.image(picker, "rebuilt", "v1.1.0")
			a.arrive(2)
			if a.digest(picker, "stable") == old || a.digest(picker, "stable") != a.digest(picker, "rebuilt") {
				t.Error("the image of before is the stable one")
			}
			a.verifies(2)
		},
		"aborted after the tag made as the next version": func(t *testing.T, a *adversary) {
			a.until(2, "tag:operator", Done)
			a.abort(2)
			a.begin(3)
			r := a.arrive(3)
			if f := finds(r, "catalog"); f != nil && f.Severity == report.Error {
				t.Errorf("%+v", f)
			}
			if got, want := a.catalogue(), "0.1.0> 0.3.0>0.1.0"; got != want {
				t.Errorf("the catalog is %s, want %s", got, want)
			}
			notes := a.forge.(*fakeForge).Releases[0].Body
			if !strings.Contains(notes, "v0.1.0") || strings.Contains(notes, "v0.2.0") {
				t.Errorf("the notes compare with an aborted release:\n%s", notes)
			}
			a.verifies(3)
		},
		"the catalog is skipped and then comes the next version": func(t *testing.T, a *adversary) {
			a.until(2, "catalog-merged", Waiting)
			a.abortsPR(t)
			a.skip(2, "catalog")
			a.arrive(2)
			a.begin(3)
			r := a.run(3)
			if f := finds(r, "catalog"); f == nil || f.Severity != report.Warning || !strings.Contains(f.Message, "skipped by rita: it has no channel") || !strings.Contains(f.Message, "replaces v0.1.0") {
				t.Errorf("%+v", r.Findings)
			}
			if a.arrive(3); a.hints > 1 {
				t.Errorf("%d commands", a.hints)
			}
			if got, want := a.catalogue(), "0.1.0> 0.3.0>0.1.0"; got != want {
				t.Errorf("the catalog is %s, want %s", got, want)
			}
		},
		"the next version is begun before the catalog has this one": func(t *testing.T, a *adversary) {
			a.until(2, "catalog-merged", Waiting)
			a.begin(3)
			r := a.run(3)
			if f := finds(r, "catalog"); f == nil || f.Severity != report.Error || !strings.Contains(f.Hint, "cfctl release run v0.2.0") || a.tagged(3) {
				t.Fatalf("%+v", r.Findings)
			}
			a.arrive(3)
			if got, want := a.catalogue(), "0.1.0> 0.2.0>0.1.0 0.3.0>0.2.0"; got != want {
				t.Errorf("the catalog is %s, want %s", got, want)
			}
		},
		"aborted after the tag and run again as it is": func(t *testing.T, a *adversary) {
			a.until(2, "tag:operator", Done)
			was := a.world.run(a.bare(operator), "git", "rev-parse", "v0.2.0^{commit}")
			a.abort(2)
			r := a.run(2)
			if o := r.Of("approve:publish"); o.State != Waiting || len(a.chat.texts()) > 0 {
				t.Fatalf("approve:publish is %s: %s", o.State, o.Text)
			}
			a.arrive(2)
			if at := a.world.run(a.bare(operator), "git", "rev-parse", "v0.2.0^{commit}"); at != was {
				t.Errorf("the tag was moved")
			}
			a.verifies(2)
		},
		"a component's repository is archived and nothing is to be done there": func(t *testing.T, a *adversary) {
			const sorter = "orchard/sorter"
			archived := func(repo string) {
				a.forge.(*fakeForge).Fault = only("/repos/"+repo, func(rw http.ResponseWriter) {
					reply(rw, 200, map[string]any{"archived": true, "permissions": map[string]bool{"push": false}})
				})
			}
			archived(sorter)
			if f := finds(a.run(2), "repository"); f == nil || !strings.Contains(f.Hint, "until: v0.2.0") {
				t.Fatalf("an archived repository that is to be tagged: %+v", f)
			}
			a.world.run(a.bare(sorter), "git", "tag", "v0.4.0", "main")
			a.image(sorter, "v0.4.0")
			if f := finds(a.run(2), "repository"); f != nil {
				t.Fatalf("%+v", f)
			}
			a.arrive(2)
			a.verifies(2)
		},
		"the default branch of the root is renamed": func(t *testing.T, a *adversary) {
			a.world.run(a.bare(operator), "git", "branch", "-m", "main", "trunk")
			r := a.run(2)
			if len(r.Findings) == 0 || !strings.Contains(at(r), "its default branch is trunk") {
				t.Errorf("%s", at(r))
			}
		},
		"a rule refuses the tag in the middle": func(t *testing.T, a *adversary) {
			a.until(2, "operator-merged", Waiting)
			a.world.run(a.bare(operator), "git", "config", "receive.hideRefs", "refs/tags")
			o := a.until(2, "tag:operator", Conflict)
			if o.Reason != why.PushRefused || o.Err != nil || !strings.Contains(o.Text, "hidden ref") {
				t.Errorf("%s: %s %v", o.Reason, o.Text, o.Err)
			}
			a.world.run(a.bare(operator), "git", "config", "--unset", "receive.hideRefs")
			a.arrive(2)
			a.verifies(2)
		},
	}
	maps.Copy(cases, moreAdversaries)
	maps.Copy(cases, serverAdversaries)
	for name, play := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, newAdversary(t))
		})
	}
}

// unimage deletes an image.
func (a *adversary) unimage(repo, tag string) {
	a.t.Helper()
	ref, err := name.NewTag(a.store + "/" + repo + ":" + tag)
	if err == nil {
		err = remote.Delete(ref, a.reach())
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// abortsPR has the maintainers of the catalog close the PR, which will not be merged.
func (a *adversary) abortsPR(t *testing.T) {
	t.Helper()
	for _, p := range a.forge.(*fakeForge).pullsTo("eco/community-operators") {
		p.State = "closed"
	}
}
