package text

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Hunk says that the lines [a1, a2) of one text became the lines [b1, b2) of
// another. Lines count from 0.
type Hunk struct{ A1, A2, B1, B2 int }

// SplitLines cuts a text into its lines, each with its end.
func SplitLines(data []byte) [][]byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}

// maxDistance bounds the work of a comparison: where texts differ in more lines, it goes on
// from the farthest lines that it has reached, so that its memory does not grow with the texts.
const maxDistance = 500

// DiffLines compares two texts by lines.
// Source: E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986.
func DiffLines(a, b [][]byte) []Hunk {
	head := 0
	for head < len(a) && head < len(b) && bytes.Equal(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	var hunks []Hunk
	for x, y := head, head; x < len(a)-tail || y < len(b)-tail; {
		part, dx, dy := myers(a[x:len(a)-tail], b[y:len(b)-tail])
		for _, h := range part {
			h = Hunk{h.A1 + x, h.A2 + x, h.B1 + y, h.B2 + y}
			if n := len(hunks); n > 0 && hunks[n-1].A2 == h.A1 && hunks[n-1].B2 == h.B1 {
				hunks[n-1].A2, hunks[n-1].B2 = h.A2, h.B2
				continue
			}
			hunks = append(hunks, h)
		}
		x, y = x+dx, y+dy
	}
	return hunks
}

// myers compares two texts up to some lines of each, x and y; one of them is above 0.
func myers(a, b [][]byte) (hunks []Hunk, x, y int) {
	n, m := len(a), len(b)
	limit := min(n+m, maxDistance)
	v := make([]int, 2*limit+3)
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(v[limit-d:limit+d+3]))
		for k := -d; k <= d; k += 2 {
			at := limit + 1 + k
			x := v[at-1] + 1
			if k == -d || k != d && v[at-1] < v[at+1] {
				x = v[at+1]
			}
			y := x - k
			for x < n && y < m && bytes.Equal(a[x], b[y]) {
				x++
				y++
			}
			v[at] = x
			if x >= n && y >= m {
				return backtrack(trace, n, m, d), n, m
			}
		}
	}
	for k := -limit; k <= limit; k += 2 { // the path that leads farthest
		if to := v[limit+1+k]; to <= n && to-k <= m && 2*to-k > x+y {
			x, y = to, to-k
		}
	}
	if x+y == 0 { // every path has left the texts
		return []Hunk{{0, n, 0, m}}, n, m
	}
	return backtrack(trace, x, y, limit), x, y
}

// backtrack reads the edit script off the trace.
func backtrack(trace [][]int, x, y, d int) []Hunk {
	var hunks []Hunk
	for ; d > 0; d-- {
		v := trace[d] // v[i] is diagonal i-d-1
		k := x - y
		get := func(k int) int { return v[k+d+1] }
		prev := k - 1
		if k == -d || k != d && get(k-1) < get(k+1) {
			prev = k + 1
		}
		px := get(prev)
		py := px - prev
		h := Hunk{px, px + 1, py, py} // a line goes
		if prev > k {
			h = Hunk{px, px, py, py + 1} // a line comes
		}
		if n := len(hunks); n > 0 && hunks[n-1].A1 == h.A2 && hunks[n-1].B1 == h.B2 {
			hunks[n-1].A1, hunks[n-1].B1 = h.A1, h.B1
		} else {
			hunks = append(hunks, h)
		}
		x, y = px, py
	}
	slices.Reverse(hunks)
	return hunks
}

// LineEdits are the edits, by whole lines, that make b of a.
func LineEdits(a, b []byte) []source.Edit {
	la, lb := SplitLines(a), SplitLines(b)
	at := make([]int, len(la)+1)
	for i, l := range la {
		at[i+1] = at[i] + len(l)
	}
	var edits []source.Edit
	for _, h := range DiffLines(la, lb) {
		edits = append(edits, source.Edit{Span: source.Span{Start: at[h.A1], End: at[h.A2]}, Old: string(a[at[h.A1]:at[h.A2]]), New: string(bytes.Join(lb[h.B1:h.B2], nil))})
	}
	return edits
}
