package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A Client is how a generated client spells a group in identifiers, before and
// after.
type Client struct {
	Group    string // the old group
	Old, New string // Mcad, Workload
}

// Clients are the identifiers that a rename of groups changes, those of the
// longest groups first.
func Clients(r *rules.Table) []Client {
	var names []Client
	groups := slices.SortedFunc(slices.Values(r.Groups()), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, group := range groups {
		v := r.Ask(rules.GVK{Group: group})
		if v.Outcome != rules.Moves || !strings.Contains(group, ".") || !r.OnlyRenames(group) {
			continue
		}
		before, after := find.GoName(group), find.GoName(v.To.Group)
		if before != after {
			names = append(names, Client{group, before, after})
		}
	}
	return names
}

// identifier records an identifier of a generated client, which moves only when
// the client itself is in the tree (see Settle).
func (a *Maker) identifier(s *find.Site) {
	if a.facts.Dual { // the client of the old group stays
		return
	}
	i := slices.IndexFunc(a.clients, func(c Client) bool { return c.Group == s.Known.Group })
	if i < 0 {
		return
	}
	c := &a.clients[i]
	fresh := c.New
	if s.Name != c.Old {
		fresh = LowerFirst(fresh)
	}
	word := string(s.Word.Of(s.Doc.Data))
	e, err := s.Doc.Edit(s.Group, s.Name, fresh)
	if err != nil {
		return
	}
	then := Outcome{Span: s.Doc.Span(s.Word), Role: find.RoleClient, Old: word, New: fresh + word[len(s.Name):]}.Write(e)
	a.record(then.await(wait{client: c.Group, then: &then}))
}

// LowerFirst is a name with its first letter in lower case, as fields have it.
func LowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// typedCall records the call of a typed client of an API that moves or goes: the
// types of the new version are others, which a person writes. Where the client
// itself is in the tree and follows its group, the call does so as well.
func (a *Maker) typedCall(s *find.Site) {
	if d, kept := a.kept(s); kept {
		a.stay(s, d)
		return
	}
	ver := a.Ask(s.Known)
	was := s.Known.Group + "/" + s.Known.Version
	why, hint := "the client of "+was+", of which "+s.Known.Kind+" is removed: "+ver.Why, ""
	switch {
	case ver.Outcome == rules.Moves && a.facts.Dual, ver.Outcome != rules.Moves && ver.Outcome != rules.Removed:
		return
	case ver.Outcome == rules.Moves:
		why = "the client of " + was + ", where " + s.Known.Kind + " becomes " + ver.To.String()
		hint = "use the client and the types of " + ver.To.Group + "/" + ver.To.Version
	}
	o := a.draft(s).by(ver.Rule)
	o.Old = strings.Join(strings.Fields(o.Old), "") // a chain of calls goes over several lines
	o.typed = s.Known.Group
	a.record(o.Leave("typed-client", why, hint))
}
