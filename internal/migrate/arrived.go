package migrate

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A CRD or a manifest that has moved tells of the resource that it was as well: what
// names that elsewhere may be migrated later, folder by folder.

// learnOld notes what became a resource by a rule.
func (m *Migration) learnOld(is rules.GVK, resources map[string]bool) {
	for _, group := range m.concord.pairs[is.Group] {
		for _, r := range m.rules.RulesOf(group) {
			old := rules.GVK{Group: group, Plural: is.Plural}
			if r.From.Plural != "" && (r.To.Plural == is.Plural || r.To.Kind == is.Kind) {
				old.Plural = r.From.Plural
			}
			if to := m.rules.Ask(old); to.Outcome == rules.Moves && to.To.Group == is.Group && (to.To.Plural == "" || to.To.Plural == is.Plural) {
				resources[group+"/"+old.Plural] = true
			}
		}
	}
}

// arrivals are the kinds with rules of their own that the tree names in their new groups,
// while several workers look for them. Each was in its old group before: what was unclear
// beside the other kinds of that one is as unclear now.
type arrivals struct {
	rules  []rules.Rule
	found  []atomic.Bool
	alone  []atomic.Bool    // a file names the new group and no kind of it
	groups *source.Finder   // of their new groups
	in     map[string][]int // the rules whose new group has a needle in it
}

func (m *Migration) newArrivals() *arrivals {
	x := &arrivals{in: map[string][]int{}}
	var groups []string
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			if r.To.Group == "" {
				r.To.Group = group
			}
			if r.From.Kind != "" && strings.Contains(r.To.Group, ".") && (r.To.Group != group || r.To.Kind != "" && r.To.Kind != r.From.Kind) {
				x.rules, groups = append(x.rules, r), append(groups, r.To.Group)
			}
		}
	}
	x.groups = source.NewFinder(groups)
	for _, needle := range x.groups.Needles() {
		for i, group := range groups {
			if strings.Contains(group, needle) {
				x.in[needle] = append(x.in[needle], i)
			}
		}
	}
	x.found, x.alone = make([]atomic.Bool, len(x.rules)), make([]atomic.Bool, len(x.rules))
	return x
}

// note looks for a new group with the name of its kind or resource in a file.
func (x *arrivals) note(data []byte) {
	x.groups.Each(data, func(needle string) {
		for _, i := range x.in[needle] {
			switch to := x.rules[i].To; {
			case x.found[i].Load():
			case isIn(data, x.rules[i]):
				x.found[i].Store(true)
			case bytes.Contains(data, []byte(to.Group+"/"+to.Version)), to.Group != x.rules[i].From.Group && bytes.Contains(data, []byte(to.Group)):
				x.alone[i].Store(true)
			}
		}
	})
}

// isIn says whether a file names the new group of a rule and its kind or resource.
func isIn(data []byte, r rules.Rule) bool {
	names := []string{r.To.Kind, r.To.Plural, r.From.Kind, r.From.Plural}
	if r.To.Group == r.From.Group {
		names = names[:2]
	}
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && bytes.Contains(data, []byte(name)) }) &&
		bytes.Contains(data, []byte(r.To.Group))
}

// tell tells of what was found.
func (x *arrivals) tell(told *core.File) {
	for i, r := range x.rules {
		if x.found[i].Load() {
			plural := r.From.Plural
			if plural == "" {
				plural = rules.Plurals(r.From.Kind)[0]
			}
			told.Tell(r.From.Group, plural, r.From.Kind)
		} else if x.alone[i].Load() {
			told.TellAlone(r.From.Group)
		}
	}
}
