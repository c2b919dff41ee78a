package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
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
		if d.Mixed {
			m.doubted(s, d)
			return
		}
		m.leave(s, d)
	case judge.MoveKey:
		m.changeKey(s, d)
	case judge.Wait:
		if then, ok := m.change(s, d.Answer); ok {
			o := then.Keep(d.Reason, d.Why)
			then.Role = find.RoleResource
			if s.Place.Ask == find.Named {
				then = m.draft(s).by(d.Answer.Rule).Leave("unmarked", "the group has such a resource, and nothing tells that the keys of this mapping are some", d.Hint)
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
	if s.Place == find.GrantedCRD && m.grantedCRD(s, ver) {
		return
	}
	if oddlySpelled(s, parts) {
		m.record(m.draft(s).by(ver.Rule).Leave("spelling", "a name that moves with it is spelled with escapes or over lines, which cfctl does not write", "write them by hand"))
		return
	}
	is := judge.Merge(s.Known, s.Facts)
	m.moving = unit{Span: s.Doc.Span(s.Word), group: is.Group, version: is.Version, told: cmp.Or(is.Kind, is.Plural), own: s.Known.Kind != "" || s.Known.Plural != "", to: ver.To, doubt: m.doubt}
	defer func() { m.moving = unit{} }()
	if o, ok := m.change(s, ver); ok {
		m.record(o)
	}
	switch {
	case s.Object:
		m.shapeInCode(s)
	case s.Kinds:
		m.withKinds(s)
	}
	for _, p := range parts {
		m.beside(p.Doc, p.Span, p.Role, ver.Rule, p.fresh)
	}
	m.apart(s)
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

// record takes an outcome, unless a person keeps its place: no maker decides
// otherwise.
func (m *maker) record(o Outcome) {
	o.unit = m.moving
	m.made = append(m.made, m.keep.kept(o))
}

// draft is the outcome of a site, of which nothing is said yet.
func (m *maker) draft(s *find.Site) *draft {
	return &draft{Outcome: Outcome{Span: s.Doc.Span(s.Word), Role: s.Place.Role, Old: string(s.Word.Of(s.Doc.Data)), group: s.Known.Group, anchor: s.Place == find.Anchored}}
}

// leave records a site that a person must decide.
func (m *maker) leave(s *find.Site, d judge.Decision) {
	o := m.draft(s).by(d.Answer.Rule)
	o.guard, o.Severe = d.Guard, d.Severe
	if s.Place == find.Imported {
		o = imports(s, d, o, string(s.Doc.Data))
		d.Hint = m.importHint(s, d.Answer)
	}
	if s.Place == find.RemadeImport {
		o = imports(s, d, o, find.ImportedBy(text.LineAround(s.Doc.Data, s.Word).Of(s.Doc.Data)))
	}
	m.record(o.Leave(d.Reason, d.Why, d.Hint))
}

// stay records a site that stays. A name without a dot that nothing marks as a
// group is an ordinary word and no site at all.
func (m *maker) stay(s *find.Site, d judge.Decision) {
	if !strings.Contains(s.Known.Group, ".") && s.IsWord() {
		return
	}
	o := m.draft(s).Outcome
	o.guard, o.unruled = d.Guard, d.Unruled
	if d.Guard == generatedDocument && find.IsReference(m.file) {
		if rule, ok := m.regenerated(s); ok {
			m.record(o.by(rule).Leave(d.Reason, d.Why, ""))
			return
		}
	}
	m.record(o.Keep(d.Reason, d.Why))
}

// generatedDocument is the guard that keeps what a generator wrote.
const generatedDocument = "generated-document"

// regenerated says whether a person is to be told, once for a file, that a
// generated reference tells of what moves: until it tells of what that becomes.
func (m *maker) regenerated(s *find.Site) (rules.Rule, bool) {
	ver := m.Ask(judge.Merge(s.Known, s.Facts))
	if !ver.Ruled() || s.Known.Version == "" || m.remade {
		return rules.Rule{}, false
	}
	if to := ver.To.Group + "/" + ver.To.Version; ver.Outcome == rules.Moves && judge.ContainsName(m.file, to) {
		return rules.Rule{}, false
	}
	m.remade = true
	return ver.Rule, true
}

// guarded says whether a guard keeps a name, whatever the rules say.
func (m *maker) guarded(s *find.Site) (judge.Decision, bool) {
	why, guard := judge.Kept(s, m.Table, m.facts)
	return judge.Decision{Verdict: judge.Stay, Reason: m.facts.ReasonOf(guard), Why: why, Guard: guard}, why != ""
}

// kept says whether a guard or a person keeps a name, whatever the rules say.
func (m *maker) kept(s *find.Site) (judge.Decision, bool) {
	if d, ok := m.guarded(s); ok {
		return d, true
	}
	if o, ok := m.keep.keeps(m.draft(s).Outcome); ok {
		return judge.Decision{Verdict: judge.Stay, Reason: o.Reason, Why: o.Why}, true
	}
	return judge.Decision{}, false
}

// keptWith is the outcome of a name that a person keeps, or of whose parts one
// is kept: what moves together stays together.
func (m *maker) keptWith(s *find.Site, rule rules.Rule, parts []part) (Outcome, bool) {
	if m.keep.nothing() {
		return Outcome{}, false
	}
	o := m.draft(s).by(rule)
	if kept, ok := m.keep.keeps(o); ok {
		return kept, true
	}
	spans := crdBeside(s)
	for _, p := range parts {
		spans = append(spans, p.Doc.Span(p.Span))
	}
	for _, span := range spans {
		if kept, ok := m.keep.keeps(Outcome{Span: span, Old: string(span.Of(m.file))}); ok {
			return o.acknowledged(kept.Reason, kept.Why), true
		}
	}
	return Outcome{}, false
}

// change is the outcome of a site that becomes what the rules say. It says false
// when what the name itself tells stays.
func (m *maker) change(s *find.Site, ver rules.Answer) (Outcome, bool) {
	d := m.draft(s)
	d.Outcome, d.New = d.by(ver.Rule), s.Spell(s.Doc.Data, ver.To)
	if d.New == d.Old {
		return Outcome{}, false
	}
	d.part(s.Doc, s.Group, s.Known.Group, ver.To.Group)
	if s.Ver.Len() > 0 && ver.To.Version != "" {
		d.part(s.Doc, s.Ver, s.Known.Version, ver.To.Version)
	}
	if name := s.KindTo(s.Doc.Data, ver.To); s.Kind.Len() > 0 && name != "" {
		d.part(s.Doc, s.Kind, string(s.Kind.Of(s.Doc.Data)), name)
	}
	return d.done(), true
}

// changeKey records a key that a rule for keys moves.
func (m *maker) changeKey(s *find.Site, key judge.Decision) {
	d := m.draft(s)
	d.Role = find.RoleKey
	d.New, d.Rule, d.Ruleset = key.Key.To+d.Old[len(key.Key.From):], "keys", m.Sets()[0].Name
	d.part(s.Doc, source.Span{Start: s.Word.Start, End: s.Word.Start + len(key.Key.From)}, key.Key.From, key.Key.To)
	m.record(d.done())
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

// beside records the rewriting of something that belongs to a site: the kind
// or version next to a group.
func (m *maker) beside(v *text.View, span source.Span, role find.Role, rule rules.Rule, text string) {
	old := string(span.Of(v.Data))
	if old == text || text == "" {
		return
	}
	place := v.Span(span)
	if m.hasSite(place) {
		return
	}
	d := draft{Outcome: Outcome{Span: place, Role: role, Old: old, New: text}.by(rule)}
	d.part(v, span, old, text)
	m.record(d.done())
}

// hasSite says whether a site stands at a place.
func (m *maker) hasSite(s source.Span) bool {
	if m.sited == nil || len(m.made) < m.counted {
		m.sited, m.counted = map[source.Span]bool{}, 0
	}
	for ; m.counted < len(m.made); m.counted++ {
		m.sited[m.made[m.counted].Span] = true
	}
	return m.sited[s]
}
