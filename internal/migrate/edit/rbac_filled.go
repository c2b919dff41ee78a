package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// filledIn hands a rule to a person of which a template says what it has: names that it
// fills in, where the resources of a group do not all become the same; or a part of the
// list in which one group stands that another one becomes.
func (m *permissionMaker) filledIn(p permission) bool {
	var why string
	switch _, gone := m.folded(p); {
	case p.filled && slices.ContainsFunc(p.ours(), func(g granted) bool { return m.parts(g.name) }):
		why = "a template fills in its resources, which do not all become the same"
	case slices.ContainsFunc(p.names, p.odd) && slices.ContainsFunc(p.ours(), func(g granted) bool { return m.parts(g.name) }):
		why = "one of its resources has letters that no resource has, and not all become the same"
	case slices.Contains(gone, true) && inParts(p.tree, p.items()):
		why = "a template says when a group of this list is there that another one becomes"
	case m.foldsNames(p) && inParts(p.tree, p.names):
		why = "a template says when a resource of this list is there that another one becomes"
	default:
		return false
	}
	for _, g := range p.ours() {
		m.record(m.draft(g.site).by(m.splitBy(p, g)).Leave(judge.Splits, why, "write it by hand, and leave the rest of the template as it is"))
	}
	return true
}

// odd says whether a name has letters that no name of a resource has, as the ends of lines
// that YAML 1.1 alone knows.
func (p permission) odd(name int32) bool {
	return strings.ContainsFunc(p.tree.Text(name), func(r rune) bool { return r >= utf8.RuneSelf })
}

// parts says whether the kinds of a group do not all become the same: the rules lead them to
// several groups or rename some, or one of the tree stays.
func (m *permissionMaker) parts(group string) bool {
	if m.renames(group) || m.facts.Mixed.In(group, "") != "" && slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool { return r.To.Group != group }) {
		return true
	}
	to := ""
	return slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool {
		if r.Removed != "" {
			return false
		}
		was := to
		to = r.To.Group
		return was != "" && was != to
	})
}

// foldsNames says whether a name of a rule becomes another one of it.
func (m *permissionMaker) foldsNames(p permission) bool {
	names := p.tree.TextsOf(p.names)
	return slices.ContainsFunc(p.names, func(name int32) bool {
		fresh, ver := m.nameTo(p, name)
		return ver.Outcome == rules.Moves && fresh != p.tree.Means(name) && slices.Contains(names, fresh)
	})
}

// inParts says whether parts of a template begin or end between the items of a list, or
// stand for one of them.
func inParts(t *text.Tree, items []int32) bool {
	if len(items) == 0 {
		return false
	}
	if !t.Scalars(items) {
		return true
	}
	return branch.Match(source.Span{Start: int(t.Nodes[items[0]].Line), End: t.Nodes[items[len(items)-1]].Val.End}.Of(t.Data))
}
