package choose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Member is a component of a set, and which of its versions will do.
type Member struct {
	Component *stack.Component
	Versions  versions.Range
	Tip       string // the branch that is worked on, as its row calls it, in place of versions
}

// maxSteps bounds the search for a set: some seconds. Rules of real stacks need
// a few hundred.
const maxSteps = 2_000_000

var errTooMany = errors.New("the rules leave too many sets of versions to be searched")

// Newest is the newest set that every pair allows and that has the wanted
// versions: the newest release of the root, then of each component in the order
// of the stack. Components that no one wants may be missing where a release
// does not have them, and the branch that is worked on comes last. Without such
// a set the answer is not ok. When a cell that cannot be read may say that there
// is one the error is an *unknownError, when nothing is about the wanted release
// a *noRowError.
func (m *Model) Newest(wants []Want) (set []Member, ok bool, err error) {
	if err := m.noRow(wants); err != nil {
		return nil, false, err
	}
	chosen, ok, err := m.newest(wants)
	if err != nil {
		return nil, false, err
	}
	if !ok {
		return nil, false, m.unknown(wants)
	}
	for i, x := range chosen {
		switch {
		case i == 0 && m.tip > 0 && x == m.tip:
			set = append(set, Member{Component: m.components[i], Tip: m.tipLabel})
		case x != absentPart:
			set = append(set, Member{Component: m.components[i], Versions: m.parts[i][x]})
		}
	}
	return set, true, nil
}

// noRow is the error of a want of the root that no row is about, and of one that
// nothing is about at all.
func (m *Model) noRow(wants []Want) error {
	for _, w := range wants {
		i := slices.Index(m.components, w.Component)
		if i > 0 && !slices.ContainsFunc(m.pairs, func(p *pair) bool { return p.a == i || p.b == i }) {
			return &unknownError{fmt.Errorf("no row, no declared release and no rule has %s", w.Component.Title)}
		}
		if w.Component != m.components[0] || w.Text == "" || len(m.root) == 0 {
			continue
		}
		e := &noRowError{Want: w}
		below, above := "", ""
		for _, x := range m.root {
			part := m.parts[0][x]
			switch {
			case !part.Intersect(w.Range).Empty():
				return nil
			case part.Empty():
			case semver.Compare(part.Member(), w.Range.Member()) < 0:
				below = part.String()
			case above == "":
				above = part.String()
			}
		}
		for _, near := range []string{below, above} {
			if near != "" {
				e.Nearest = append(e.Nearest, near)
			}
		}
		return e
	}
	return nil
}

// unknown is the error of a cell that cannot be read and that may say what is
// wanted; nil = whatever such cells say, there is no set.
func (m *Model) unknown(wants []Want) error {
	if len(m.unread) == 0 {
		return nil
	}
	*m.hope = true
	defer func() { *m.hope = false }()
	chosen, ok, err := m.newest(wants)
	if !ok || err != nil {
		return err
	}
	for _, u := range m.unread[chosen[0]] {
		if slices.ContainsFunc(wants, func(w Want) bool { return w.Component == m.components[u.component] }) {
			return &unknownError{u.err}
		}
	}
	return &unknownError{m.unread[chosen[0]][0].err}
}

// newest are the parts of the newest set.
func (m *Model) newest(wants []Want) (chosen []int, ok bool, err error) {
	s := &search{m: m, domains: m.domains(wants), chosen: make([]int, len(m.components))}
	ok, err = s.choose(0)
	return s.chosen, ok, err
}

// domains are the parts that each component may have, the newest first.
func (m *Model) domains(wants []Want) [][]int {
	domains := make([][]int, len(m.components))
	tip, about := false, map[int]bool{}
	for _, x := range m.root {
		about[x] = true
	}
	for i, c := range m.components {
		said := i == 0 || slices.ContainsFunc(m.pairs, func(p *pair) bool { return p.a == 0 && p.b == i && p.rule == "" })
		w := slices.IndexFunc(wants, func(w Want) bool { return w.Component == c })
		for x, v := range slices.Backward(m.parts[i]) {
			switch {
			case i == 0 && m.tip > 0 && x == m.tip:
				tip = w < 0
			case i == 0 && !about[x]:
			case w < 0 && !said && x != absentPart: // nothing says that there is one
			case w < 0, x != absentPart && v.Within(wants[w].Range):
				if x == absentPart || releasable(v) {
					domains[i] = append(domains[i], x)
				}
			}
		}
	}
	if tip {
		domains[0] = append(domains[0], m.tip)
	}
	return domains
}

// releasable says whether a part has a release, or is one pre-release that is
// meant by its name. Between a line and the one before it lie pre-releases that
// no one names.
func releasable(part versions.Range) bool {
	release, _, _ := strings.Cut(part.Member(), "-")
	return part.Exact() != "" || part.Has(release)
}

// A search goes through the components in order, the newest parts first.
type search struct {
	m       *Model
	domains [][]int
	chosen  []int
	steps   int
}

func (s *search) choose(i int) (bool, error) {
	if i == len(s.domains) {
		return true, nil
	}
	for _, x := range s.domains[i] {
		if s.steps > maxSteps {
			return false, errTooMany
		}
		s.steps++
		s.chosen[i] = x
		if !s.fits(i) || !s.ahead(i) {
			continue
		}
		if ok, err := s.choose(i + 1); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// fits checks the part of component i against those chosen before it.
func (s *search) fits(i int) bool {
	return !slices.ContainsFunc(s.m.pairs, func(p *pair) bool { return max(p.a, p.b) == i && !p.allows(s.chosen[p.a], s.chosen[p.b]) })
}

// ahead says whether the choice of component i leaves something to every one
// that is still to be chosen.
func (s *search) ahead(i int) bool {
	for j := i + 1; j < len(s.domains); j++ {
		if !slices.ContainsFunc(s.domains[j], func(y int) bool { return s.leaves(i, j, y) }) {
			return false
		}
	}
	return true
}

// leaves says whether part y of component j goes with all that was chosen up to
// component i.
func (s *search) leaves(i, j, y int) bool {
	s.steps++
	for _, p := range s.m.pairs {
		switch {
		case p.b == j && p.a <= i && !p.allows(s.chosen[p.a], y),
			p.a == j && p.b <= i && !p.allows(y, s.chosen[p.b]):
			return false
		}
	}
	return true
}
