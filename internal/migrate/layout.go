package migrate

import (
	"bytes"
	"go/format"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// longLine is the length from which on gofmt is not asked about a file: what it
// does to one expression of thousands of operands takes minutes.
const longLine = 10000

func hasLongLine(data []byte) bool {
	for len(data) > longLine {
		n := bytes.LastIndexByte(data[:longLine], '\n')
		if n < 0 {
			return true
		}
		data = data[n+1:]
	}
	return false
}

// movesLayout says whether an edit might move anything that gofmt lays out. It
// moves nothing when no blank follows it in its line, so that nothing is
// aligned behind it and no body is on the same line, and when the line is
// no import, which gofmt sorts, nor part of a link in a doc comment.
func movesLayout(data []byte, e source.Edit) bool {
	if strings.Contains(e.New, "\n") || bytes.Contains(e.Of(data), []byte("\n")) {
		return true
	}
	rest, _, _ := bytes.Cut(data[e.End:], []byte("\n"))
	if bytes.ContainsAny(rest, " \t") {
		return true
	}
	before := data[bytes.LastIndexByte(data[:e.Start], '\n')+1 : e.Start]
	if bytes.HasPrefix(bytes.TrimSpace(before), []byte("//")) {
		return bytes.ContainsAny(before, "[]") || bytes.ContainsAny(rest, "[]")
	}
	return bytes.HasSuffix(rest, []byte(`"`)) && !bytes.ContainsAny(before, "=(,")
}

// tidy keeps a Go file formatted that was: a longer name moves what is aligned
// beside it, and imports have another order. Lines on which gofmt changes nothing
// keep their edits.
func (f *File) tidy(data []byte, edits []source.Edit) []source.Edit {
	if hasLongLine(data) || !slices.ContainsFunc(edits, func(e source.Edit) bool { return movesLayout(data, e) }) {
		return edits
	}
	edited, err := source.Apply(data, edits)
	if before, bad := format.Source(data); err != nil || bad != nil || !bytes.Equal(before, data) {
		return edits
	}
	after, err := format.Source(edited)
	if err != nil || bytes.Equal(after, edited) { // code that does not parse is found when the plan is verified
		return edits
	}
	var out []source.Edit
	for _, lines := range text.LineEdits(data, after) {
		for len(edits) > 0 && edits[0].Start < lines.Start {
			edits = edits[1:]
		}
		var words []source.Edit
		for _, e := range edits {
			if !within(e.Span, lines.Span) {
				break
			}
			e.Start, e.End = e.Start-lines.Start, e.End-lines.Start
			words = append(words, e)
		}
		if fresh, err := source.Apply(lines.Of(data), words); err == nil && string(fresh) == lines.New {
			out = append(out, edits[:len(words)]...)
			continue
		}
		out = append(out, lines)
	}
	return out
}

// lineStart is the offset of a line, counted from 1.
func lineStart(data []byte, line int) (at int) {
	for ; line > 1; line-- {
		at += bytes.IndexByte(data[at:], '\n') + 1
	}
	return at
}
