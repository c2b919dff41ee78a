package source

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// contextLines is how many unchanged lines a hunk shows on each side, as git does.
const contextLines = 3

// A FileDiff is one file of a unified diff. From and To are slash-separated
// paths relative to where the patch will be applied; they differ for a rename.
// Edits are against Data and need not be sorted.
type FileDiff struct {
	From, To string // From empty = created, To empty = deleted
	Data     []byte // the old content; empty when created
	Edits    []Edit
}

// Diff appends the file's unified diff, in the extended form that `git apply`
// takes, to out. The hunks come straight from the edits: no comparison of the
// two texts is made, so what is shown is exactly what will be written. A file
// without edits and with one name adds nothing.
func (d FileDiff) Diff(out []byte) ([]byte, error) {
	edits, err := Sort(d.Data, d.Edits)
	if err != nil {
		return out, &Error{Path: d.From, Err: err}
	}
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return string(e.Of(d.Data)) == e.New })
	if len(edits) == 0 && d.From == d.To {
		return out, nil
	}
	from, to := d.From, d.To
	from = cmp.Or(from, to)
	if to == "" {
		to = from
	}
	out = fmt.Appendf(out, "diff --git %s %s\n", quotePath("a/"+from), quotePath("b/"+to))
	switch {
	case d.From == "":
		out = fmt.Appendf(out, "new file mode 100644\n")
	case d.To == "":
		out = fmt.Appendf(out, "deleted file mode 100644\n")
	case d.From != d.To:
		out = fmt.Appendf(out, "similarity index %d%%\nrename from %s\nrename to %s\n",
			similarity(d.Data, edits), quotePath(from), quotePath(to))
	}
	if len(edits) == 0 {
		return out, nil
	}
	out = fmt.Appendf(out, "--- %s\n+++ %s\n", headerPath("a/", d.From), headerPath("b/", d.To))
	return appendHunks(out, d.Data, edits), nil
}

// headerPath is the path on a "---" or "+++" line. A name with a blank gets a
// tab behind it, which tells patch programs where the name ends.
func headerPath(prefix, path string) string {
	if path == "" {
		return "/dev/null"
	}
	q := quotePath(prefix + path)
	if q[0] != '"' && strings.Contains(q, " ") {
		q += "\t"
	}
	return q
}

// quotePath spells a path as git does with core.quotePath: a name with control
// characters, quotes, backslashes or bytes above 0x7f is in double quotes
// with C escapes.
func quotePath(path string) string {
	plain := true
	for i := range len(path) {
		if c := path[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// similarity is the share of old bytes that survive, in per cent, never 100
// when there are edits.
func similarity(data []byte, edits []Edit) int {
	if len(edits) == 0 || len(data) == 0 {
		return 100
	}
	gone := 0
	for _, e := range edits {
		gone += e.Len()
	}
	return min(99, 100*(len(data)-gone)/len(data))
}

// A lineChange replaces the old lines [from, to) by new text. Line numbers
// count from 0; text is whole lines, the last perhaps without its "\n".
type lineChange struct {
	from, to int
	text     []byte
}

// appendHunks writes the hunks of sorted edits.
func appendHunks(out, data []byte, edits []Edit) []byte {
	lines := lineStarts(data)
	changes := lineChanges(data, lines, edits)
	shift := 0 // how many lines the earlier hunks added
	for i := 0; i < len(changes); {
		j := i + 1
		for j < len(changes) && changes[j].from-changes[j-1].to <= 2*contextLines {
			j++
		}
		out, shift = appendHunk(out, data, lines, changes[i:j], shift)
		i = j
	}
	return out
}

// lineStarts returns the offset of each line of data, and len(data) at the end.
func lineStarts(data []byte) []int {
	var starts []int
	for at := 0; at < len(data); {
		starts = append(starts, at)
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return append(starts, len(data))
}

// lineChanges widens the edits to whole lines, joins those that touch, and
// leaves out the lines at both ends that stay the same.
func lineChanges(data []byte, lines []int, edits []Edit) []lineChange {
	var changes []lineChange
	for i := 0; i < len(edits); {
		from, to := lineOf(lines, edits[i].Start), lineAfter(lines, edits[i].End)
		j := i + 1
		for j < len(edits) && lineOf(lines, edits[j].Start) < to {
			to = max(to, lineAfter(lines, edits[j].End))
			j++
		}
		text, at := []byte(nil), lines[from]
		for _, e := range edits[i:j] {
			text = append(text, data[at:e.Start]...)
			text = append(text, e.New...)
			at = e.End
		}
		text = append(text, data[at:lines[to]]...)
		if c := trimLines(data, lines, lineChange{from, to, text}); c.from < c.to || len(c.text) > 0 {
			changes = append(changes, c)
		}
		i = j
	}
	return changes
}

// trimLines takes equal lines off both ends of a change.
func trimLines(data []byte, lines []int, c lineChange) lineChange {
	fresh := splitLines(c.text)
	for c.from < c.to && len(fresh) > 0 && bytes.Equal(data[lines[c.from]:lines[c.from+1]], fresh[0]) {
		c.from++
		fresh = fresh[1:]
	}
	for c.from < c.to && len(fresh) > 0 && bytes.Equal(data[lines[c.to-1]:lines[c.to]], fresh[len(fresh)-1]) {
		c.to--
		fresh = fresh[:len(fresh)-1]
	}
	c.text = bytes.Join(fresh, nil)
	return c
}

// lineOf is the index of the line that holds the offset. The end of the data
// belongs to the last line.
func lineOf(lines []int, offset int) int {
	i, found := slices.BinarySearch(lines, offset)
	if !found {
		return i - 1
	}
	return max(0, min(i, len(lines)-2))
}

// lineAfter is the index of the line after the one that holds the offset.
func lineAfter(lines []int, offset int) int {
	return min(lineOf(lines, offset)+1, len(lines)-1)
}

func appendHunk(out, data []byte, lines []int, changes []lineChange, shift int) ([]byte, int) {
	count := len(lines) - 1
	first := max(0, changes[0].from-contextLines)
	last := min(count, changes[len(changes)-1].to+contextLines)
	added := 0
	for _, c := range changes {
		added += len(splitLines(c.text)) - (c.to - c.from)
	}
	oldLen, newLen := last-first, last-first+added
	out = fmt.Appendf(out, "@@ -%s +%s @@\n", hunkRange(first, oldLen), hunkRange(first+shift, newLen))
	at := first
	for _, c := range changes {
		out = appendLines(out, ' ', data[lines[at]:lines[c.from]])
		out = appendLines(out, '-', data[lines[c.from]:lines[c.to]])
		out = appendLines(out, '+', c.text)
		at = c.to
	}
	out = appendLines(out, ' ', data[lines[at]:lines[last]])
	return out, shift + added
}

// hunkRange spells a range of lines: "start,count", where an empty range names
// the line before it and a count of 1 is left out.
func hunkRange(start, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprintf("%d", start+1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}

func appendLines(out []byte, mark byte, text []byte) []byte {
	for _, line := range splitLines(text) {
		out = append(out, mark)
		out = append(out, line...)
		if line[len(line)-1] != '\n' {
			out = append(out, "\n\\ No newline at end of file\n"...)
		}
	}
	return out
}

// splitLines cuts text behind each "\n". Empty text has no lines.
func splitLines(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}
