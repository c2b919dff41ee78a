package migrate

import (
	"bytes"
	gofmt "go/format"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// tidyGo widens edits of a Go file so that it stays formatted as gofmt does,
// if it was before: a longer name moves what is aligned beside it. Only white
// space differs from what the edits alone give.
func tidyGo(data []byte, edits []source.Edit) []source.Edit {
	if hasLongLine(data) || !slices.ContainsFunc(edits, func(e source.Edit) bool { return movesLayout(data, e) }) {
		return edits
	}
	fresh, err := source.Apply(data, edits)
	if err != nil {
		return edits
	}
	after, err := gofmt.Source(fresh)
	if err != nil || bytes.Equal(after, fresh) {
		return edits
	}
	before, err := gofmt.Source(data)
	if err != nil || !bytes.Equal(before, data) {
		return edits
	}
	old, mid, want := bytes.SplitAfter(data, []byte("\n")), bytes.SplitAfter(fresh, []byte("\n")), bytes.SplitAfter(after, []byte("\n"))
	if len(old) != len(mid) || len(mid) != len(want) {
		return edits
	}
	var out []source.Edit
	at, k := 0, 0
	sorted, err := source.Sort(data, edits)
	if err != nil {
		return edits
	}
	for i := range old {
		end := at + len(old[i])
		first := k
		for k < len(sorted) && sorted[k].Start < end {
			k++
		}
		if bytes.Equal(mid[i], want[i]) {
			out = append(out, sorted[first:k]...)
		} else {
			if !bytes.Equal(squeeze(mid[i]), squeeze(want[i])) {
				return edits
			}
			e, err := text.Whole(data).Edit(source.Span{Start: at, End: end}, string(old[i]), string(want[i]))
			if err != nil {
				return edits
			}
			out = append(out, e)
		}
		at = end
	}
	return out
}

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

// squeeze leaves out blanks.
func squeeze(line []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, line)
}

// movesLayout says whether an edit might move anything that gofmt lays out. It
// moves nothing when no blank follows it in its line, so that nothing is
// aligned behind it and no body stands on the same line, and when the line is
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
