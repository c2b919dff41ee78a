package migrate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// compare splits the change of one file. The lines in which the head differs
// from what the migration gives are by hand, and their number is returned; what else
// differs from the base is proven.
func (c *comparison) compare(name string, planned *File, old, want, got [][]byte) (hand int) {
	origin := make([]int, len(want)) // lines of old that those of want come from, -1 for new ones
	changed := make([]bool, len(want))
	at := 0
	for _, h := range append(text.DiffLines(old, want), text.Hunk{A1: len(old), A2: len(old), B1: len(want), B2: len(want)}) {
		for j := at; j < h.B1; j++ {
			origin[j] = h.A1 - (h.B1 - j)
		}
		for j := h.B1; j < h.B2; j++ {
			c.Proven++
			if changed[j], origin[j] = true, -1; h.A2-h.A1 == h.B2-h.B1 {
				origin[j] = h.A1 + j - h.B1
			}
		}
		at = h.B2
	}
	for _, h := range text.DiffLines(want, got) {
		hand += max(h.B2-h.B1, 1)
		c.Findings = append(c.Findings, report.Finding{Rule: reviewHand, Severity: report.Note, Path: name, Line: min(h.B1+1, max(1, len(got))),
			Message: handMessage(h, want, got)})
		for i := h.B1; i < h.B2; i++ {
			c.byHand[place{name, i + 1}] = true
		}
		for i := h.A1; i < h.A2; i++ {
			if changed[i] {
				c.Proven--
			}
			if now := counterpart(h, i, want, got); planned != nil && origin[i] >= 0 && now >= 0 {
				c.judge(name, planned, origin[i], now, old[origin[i]], want[i], got[now])
			}
		}
	}
	return hand
}

// handMessage says what was changed by hand: the first line, and how many
// more there are.
func handMessage(h text.Hunk, want, got [][]byte) string {
	lines, message := got[h.B1:h.B2], ""
	if len(lines) == 0 {
		lines, message = want[h.A1:h.A2], "removed: "
	}
	message += clipAt(lines[0], 1)
	switch len(lines) {
	case 1:
		return message
	case 2:
		return message + " (and the next line)"
	}
	return fmt.Sprintf("%s (and the next %d lines)", message, len(lines)-1)
}

// counterpart is the line of the head that an expected line became: the one that shares most
// with it, else that at the same place, where as many lines are; -1 for none.
func counterpart(h text.Hunk, i int, want, got [][]byte) int {
	if now := nearest(want[i], got[h.B1:h.B2]); now >= 0 {
		return h.B1 + now
	}
	if h.A2-h.A1 == h.B2-h.B1 { // of a short line a rename leaves little
		return h.B1 + i - h.A1
	}
	return -1
}

// judge looks at a line that was in the base and that the head has not as it is wanted.
func (c *comparison) judge(name string, planned *File, from, line int, was, want, got []byte) {
	for _, s := range planned.Sites {
		if s.Pos.Line != from+1 || isOfCode(s) {
			continue
		}
		f := report.Finding{Path: name, Line: line + 1, Old: s.Old, New: s.New}
		switch now := clipAt(got, s.Pos.Column); {
		case s.Action() == Stay && s.Role() == roleKey && !bytes.Contains(got, []byte(s.Old)):
			f.Rule, f.Message = reviewKey, fmt.Sprintf("%s must stay (%s); the line is now %s", s.Old, s.Why(), now)
			c.say(f)
		case s.Action() != Change || bytes.Equal(was, want) || s.New == "" || holdsAs(want, got, s.New), nearest(want, [][]byte{got}) < 0 && !inPlaceOf(want, s.New, got):
		case bytes.Equal(was, got) || hasWord(got, s.Old):
			c.stands(name, line+1, s)
		default:
			f.Rule, f.Message = reviewOther, fmt.Sprintf("%s should be %s; the line is now %s", s.Old, s.New, now)
			c.say(f)
		}
	}
}

// holdsAs says whether a line holds a name that goes on at no end, or only as it does in the line
// that is wanted: example.com/v1beta1 does not hold example.com/v1.
func holdsAs(want, got []byte, name string) bool {
	ends := func(line []byte, at int) (around [2]byte) {
		if at > 0 && goesOn(line[at-1:]) {
			around[0] = line[at-1]
		}
		if rest := line[at+len(name):]; goesOn(rest) {
			around[1] = rest[0]
		}
		return around
	}
	known := map[[2]byte]bool{{}: true}
	for at := range source.All(want, name) {
		known[ends(want, at)] = true
	}
	for at := range source.All(got, name) {
		if known[ends(got, at)] {
			return true
		}
	}
	return false
}

// goesOn says whether a text begins with a part of a name.
func goesOn(b []byte) bool {
	return len(b) > 0 && (text.IsWordByte(b[0]) || b[0] == '/' || b[0] >= 0x80 || b[0] == '.' && len(b) > 1 && text.IsWordByte(b[1]))
}

// inPlaceOf says whether a line has something else in the place of a name of another one, and is
// the same around it: an item of a list, of which little else is left.
func inPlaceOf(want []byte, name string, got []byte) bool {
	before, behind, ok := bytes.Cut(bytes.TrimRight(want, "\r\n"), []byte(name))
	before, behind = bytes.TrimRight(before, `"'`), bytes.TrimLeft(behind, `"'`)
	got = bytes.TrimRight(got, "\r\n")
	return ok && name != "" && len(got) > len(before)+len(behind) && bytes.HasPrefix(got, before) && bytes.HasSuffix(got, behind) &&
		!bytes.ContainsAny(got[len(before):len(got)-len(behind)], " \t")
}

// hasWord says whether a line holds a name that is not part of a longer one.
func hasWord(line []byte, word string) bool {
	for at := range source.All(line, word) {
		before := at == 0 || !text.IsWordByte(line[at-1]) && line[at-1] != '.'
		end := at + len(word)
		if before && (end == len(line) || !text.IsWordByte(line[end])) {
			return true
		}
	}
	return false
}

// nearest is the index of the line that shares most with a line; -1 when none
// shares half of it.
func nearest(line []byte, lines [][]byte) int {
	best, score := -1, len(bytes.TrimSpace(line))/2
	for i, l := range lines {
		if s := shared(line, l); s > score {
			best, score = i, s
		}
	}
	return best
}

// shared counts the bytes that two lines have in common at both ends.
func shared(a, b []byte) int {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}

// clipped is how many characters of a line a message shows.
const clipped = 120

// clipAt is a line for a message: of a long one, the part around a column.
func clipAt(line []byte, column int) string {
	r := []rune(strings.TrimRight(strings.ToValidUTF8(string(line), "\uFFFD"), " \t\r\n"))
	from := max(0, min(column-1-clipped/3, len(r)-clipped))
	text := strings.TrimSpace(string(r[from:min(len(r), from+clipped)]))
	if from > 0 {
		text = "..." + text
	}
	if from+clipped < len(r) {
		text += "..."
	}
	return text
}
