package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// judged has a part of what stands at a place judged, and follows the decision.
func (m *maker) judged(s *find.Site) { m.follow(s, judge.Decide(s, m.Table, m.facts)) }

// follow records what becomes of a site by what is decided of it.
func (m *maker) follow(s *find.Site, d judge.Decision) {
	m.learnFrom(s, d)
	if s.Place.Bare && d.Verdict != judge.MoveKey {
		s.Word.End = s.Group.End
	}
	switch d.Verdict {
	case judge.Stay:
		m.stay(s, d)
	case judge.Person:
		switch {
		case d.Mixed:
			m.doubted(s, d)
		case len(d.Near) > 0:
			m.nearby(s, d)
		default:
			m.leave(s, d)
		}
	case judge.MoveKey:
		m.changeKey(s, d)
	case judge.Wait:
		if then, ok := m.change(s, d.Answer); ok {
			o := then.Keep(d.Reason, d.Why)
			then.Role = find.RoleResource
			if s.Place.Ask == find.Named {
				then = m.draft(s).by(d.Answer.Rule).Leave("unmarked", "the group has such a resource, and nothing tells that the keys of this mapping are some", d.Hint)
				if slices.ContainsFunc(m.RulesOf(s.Known.Group), func(r rules.Rule) bool { return r.From.Plural == s.Facts.Plural }) {
					m.record(then) // the tree may have moved already
					return
				}
			}
			m.record(o.await(wait{resource: s.Known.Group + "/" + s.Facts.Plural, then: &then}))
		}
	case judge.Move:
		m.move(s, d.Answer)
	}
}

// move records that a site becomes what the rules say, with what moves with it;
// or that it stays, with all of that, where a person keeps a part of it.
func (m *maker) move(s *find.Site, ver rules.Answer) {
	parts := movedBeside(s, ver)
	if s.Place == find.CRDGroup {
		parts = append(m.crdNames(s, ver), parts...)
	}
	if o, ok := m.keptWith(s, ver.Rule, parts); ok {
		m.record(o)
		return
	}
	if s.Name == "resourceNames" && s.Tree != nil && grantsMore(s.Tree, s.Tree.Up(s.Node)) {
		m.record(m.draft(s).by(ver.Rule).Leave(judge.Splits, namesMore, "write one rule for the CRDs"))
		return
	}
	if (s.Place == find.GrantedCRD || s.Place == find.GrantedAPI) && m.permissions.grantedCRD(s, ver) {
		return
	}
	if oddlySpelled(s, parts) {
		m.record(m.draft(s).by(ver.Rule).Leave("spelling", "a name that moves with it is spelled with escapes or over lines, which cfctl does not write", "write them by hand"))
		return
	}
	if (s.Tree == nil || s.Place == find.Group) && namesAnother(parts, ver) {
		m.record(m.draft(s).by(ver.Rule).Leave(judge.Splits, "its kind moves, and the resource beside it is another one", "write the resource of its kind, or keep it with a comment cfctl:keep REASON"))
		return
	}
	left, told := m.unshaped(s, ver)
	if left.Why != "" {
		m.leave(s, left)
		return
	}
	is := judge.Merge(s.Known, s.Facts)
	m.moving = unit{Span: s.Doc.Span(s.Word), group: is.Group, version: is.Version, told: cmp.Or(is.Kind, is.Plural), own: s.Known.Kind != "" || s.Known.Plural != "", to: ver.To, doubt: m.doubt}
	defer func() { m.moving = unit{} }()
	if o, ok := m.change(s, ver); ok {
		m.record(o)
	}
	if s.Place == find.WebhookName && s.Tree != nil {
		m.hooks.note(s)
	}
	if s.Kinds {
		m.withKinds(s)
	}
	for _, o := range told {
		m.record(o)
	}
	for _, p := range parts {
		m.beside(p.Doc, p.Span, p.Role, ver.Rule, p.fresh)
	}
	m.apart(s)
	if m.near != nil {
		for _, at := range m.near.Near {
			m.needs = append(m.needs, need{m.moving, at, &nearest{why: m.near.Why, hint: m.near.Hint}})
		}
	}
}

// nearby records that a site moves, as long as the names near it do with sites of their own.
func (m *maker) nearby(s *find.Site, d judge.Decision) {
	m.near = &d
	defer func() { m.near = nil }()
	m.move(s, d.Answer)
}

// apart records what becomes of the resources that stand apart from a group which moves.
func (m *maker) apart(s *find.Site) {
	for _, p := range s.ApartIn {
		to := m.Ask(rules.GVK{Group: s.Known.Group, Version: s.Facts.Version, Plural: string(p.Span.Of(p.Doc.Data))})
		if to.Outcome == rules.Moves {
			m.beside(p.Doc, p.Span, p.Role, to.Rule, to.To.Plural)
		}
	}
}

// oddlySpelled says whether a part of what would move with a site, or a name of
// its CRD, is not written as what it says.
func oddlySpelled(s *find.Site, parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.Says != "" }) ||
		slices.ContainsFunc(crdNodes(s), func(n int32) bool { return !s.Tree.Verbatim(n) })
}

// namesAnother says whether the resource that would move with a site in code is not
// that of the kind of the rule.
func namesAnother(parts []part, ver rules.Answer) bool {
	from := ver.Rule.From
	return from.Kind != "" && slices.ContainsFunc(parts, func(p part) bool {
		old := string(p.Span.Of(p.Doc.Data))
		return p.Role == find.RoleResource && p.Says == "" && from.Plural != "" && !strings.EqualFold(old, from.Plural)
	})
}

// A part is what moves with a site, and what it becomes.
type part struct {
	find.Part
	fresh string
}

// movedBeside are the parts of a site that change when it becomes what the rules
// say.
func movedBeside(s *find.Site, ver rules.Answer) []part {
	var parts []part
	for _, p := range s.Beside {
		if p.WithGroup && ver.To.Group == s.Known.Group && (s.Place != find.CRDGroup || ver.To.Kind == s.Facts.Kind) {
			continue
		}
		old := cmp.Or(p.Says, string(p.Span.Of(p.Doc.Data)))
		if fresh := besideTo(p.Role, old, s.Facts.Kind, ver.To); fresh != "" && fresh != old {
			parts = append(parts, part{p, fresh})
		}
	}
	return parts
}

// besideTo is what a part of a site becomes that is of a kind.
func besideTo(role find.Role, old, kind string, to rules.GVK) string {
	switch {
	case role == find.RoleVersion:
		return to.Version
	case role != find.RoleKind:
		return to.Plural
	case old == strings.ToLower(old): // its singular
		return strings.ToLower(to.Kind)
	case to.Kind != "" && old == kind+"List":
		return to.Kind + "List"
	}
	return to.Kind
}
