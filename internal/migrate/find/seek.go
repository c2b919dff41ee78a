package find

import (
	"bytes"
	"strings"
)

// needles finds the next group name in data.
type needles struct{ list [][]byte }

func newNeedles(groups []string) needles {
	var n needles
	for _, g := range groups {
		covered := false
		for _, h := range groups {
			if h != g && strings.HasSuffix(g, "."+h) {
				covered = true
			}
		}
		if !covered {
			n.list = append(n.list, []byte(g))
		}
	}
	return n
}

// A seeker finds the needles of a text one after the other. It remembers where
// each needle stands next, so that a text is searched once for each of them,
// however many there are.
type seeker struct {
	needles
	data []byte
	next []int // the next place of each needle; len(data) for none
}

func (n needles) in(data []byte) *seeker {
	s := &seeker{needles: n, data: data, next: make([]int, len(n.list))}
	for i := range s.next {
		s.next[i] = -1
	}
	return s
}

// from is the offset of the first needle at or behind an offset, or -1.
// Offsets only grow.
func (s *seeker) from(at int) int {
	best := len(s.data)
	for i, x := range s.list {
		if s.next[i] < at {
			s.next[i] = len(s.data)
			if n := bytes.Index(s.data[at:], x); n >= 0 {
				s.next[i] = at + n
			}
		}
		best = min(best, s.next[i])
	}
	if best == len(s.data) {
		return -1
	}
	return best
}
