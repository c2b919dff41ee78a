package release

import (
	"cmp"
	"slices"
)

func approvalStep(a Approval) string { return "approve:" + a.Name }

// stepApproval is before the gated steps. ready are the steps that come
// before it.
func stepApproval(a Approval, gated, ready []*Step) *Step {
	s := &Step{Name: approvalStep(a), Title: a.Title, Gates: gated}
	s.Title = cmp.Or(s.Title, a.Name)
	for _, g := range gated {
		for _, r := range ready { // a second step that it is before may need the first
			if slices.Contains(g.Needs, r) && !slices.Contains(s.Needs, r) {
				s.Needs = append(s.Needs, r)
			}
		}
	}
	return s
}
