package edit

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// grantedCRD writes both names of a CRD into a rule that grants it, while both groups
// are served, and takes the old one out of a list that has both. It says false for a
// name that becomes another one in its place.
// Source: rbac.authorization.k8s.io/v1, PolicyRule.resourceNames.
func (m *permissionMaker) grantedCRD(s *find.Site, ver rules.Answer) bool {
	t := s.Tree
	if !t.Nodes[s.Node].Seq || t.Text(s.Node) != string(s.Word.Of(s.Doc.Data)) {
		return false
	}
	items := t.Children(t.Nodes[s.Node].Parent)
	names, fresh := t.TextsOf(items), s.Spell(s.Doc.Data, ver.To)
	switch {
	case m.facts.Dual:
		m.addGroups(t, s.Node, s, []string{t.Text(s.Node), fresh}, names)
	case slices.Contains(names, fresh):
		m.dropCRD(s, ver, items, fresh)
	default:
		return false
	}
	return true
}

// dropCRD takes the name of a CRD out of a list of them that has its new one.
func (m *permissionMaker) dropCRD(s *find.Site, ver rules.Answer, items []int32, fresh string) {
	t := s.Tree
	names := t.TextsOf(items)
	gone := make([]bool, len(items))
	for i, name := range names {
		for _, tok := range m.names.Tokens([]byte(name)) {
			known := tok.Known
			if known.Plural == "" {
				known.Plural = tok.Prefix
			}
			to := m.Ask(known)
			gone[i] = gone[i] || to.Outcome == rules.Moves && slices.Contains(names, tok.Spell([]byte(name), to.To))
		}
	}
	d := m.draft(s)
	d.Outcome, d.Why = d.by(ver.Rule), goesWhy(fresh)
	span := dropped(t, items, gone, slices.Index(items, s.Node))
	d.part(s.Doc, span, string(span.Of(t.Data)), "")
	m.record(d.done())
}
