package matrix

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Model is all that is said about which versions go together: the rows of the
// tables of releases, the declared releases, the rules of two components. Each
// component's versions are cut into parts that everything said treats alike, so
// that an answer holds for every version of a part.
type Model struct {
	components []*stack.Component // the root first
	parts      [][]stack.Range    // of each component, ascending; the first is empty: the component is not there
	pairs      []*pair
	root       []int // parts of the root that a row or a release is about, ascending
}

// absentPart is the part that stands for a component that is not there.
const absentPart = 0

// A pair says which parts of two components go together.
type pair struct {
	a, b   int // components; a is the root unless it is a rule
	allows func(x, y int) bool
	where  func(x, y int) []string // places that say so
	rule   string                  // a rule, for people; empty = a table or a release
}

// A saying is what a table, or a release, says of a component to one part of
// the root.
type saying struct {
	allowed stack.Range // empty = the component is not part of it
	where   []string
}

// ModelOf makes the model of a tree's tables, releases and rules. A rule whose
// constraint is no range of versions is an error.
func ModelOf(s *stack.Stack, c *Config, tree fs.FS, releases []Release, wants []Want) (*Model, error) {
	b := &modeller{stack: s, config: c, releases: releases, cuts: map[*stack.Component][]stack.Range{}}
	for _, t := range s.TablesOf(stack.RowsReleases) {
		data, err := read(tree, t.Path)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		if r, err := t.Read(s, data); err == nil {
			b.tables = append(b.tables, r)
		}
	}
	for _, w := range wants {
		b.cut(w.Component, w.Range)
	}
	return b.model()
}

// A modeller gathers what a Model is made of.
type modeller struct {
	stack    *stack.Stack
	config   *Config
	tables   []*stack.ReleaseTable
	releases []Release
	cuts     map[*stack.Component][]stack.Range
	rules    []ranged
}

// A ranged rule is one of kind pair or align with its constraints as ranges.
type ranged struct {
	Rule
	a, b        *stack.Component
	when, needs stack.Range
}

func (b *modeller) cut(c *stack.Component, r stack.Range) { b.cuts[c] = append(b.cuts[c], r) }

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
		b.cut(root, stack.OneVersion(b.releases[i].Version))
		for _, p := range b.releases[i].Components {
			if c, ok := b.stack.Component(p.Name); ok {
				b.cut(c, p.takes())
			}
		}
	}
	if err := b.compile(); err != nil {
		return nil, err
	}
	m := &Model{}
	for i := range b.stack.Components {
		c := &b.stack.Components[i]
		if c == root {
			m.components = slices.Insert(m.components, 0, c)
		} else {
			m.components = append(m.components, c)
		}
	}
	for _, c := range m.components {
		m.parts = append(m.parts, append([]stack.Range{{}}, stack.Split(b.cuts[c]...)...))
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
		if r.Kind != kindPair && r.Kind != kindAlign {
			continue
		}
		x := ranged{Rule: r, when: stack.AnyVersion(), needs: stack.AnyVersion()}
		x.a, _ = b.stack.Component(r.Component)
		x.b, _ = b.stack.Component(r.With)
		for _, side := range []struct {
			text string
			to   *stack.Range
			of   *stack.Component
		}{{r.When, &x.when, x.a}, {r.Needs, &x.needs, x.b}} {
			if side.text == "" || r.Kind == kindAlign {
				continue
			}
			var err error
			if *side.to, err = stack.ParseRange(side.text); err != nil {
				return fmt.Errorf("matrix: rule %d: %w", i+1, err)
			}
			b.cut(side.of, *side.to)
		}
		b.rules = append(b.rules, x)
	}
	for range b.rules { // a chain of aligned components shares all cuts
		for _, x := range b.rules {
			if x.Kind == kindAlign {
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

func unique(ranges []stack.Range) []stack.Range {
	seen := map[string]bool{}
	return slices.DeleteFunc(ranges, func(r stack.Range) bool {
		text := r.String()
		defer func() { seen[text] = true }()
		return seen[text]
	})
}

// takes are the versions of a pin: the range, else the version and what the
// release was tested with.
func (p *Pin) takes() stack.Range {
	r, _ := stack.ParseRange(p.Range)
	if p.Tested != "" {
		tested, _ := stack.ParseRange(p.Tested)
		r = r.Union(tested)
	}
	return r.Union(stack.OneVersion(p.Version))
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
			if claims, ok := t.Of(m.parts[0][x].Member()); ok {
				of[x] = sayingOf(claims, c)
				m.about(x)
			}
		}
		says = append(says, of)
	}
	if len(b.releases) > 0 {
		of := map[int]saying{}
		for x := 1; x < len(m.parts[0]); x++ {
			if r, ok := releaseOf(b.releases, m.parts[0][x].Exact()); ok {
				pin, _ := r.Pin(c.Name)
				of[x] = saying{pin.takes(), []string{"release " + r.Version}}
				m.about(x)
			}
		}
		says = append(says, of)
	}
	if len(says) > 0 {
		m.pairs = append(m.pairs, &pair{
			a: 0, b: i,
			allows: func(x, y int) bool { return allowedBy(says, x, m.parts[i][y], y == absentPart) },
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
// absent.
func allowedBy(says []map[int]saying, x int, versions stack.Range, absent bool) bool {
	spoken := false
	for _, of := range says {
		s, ok := of[x]
		if !ok {
			continue
		}
		spoken = true
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

func releaseOf(releases []Release, version string) (*Release, bool) {
	for i := range releases {
		if version != "" && releases[i].Version == version {
			return &releases[i], true
		}
	}
	return nil, false
}

// sayingOf is what the cells of a release say of a component.
func sayingOf(claims []*stack.Claim, c *stack.Component) saying {
	var s saying
	for _, a := range stack.JoinClaims(claims) {
		if a.Component != c || a.Claims[0].Err != nil {
			continue
		}
		s.allowed = s.allowed.Union(a.Range)
		for _, k := range a.Claims {
			at := fmt.Sprintf("%s:%d", k.Path, k.Pos.Line)
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
		switch r.Kind {
		case kindAlign:
			p.rule = fmt.Sprintf("%s and %s share a version%s", r.a.Title, r.b.Title, because(r.Reason))
			p.allows = func(x, y int) bool {
				return x == absentPart || y == absentPart || !m.parts[i][x].Intersect(m.parts[j][y]).Empty()
			}
		default:
			p.rule = fmt.Sprintf("%s %s needs %s %s%s", r.a.Title, r.when, r.b.Title, r.Needs, because(r.Reason))
			p.allows = func(x, y int) bool {
				return x == absentPart || y == absentPart || !m.parts[i][x].Within(r.when) || m.parts[j][y].Within(r.needs)
			}
		}
		m.pairs = append(m.pairs, p)
	}
}
