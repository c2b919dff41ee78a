package core

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// Suppression is the mark that keeps the sites of its line, or of the next
// line when it is alone.
const Suppression = "cfctl:keep"

var suppressions = find.New([]string{Suppression})

// A Mark is a comment that keeps lines: from its word to the end of its line.
type Mark struct {
	source.Span
	Lines source.Span // that it keeps
	Why   string      // the reason that it gives; may be empty
}

// Marks are the suppressions of a text, in its order.
func Marks(data []byte) []Mark {
	var list []Mark
	first := bytes.TrimLeft(data, " \t\r\n\ufeff")
	json := len(first) > 0 && (first[0] == '{' || first[0] == '[') // a comment in it is one of a text in a string
	for at := 0; ; {
		if at, _ = suppressions.Index(data, at); at < 0 {
			return list
		}
		from := text.LineStart(data, at)
		content, next := text.LineEnd(data, at, len(data))
		before, end := data[from:at], at+len(Suppression)
		word := !text.IsIdent(last(before)) && last(before) != '-' && last(before) != '.' && (end == len(data) || !text.IsIdent(data[end]))
		if !word || !json && !(alone(before) || opensComment.Match(before)) {
			at = end
			continue
		}
		m := Mark{Span: source.Span{Start: at, End: content}, Why: reason(string(data[end:content]))}
		if alone(before) {
			content, _ = text.LineEnd(data, next, len(data))
		}
		m.Lines = source.Span{Start: from, End: content}
		list, at = append(list, m), m.End
	}
}

// last is the last byte of a text, a space for none.
func last(b []byte) byte {
	if len(b) == 0 {
		return ' '
	}
	return b[len(b)-1]
}

// opensComment is what begins a comment in some language; nothing but marks may be the middle of
// one over several lines.
var opensComment = lazyregexp.New(`(?:^|\W)#|//|/\*|<!--|\{[{%]|--|[;%]|^\s*(?:(?i:@?rem)|dnl|\.\.)\s`)

// reason is the text of a suppression up to the end of its comment.
func reason(text string) string {
	for _, end := range []string{"*/", "-->", "}}", "%}", "%>"} {
		text, _, _ = strings.Cut(text, end)
	}
	return strings.Trim(text, " \t\r-")
}

// alone says whether nothing but a comment mark is before a suppression.
func alone(before []byte) bool {
	return len(bytes.Trim(before, " \t#/*<!->{%-")) == 0
}
