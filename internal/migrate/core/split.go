package core

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of permissions whose resources go to different groups becomes one
// rule for each group: the first keeps the resources that stay, a copy of its
// text behind it has the others.

// wholeRule notes the text of a rule that is an item of a list with lines of its own.
func (g *grant) wholeRule(o *syntax.Node, data []byte) {
	if o.View == nil || !o.Item || o.Document().Lang != "yaml" {
		return
	}
	x, ok := extent(data, o)
	if !ok || !x.block || bytes.Contains(x.Of(data), []byte("{{")) { // what an action is about would be there twice
		return
	}
	g.at = source.Span{Start: x.Start, End: x.Start + len(bytes.TrimRight(x.Of(data), "\r\n"))}
	g.text = bytes.Clone(g.at.Of(data))
}

// split makes a rule several: false where its text does not allow that.
func (g *granting) split(i int, s Site) (Site, bool) {
	whole, old := g.grant, g.grant.groups[i].text
	goes, ok := g.resourcesGo(i)
	if !ok {
		return s, false
	}
	stays := slices.Contains(goes, old)
	var all, fresh []string
	for _, to := range goes {
		if to != old && !slices.Contains(all, to) {
			all = append(all, to)
			if !slices.ContainsFunc(whole.groups, func(x item) bool { return x.text == to }) {
				fresh = append(fresh, to)
			}
		}
	}
	var pieces [][]source.Edit // the rule with some of its groups and resources
	piece := func(group func(text string) (string, bool), resource func(j int) (string, bool)) {
		pieces = append(pieces, slices.Concat(rewritten(whole.groups, func(j int) (string, bool) { return group(whole.groups[j].text) }), rewritten(whole.resources, resource)))
	}
	if stays {
		piece(func(x string) (string, bool) { return x, true }, func(j int) (string, bool) { return whole.resources[j].text, goes[j] == old })
	}
	if len(whole.groups) > 1 {
		piece(func(x string) (string, bool) { return x, x != old }, func(j int) (string, bool) { return whole.resources[j].text, goes[j] != old })
	}
	for _, to := range fresh {
		piece(func(x string) (string, bool) { return to, x == old }, func(j int) (string, bool) { return g.renamedResource(old, whole.resources[j].text), goes[j] == to })
	}
	if len(pieces) < 2 {
		return s, false
	}
	copies := ""
	for _, edits := range pieces[1:] {
		copied, err := source.Apply(whole.text, moved(edits, -whole.at.Start))
		if err != nil {
			return s, false
		}
		copies += "\n" + string(copied)
	}
	s.Edits = slices.Concat(pieces[0], []source.Edit{{Span: source.Span{Start: whole.at.End, End: whole.at.End}, New: copies}})
	s.New = strings.Join(fresh, ", ")
	if stays {
		s.New = strings.Join(append([]string{old}, all...), ", ")
	}
	return s, true
}

// resourcesGo are the groups of the resources of a rule that go with one of its groups: false
// where a resource is not known, or the text of the rule does not allow that they part.
func (g *granting) resourcesGo(i int) (goes []string, ok bool) {
	whole, old := g.grant, g.grant.groups[i].text
	if whole.text == nil || g.core.opts.Dual {
		return nil, false
	}
	inside := func(x item) bool {
		return whole.at.Start <= x.outer.Start && x.outer.End <= whole.at.End && !x.stuck
	}
	for j, x := range whole.groups {
		if !inside(x) || j != i && g.leavesGroup(x.text) {
			return nil, false
		}
	}
	for _, x := range whole.resources {
		to := g.resourceTo(old, x)
		if to == "" || !inside(x) {
			return nil, false
		}
		goes = append(goes, to)
	}
	return goes, true
}

// leavesGroup says whether resources of a rule go to another group than one of its own.
func (g *granting) leavesGroup(group string) bool {
	list := g.core.answers(g.knownOf(group, g.grant.resources), g.Facts)
	to, _ := groupsTo(list, group)
	return len(to) > 0 || slices.ContainsFunc(list, unsure)
}

// unsure says whether the rules make nothing of a name that is sure.
func unsure(a rules.Answer) bool { return a.Outcome != rules.Moves && !a.Stays() }

// resourceTo is the group of a resource under the rules, "" where it is not known.
func (g *granting) resourceTo(group string, x item) string {
	name, _, _ := strings.Cut(x.text, "/")
	list := g.core.answers(g.knownOf(group, []item{x}), g.Facts)
	to, stays := groupsTo(list, group)
	if stays {
		to = append(to, group)
	}
	if isOpen(name) || len(to) > 1 || slices.ContainsFunc(list, unsure) {
		return ""
	}
	return to[0]
}

// renamedResource is the name of a resource under the rules.
func (g *granting) renamedResource(group, resource string) string {
	name, _, _ := strings.Cut(resource, "/")
	to, _ := g.pluralNow(group, name, g.ask(group).Versions)
	return cmp.Or(to, name) + resource[len(name):]
}
