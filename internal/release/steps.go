package release

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// trainSteps is the table of contents of a train, in the order of ADR-0003:
//
//	NAME-pins-branch, -module,     1. components generate a new release, each with
//	-pr, -merged                      the pins of those that it needs
//	tag:NAME, built:NAME
//	operator-branch, -module,      2. references, CRDs, the Go module,
//	-pr, -merged, tested:NAME      3. matrix, in one PR; its tree is tested
//	tag:ROOT, built:ROOT, release  4. tag, image, release with notes
//	catalog-branch, -pr, -merged   5. bundle to the catalog
//	stable:NAME                    6. stable tags, last, by digest
//	announce:slack, announce:mail, 7. announcements
//	tracker-comment
//	NAME-branch, -pr, -merged      8. downstream, with a deadline
//	branches                       what is left over is deleted
func trainSteps(t *Train) []*Step {
	var steps []*Step
	names := map[string]bool{}
	for _, s := range stepsOf(t) {
		if !names[s.Name] { // Recipe.Complete has refused a recipe in which two steps have one name
			names[s.Name] = true
			steps = append(steps, s)
		}
	}
	return withApprovals(t, steps)
}

// stepNames are the names of the steps of a train, each as often as it is there.
func stepNames(t *Train) []string {
	var names []string
	for _, s := range stepsOf(t) {
		names = append(names, s.Name)
	}
	for _, a := range t.Recipe.Approvals {
		names = append(names, approvalStep(a))
	}
	return names
}

// stepsOf are the steps without the approvals.
func stepsOf(t *Train) []*Step {
	var steps []*Step
	phase := "Components"
	add := func(more ...*Step) {
		for _, s := range more {
			if s != nil {
				s.Phase = phase
				steps = append(steps, s)
			}
		}
	}
	root := t.root()
	var ready []*Step // what the PR to the root waits for
	var proposals []*proposal
	var mergings []*Step
	tags, images := map[string]*Step{}, map[string]*Step{}
	for _, c := range t.released() {
		if c.Name == root.Name {
			continue
		}
		pins, pinned := stepsPins(t, c, tags, add)
		if pinned != nil {
			proposals, mergings = append(proposals, pins), append(mergings, pinned)
		}
		tag := stepTag(t, c, tags, pinned)
		built := stepBuilt(t, c, tag)
		tags[c.Name], images[c.Name] = tag, built
		add(tag, built)
		ready = append(ready, there(tag, built)...)
	}
	phase = "References"
	pr := operatorProposal(t, ready)
	branch, pull, merged := pr.steps()
	module := stepModule(t, pr, branch)
	pull.Needs = append(pull.Needs, there(module)...)
	add(branch, module, pull)
	var tests []*Step
	for i := range t.Recipe.Tests {
		tests = append(tests, stepTested(pr, &t.Recipe.Tests[i], pull))
	}
	add(tests...)
	add(merged)
	proposals, mergings = append(proposals, pr), append(append(mergings, tests...), merged)
	phase = "Release"
	tag := stepTagRoot(t, merged)
	tag.Needs = append(tag.Needs, tests...)
	built := stepBuilt(t, root, tag)
	images[root.Name] = built
	release := stepRelease(t, there(tag, built))
	add(tag, built, release)
	published := there(tag, built, release) // what has to be there before the catalog is told
	phase = "Catalog"
	if t.Recipe.Catalog != nil {
		p := catalogProposal(t, published)
		branch, pull, merged := p.steps()
		add(branch, pull, merged)
		published = []*Step{merged}
		proposals, mergings = append(proposals, p), append(mergings, merged)
	}
	phase = "Stable tags"
	final := published
	for _, c := range t.released() {
		if s := stepStable(t, c, images[c.Name], published); s != nil {
			add(s)
			final = append(slices.Clone(final), s)
		}
	}
	phase = "Announcements"
	add(stepSlack(t, final), stepMail(t, final), stepTracker(t, final))
	phase = "Downstream"
	for i := range t.Recipe.Downstream {
		if d := &t.Recipe.Downstream[i]; stack.InEra(t.Version, d.From, d.Until) {
			p := downstreamProposal(t, d, final)
			branch, pull, merged := p.steps()
			add(branch, pull, merged)
			proposals, mergings = append(proposals, p), append(mergings, merged)
		}
	}
	phase = "Cleaning up"
	add(stepBranches(t, proposals, mergings))
	return steps
}

// there are the steps that this release has: what it has not is nil.
func there(steps ...*Step) []*Step {
	return slices.DeleteFunc(steps, func(s *Step) bool { return s == nil })
}

// withApprovals puts each approval before the first step that waits for it.
func withApprovals(t *Train, steps []*Step) []*Step {
	for _, a := range t.Recipe.Approvals {
		at, gated := -1, []*Step(nil)
		for i, s := range steps {
			if s.Name == approvalStep(a) {
				gated = nil
				break
			}
			if slices.Contains(a.Before, s.Name) {
				if gated = append(gated, s); at < 0 {
					at = i
				}
			}
		}
		if len(gated) == 0 {
			continue // steps that this release does not have: Recipe.Complete knows that another one has them
		}
		s := stepApproval(a, gated, steps[:at])
		s.Phase = gated[0].Phase
		for _, g := range gated {
			g.Needs = append(slices.Clone(g.Needs), s)
		}
		steps = slices.Insert(steps, at, s)
	}
	return steps
}

// stepOf is the step of one kind for one component.
func stepOf(kind string, c *stack.Component) string { return kind + ":" + c.Name }
