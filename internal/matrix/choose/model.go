// Package choose says which versions of components go together: by what tables, releases
// and rules say, and by results of tests that were recorded.
package choose

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Model is all that is said about which versions go together: the rows of the
// tables of releases, the declared releases, the rules of two components. Each
// component's versions are cut into parts that everything said treats alike, so
// that an answer holds for every version of a part.
type Model struct {
	components []*stack.Component // the root first
	parts      [][]versions.Range // of each component, ascending; the first is empty: the component is not there
	pairs      []*pair
	root       []int // parts of the root that a row or a release is about, ascending
	tip        int   // the part of the root that is the branch that is worked on, the last one; 0 = no row is of it
	tipLabel   string
	unread     map[int][]unread // by part of the root: cells that cannot be read
	hope       *bool            // what cannot be read is taken to say what is wanted
}

// An unread cell of a component, by index, and why.
type unread struct {
	component int
	err       error
}

// An unknownError says that the answer hangs on a cell that cannot be read.
type unknownError struct{ Err error }

func (e *unknownError) Error() string { return e.Err.Error() }
func (e *unknownError) Unwrap() error { return e.Err }

// A noRowError says that no row, and no declared release, is about what is
// wanted of the root.
type noRowError struct {
	Want    Want
	Nearest []string // what rows are about, around it
}

func (e *noRowError) Error() string {
	text := fmt.Sprintf("no row and no declared release is about %s %s", e.Want.Component.Title, e.Want.Text)
	if len(e.Nearest) > 0 {
		text += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return text
}

// absentPart is the part that represents a component that is not there.
const absentPart = 0

// A pair says which parts of two components go together.
type pair struct {
	a, b   int // components; a is the root unless it is a rule
	allows func(x, y int) bool
	where  func(x, y int) []string // places that say so
	rule   string                  // a rule, for display; empty = a table or a release
}

// A saying is what a table, or a release, says of a component to one part of
// the root.
type saying struct {
	allowed versions.Range // empty = the component is not part of it
	unknown error          // of a cell that cannot be read, with its place; nil = all could be
	where   []string
}

// ModelOf makes the model of a tree's tables, releases and rules. A rule whose
// constraint is no range of versions is an error.
func ModelOf(s *stack.Stack, c *matrix.Config, tree fs.FS, releases []matrix.Release, wants []Want) (*Model, error) {
	b := &modeller{stack: s, config: c, releases: releases, cuts: map[*stack.Component][]versions.Range{}}
	var err error
	if b.tables, err = matrix.ReleaseTables(s, tree); err != nil {
		return nil, err
	}
	for _, w := range wants {
		b.cut(w.Component, w.Range)
	}
	return b.model()
}

// A modeller gathers what a Model is made of.
type modeller struct {
	stack    *stack.Stack
	config   *matrix.Config
	tables   []*stack.ReleaseTable
	releases []matrix.Release
	cuts     map[*stack.Component][]versions.Range
	rules    []ranged
}

// A ranged rule is one of kind pair or align with its constraints as ranges.
type ranged struct {
	matrix.Rule
	a, b        *stack.Component
	when, needs versions.Range
}

func (b *modeller) cut(c *stack.Component, r versions.Range) { b.cuts[c] = append(b.cuts[c], r) }

func (b *modeller) model() (*Model, error) {
	root := b.stack.RootComponent()
	for _, t := range b.tables {
		for _, row := range t.Rows {
			if row.Err != nil {
				continue
			}
			b.cut(root, row.Release.Range)
			for _, claim := range row.Claims {
				b.cut(root, claim.Releases)
				if claim.Err == nil {
					b.cut(claim.Component, claim.Cell.Range)
				}
			}
		}
	}
	for i := range b.releases {
		b.cut(root, versions.OneVersion(b.releases[i].Version))
		for _, p := range b.releases[i].Components {
			if c, ok := b.stack.Component(p.Name); ok {
				b.cut(c, p.Takes())
			}
		}
	}
	if err := b.compile(); err != nil {
		return nil, err
	}
	m := &Model{unread: map[int][]unread{}, hope: new(bool)}
	for i := range b.stack.Components {
		c := &b.stack.Components[i]
		if c == root {
			m.components = slices.Insert(m.components, 0, c)
		} else {
			m.components = append(m.components, c)
		}
	}
	for _, c := range m.components {
		m.parts = append(m.parts, append([]versions.Range{{}}, versions.Split(b.cuts[c]...)...))
	}
	for _, t := range b.tables {
		if row := t.Tip(); row != nil && m.tip == 0 {
			m.tip, m.tipLabel = len(m.parts[0]), row.Label
			m.parts[0] = append(m.parts[0], versions.Range{})
		}
	}
	for i := 1; i < len(m.components); i++ {
		b.said(m, i)
	}
	b.ruled(m)
	return m, nil
}

// compile reads the constraints of the rules as ranges, and cuts at them. What
// two components share is cut alike, so that "the same version" is a question
// about parts.
func (b *modeller) compile() error {
	for i, r := range b.config.Rules {
		if r.Kind != matrix.KindPair && r.Kind != matrix.KindAlign {
			continue
		}
		x := ranged{Rule: r, when: versions.AnyVersion(), needs: versions.AnyVersion()}
		x.a, _ = b.stack.Component(r.Component)
		x.b, _ = b.stack.Component(r.With)
		for _, side := range []struct {
			text string
			to   *versions.Range
			of   *stack.Component
		}{{r.When, &x.when, x.a}, {r.Needs, &x.needs, x.b}} {
			if side.text == "" || r.Kind == matrix.KindAlign {
				continue
			}
			var err error
			if *side.to, err = matrix.Constraint(side.text); err != nil {
				return fmt.Errorf("matrix: rule %d: %w", i+1, err)
			}
			b.cut(side.of, *side.to)
		}
		b.rules = append(b.rules, x)
	}
	for range b.rules { // a chain of aligned components shares all cuts
		for _, x := range b.rules {
			if x.Kind == matrix.KindAlign {
				both := slices.Concat(b.cuts[x.a], b.cuts[x.b])
				if len(b.cuts[x.a]) == len(both) && len(b.cuts[x.b]) == len(both) {
					continue
				}
				b.cuts[x.a], b.cuts[x.b] = unique(both), unique(both)
			}
		}
	}
	return nil
}

func unique(ranges []versions.Range) []versions.Range {
	seen := map[string]bool{}
	return slices.DeleteFunc(ranges, func(r versions.Range) bool {
		text := r.String()
		defer func() { seen[text] = true }()
		return seen[text]
	})
}

// said adds what tables and releases say of a component, and notes the parts of
// the root that they are about.
func (b *modeller) said(m *Model, i int) {
	c := m.components[i]
	var says []map[int]saying
	for _, t := range b.tables {
		if !slices.ContainsFunc(t.Table.Columns, func(x stack.Column) bool { k, _ := b.stack.Component(x.Component); return k == c }) {
			continue
		}
		of := map[int]saying{}
		for x := 1; x < len(m.parts[0]); x++ {
			if x == m.tip && t.Tip() == nil {
				continue
			}
			if claims, ok := t.Of(m.parts[0][x].Member()); ok {
				of[x] = sayingOf(claims, c)
				m.about(x)
				if err := of[x].unknown; err != nil {
					m.unread[x] = append(m.unread[x], unread{i, err})
				}
			}
		}
		says = append(says, of)
	}
	if slices.ContainsFunc(b.releases, func(r matrix.Release) bool { _, ok := r.Pin(c.Name); return ok }) {
		of, named := map[int]saying{}, map[string]*matrix.Release{}
		for k := range slices.Backward(b.releases) {
			named[b.releases[k].Version] = &b.releases[k]
		}
		for x := 1; x < len(m.parts[0]); x++ {
			if r, ok := named[m.parts[0][x].Exact()]; ok && r.Version != "" {
				pin, _ := r.Pin(c.Name)
				of[x] = saying{allowed: pin.Takes(), where: []string{"release " + r.Version}}
				m.about(x)
			}
		}
		says = append(says, of)
	}
	if len(says) > 0 {
		m.pairs = append(m.pairs, &pair{
			a: 0, b: i,
			allows: func(x, y int) bool { return allowedBy(says, x, m.parts[i][y], y == absentPart, *m.hope) },
			where: func(x, _ int) (places []string) {
				for _, of := range says {
					places = append(places, of[x].where...)
				}
				return places
			},
		})
	}
}

// allowedBy says whether all that speak of a part of the root take the versions.
// Where none speaks of it, or one says that there is none, the component is
// absent. With hope, a cell that cannot be read takes all.
func allowedBy(says []map[int]saying, x int, versions versions.Range, absent, hope bool) bool {
	spoken := false
	for _, of := range says {
		s, ok := of[x]
		if !ok {
			continue
		}
		spoken = true
		if s.unknown != nil && hope {
			continue
		}
		if s.allowed.Empty() != absent || !absent && !versions.Within(s.allowed) {
			return false
		}
	}
	return spoken || absent
}

// about notes that something is said of a part of the root.
func (m *Model) about(x int) {
	if i, ok := slices.BinarySearch(m.root, x); !ok {
		m.root = slices.Insert(m.root, i, x)
	}
}

// sayingOf is what the cells of a release say of a component.
func sayingOf(claims []*stack.Claim, c *stack.Component) saying {
	var s saying
	for _, a := range stack.JoinClaims(claims) {
		if a.Component != c {
			continue
		}
		if k := a.Claims[0]; k.Err != nil {
			s.unknown = fmt.Errorf("%s:%d:%d: the answer is not known: %s: %w", k.Path, k.Pos.Line, k.Pos.Column, c.Title, k.Err)
		}
		s.allowed = s.allowed.Union(a.Range)
		for _, k := range a.Claims {
			at := fmt.Sprintf("%s:%d", k.Path, k.Pos.Line)
			if k.Err != nil {
				at += " cannot be read"
			}
			if !slices.Contains(s.where, at) {
				s.where = append(s.where, at)
			}
		}
	}
	return s
}

// ruled adds the rules of two components. A component that is not there breaks
// none.
func (b *modeller) ruled(m *Model) {
	for _, r := range b.rules {
		i, j := slices.Index(m.components, r.a), slices.Index(m.components, r.b)
		if i < 0 || j < 0 || i == j {
			continue
		}
		p := &pair{a: i, b: j, where: func(int, int) []string { return nil }}
		outside := func(x, y int) bool { // one is not there, or is the branch
			return x == absentPart || y == absentPart || m.tip > 0 && (i == 0 && x == m.tip || j == 0 && y == m.tip)
		}
		switch r.Kind {
		case matrix.KindAlign:
			p.rule = fmt.Sprintf("%s and %s share a version%s", r.a.Title, r.b.Title, matrix.Because(r.Reason))
			p.allows = func(x, y int) bool {
				return outside(x, y) || !m.parts[i][x].Intersect(m.parts[j][y]).Empty()
			}
		default:
			p.rule = fmt.Sprintf("%s %s needs %s %s%s", r.a.Title, r.when, r.b.Title, r.Needs, matrix.Because(r.Reason))
			p.allows = func(x, y int) bool {
				return outside(x, y) || !m.parts[i][x].Within(r.when) || m.parts[j][y].Within(r.needs)
			}
		}
		m.pairs = append(m.pairs, p)
	}
}
