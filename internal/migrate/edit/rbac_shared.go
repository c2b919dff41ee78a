package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// sharedRule hands a rule to a person of which other rules take the groups or the
// resources, by an alias or a merge, and become others than this one; or which would
// be split where an alias stands for it as a whole.
func (m *permissionMaker) sharedRule(p permission) bool {
	t := p.tree
	rule := t.Nodes[p.list].Parent
	list := slices.Concat([]int32{rule}, t.Takers(p.list))
	if len(p.names) > 0 {
		list = append(list, t.Takers(t.Nodes[p.names[0]].Parent)...)
	}
	becomes := ""
	for i, mapping := range list {
		words, split := m.becomesOf(p, mapping)
		if i == 0 {
			becomes = words
		}
		if words == becomes && !(split && (len(list) > 1 || rule >= 0 && t.Aliased(rule))) {
			continue
		}
		for _, g := range p.ours() {
			m.record(m.draft(g.site).Leave(judge.Shared, "it stands here once for several rules, whose resources do not go to the same groups", "write it in each of them"))
		}
		return true
	}
	return false
}

// becomesOf is what becomes of the groups and resources of the rule that a mapping
// is, in one form, and whether it would be split.
func (m *permissionMaker) becomesOf(p permission, mapping int32) (words string, split bool) {
	p.kinds, p.names = false, nil
	p.readNames(func(key string) int32 { return p.tree.Value(mapping, key) })
	set := ""
	for i := range max(1, len(p.names)) {
		var to []string
		for _, g := range p.groups {
			to = append(to, strings.Join(m.permitted(p, g, i), ","))
		}
		one := strings.Join(to, ";")
		split = split || i > 0 && one != set
		set = one
		if words == "" {
			words = one
		}
	}
	for _, name := range p.names {
		if fresh, _ := m.nameTo(p, name); fresh != p.tree.Means(name) {
			words += " " + p.tree.Means(name) + "=" + fresh
		}
	}
	return words, split
}

// renamedByAlias hands a rule to a person in dual mode of which other rules take the resources,
// or which takes its own, where one of them has another name in the new group: no rule beside it
// can name both.
func (m *permissionMaker) renamedByAlias(p permission) bool {
	t, at := p.tree, p.tree.Sibling(p.list, "resources")
	if !m.facts.Dual || at < 0 || !t.IsAlias(at) && len(t.Takers(at)) == 0 {
		return false
	}
	q := p
	q.readNames(func(key string) int32 { return t.Meant(t.Sibling(p.list, key)) })
	if !slices.ContainsFunc(q.names, func(name int32) bool { fresh, _ := m.nameTo(q, name); return fresh != t.Means(name) }) {
		return false
	}
	for _, g := range p.ours() {
		m.record(m.draft(g.site).Leave(judge.Shared, "several rules have its resources from one place, and they get other names", eachGroup))
	}
	return true
}
