package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/release/gate"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

func testedStep(name string) string { return "tested:" + name }

// A tested is a test with the proposal that it is about.
type tested struct {
	*recipe.Test
	p *Proposal
}

// stepTested waits until a test has passed on the tree of the root's PR. What
// passed stays passed for that commit; a commit that a maintainer adds is tested too.
func stepTested(p *Proposal, test *recipe.Test, pull *Step) *Step {
	x := &tested{test, p}
	return &Step{Name: testedStep(test.Name), Title: "test " + test.Name + " on the work branch", Needs: []*Step{pull}, Group: testedStep(test.Name), Target: test.Check, Observe: x.observe}
}

// head is the commit that is tested: the one of the PR, or, where nothing had to
// be changed, the one that is released.
func (x *tested) head(ctx context.Context, v *View) (string, error) {
	if commit := string(x.p.nothing.In(v)); commit != "" {
		return commit, nil
	}
	pull, err := x.p.Pull(ctx, v)
	return pull.Head, wire.IgnoreNotFound(err)
}

func (x *tested) observe(ctx context.Context, v *View) (Observation, error) {
	head, err := x.head(ctx, v)
	if err != nil {
		return Observation{}, err
	}
	if head == "" {
		return waiting("known when the PR is open", x.p.who, ""), nil
	}
	if r := v.Journal.Last(testedStep(x.Name), RecDone); r != nil && r.Facts["head"] == head {
		return Done(r.Text, "head", head).At(r.URL), nil
	}
	list, err := v.checks(ctx, x.p.repo, head)
	if err != nil {
		return Observation{}, err
	}
	return x.decide(v, head, list).With("head", head), nil
}

// decide is what the gate of a PR says where the declared check alone is required. Skipped
// is not passed: nothing was tested.
func (x *tested) decide(v *View, head string, list []forge.Check) Observation {
	g := &gate.Pull{Commit: head, Work: x.p.work(v), Base: "release.tests", Rules: forge.Protection{Required: []forge.RequiredCheck{{Name: x.Check}}}, Age: v.awaited(testedStep(x.Name), head)}
	for _, c := range list {
		switch {
		case c.Name == x.Check && x.App != "" && c.App != x.App:
			c.Name += " of " + c.App
		case c.Name == x.Check && c.State == forge.CheckSkipped:
			c.State = forge.CheckFailed
		}
		g.Checks = append(g.Checks, c)
	}
	if o, ok := g.Tested(); ok {
		if o.State == train.Conflict {
			o.Who += "; or, without it: cfctl release skip " + x.p.train.Version + " " + testedStep(x.Name) + " --reason TEXT"
		}
		return o
	}
	i := slices.IndexFunc(g.Checks, func(c forge.Check) bool { return c.Name == x.Check })
	return Done(fmt.Sprintf("check %s passed on %.7s", x.Check, head)).At(g.Checks[i].URL)
}

// imageRun is what the forge says of the workflows that a tag has started, while
// its image is not there: which one runs, or which one failed.
func (t *Train) imageRun(ctx context.Context, v *View, repo, tag, commit string, o Observation) (Observation, error) {
	reader, err := forge.As[forge.RunReader](v.Forge, "workflows")
	if err != nil || commit == "" {
		return o, nil //nolint:nilerr // a forge without workflows says nothing of them
	}
	runs, err := Recall(v, "runs on "+repo+" "+commit, func() ([]forge.WorkflowRun, error) { return reader.RunsOn(ctx, repo, commit) })
	if unseen(err) {
		return o, nil
	}
	if err != nil {
		return Observation{}, err
	}
	var failed *forge.WorkflowRun
	newest := map[string]bool{}
	n := 0
	for i, r := range runs {
		if r.Branch != tag || newest[r.Workflow] && r.Workflow != "" {
			continue
		}
		newest[r.Workflow] = true
		n++
		switch {
		case r.Status != "completed":
			o.Text += fmt.Sprintf(": %s is %s", nameOf(r), strings.ReplaceAll(r.Status, "_", " "))
			return o.At(r.URL), nil
		case !slices.Contains([]string{"success", "skipped", "neutral"}, r.Conclusion) && failed == nil:
			failed = &runs[i]
		}
	}
	switch {
	case failed != nil:
		c := conflict(why.ImageRun, "%s, and %s of %s ended with %s", o.Text, nameOf(*failed), tag, failed.Conclusion).At(failed.URL)
		c.Who = "a maintainer: run it again on the forge, or push the image"
		return c, nil
	case n > 0:
		o.Text += ", though what " + tag + " has started succeeded"
	}
	return o, nil
}

func nameOf(r forge.WorkflowRun) string {
	return strings.TrimSuffix(fmt.Sprintf("run %d of %s", r.ID, r.Workflow), " of ")
}
