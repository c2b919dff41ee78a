// Package find searches for many strings at once, at the speed of memory.
package find

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// A Finder finds any of a set of strings in bytes. It is made for API group
// names in manifests: up to some dozens, that are not in most files. Its cost
// is that of reading memory and hardly grows with the number of needles. A
// Finder is safe for concurrent use.
type Finder struct {
	needles []string
	Longest int        // bytes of the longest needle
	few     []anchored // searched one after the other, each at memory speed
	many    *skipTable // the others, searched together; nil when there are few
}

// most is up to how many needles one search per needle is faster than one for all.
const most = 4

// New makes a Finder. Empty needles and those that contain another one
// (which finds them too) are dropped; without needles a Finder finds nothing.
func New(needles []string) *Finder {
	f := &Finder{needles: minimal(needles)}
	for _, n := range f.needles {
		f.Longest = max(f.Longest, len(n))
	}
	var long, short []string
	for _, n := range f.needles {
		if len(n) > gram {
			long = append(long, n)
		} else {
			short = append(short, n)
		}
	}
	if len(long) > most {
		f.many = newSkipTable(long)
	} else {
		short = append(short, long...)
	}
	for _, n := range short {
		f.few = append(f.few, anchor(n))
	}
	return f
}

// minimal returns the needles that contain no other one, sorted, each once.
func minimal(needles []string) []string {
	sorted := slices.DeleteFunc(slices.Clone(needles), func(n string) bool { return n == "" })
	slices.Sort(sorted)
	var begins []string // those that begin with no other one
	for _, n := range slices.Compact(sorted) {
		if len(begins) == 0 || !strings.HasPrefix(n, begins[len(begins)-1]) {
			begins = append(begins, n)
		}
	}
	return slices.DeleteFunc(slices.Clone(begins), func(n string) bool {
		for from := 1; from < len(n); from++ {
			i, ok := slices.BinarySearch(begins, n[from:])
			if ok || i > 0 && strings.HasPrefix(n[from:], begins[i-1]) { // between a text and its beginning are only longer ones
				return true
			}
		}
		return false
	})
}

// Needles returns the strings that are searched for, sorted: those given,
// without the ones that contain another.
func (f *Finder) Needles() []string { return f.needles }

// Match tells whether data holds a needle.
func (f *Finder) Match(data []byte) bool {
	at, _ := f.search(data, 0, true)
	return at >= 0
}

// Index returns the place of the first needle at or after from, and that
// needle, or -1. Of needles that start at one place any may be named.
func (f *Finder) Index(data []byte, from int) (at int, needle string) {
	return f.search(data, from, false)
}

// search finds the first needle or, faster, any one.
func (f *Finder) search(data []byte, from int, anyone bool) (at int, needle string) {
	at = -1
	better := func(p int, n string) bool {
		if p >= 0 && (at < 0 || p < at) {
			at, needle = p, n
		}
		return at >= 0 && anyone
	}
	for i := range f.few {
		if better(f.few[i].index(data, from), f.few[i].needle) {
			return at, needle
		}
	}
	if f.many != nil && (!anyone || f.many.match(data)) {
		better(f.many.index(data, from))
	}
	return at, needle
}

// Each calls found for every needle that data holds, once or several times.
func (f *Finder) Each(data []byte, found func(needle string)) {
	for i := range f.few {
		if f.few[i].index(data, 0) >= 0 {
			found(f.few[i].needle)
		}
	}
	if f.many == nil {
		return
	}
	for at, needle := f.many.index(data, 0); at >= 0; at, needle = f.many.index(data, at+1) {
		found(needle) // no other one begins there: it would hold this one
	}
}

// In are the needles that a text holds, each once.
func (f *Finder) In(text string) []string {
	var list []string
	f.Each([]byte(text), func(needle string) {
		if !slices.Contains(list, needle) {
			list = append(list, needle)
		}
	})
	return list
}

// An anchored needle is searched by its rarest piece.
type anchored struct {
	needle string
	anchor []byte
	at     int // place of anchor in needle
}

// index finds the needle at or after from, or -1.
func (a *anchored) index(data []byte, from int) int {
	for i := from + a.at; i < len(data); i++ {
		n := bytes.Index(data[i:], a.anchor)
		if n < 0 {
			return -1
		}
		i += n
		if start := i - a.at; hasPrefix(data[start:], a.needle) {
			return start
		}
	}
	return -1
}

// anchor chooses the piece of a needle to search for: of its pieces of four
// bytes (which bytes.Index compares at once) the one whose letters are rarest
// in manifests.
func anchor(needle string) anchored {
	size := min(4, len(needle))
	best, bestRank := 0, 1<<30
	for i := 0; i+size <= len(needle); i++ {
		rank := 0
		for _, c := range []byte(needle[i : i+size]) {
			rank += frequency(c)
		}
		// bytes.Index looks for the first two bytes of the piece first.
		rank += 2 * (frequency(needle[i]) + frequency(needle[i+min(1, size-1)]))
		if rank < bestRank {
			best, bestRank = i, rank
		}
	}
	return anchored{needle, []byte(needle[best : best+size]), best}
}

// frequency ranks how often a byte is in YAML, Markdown and code.
func frequency(c byte) int {
	if i := strings.IndexByte(byFrequency, c); i >= 0 {
		return len(byFrequency) - i
	}
	return 0
}

// byFrequency lists bytes from the most frequent to the rarest.
const byFrequency = " etanirosldcpum:gfhyvb-wk.\"/_x01zqj23"

// hasPrefix compares without a copy of the needle.
func hasPrefix(data []byte, needle string) bool {
	return len(data) >= len(needle) && string(data[:len(needle)]) == needle
}

// gram is how many bytes the skip table looks at together.
const gram = 3

// A skipTable searches for many needles at once (Wu and Manber, 1994): a window
// as long as the shortest needle moves over the text; its last three bytes
// tell how far it may move without missing a needle, most often its whole
// length.
type skipTable struct {
	skip    [1 << gramBits]uint8
	verify  [1 << gramBits]uint16 // for grams with skip 0: list in windows, +1
	windows [][]window
	size    int // length of the window
	lead    int // longest part of a needle before its window
}

// gramBits is the size of the table, as a power of two: it should stay in the
// first-level cache.
const gramBits = 13

// A window is the place in a needle that a search looks for first.
type window struct {
	needle string
	at     int
}

// hashGram mixes three bytes into an index of the table.
func hashGram(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> (32 - gramBits)
}

// gramAt is the index of the three bytes that end at i, from 3 on.
func gramAt(data []byte, i int) uint32 {
	return binary.LittleEndian.Uint32(data[i-3:i+1]) >> 8 * 0x9E3779B1 >> (32 - gramBits)
}

// newSkipTable makes the table for needles of more than gram bytes.
func newSkipTable(needles []string) *skipTable {
	t := &skipTable{size: 255}
	for _, n := range needles {
		t.size = min(t.size, len(n))
	}
	reach := t.size - gram + 1
	for i := range t.skip {
		t.skip[i] = uint8(reach)
	}
	for _, n := range needles {
		w := window{n, rarestWindow(n, t.size)}
		t.lead = max(t.lead, w.at)
		text := n[w.at : w.at+t.size]
		for i := 0; i+gram <= len(text); i++ {
			h := hashGram(text[i], text[i+1], text[i+2])
			t.skip[h] = min(t.skip[h], uint8(len(text)-gram-i))
		}
		last := len(text) - gram
		h := hashGram(text[last], text[last+1], text[last+2])
		if t.verify[h] == 0 {
			t.windows = append(t.windows, nil)
			t.verify[h] = uint16(len(t.windows))
		}
		t.windows[t.verify[h]-1] = append(t.windows[t.verify[h]-1], w)
	}
	return t
}

// rarestWindow chooses the part of a needle whose end is rarest.
func rarestWindow(needle string, size int) int {
	best, bestRank := 0, 1<<30
	for i := 0; i+size <= len(needle); i++ {
		rank := 0
		for _, c := range []byte(needle[i+size-gram : i+size]) {
			rank += frequency(c)
		}
		if rank < bestRank {
			best, bestRank = i, rank
		}
	}
	return best
}

// match tells whether data holds a needle. A search waits for the table at
// every step, so four parts of the data are searched in turns.
func (t *skipTable) match(data []byte) bool {
	part := max(len(data)/4, t.size)
	a, b, c, d := t.size-1, part, 2*part, 3*part
	for a < part && b < 2*part && c < 3*part && d < len(data) {
		p, q, r, s := t.skip[gramAt(data, a)], t.skip[gramAt(data, b)], t.skip[gramAt(data, c)], t.skip[gramAt(data, d)]
		if p == 0 || q == 0 || r == 0 || s == 0 {
			if p == 0 && t.holds(data, a) || q == 0 && t.holds(data, b) || r == 0 && t.holds(data, c) || s == 0 && t.holds(data, d) {
				return true
			}
			p, q, r, s = max(p, 1), max(q, 1), max(r, 1), max(s, 1)
		}
		a, b, c, d = a+int(p), b+int(q), c+int(r), d+int(s)
	}
	return t.matchPart(data, a, part) || t.matchPart(data, b, 2*part) || t.matchPart(data, c, 3*part) || t.matchPart(data, d, len(data))
}

// matchPart searches for windows that end from i on and before end.
func (t *skipTable) matchPart(data []byte, i, end int) bool {
	for end = min(end, len(data)); i < end; {
		s := t.skip[gramAt(data, i)]
		if s == 0 && t.holds(data, i) {
			return true
		}
		i += int(max(s, 1))
	}
	return false
}

// holds tells whether a needle is where its window ends at i.
func (t *skipTable) holds(data []byte, i int) bool {
	for _, w := range t.windows[t.verify[gramAt(data, i)]-1] {
		if start := i - t.size + 1 - w.at; start >= 0 && hasPrefix(data[start:], w.needle) {
			return true
		}
	}
	return false
}

// index finds the first needle at or after from.
func (t *skipTable) index(data []byte, from int) (int, string) {
	found, needle := -1, ""
	for i := from + t.size - 1; i < len(data); {
		h := gramAt(data, i)
		if s := t.skip[h]; s > 0 {
			i += int(s)
			continue
		}
		if found >= 0 && i-t.size+1-t.lead > found {
			break // every needle that starts before found was seen
		}
		for _, w := range t.windows[t.verify[h]-1] {
			start := i - t.size + 1 - w.at
			if start >= from && hasPrefix(data[start:], w.needle) && (found < 0 || start < found) {
				found, needle = start, w.needle
			}
		}
		i++
	}
	return found, needle
}
