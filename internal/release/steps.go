package release

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// trainSteps is the table of contents of a train, in the order of ADR-0003:
//
//	tag:NAME, built:NAME           1. components generate a new release
//	operator-branch, -module,      2. references, CRDs, the Go module,
//	-pr, -merged                   3. matrix, in one PR
//	tag:ROOT, built:ROOT, release  4. tag, image, release with notes
//	catalog-branch, -pr, -merged   5. bundle to the catalog
//	stable:NAME                    6. stable tags, last, by digest
//	announce:slack, announce:mail, 7. announcements
//	tracker-comment
//	NAME-branch, -pr, -merged      8. downstream, with a deadline
func trainSteps(t *Train) []*Step {
	var steps []*Step
	names := map[string]bool{}
	for _, s := range stepsOf(t) {
		if !names[s.Name] { // Recipe.Complete has refused a recipe in which two steps have one name
			names[s.Name] = true
			obey(s)
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
	var ready []string // what the PR to the root waits for
	for _, c := range t.released() {
		if c.Name == root.Name {
			continue
		}
		tag, built := stepTag(t, c), stepBuilt(t, c)
		add(tag, built)
		ready = append(ready, tag.Name)
		if built != nil {
			ready = append(ready, built.Name)
		}
	}
	phase = "References"
	add(withModule(t, operatorProposal(t, ready))...)
	phase = "Release"
	add(stepTagRoot(t))
	built := stepBuilt(t, root)
	add(built)
	add(stepRelease(t))
	published := lastOf(t, built)
	phase = "Catalog"
	if t.Recipe.Catalog != nil {
		add(catalogProposal(t, published).steps()...)
		published = []string{"catalog-merged"}
	}
	phase = "Stable tags"
	final := published
	for _, c := range t.released() {
		if s := stepStable(t, c, published); s != nil {
			add(s)
			final = append(slices.Clone(final), s.Name)
		}
	}
	phase = "Announcements"
	add(stepSlack(t, final), stepMail(t, final), stepTracker(t, final))
	phase = "Downstream"
	for i := range t.Recipe.Downstream {
		if d := &t.Recipe.Downstream[i]; stack.InEra(t.Version, d.From, d.Until) {
			add(downstreamProposal(t, d, final).steps()...)
		}
	}
	return steps
}

// withModule puts the step for the Go module, where there is one, before the PR.
func withModule(t *Train, p *proposal) []*Step {
	steps := p.steps()
	m := stepModule(t, p)
	if m == nil {
		return steps
	}
	steps[1].Needs = append(steps[1].Needs, m.Name)
	return slices.Insert(steps, 1, m)
}

// lastOf names what has to be there before the catalog is told.
func lastOf(t *Train, built *Step) []string {
	list := []string{stepTagRoot(t).Name}
	if built != nil {
		list = append(list, built.Name)
	}
	if !t.Recipe.Release.Off {
		list = append(list, releaseStep)
	}
	return list
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
			g.Needs = append(slices.Clone(g.Needs), s.Name)
		}
		steps = slices.Insert(steps, at, s)
	}
	return steps
}

// stepOf is the step of one kind for one component.
func stepOf(kind string, c *stack.Component) string { return kind + ":" + c.Name }
