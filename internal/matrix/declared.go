package matrix

import (
	"runtime"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// A fault is something wrong in a declared release. Names of faults are those
// of the lint rules.
type fault struct {
	Rule    string
	Release int    // index in Config.Releases
	Pin     int    // index in its Components; -1 = the release as a whole
	Other   string // what it does not go with: the version before, another component's version
	By      int    // index in Config.Rules; -1 = none
}

// A cell is a version as a number, so that a large matrix is compared fast:
// bits 62 present, 41..60 major, 21..40 minor, 1..20 patch, 0 set for a release
// and clear for a pre-release. Two versions whose cells differ compare as their
// cells do. Special values represent what has no such number.
type cell uint64

const (
	absent    cell = 0
	malformed cell = 1 << 63
	wide      cell = 1<<63 | 1 // a version with a number of more than 20 bits: compared as text
	present   cell = 1 << 62
	bits20         = 1<<20 - 1
)

// number turns a version into its cell.
func number(v string) cell {
	if len(v) < 6 || v[0] != 'v' {
		return malformed
	}
	key, at := present, 1
	for shift := 41; shift >= 1; shift -= 20 {
		n, from := cell(0), at
		for at < len(v) && v[at]-'0' <= 9 {
			n = n*10 + cell(v[at]-'0')
			at++
		}
		if at == from || at > from+1 && v[from] == '0' {
			return malformed
		}
		if at-from > 6 || n > bits20 {
			return slow(v)
		}
		key |= n << shift
		if shift > 1 {
			if at == len(v) || v[at] != '.' {
				return malformed
			}
			at++
		}
	}
	switch {
	case at == len(v):
		return key | 1
	case !stack.IsVersion(v):
		return malformed
	case v[at] == '+':
		return key | 1
	}
	return key
}

func slow(v string) cell {
	if stack.IsVersion(v) {
		return wide
	}
	return malformed
}

// less says whether version a has lower precedence than b; their texts are
// asked for only when the numbers do not say it all.
func less(a cell, ta func() string, b cell, tb func() string) bool {
	if a != wide && b != wide && (a != b || a&1 == 1) {
		return a < b
	}
	return semver.Compare(ta(), tb()) < 0
}

// A grid is the declared releases by row and column.
type grid struct {
	columns map[string]int // of a component, by name
	names   []string
	refs    []bool // its versions may be branches and commits
	width   int
	cells   []cell  // row by row
	pins    []int32 // of each cell: index of the pin, -1 = none

	mu     sync.Mutex
	tested [][2]int // releases and pins that have a range
}

// newGrid reads every pin, rows in parallel.
func newGrid(s *stack.Stack, c *Config, faults *faultList) *grid {
	g := &grid{columns: map[string]int{}, width: len(s.Components)}
	for i := range s.Components {
		g.columns[s.Components[i].Name] = i
		g.names = append(g.names, s.Components[i].Name)
		g.refs = append(g.refs, s.Components[i].Refs)
	}
	g.cells = make([]cell, g.width*len(c.Releases))
	g.pins = make([]int32, len(g.cells))
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	chunk := (len(c.Releases) + workers - 1) / workers
	for from := 0; from < len(c.Releases); from += chunk {
		all.Go(func() { g.fill(c.Releases, from, min(from+chunk, len(c.Releases)), faults) })
	}
	all.Wait()
	return g
}

// fill reads the pins of some rows. A version that is in the row before,
// too, is not read again.
func (g *grid) fill(releases []Release, from, to int, faults *faultList) {
	texts, known := make([]string, g.width), make([]cell, g.width)
	var tested [][2]int
	defer func() {
		g.mu.Lock()
		g.tested = append(g.tested, tested...)
		g.mu.Unlock()
	}()
	for row := from; row < to; row++ {
		base := row * g.width
		for i := range g.width {
			g.pins[base+i] = -1
		}
		for i := range releases[row].Components {
			p := &releases[row].Components[i]
			col := i
			if col >= g.width || g.names[col] != p.Name {
				var ok bool
				if col, ok = g.columns[p.Name]; !ok {
					faults.add(fault{Rule: "unknown-component", Release: row, Pin: i, By: -1})
					continue
				}
			}
			if g.pins[base+col] >= 0 {
				faults.add(fault{Rule: "duplicate-component", Release: row, Pin: i, By: -1})
				continue
			}
			if p.Version == "" && p.Range != "" {
				g.pins[base+col] = int32(i)
				continue // see linter.ranges
			}
			if p.Tested != "" {
				tested = append(tested, [2]int{row, i})
			}
			if texts[col] != p.Version {
				texts[col], known[col] = p.Version, number(p.Version)
			}
			if g.refs[col] && known[col]&malformed != 0 {
				g.pins[base+col] = int32(i)
				continue // a branch, a commit
			}
			if known[col] == malformed || known[col] == absent {
				known[col] = malformed
				faults.add(fault{Rule: "version-not-semver", Release: row, Pin: i, By: -1})
			}
			g.cells[base+col], g.pins[base+col] = known[col], int32(i)
		}
	}
}

// A faultList gathers faults from several goroutines.
type faultList struct {
	mu   sync.Mutex
	list []fault
}

func (f *faultList) add(x fault) {
	f.mu.Lock()
	f.list = append(f.list, x)
	f.mu.Unlock()
}

// faults checks every declared release against itself, the one before and the
// rules: malformed versions, unknown and repeated components, releases out of
// order, components that go back, pairs, skew and alignment, and versions
// outside of their own tested range. The order of the answer is not fixed.
func faults(s *stack.Stack, c *Config) []fault {
	var faults faultList
	g := newGrid(s, c, &faults)
	g.monotonic(c.Releases, &faults)
	order(c.Releases, &faults)
	g.testedRanges(c.Releases, &faults)
	var all sync.WaitGroup
	for i, r := range c.Rules {
		all.Go(func() { g.rule(s, c, i, r, &faults) })
	}
	all.Wait()
	return faults.list
}

// monotonic finds components of lower precedence than in the nearest release
// before that has them with a semantic version.
func (g *grid) monotonic(releases []Release, faults *faultList) {
	last, lastRow := make([]cell, g.width), make([]int, g.width)
	for row := range releases {
		cells := g.cells[row*g.width : (row+1)*g.width]
		for col, x := range cells {
			if x == absent || x == malformed {
				continue
			}
			before := last[col]
			if x == before && x != wide && x&1 == 1 {
				continue
			}
			if before != absent && less(x, func() string { return g.text(releases, row, col) }, before, func() string { return g.text(releases, lastRow[col], col) }) {
				faults.add(fault{Rule: "downgrade", Release: row, Pin: int(g.pins[row*g.width+col]), Other: g.text(releases, lastRow[col], col), By: -1})
			}
			last[col], lastRow[col] = x, row
		}
	}
}

// order finds releases that do not come after the one before them.
func order(releases []Release, faults *faultList) {
	before := ""
	for i := range releases {
		v := releases[i].Version
		if !stack.IsVersion(v) {
			faults.add(fault{Rule: "version-not-semver", Release: i, Pin: -1, By: -1})
			continue
		}
		if before != "" && semver.Compare(v, before) <= 0 {
			faults.add(fault{Rule: "release-order", Release: i, Pin: -1, Other: before, By: -1})
		}
		before = v
	}
}

// testedRanges finds versions outside of the range that they were tested in.
func (g *grid) testedRanges(releases []Release, faults *faultList) {
	type tested struct {
		stack.Range
		err error
	}
	compiled := map[string]tested{}
	for _, at := range g.tested {
		p := &releases[at[0]].Components[at[1]]
		c, ok := compiled[p.Tested]
		if !ok {
			c.Range, c.err = constraint(p.Tested)
			compiled[p.Tested] = c
		}
		if c.err != nil {
			faults.add(fault{Rule: "constraint-malformed", Release: at[0], Pin: at[1], Other: p.Tested, By: -1})
		} else if stack.IsVersion(p.Version) && !c.Has(p.Version) {
			faults.add(fault{Rule: "tested", Release: at[0], Pin: at[1], Other: p.Tested, By: -1})
		}
	}
}

// A compiledRange is a range, compiled for many versions: releases are evaluated by their
// number, anything else by its text.
type compiledRange struct {
	stack.Range
	all    bool      // every version fits
	bounds [][2]cell // from <= release < until; an until of 0 is no bound
}

// newCompiledRange compiles a constraint. What bounds a range among releases are the
// numbers of its bounds: a pre-release lies between two releases.
func newCompiledRange(text string) (*compiledRange, error) {
	r, err := constraint(text)
	j := &compiledRange{Range: r, all: text == ""}
	for _, b := range r.Bounds() {
		pair := [2]cell{number(stripped(b[0]))}
		if b[1] != "" {
			pair[1] = number(stripped(b[1]))
		}
		if (pair[0]|pair[1])&malformed != 0 {
			j.bounds = nil // a number beyond those of a cell: each is evaluated by its text
			break
		}
		j.bounds = append(j.bounds, pair)
	}
	return j, err
}

// accepts says whether the constraint takes a version; text is asked for only
// when the number does not say it all.
func (j *compiledRange) accepts(x cell, text func() string) bool {
	switch {
	case j.all:
		return true
	case x&malformed != 0 || x&1 == 0 || j.bounds == nil:
		return j.Has(text())
	}
	for _, b := range j.bounds {
		if x >= b[0] && (b[1] == 0 || x < b[1]) {
			return true
		}
	}
	return false
}

// rule applies one rule to every release that has both of its components.
func (g *grid) rule(s *stack.Stack, c *Config, index int, r Rule, faults *faultList) {
	a, _ := s.Component(r.Component)
	b, _ := s.Component(r.With)
	if a == nil || b == nil {
		return // module and lag rules, and skew of a build, are about trees
	}
	when, err := newCompiledRange(r.When)
	if err != nil {
		return // Complete has said so
	}
	needs, err := newCompiledRange(r.Needs)
	if err != nil {
		return
	}
	ca, cb := g.columns[a.Name], g.columns[b.Name]
	for row := range c.Releases {
		x, y := g.cells[row*g.width+ca], g.cells[row*g.width+cb]
		if x == absent || y == absent || x == malformed || y == malformed {
			continue
		}
		va := func() string { return g.text(c.Releases, row, ca) }
		vb := func() string { return g.text(c.Releases, row, cb) }
		name := ""
		switch r.Kind {
		case kindPair:
			if when.accepts(x, va) && !needs.accepts(y, vb) {
				name = "pairwise"
			}
		case kindAlign:
			if x != y || va() != vb() {
				name = "alignment"
			}
		case kindSkew:
			if d, ok := distanceOf(x, va, y, vb); ok && d > r.Minors {
				name = "skew"
			}
		}
		if name != "" {
			faults.add(fault{Rule: name, Release: row, Pin: int(g.pins[row*g.width+cb]), Other: va(), By: index})
		}
	}
}

// text is a version as it is written.
func (g *grid) text(releases []Release, row, col int) string {
	return releases[row].Components[g.pins[row*g.width+col]].Version
}

// distanceOf is apart, from the numbers where there are any.
func distanceOf(x cell, a func() string, y cell, b func() string) (int, bool) {
	if (x|y)&malformed != 0 {
		return apart(a(), b())
	}
	if x>>41 != y>>41 {
		return 1000, true
	}
	m, n := int(x>>21&bits20), int(y>>21&bits20)
	return max(m-n, n-m), true
}
