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
// from what the migration gives are by hand; what else differs from the base
// is proven.
func (r *Review) compare(name string, planned *File, old, want, got [][]byte) {
	changed := make([]bool, len(want)) // lines of want that the migration changed
	origin := make([]int, len(want))   // lines of old that they come from, -1 for new ones
	at := 0
	for _, h := range append(text.DiffLines(old, want), text.Hunk{A1: len(old), A2: len(old), B1: len(want), B2: len(want)}) {
		for j := at; j < h.B1; j++ {
			origin[j] = h.A1 - (h.B1 - j)
		}
		for j := h.B1; j < h.B2; j++ {
			changed[j], origin[j] = true, -1
			if h.A2-h.A1 == h.B2-h.B1 {
				origin[j] = h.A1 + j - h.B1
			}
		}
		at = h.B2
	}
	total := 0
	for _, c := range changed {
		if c {
			total++
		}
	}
	hand := 0
	for _, h := range text.DiffLines(want, got) {
		hand += max(h.B2-h.B1, 1)
		r.Findings = append(r.Findings, report.Finding{Rule: reviewHand, Severity: report.Note, Path: name, Line: min(h.B1+1, max(1, len(got))),
			Message: handMessage(h, want, got)})
		for i := h.A1; i < h.A2; i++ {
			if changed[i] {
				total--
			}
			r.judge(name, planned, h, i, origin[i], old, want, got, changed[i])
		}
	}
	r.Proven += total
	r.ByHand += hand
	if r.counted[name] = hand == 0; hand == 0 {
		r.Pure++
	}
}

// handMessage says what was changed by hand: the first line, and how many
// more there are.
func handMessage(h text.Hunk, want, got [][]byte) string {
	if h.B1 == h.B2 {
		return fmt.Sprintf("removed: %s%s", clip(want[h.A1]), more(h.A2-h.A1))
	}
	return clip(got[h.B1]) + more(h.B2-h.B1)
}

func more(lines int) string {
	switch lines {
	case 1:
		return ""
	case 2:
		return " (and the next line)"
	}
	return fmt.Sprintf(" (and the next %d lines)", lines-1)
}

// judge looks at a line of the expected text that the head has otherwise.
func (r *Review) judge(name string, planned *File, h text.Hunk, i, from int, old, want, got [][]byte, changed bool) {
	if planned == nil || from < 0 {
		return
	}
	now := nearest(want[i], got[h.B1:h.B2])
	alike := now >= 0
	if !alike && h.A2-h.A1 == h.B2-h.B1 {
		now = i - h.A1 // line for line: of a short one a rename leaves little
	}
	if now < 0 {
		return // the line is gone
	}
	line := h.B1 + now
	for _, s := range planned.Sites {
		if s.Pos.Line != from+1 || !alike && s.Action() != Stay && !inPlaceOf(want[i], s.New, got[line]) {
			continue
		}
		f := report.Finding{Severity: report.Error, Path: name, Line: line + 1, Old: s.Old, New: s.New}
		switch {
		case s.Action() == Change && changed && s.New != "" && !bytes.Contains(got[line], []byte(s.New)):
			if bytes.Equal(got[line], old[from]) || hasWord(got[line], s.Old) {
				r.stands(name, line+1, s)
				continue
			}
			f.Rule, f.Message = reviewOther, fmt.Sprintf("%s should be %s; the line is now %s", s.Old, s.New, clipAt(got[line], s.Pos.Column))
		case s.Action() == Stay && s.Role() == roleKey && !bytes.Contains(got[line], []byte(s.Old)):
			f.Rule, f.Message = reviewKey, fmt.Sprintf("%s must stay (%s); the line is now %s", s.Old, s.Why(), clipAt(got[line], s.Pos.Column))
		default:
			continue
		}
		r.Findings = append(r.Findings, f)
	}
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

// clip is a line for a message.
func clip(line []byte) string { return clipAt(line, 1) }

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
