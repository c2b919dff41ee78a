// Package diff writes unified diffs as git applies them.
package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A File is one file of a unified diff. From and To are slash-separated
// paths relative to where the patch will be applied; they differ for a rename.
// Edits are against Data and need not be sorted.
type File struct {
	From, To string // From empty = created, To empty = deleted
	Data     []byte // the old content; empty when created
	Edits    []source.Edit
}

// Append appends the file's unified diff, in the extended form that `git apply`
// takes, to out. A file without edits and with one name adds nothing.
func (d File) Append(out []byte) ([]byte, error) {
	after, err := source.Apply(d.Data, d.Edits)
	if err != nil {
		return out, &source.Error{Path: d.From, Err: err}
	}
	hunks := Hunks(d.Data, after)
	if len(hunks) == 0 && d.From == d.To {
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
			similarity(d.Data, d.Edits), quotePath(from), quotePath(to))
	}
	if len(hunks) == 0 {
		return out, nil
	}
	out = fmt.Appendf(out, "--- %s\n+++ %s\n", headerPath("a/", d.From), headerPath("b/", d.To))
	return append(out, hunks...), nil
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
func similarity(data []byte, edits []source.Edit) int {
	if len(edits) == 0 || len(data) == 0 {
		return 100
	}
	gone := 0
	for _, e := range edits {
		gone += e.Len()
	}
	return min(99, 100*(len(data)-gone)/len(data))
}

// Hunks are the lines that differ between two texts, as in a unified diff.
func Hunks(before, after []byte) []byte {
	text := diff.Diff("", before, "", after)
	for range 3 { // the head names files in a form that git does not take
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text
}
