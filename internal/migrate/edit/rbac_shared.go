package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// sharedRule hands a rule to a person of which other rules take the groups or the
// resources, by an alias or a merge, and become others than this one; or which would
// be split where an alias stands for it as a whole.
func (m *maker) sharedRule(t *text.Tree, p permission) bool {
	if m.facts.Stays != "" {
		return false
	}
	rule := t.Nodes[p.groups].Parent
	list := slices.Concat([]int32{rule}, t.Takers(p.groups))
	if p.resources >= 0 {
		list = append(list, t.Takers(p.resources)...)
	}
	becomes := ""
	for i, mapping := range list {
		words, split := m.becomesOf(t, p, mapping)
		if i == 0 {
			becomes = words
		}
		if words == becomes && !(split && (len(list) > 1 || rule >= 0 && t.Aliased(rule))) {
			continue
		}
		if first := p.firstOf(m); first != nil {
			m.record(m.draft(first).Leave(judge.Shared, "it stands here once for several rules, whose resources do not go to the same groups", "write it in each of them"))
		}
		return true
	}
	return false
}

// firstOf is the first group of ours of a rule that a guard does not keep, nil for none.
func (p permission) firstOf(m *maker) *find.Site {
	for _, item := range p.items {
		if g, ok := m.groupAt(p, item); ok {
			if _, kept := m.kept(g); !kept {
				return g
			}
		}
	}
	return nil
}

// becomesOf is what becomes of the groups and resources of the rule that a mapping
// is, in one form, and whether it would be split.
func (m *maker) becomesOf(t *text.Tree, p permission, mapping int32) (words string, split bool) {
	p.resources, p.kinds, p.names = t.Value(mapping, "resources"), false, nil
	if kinds := t.Value(mapping, "kinds"); p.resources < 0 && kinds >= 0 {
		p.resources, p.kinds = kinds, true
	}
	p.readNames(t)
	set := ""
	for i := range max(1, len(p.names)) {
		var to []string
		for _, item := range p.items {
			to = append(to, strings.Join(m.permitted(t, p, item, i), ","))
		}
		one := strings.Join(to, ";")
		split = split || i > 0 && one != set
		set = one
		if words == "" {
			words = one
		}
	}
	for _, name := range p.names {
		if fresh, _ := m.nameTo(t, p, name); fresh != t.Text(name) {
			words += " " + t.Text(name) + "=" + fresh
		}
	}
	return words, split
}
