package migrate

import (
	"bytes"
	"strings"

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
