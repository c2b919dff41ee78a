package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// The resources that a rule of permissions names, where their groups have one place to go to.

// renameResources follows a plural that a rule renames, with the versions of the rule. One
// whose new name is in the list already goes.
func (m *permissionMaker) renameResources(p permission) {
	if m.facts.Dual || !m.oneVersion(p) {
		return
	}
	t := p.tree
	gone := make([]bool, len(p.names))
	var have []string // those that stay, and what others became
	for _, name := range p.names {
		if fresh, _ := m.nameTo(p, name); fresh == t.Means(name) {
			have = append(have, fresh)
		}
	}
	for i, name := range p.names {
		fresh, ver := m.nameTo(p, name)
		switch {
		case fresh == t.Means(name):
		case slices.Contains(have, fresh):
			gone[i] = true
			m.dropName(p, gone, i, ver)
		default:
			have = append(have, fresh)
			span := t.Nodes[name].Val
			if _, sub, more := strings.Cut(t.Text(name), "/"); more {
				span.End -= len("/" + sub)
			}
			m.beside(p.site.Doc, span, find.RoleResource, ver.Rule, p.renamed(ver.To))
		}
	}
}

// nameTo is what a name of a rule becomes, with what stands behind its slash.
func (m *permissionMaker) nameTo(p permission, name int32) (string, rules.Answer) {
	plural, sub, more := strings.Cut(p.tree.Means(name), "/")
	for _, g := range p.groups {
		if !g.moves() {
			continue
		}
		ver := m.Ask(p.at(g.name, plural))
		if fresh := p.renamed(ver.To); ver.Outcome == rules.Moves && fresh != plural && fresh != "" {
			if more {
				fresh += "/" + sub
			}
			return fresh, ver
		}
	}
	return p.tree.Means(name), rules.Answer{}
}
