package migrate

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// crdNames follows a kind that becomes another one in the names of its CRD: its
// plural, singular and kind of lists. Short names stay: no rule says others.
func (a *analysis) crdNames(s *find.Site, ver rules.Answer) {
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
		role     Role
	}{
		{"plural", site.Plural, a.Ask(site).To.Plural, find.RoleResource},
		{"singular", strings.ToLower(kind), strings.ToLower(ver.To.Kind), find.RoleResource},
		{"listKind", kind + "List", ver.To.Kind + "List", find.RoleKind},
	} {
		if n := t.Child(names, name.key); n >= 0 && t.Text(n) == name.old {
			a.beside(v, t.Nodes[n].Val, name.role, ver.Rule, name.new)
		}
	}
}
