package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// crdNames are the names of a CRD that move with its group when its kind becomes
// another one: its plural, singular and kind of lists. Short names stay: no rule
// says others.
func (m *maker) crdNames(s *find.Site, ver rules.Answer) []part {
	t, site := s.Tree, judge.Merge(s.Known, s.Facts)
	names := t.Sibling(s.Node, "names")
	kind := t.Text(t.Child(names, "kind"))
	if kind == "" || ver.To.Kind == "" || ver.To.Kind == kind {
		return nil
	}
	site.Kind, site.Plural = kind, t.Text(t.Child(names, "plural"))
	var parts []part
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
			p := find.Part{Doc: s.Doc, Span: t.Nodes[n].Val, Role: name.role}
			if !t.Verbatim(n) {
				p.Says = t.Text(n)
			}
			parts = append(parts, part{p, name.new})
		}
	}
	return parts
}

// crdBeside are the places of all names of the CRD of which a site is the name or
// the group, with its own: they move together or not at all.
func crdBeside(s *find.Site) []source.Span {
	var spans []source.Span
	for _, n := range crdNodes(s) {
		spans = append(spans, s.Doc.Span(s.Tree.Nodes[n].Val))
	}
	return spans
}

// crdNodes are the nodes of those names.
func crdNodes(s *find.Site) []int32 {
	if s.Tree == nil || s.Place != find.CRDName && s.Place != find.CRDNameOr && s.Place != find.CRDGroup {
		return nil
	}
	t, above := s.Tree, s.Tree.Nodes[s.Node].Parent // metadata: or spec:
	if above < 0 {
		return nil
	}
	beside := func(i int32, key string) int32 {
		if i < 0 || t.KeyText(i) == key {
			return i
		}
		return t.Sibling(i, key)
	}
	below := func(i int32, key string) int32 {
		if i < 0 {
			return i
		}
		return t.Child(i, key)
	}
	places := []int32{below(beside(above, "metadata"), "name"), below(beside(above, "spec"), "group")}
	names := below(beside(above, "spec"), "names")
	for _, key := range []string{"kind", "plural", "singular", "listKind"} {
		places = append(places, below(names, key))
	}
	return slices.DeleteFunc(places, func(n int32) bool { return n < 0 })
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
