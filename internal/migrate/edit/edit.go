// Package edit makes edits of decisions: what is to be written where a name
// moves, and around it.
//
// The flow: Plan takes what judge decides of the names of a file, one after the
// other. What becomes of a name alone is an edit of its spelling, and for the
// places about which more is asked (a rule of permissions, a marker, an owned
// CRD, a PROJECT file, ...) makers lists who makes it: such a maker takes the
// place apart and has its parts judged. The outcomes of the file are each place
// once; Settle decides those that wait for other files. Nothing is read or
// written here, and no outcome is changed once it is made.
package edit

import (
	"iter"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// makers are what is made of the sites of places about which more is asked than
// what the rules make of a name.
var makers = map[find.Ask]func(m *maker, s *find.Site){
	find.File:       (*maker).fileRef,
	find.Permission: func(m *maker, s *find.Site) { m.permissions.permission(s) },
	find.Owned:      func(m *maker, s *find.Site) { m.owned.ownedCRD(s) },
	find.Marker:     func(m *maker, s *find.Site) { m.markers.marker(s) },
	find.Project:    func(m *maker, s *find.Site) { (&projectMaker{m.sheet}).project(s) },
	find.Half:       func(m *maker, s *find.Site) { (&projectMaker{m.sheet}).projectHalf(s) },
	find.Client:     (*maker).identifier,
	find.Typed:      (*maker).typedCall,
}

// A net looks at all that was made of a file, behind the last decision.
type net struct {
	id   string
	cast func(m *maker)
}

// nets are cast in this order.
var nets = []net{
	{"dropped", func(m *maker) { m.owned.dropInside() }},
	{"half", func(m *maker) { (&halfNet{m.sheet}).halves() }},
	{"webhook-names", func(m *maker) { m.hooks.namesLeft() }},
	{"wrong-group", (*maker).wrongGroups},
	{"rest", func(m *maker) { (&restNet{m.sheet, m.hooks}).answerRest() }},
	{"order", (*maker).order},
	{"twice-in-go", (*maker).notTwiceInGo},
	{"twice-in-code", (*maker).notTwiceInCode},
	{"beside", (*maker).notBeside},
	{"fold", func(m *maker) { (&foldNet{m.sheet}).foldCRDs() }},
}

// order sorts what was made as it stands in the file.
func (m *maker) order() {
	slices.SortStableFunc(m.made, func(x, y Outcome) int { return x.Start - y.Start })
}

// A File is the file whose edits are made, and what they are made by.
type File struct {
	Path    string // as the user names it
	Facts   *judge.Facts
	Table   *rules.Table
	Names   *find.Names
	Clients []judge.Client
	Keeps   Keeps // what the configuration of the tree acknowledges
	Shape   Shape // nil = no object changes its shape
}

// A Shape says what becomes of a document when its objects change their shape,
// and so of what was made in it so far: of the same places, in the same order,
// with others behind them, as a list of its own. It says false when none does.
type Shape func(d find.Document, made []Outcome) ([]Outcome, bool)

// Planned is what becomes of the names of one file.
type Planned struct {
	Made    []Outcome       // in the order of the file
	Unused  []Outcome       // suppressions that keep none of them
	Learned map[string]bool // group/plural of the resources that the file tells of
	Kinds   []rules.GVK     // of its objects and CRDs, by their versions

	Documents []find.Document // those of YAML in which something was found, but for the ones in strings
}

// Plan is what becomes of all sites of a file of which something is decided, and
// of the places that no format has found. No decision is held longer than it
// takes to make its outcomes.
func Plan(f File, decisions iter.Seq[judge.Decided]) Planned {
	m := newMaker(f)
	for d := range decisions {
		switch {
		case d.Site != nil:
			m.site(d.Site, d.Decision)
		case d.Ends != nil:
			m.end(*d.Ends)
		default:
			m.begun = append(m.begun, len(m.made))
		}
	}
	return m.planned()
}

// A maker makes the edits of one file.
type maker struct {
	*sheet
	clients []judge.Client
	shape   Shape
	kinds   []rules.GVK // of the objects and CRDs of this file
	begun   []int       // for each document that is being read, how many outcomes there were
	doubt   *doubt      // of the site that moves; nil = none

	near *judge.Decision // of the site that moves as long as what stands near it does; nil = none

	documents []find.Document

	hooks       *hookMaker
	permissions *permissionMaker
	markers     *markerMaker
	owned       *ownedMaker
}

// newMaker is one that knows of no decision yet.
func newMaker(f File) *maker {
	m := &maker{sheet: newSheet(f), clients: f.Clients, shape: f.Shape}
	m.hooks = &hookMaker{sheet: m.sheet}
	m.permissions = &permissionMaker{m.sheet, m.hooks, m.judged, &ruleIndex{}}
	m.markers = &markerMaker{m.sheet, m.hooks, m.judged}
	m.owned = &ownedMaker{sheet: m.sheet, judged: m.judged}
	return m
}

// planned is what was made, with what can be told only behind the last decision.
func (m *maker) planned() Planned {
	for _, n := range nets {
		n.cast(m)
	}
	return Planned{Made: m.made, Unused: m.keep.unused(), Learned: m.learned, Kinds: m.kinds, Documents: m.documents}
}

// site makes the outcomes of a site.
func (m *maker) site(s *find.Site, d judge.Decision) {
	if m.whole == nil && s.Doc.Depth == 0 && len(s.Doc.Data) == len(m.file) {
		m.whole = s.Doc
	}
	if of := makers[s.Place.Ask]; of != nil {
		of(m, s)
		return
	}
	m.follow(s, d)
	if s.Place == find.CRDGroup {
		m.servesOld(s)
	}
}

// end settles the shapes of the objects of a document.
func (m *maker) end(d find.Document) {
	last := len(m.begun) - 1
	first := m.begun[last]
	m.begun = m.begun[:last]
	if d.Doc.Depth == 0 && !d.JSON {
		m.documents = append(m.documents, d)
	}
	if m.shape == nil {
		return
	}
	if made, ok := m.shape(d, slices.Clip(m.made[first:])); ok {
		m.made = m.made[:first]
		for _, o := range made {
			m.record(o)
		}
	}
}
