package edit

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A sheet is what is made of one file so far, and what every maker of its edits
// needs: the rules, the names, and what a person keeps.
type sheet struct {
	*rules.Table
	names   *find.Names
	facts   *judge.Facts
	path    string // as the user names it
	file    []byte
	keep    *keeper
	learned map[string]bool // group/plural of the resources that this file tells of
	made    []Outcome
	sited   map[source.Span]bool // the places of the first outcomes, as many as were counted
	counted int
	dropped []source.Span // what goes as a whole, with every site in it
	whole   *text.View    // of the file, from the first site that stands in no text within it; nil = none
	moving  unit          // the site that moves, with what moves with it
	needs   []need        // of the sites that move, and of those left to a person
	said    shapeWords    // the words of the file; nil = nobody asked
	remade  bool          // a person was told to generate the file again
}

// newSheet is one of a file of which nothing is made.
func newSheet(f File) *sheet {
	return &sheet{Table: f.Table, names: f.Names, facts: f.Facts, path: f.Path, file: f.Facts.Data, keep: newKeeper(f.Facts.Data, f.Facts.Path, f.Keeps)}
}

// record takes an outcome, unless a person keeps its place: no maker decides
// otherwise.
func (m *sheet) record(o Outcome) {
	o.unit = m.moving
	m.made = append(m.made, m.keep.kept(o))
}

// draft is the outcome of a site, of which nothing is said yet.
func (m *sheet) draft(s *find.Site) *draft {
	return &draft{Outcome: Outcome{Span: s.Doc.Span(s.Word), Role: s.Place.Role, Old: string(s.Word.Of(s.Doc.Data)), group: s.Known.Group, anchor: s.Place == find.Anchored}}
}

// leave records a site that a person must decide.
func (m *sheet) leave(s *find.Site, d judge.Decision) {
	o := m.draft(s).by(d.Answer.Rule)
	o.guard, o.Severe = d.Guard, d.Severe
	if s.Place == find.Imported {
		m.record(m.leaveImport(s, d, o))
		return
	}
	if s.Place == find.RemadeImport {
		o = imports(s, d, o, find.ImportedBy(text.LineAround(s.Doc.Data, s.Word).Of(s.Doc.Data)))
	}
	for _, p := range movedBeside(s, d.Answer) {
		m.needs = append(m.needs, need{at: p.Doc.Span(p.Span)})
	}
	m.record(o.Leave(d.Reason, d.Why, d.Hint))
}

// stay records a site that stays. A name without a dot that nothing marks as a
// group is an ordinary word and no site at all.
func (m *sheet) stay(s *find.Site, d judge.Decision) {
	if !strings.Contains(s.Known.Group, ".") && s.IsWord() {
		return
	}
	o := m.draft(s).Outcome
	o.guard, o.unruled = d.Guard, d.Unruled
	if d.Guard == generatedDocument && !m.remade {
		if rule, ok := m.regenerated(s, find.ReferenceBy(m.file)); ok {
			m.record(o.by(rule).Leave(d.Reason, d.Why, ""))
			return
		}
	}
	m.record(o.Keep(d.Reason, d.Why))
}

// generatedDocument is the guard that keeps what a generator wrote.
const generatedDocument = "generated-document"

// regenerated says whether a person is to be told, once for a file, that a
// generated reference tells of what moves: until it tells of what that becomes. Where its
// program writes the kind below each apiVersion, those alone say so.
func (m *sheet) regenerated(s *find.Site, by string) (rules.Rule, bool) {
	is := judge.Merge(s.Known, s.Facts)
	if is.Kind == "" {
		is.Kind = find.ReferenceKind(s)
	}
	ver := m.Ask(is)
	if by == "" || !ver.Ruled() || s.Known.Version == "" || is.Kind == "" && find.WritesKinds(by) {
		return rules.Rule{}, false
	}
	if to := ver.To.Group + "/" + ver.To.Version; ver.Outcome == rules.Moves && judge.ContainsName(m.file, to) && (ver.To.Kind == is.Kind || judge.ContainsName(m.file, ver.To.Kind)) {
		return rules.Rule{}, false
	}
	m.remade = true
	return ver.Rule, true
}

// guarded says whether a guard keeps a name, whatever the rules say.
func (m *sheet) guarded(s *find.Site) (judge.Decision, bool) {
	why, guard := judge.Kept(s, m.Table, m.facts)
	return judge.Decision{Verdict: judge.Stay, Reason: m.facts.ReasonOf(guard), Why: why, Guard: guard}, why != ""
}

// kept says whether a guard or a person keeps a name, whatever the rules say.
func (m *sheet) kept(s *find.Site) (judge.Decision, bool) {
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
func (m *sheet) keptWith(s *find.Site, rule rules.Rule, parts []part) (Outcome, bool) {
	if m.keep.nothing() {
		return Outcome{}, false
	}
	o := m.draft(s).by(rule)
	own, isKept := m.keep.keeps(o)
	spans := crdBeside(s)
	for _, p := range parts {
		spans = append(spans, p.Doc.Span(p.Span))
	}
	for _, span := range spans { // each: a mark beside one that keeps all of them keeps its own part
		if kept, ok := m.keep.keeps(Outcome{Span: span, Old: string(span.Of(m.file))}); ok && !isKept {
			own, isKept = o.acknowledged(kept.Reason, kept.Why), true
		}
	}
	return own, isKept
}

// change is the outcome of a site that becomes what the rules say. It says false
// when what the name itself tells stays.
func (m *sheet) change(s *find.Site, ver rules.Answer) (Outcome, bool) {
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
func (m *sheet) changeKey(s *find.Site, key judge.Decision) {
	d := m.draft(s)
	d.Role = find.RoleKey
	d.New, d.Rule, d.Ruleset = key.Key.To+d.Old[len(key.Key.From):], "keys", m.Sets()[0].Name
	d.part(s.Doc, source.Span{Start: s.Word.Start, End: s.Word.Start + len(key.Key.From)}, key.Key.From, key.Key.To)
	m.record(d.done())
}

// beside records the rewriting of something that belongs to a site: the kind
// or version next to a group.
func (m *sheet) beside(v *text.View, span source.Span, role find.Role, rule rules.Rule, text string) {
	old := string(span.Of(v.Data))
	if old == text || text == "" {
		return
	}
	place := v.Span(span)
	m.needs = append(m.needs, need{unit: m.moving, at: place})
	if m.hasSite(place) {
		return
	}
	d := draft{Outcome: Outcome{Span: place, Role: role, Old: old, New: text}.by(rule)}
	d.part(v, span, old, text)
	m.record(d.done())
}

// hasSite says whether a site stands at a place.
func (m *sheet) hasSite(s source.Span) bool {
	if m.sited == nil || len(m.made) < m.counted {
		m.sited, m.counted = map[source.Span]bool{}, 0
	}
	for ; m.counted < len(m.made); m.counted++ {
		m.sited[m.made[m.counted].Span] = true
	}
	return m.sited[s]
}
