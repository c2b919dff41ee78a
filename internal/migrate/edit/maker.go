// Package edit makes edits of decisions: what is to be written where a name
// moves, and around it.
//
// The flow: a Maker takes the sites that find reports, in their order, and has
// judge decide each; what becomes of the name alone is an edit of its spelling,
// and for the places about which more is asked (a rule of permissions, a marker,
// an owned CRD, a PROJECT file, ...) makers lists who makes it. Plan gives the
// outcomes of the file, each place once; Settle decides those that wait for
// other files. Nothing is read or written here, and no outcome is changed once
// it is made.
package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// makers are what is made of the sites of places about which more is asked than
// what the rules make of a name.
var makers = map[find.Ask]func(a *Maker, s *find.Site){
	find.File:       (*Maker).fileRef,
	find.Permission: (*Maker).rbacRule,
	find.Owned:      (*Maker).ownedCRD,
	find.Marker:     (*Maker).marker,
	find.Project:    (*Maker).project,
	find.Half:       (*Maker).projectHalf,
	find.Client:     (*Maker).identifier,
	find.Typed:      (*Maker).typedCall,
}

// A File is the file whose edits are made, and what they are made by.
type File struct {
	Path    string // as the user names it
	Data    []byte
	Format  find.Format
	Table   *rules.Table
	Names   *find.Names
	Clients []Client
	Facts   *judge.Facts
	Keeps   Keeps // what the configuration of the tree acknowledges
	Shape   Shape // nil = no object changes its shape
}

// A Shape says what becomes of a document when its objects change their shape,
// and so of what was made in it so far: of the same places, in the same order,
// with others behind them, as a list of its own. It says false when none does.
type Shape func(d find.Document, made []Outcome) ([]Outcome, bool)

// A Maker makes the edits of one file.
type Maker struct {
	*rules.Table
	names   *find.Names
	facts   *judge.Facts
	clients []Client
	path    string // as the user names it
	format  find.Format
	file    []byte
	shape   Shape
	keep    *keeper
	learned map[string]bool // group/plural of the resources that this file tells of
	made    []Outcome
	begun   []int                // for each document that is being read, how many outcomes there were
	sited   map[source.Span]bool // the places of the first outcomes, as many as were counted
	counted int
	dropped []source.Span // what goes as a whole, with every site in it
	remade  bool          // a person was told to generate the file again
}

// New is a maker that was told of no site yet.
func New(f File) *Maker {
	return &Maker{Table: f.Table, names: f.Names, facts: f.Facts, clients: f.Clients, path: f.Path, format: f.Format, file: f.Data, shape: f.Shape,
		keep: newKeeper(f.Data, f.Facts.Path, f.Keeps)}
}

// A Plan is what becomes of the names of one file.
type Plan struct {
	Made    []Outcome       // in the order of the file
	Unused  []Outcome       // suppressions that keep none of them
	Learned map[string]bool // group/plural of the resources that the file tells of
}

// Plan is what becomes of all sites that were reported, and of the places that
// no format has found.
func (a *Maker) Plan() Plan {
	a.dropInside()
	a.wrongGroups()
	a.answerRest()
	slices.SortStableFunc(a.made, func(x, y Outcome) int { return x.Start - y.Start })
	if !a.facts.Dual {
		a.foldCRDs()
	}
	return Plan{Made: a.made, Unused: a.keep.unused(), Learned: a.learned}
}

// Site takes a site that was found.
func (a *Maker) Site(s find.Site) {
	if maker := makers[s.Place.Ask]; maker != nil {
		maker(a, &s)
		return
	}
	a.decided(&s)
	if s.Place == find.CRDGroup {
		a.servesOld(&s)
	}
}

// Begin notes where the sites of a document begin.
func (a *Maker) Begin() { a.begun = append(a.begun, len(a.made)) }

// End settles the shapes of the objects of a document.
func (a *Maker) End(d find.Document) {
	last := len(a.begun) - 1
	first := a.begun[last]
	a.begun = a.begun[:last]
	if a.shape == nil {
		return
	}
	if made, ok := a.shape(d, slices.Clip(a.made[first:])); ok {
		a.made = a.made[:first]
		for _, o := range made {
			a.record(o)
		}
	}
}

// decided decides a site and records what becomes of it.
func (a *Maker) decided(s *find.Site) {
	d := judge.Decide(s, a.Table, a.facts)
	a.learnFrom(s, d)
	if s.Place.Bare && d.Verdict != judge.MoveKey {
		s.Word.End = s.Group.End
	}
	switch d.Verdict {
	case judge.Stay:
		a.stay(s, d)
	case judge.Person:
		a.person(s, d)
	case judge.MoveKey:
		a.changeKey(s, d)
	case judge.Wait:
		if then, ok := a.change(s, d.Answer); ok {
			o := then.Keep(d.Reason, d.Why)
			then.Role = find.RoleResource
			a.record(o.await(wait{resource: s.Known.Group + "/" + s.Facts.Plural, then: &then}))
		}
	case judge.Move:
		if o, ok := a.change(s, d.Answer); ok {
			a.record(o)
		}
		a.besides(s, d.Answer)
	}
}

// record takes an outcome, unless a person keeps its place: no maker decides
// otherwise.
func (a *Maker) record(o Outcome) { a.made = append(a.made, a.keep.kept(o)) }

// draft is the outcome of a site, of which nothing is said yet.
func (a *Maker) draft(s *find.Site) *draft {
	return &draft{Outcome: Outcome{Span: s.Doc.Span(s.Word), Role: s.Place.Role, Old: string(s.Word.Of(s.Doc.Data)), group: s.Known.Group, anchor: s.Place == find.Anchored}}
}

// person records a site that a person must decide.
func (a *Maker) person(s *find.Site, d judge.Decision) {
	o := a.draft(s).by(d.Answer.Rule)
	o.guard, o.Severe = d.Guard, d.Severe
	if s.Place == find.Imported {
		d.Hint = a.importHint(s, d.Answer)
	}
	a.record(o.Leave(d.Reason, d.Why, d.Hint))
}

// stay records a site that stays. A name without a dot that nothing marks as a
// group is an ordinary word and no site at all.
func (a *Maker) stay(s *find.Site, d judge.Decision) {
	if !strings.Contains(s.Known.Group, ".") && s.IsWord() {
		return
	}
	o := a.draft(s).Outcome
	o.guard, o.unruled = d.Guard, d.Unruled
	if d.Guard == generatedDocument && find.IsReference(a.file) {
		if rule, ok := a.regenerated(s); ok {
			a.record(o.by(rule).Leave(d.Reason, d.Why, ""))
			return
		}
	}
	a.record(o.Keep(d.Reason, d.Why))
}

// generatedDocument is the guard that keeps what a generator wrote.
const generatedDocument = "generated-document"

// regenerated says whether a person is to be told, once for a file, that a
// generated reference tells of what moves: until it tells of what that becomes.
func (a *Maker) regenerated(s *find.Site) (rules.Rule, bool) {
	ver := a.Ask(judge.Merge(s.Known, s.Facts))
	if ver.Outcome != rules.Moves && ver.Outcome != rules.Removed || s.Known.Version == "" || a.remade {
		return rules.Rule{}, false
	}
	if to := ver.To.Group + "/" + ver.To.Version; ver.Outcome == rules.Moves && judge.ContainsName(a.file, to) {
		return rules.Rule{}, false
	}
	a.remade = true
	return ver.Rule, true
}

// kept says whether a guard keeps a name, whatever the rules say.
func (a *Maker) kept(s *find.Site) (judge.Decision, bool) {
	why, guard := judge.Kept(s, a.Table, a.facts)
	return judge.Decision{Verdict: judge.Stay, Reason: a.facts.ReasonOf(guard), Why: why, Guard: guard}, why != ""
}

// change is the outcome of a site that becomes what the rules say. It says false
// when what the name itself tells stays.
func (a *Maker) change(s *find.Site, ver rules.Answer) (Outcome, bool) {
	d := a.draft(s)
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
func (a *Maker) changeKey(s *find.Site, key judge.Decision) {
	d := a.draft(s)
	d.Role = find.RoleKey
	d.New, d.Rule, d.Ruleset = key.Key.To+d.Old[len(key.Key.From):], "keys", a.Sets()[0].Name
	d.part(s.Doc, source.Span{Start: s.Word.Start, End: s.Word.Start + len(key.Key.From)}, key.Key.From, key.Key.To)
	a.record(d.done())
}

// besides records what moves with a site that moved.
func (a *Maker) besides(s *find.Site, ver rules.Answer) {
	switch {
	case s.Object:
		a.shapeInCode(s)
	case s.Place == find.CRDGroup:
		a.crdNames(s, ver)
	case s.Kinds:
		a.withKinds(s)
	}
	for _, p := range s.Beside {
		if p.WithGroup && ver.To.Group == s.Known.Group && (s.Place != find.CRDGroup || ver.To.Kind == s.Facts.Kind) {
			continue
		}
		switch p.Role {
		case find.RoleVersion:
			a.beside(p.Doc, p.Span, p.Role, ver.Rule, ver.To.Version)
		case find.RoleKind:
			fresh := ver.To.Kind
			if old := string(p.Span.Of(p.Doc.Data)); old == strings.ToLower(old) { // its singular
				fresh = strings.ToLower(fresh)
			}
			a.beside(p.Doc, p.Span, p.Role, ver.Rule, fresh)
		default:
			a.beside(p.Doc, p.Span, p.Role, ver.Rule, ver.To.Plural)
		}
	}
}

// beside records the rewriting of something that belongs to a site: the kind
// or version next to a group.
func (a *Maker) beside(v *text.View, span source.Span, role find.Role, rule rules.Rule, text string) {
	old := string(span.Of(v.Data))
	if old == text || text == "" {
		return
	}
	place := v.Span(span)
	if a.hasSite(place) {
		return
	}
	d := draft{Outcome: Outcome{Span: place, Role: role, Old: old, New: text}.by(rule)}
	d.part(v, span, old, text)
	a.record(d.done())
}

// hasSite says whether a site stands at a place.
func (a *Maker) hasSite(s source.Span) bool {
	if a.sited == nil || len(a.made) < a.counted {
		a.sited, a.counted = map[source.Span]bool{}, 0
	}
	for ; a.counted < len(a.made); a.counted++ {
		a.sited[a.made[a.counted].Span] = true
	}
	return a.sited[s]
}
