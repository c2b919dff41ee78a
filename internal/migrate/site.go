package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Role says what a site is.
type Role = find.Role

// An Action is what becomes of a site.
type Action string

// The actions.
const (
	Change Action = "change" // rewritten
	Stay   Action = "keep"   // looks like one of the groups, and is not or must not move
	Person Action = "person" // a person must decide or do something
)

// A Site is one place where a name of the rules stands, with what becomes of
// it. Every occurrence is in exactly one site.
type Site struct {
	source.Span                 // in the file as it was read
	Pos         source.Position `json:"-"`
	Role        Role            `json:"role"`
	Action      Action          `json:"action"`
	Ruleset     string          `json:"ruleset,omitempty"`
	Rule        string          `json:"rule,omitempty"` // id; empty when no rule had a say
	Old         string          `json:"old"`            // the spelling that stands there
	New         string          `json:"new,omitempty"`  // the one it becomes
	Why         string          `json:"why,omitempty"`  // reason of keep and person
	Hint        string          `json:"hint,omitempty"` // the command to run, for a person
	Severe      bool            `json:"-"`              // an error in the tree, not only something left to do
	edits       []source.Edit
	fixes       []report.Fix // only when asked for by Options.Fixes
	client      *clientName  // a Go identifier that moves only with its generated client
	drop, also  source.Edit  // for a file in a list: the edit that takes it out, and the one that adds its twin
	guard       string       // id of the guard that keeps it, "" for any other reason
	unruled     bool         // it stays because no rule knows its version or kind
	claim       string       // kind of the claim that does not hold; empty = none
	structural  bool         // its edits change more than scalars
	twin        bool         // the new file is in the list already
	refers      source.Edit  // writes another base name of that file
	file        string       // base name of a CRD file that moves only with the file
	granted     string       // group of a permission that goes because the new one is granted beside it
	group       string       // of the name
	anchor      bool         // a link to an anchor of a reference
	typed       string       // group of the typed client that it calls
	resource    string       // group/plural that moves only when the tree has such a resource
}

// An analysis is what becomes of one file: it takes the sites that are found,
// has each decided, and makes the edits.
type analysis struct {
	*rules.Table
	names   *find.Names
	facts   *judge.Facts
	clients []clientName
	path    string // as the user names it
	format  find.Format
	file    []byte
	opts    *Options
	chosen  func(data []byte) []source.Span
	apart   func(name string, text []byte) *File // reads a document as a file of its own
	learned map[string]bool                      // group/plural of the resources that this file tells of
	sites   []Site
	begun   []int                // for each document that is being read, how many sites there were
	sited   map[source.Span]bool // the places of the first sites, as many as were counted
	counted int
	unused  []Site        // suppressions that kept nothing
	dropped []source.Span // what goes as a whole, with every site in it
	remade  bool          // a person was told to generate the file again
	skip    *source.Error // not nil: the file cannot be read as what its name says
}

// makers are what is made of the sites of places about which more is asked than
// what the rules make of a name.
var makers = map[find.Ask]func(a *analysis, s *find.Site){
	find.File:       (*analysis).fileRef,
	find.Permission: (*analysis).rbacRule,
	find.Owned:      (*analysis).ownedCRD,
	find.Marker:     (*analysis).marker,
	find.Project:    (*analysis).project,
	find.Half:       (*analysis).projectHalf,
	find.Client:     (*analysis).identifier,
	find.Typed:      (*analysis).typedCall,
}

// Site takes a site that was found.
func (a *analysis) Site(s find.Site) {
	if maker := makers[s.Place.Ask]; maker != nil {
		maker(a, &s)
		return
	}
	a.decided(&s)
	if s.Place == find.CRDGroup {
		a.servesOld(&s)
	}
}

// servesOld tells a person of a CRD that serves a version which becomes another
// one in its group, and not that: its schema is made of Go types.
func (a *analysis) servesOld(s *find.Site) {
	if _, kept := a.kept(s); kept || a.opts.Dual {
		return
	}
	for _, version := range s.Served {
		ver := a.Ask(rules.GVK{Group: s.Known.Group, Version: version, Kind: s.Defines.Kind})
		if ver.Outcome != rules.Moves || ver.To.Group != s.Known.Group || ver.To.Kind != s.Defines.Kind || ver.To.Version == version || slices.Contains(s.Served, ver.To.Version) {
			continue
		}
		at := s.Doc.Span(s.Word).Start
		a.sites = append(a.sites, Site{Span: source.Span{Start: at, End: at}, Role: find.RoleVersion, Action: Person, Rule: ver.Rule.ID, Ruleset: ver.Rule.Set,
			Old: s.Known.Group, Why: "the CRD of " + s.Defines.Kind + " serves " + version + ", which becomes " + ver.To.Version + ", and does not serve that",
			Hint: "add " + ver.To.Version + " to its versions, by the generator of the CRD where there is one"})
		return
	}
}

// Begin notes where the sites of a document begin.
func (a *analysis) Begin() { a.begun = append(a.begun, len(a.sites)) }

// End settles the shapes of the objects of a document.
func (a *analysis) End(d find.Document) {
	last := len(a.begun) - 1
	first := a.begun[last]
	a.begun = a.begun[:last]
	a.shapes(d, first)
}

// decided decides a site and records it.
func (a *analysis) decided(s *find.Site) {
	d := judge.Decide(s, a.Table, a.facts)
	a.learnFrom(s, d)
	if s.Place.Bare && d.Verdict != judge.MoveKey {
		s.Word.End = s.Group.End
	}
	switch d.Verdict {
	case judge.Stay:
		a.keep(s, d)
	case judge.Person:
		a.person(s, d)
	case judge.MoveKey:
		a.changeKey(s, d)
	case judge.Wait:
		if x := a.change(s, d.Answer); x != nil {
			x.Action, x.Why, x.resource = Stay, d.Why, s.Known.Group+"/"+s.Facts.Plural
		}
	case judge.Move:
		a.change(s, d.Answer)
		a.besides(s, d.Answer)
	}
}

// add records a site, without an edit.
func (a *analysis) add(s *find.Site, action Action, why string) *Site {
	a.sites = append(a.sites, Site{Span: s.Doc.Span(s.Word), Role: s.Place.Role, Action: action, Old: string(s.Word.Of(s.Doc.Data)), Why: why, group: s.Known.Group, anchor: s.Place == find.Anchored})
	return &a.sites[len(a.sites)-1]
}

// person records a site that a person must decide.
func (a *analysis) person(s *find.Site, d judge.Decision) {
	x := a.add(s, Person, d.Why)
	x.guard = d.Guard
	x.Rule, x.Ruleset, x.Severe, x.Hint = d.Answer.Rule.ID, d.Answer.Rule.Set, d.Severe, d.Hint
	if s.Place == find.Imported {
		x.Hint = a.importHint(s, d.Answer)
	}
}

// keep records a site that stays. A name without a dot that nothing marks as a
// group is an ordinary word and no site at all.
func (a *analysis) keep(s *find.Site, d judge.Decision) {
	if !strings.Contains(s.Known.Group, ".") && s.IsWord() {
		return
	}
	x := a.add(s, Stay, d.Why)
	x.guard, x.unruled = d.Guard, d.Unruled
	if d.Guard == generatedDocument && find.IsReference(a.file) {
		a.regenerate(s, x)
	}
}

// generatedDocument is the guard that keeps what a generator wrote.
const generatedDocument = "generated-document"

// regenerate tells a person, once for a file, that a generated reference tells
// of what moves: until it tells of what that becomes.
func (a *analysis) regenerate(s *find.Site, x *Site) {
	ver := a.Ask(judge.Merge(s.Known, s.Facts))
	if ver.Outcome != rules.Moves && ver.Outcome != rules.Removed || s.Known.Version == "" || a.remade {
		return
	}
	if to := ver.To.Group + "/" + ver.To.Version; ver.Outcome == rules.Moves && judge.ContainsName(a.file, to) {
		return
	}
	a.remade = true
	x.Action, x.Rule, x.Ruleset = Person, ver.Rule.ID, ver.Rule.Set
}

// kept says whether a guard keeps a name, whatever the rules say.
func (a *analysis) kept(s *find.Site) (judge.Decision, bool) {
	why, guard := judge.Kept(s, a.Table, a.facts)
	return judge.Decision{Verdict: judge.Stay, Why: why, Guard: guard}, why != ""
}

// change records a rewritten site.
func (a *analysis) change(s *find.Site, ver rules.Answer) *Site {
	old := string(s.Word.Of(s.Doc.Data))
	spelled := s.Spell(s.Doc.Data, ver.To)
	if spelled == old {
		return nil // what the token itself tells stays
	}
	x := a.add(s, Change, "")
	x.Rule, x.Ruleset, x.New = ver.Rule.ID, ver.Rule.Set, spelled
	a.part(x, s.Doc, s.Group, s.Known.Group, ver.To.Group)
	if s.Ver.Len() > 0 && ver.To.Version != "" {
		a.part(x, s.Doc, s.Ver, s.Known.Version, ver.To.Version)
	}
	if name := s.KindTo(s.Doc.Data, ver.To); s.Kind.Len() > 0 && name != "" {
		a.part(x, s.Doc, s.Kind, string(s.Kind.Of(s.Doc.Data)), name)
	}
	return x
}

// changeKey records a key that a rule for keys moves.
func (a *analysis) changeKey(s *find.Site, d judge.Decision) {
	x := a.add(s, Change, "")
	x.Role = find.RoleKey
	x.New, x.Rule, x.Ruleset = d.Key.To+x.Old[len(d.Key.From):], "keys", a.Sets()[0].Name
	a.part(x, s.Doc, source.Span{Start: s.Word.Start, End: s.Word.Start + len(d.Key.From)}, d.Key.From, d.Key.To)
}

// besides records what moves with a site that moved.
func (a *analysis) besides(s *find.Site, ver rules.Answer) {
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
			a.beside(p.Doc, p.Span, p.Role, ver.Rule, ver.To.Kind)
		default:
			a.beside(p.Doc, p.Span, p.Role, ver.Rule, ver.To.Plural)
		}
	}
}

// part adds the edit that makes text of a span of the view, which holds old.
// Where that cannot be done, the site is for a person.
func (a *analysis) part(s *Site, v *text.View, span source.Span, old, text string) {
	if old == text {
		return
	}
	e, err := v.Edit(span, old, text)
	if err != nil {
		s.Action, s.New, s.edits = Person, "", nil
		s.Why, s.Hint = "becomes "+strings.Join(strings.Fields(text), " ")+", which cfctl cannot write in this string", "write it by hand"
		return
	}
	s.edits = append(s.edits, e)
}

// beside records the rewriting of something that belongs to a site: the kind
// or version next to a group.
func (a *analysis) beside(v *text.View, span source.Span, role Role, rule rules.Rule, text string) {
	old := string(span.Of(v.Data))
	if old == text || text == "" {
		return
	}
	f := v.Span(span)
	if a.hasSite(f) {
		return
	}
	s := Site{Span: f, Role: role, Action: Change, Rule: rule.ID, Ruleset: rule.Set, Old: old, New: text}
	a.part(&s, v, span, old, text)
	a.sites = append(a.sites, s)
}

// hasSite says whether a site stands at a place.
func (a *analysis) hasSite(s source.Span) bool {
	if a.sited == nil || len(a.sites) < a.counted {
		a.sited, a.counted = map[source.Span]bool{}, 0
	}
	for ; a.counted < len(a.sites); a.counted++ {
		a.sited[a.sites[a.counted].Span] = true
	}
	return a.sited[s]
}
