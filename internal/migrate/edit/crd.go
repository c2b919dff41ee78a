package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// crdNames follows a kind that becomes another one in the names of its CRD: its
// plural, singular and kind of lists. Short names stay: no rule says others.
func (m *maker) crdNames(s *find.Site, ver rules.Answer) {
	v, t, site := s.Doc, s.Tree, judge.Merge(s.Known, s.Facts)
	names := t.Sibling(s.Node, "names")
	kind := t.Text(t.Child(names, "kind"))
	if kind == "" || ver.To.Kind == "" || ver.To.Kind == kind {
		return
	}
	site.Kind, site.Plural = kind, t.Text(t.Child(names, "plural"))
	for _, name := range []struct {
		key      string
		old, new string
		role     find.Role
	}{
		{"plural", site.Plural, m.Ask(site).To.Plural, find.RoleResource},
		{"singular", strings.ToLower(kind), strings.ToLower(ver.To.Kind), find.RoleResource},
		{"listKind", kind + "List", ver.To.Kind + "List", find.RoleKind},
	} {
		if n := t.Child(names, name.key); n >= 0 && t.Text(n) == name.old {
			m.beside(v, t.Nodes[n].Val, name.role, ver.Rule, name.new)
		}
	}
}

// servesOld tells a person of a CRD that serves a version which becomes another
// one in its group, and not that: its schema is made of Go types.
func (m *maker) servesOld(s *find.Site) {
	if _, kept := m.kept(s); kept || m.facts.Dual {
		return
	}
	for _, version := range s.Served {
		ver := m.Ask(rules.GVK{Group: s.Known.Group, Version: version, Kind: s.Defines.Kind})
		if ver.Outcome != rules.Moves || ver.To.Group != s.Known.Group || ver.To.Kind != s.Defines.Kind || ver.To.Version == version || slices.Contains(s.Served, ver.To.Version) {
			continue
		}
		at := s.Doc.Span(s.Word).Start
		o := Outcome{Span: source.Span{Start: at, End: at}, Role: find.RoleVersion, Old: s.Known.Group}.by(ver.Rule)
		m.record(o.Leave("crd-version", "the CRD of "+s.Defines.Kind+" serves "+version+", which becomes "+ver.To.Version+", and does not serve that",
			"add "+ver.To.Version+" to its versions, by the generator of the CRD where there is one"))
		return
	}
}
