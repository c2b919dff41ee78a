package choose

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Link is one step of an explanation: these versions of a component leave
// those of the next.
type Link struct {
	From, To    *stack.Component
	Has, Leaves versions.Range // Leaves is empty where nothing is left
	HasTip      string         // the branch that is worked on is among what From has; empty = it is not
	LeavesTip   string         // and among what To is left
	Only        versions.Range // where nothing is left: what From has wherever To is
	Where       []string       // places that say so: "README.md:12", "release v1.2.0"
	Rule        string         // a rule that says so; empty = a table or a release
}

// An Explanation says why two wants do not go together.
type Explanation struct {
	Chain    []Link // the shortest; empty = no chain says it, but all of Together do
	Together []Link
}

// Why explains why no set has both wants: by the shortest chain of pairs from
// the one to the other, or to where nothing is left; where there is none, by a
// smallest part of the pairs that leaves no set. Nil says that they go
// together.
func (m *Model) Why(a, b Want) (*Explanation, error) {
	_, ok, err := m.Newest([]Want{a, b})
	if ok || err != nil {
		return nil, err
	}
	*m.hope = true // no chain leads over what cannot be read
	defer func() { *m.hope = false }()
	domains := m.domains([]Want{a, b})
	w := &walker{m: m, domains: domains, from: slices.Index(m.components, a.Component)}
	for length := 1; length < len(m.components); length++ {
		if chain := w.walk(w.from, domains[w.from], []int{w.from}, length); chain != nil {
			return &Explanation{Chain: chain}, nil
		}
	}
	return m.together([]Want{a, b})
}

// A walker looks for a chain that ends with nothing.
type walker struct {
	m       *Model
	domains [][]int
	from    int
	steps   int
}

// walk goes on from a component whose parts are left, over a path, by exactly so
// many links.
func (w *walker) walk(at int, left, path []int, length int) []Link {
	if length == 0 || len(left) == 0 {
		return nil
	}
	for _, p := range w.m.pairs {
		if w.steps++; w.steps > maxSteps {
			return nil
		}
		next := p.b
		if p.b == at {
			next = p.a
		} else if p.a != at {
			continue
		}
		if slices.Contains(path, next) {
			continue
		}
		leaves := w.step(p, at, next, left)
		link := w.m.link(p, at, next, left)
		if len(leaves) == 0 {
			if length == 1 {
				return []Link{link}
			}
			continue
		}
		if chain := w.walk(next, leaves, append(slices.Clip(path), next), length-1); chain != nil {
			return append([]Link{link}, chain...)
		}
	}
	return nil
}

// step are the parts of next that some part left of at goes with.
func (w *walker) step(p *pair, at, next int, left []int) []int {
	return lists.Where(w.domains[next], func(y int) bool { return slices.ContainsFunc(left, func(x int) bool { return p.goes(at, x, y) }) })
}

// goes is allows, from either side.
func (p *pair) goes(at, x, y int) bool {
	if p.a == at {
		return p.allows(x, y)
	}
	return p.allows(y, x)
}

// link puts a step into a Link. What the next component may have, whatever is
// wanted of it, is what people are told.
func (m *Model) link(p *pair, at, next int, left []int) Link {
	l := Link{From: m.components[at], To: m.components[next], Rule: p.rule}
	for _, x := range left {
		l.Has = l.Has.Union(m.parts[at][x])
		if at == 0 && m.tip > 0 && x == m.tip {
			l.HasTip = m.tipLabel
		}
	}
	for y := range m.parts[next] {
		if y == absentPart || next == 0 && !slices.Contains(m.root, y) {
			continue
		}
		for _, x := range left {
			if !p.goes(at, x, y) {
				continue
			}
			l.Leaves = l.Leaves.Union(m.parts[next][y])
			if next == 0 && m.tip > 0 && y == m.tip {
				l.LeavesTip = m.tipLabel
			}
			row, cell := x, y
			if p.a != at {
				row, cell = y, x
			}
			for _, place := range p.where(row, cell) {
				if !slices.Contains(l.Where, place) {
					l.Where = append(l.Where, place)
				}
			}
		}
	}
	if len(l.Where) == 0 && at == 0 {
		for _, x := range left {
			l.Where = append(l.Where, p.where(x, absentPart)...)
		}
	}
	if len(l.Where) == 0 && next == 0 && l.Leaves.Empty() && l.LeavesTip == "" {
		for x := range m.parts[at] {
			for _, y := range m.root {
				if x != absentPart && y != absentPart && p.goes(at, x, y) {
					l.Only = l.Only.Union(m.parts[at][x])
					l.Where = append(l.Where, p.where(y, x)...)
				}
			}
		}
	}
	return l
}

// together drops every pair without which there is still no set.
func (m *Model) together(wants []Want) (*Explanation, error) {
	less := *m
	for i := 0; i < len(less.pairs); {
		try := less
		try.pairs = slices.Delete(slices.Clone(less.pairs), i, i+1)
		_, ok, err := try.newest(wants)
		if err != nil {
			return nil, err
		}
		if ok {
			i++
		} else {
			less = try
		}
	}
	domains := m.domains(wants)
	return &Explanation{Together: lists.Of(less.pairs, func(p *pair) Link { return m.link(p, p.a, p.b, domains[p.a]) })}, nil
}
