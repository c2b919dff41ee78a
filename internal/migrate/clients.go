package migrate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A clientName is how a generated client spells a group in identifiers, before
// and after.
type clientName struct {
	group    string // the old group
	old, new string // Mcad, Workload
}

// clientNames are the identifiers that a rename of groups changes, those of the
// longest groups first.
func clientNames(r *rules.Table) []clientName {
	var names []clientName
	groups := slices.SortedFunc(slices.Values(r.Groups()), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, group := range groups {
		v := r.Ask(rules.GVK{Group: group})
		if v.Outcome != rules.Moves || !strings.Contains(group, ".") || !r.OnlyRenames(group) {
			continue
		}
		before, after := find.GoName(group), find.GoName(v.To.Group)
		if before != after {
			names = append(names, clientName{group, before, after})
		}
	}
	return names
}

// identifier records an identifier of a generated client, which moves only when
// the client itself is in the tree (see File.settle).
func (a *analysis) identifier(s *find.Site) {
	i := slices.IndexFunc(a.clients, func(c clientName) bool { return c.group == s.Known.Group })
	if i < 0 {
		return
	}
	c := &a.clients[i]
	fresh := c.new
	if s.Name != c.old {
		fresh = lowerFirst(fresh)
	}
	word := string(s.Word.Of(s.Doc.Data))
	e, err := s.Doc.Edit(s.Group, s.Name, fresh)
	if err != nil {
		return
	}
	a.sites = append(a.sites, Site{Span: s.Doc.Span(s.Word), Role: find.RoleClient, Action: Stay, Old: word, New: fresh + word[len(s.Name):], client: c, edits: []source.Edit{e}})
}

// typedCall records the call of a typed client of an API that moves or goes: the
// types of the new version are others, which a person writes. Where the client
// itself is in the tree and follows its group, the call does so as well.
func (a *analysis) typedCall(s *find.Site) {
	if d, kept := a.kept(s); kept {
		a.keep(s, d)
		return
	}
	ver := a.Ask(s.Known)
	was := s.Known.Group + "/" + s.Known.Version
	why, hint := "the client of "+was+", of which "+s.Known.Kind+" is removed: "+ver.Why, ""
	switch {
	case ver.Outcome == rules.Moves && a.opts.Dual, ver.Outcome != rules.Moves && ver.Outcome != rules.Removed:
		return
	case ver.Outcome == rules.Moves:
		why = "the client of " + was + ", where " + s.Known.Kind + " becomes " + ver.To.String()
		hint = "use the client and the types of " + ver.To.Group + "/" + ver.To.Version
	}
	x := a.add(s, Person, why)
	x.Old = strings.Join(strings.Fields(x.Old), "") // a chain of calls goes over several lines
	x.Rule, x.Ruleset, x.Hint, x.typed = ver.Rule.ID, ver.Rule.Set, hint, s.Known.Group
}
