package syntax

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// fieldLine is the begin of a line of an object: a field, an item, a comment.
var fieldLine = lazyregexp.New(`^(?:["']?[A-Za-z_$][\w.$/-]*(?: Version)?["']?\s*:(?:\s|$)|-(?:\s|$)|#)`)

// inLines is the text of the lines of an object that have a field at an offset, with the objects that
// it is in: those next to it that are fields and items as YAML has them. It is nil where they are none.
func inLines(v *View, at int) *View {
	from, ok := lineStart(v.B, at)
	if !ok {
		return nil
	}
	if quote := at - 1; quote > from && bytes.IndexByte(anyQuote, v.B[quote]) >= 0 { // all of a string
		b := v.B[at:min(len(v.B), at+maxAround)]
		if end := bytes.IndexByte(b, v.B[quote]); end >= 0 {
			return fromQuote(v.Sub(at, at+end))
		}
		return nil
	}
	if len(bytes.Trim(v.B[from:at], " \t-")) > 0 {
		return nil
	}
	x := lines{b: v.B, column: at - from}
	first, last := from, from
	for line := from; from-line <= maxAround; line = bytes.LastIndexByte(v.B[:line-1], '\n') + 1 {
		if !x.takes(line, true) {
			if begin := x.afterQuote(line); begin > 0 {
				first = begin
			}
			break
		}
		if b := v.B[line:]; len(b)-len(bytes.TrimLeft(b, " \t")) == x.column { // what is further right is of a field before it
			first = line
		}
		if line == 0 {
			break
		}
	}
	for next := from; next < len(v.B) && next-from < maxAround; {
		blank := next
		for next < len(v.B) && len(bytes.TrimSpace(v.B[next:text.LineBreak(v.B, next)])) == 0 {
			next = text.LineBreak(v.B, next) + 1
		}
		if next >= len(v.B) || !x.takes(next, false) || next > blank && x.starts(next) {
			break
		}
		next = text.LineBreak(v.B, next) + 1
		last = next
	}
	if last == from || from-first > maxAround || last-from >= maxAround {
		return nil
	}
	return fromQuote(v.Sub(first, min(last, len(v.B))))
}

// fromQuote is an object without the indentation of its lines, of which the first may begin behind the
// quote of a string.
func fromQuote(v *View) *View {
	w := newBuilder(v, len(v.B))
	rest := 0
	if len(v.B) > 0 && v.B[0] != ' ' && v.B[0] != '\t' {
		rest = min(text.LineBreak(v.B, 0)+1, len(v.B))
		w.add(0, rest)
	}
	indent := -1
	for at := rest; at < len(v.B); {
		end := min(text.LineBreak(v.B, at)+1, len(v.B))
		blank := end - at - len(bytes.TrimLeft(v.B[at:end], " \t"))
		if indent < 0 && blank < end-at {
			indent = blank
		}
		w.add(at+min(blank, max(indent, 0)), end)
		at = end
	}
	return w.view()
}

// lines are those of an object in a text.
type lines struct {
	b      []byte
	column int // of its fields, or of the dash of the item that it is
}

// takes says whether a line is one of the object. One that is further left may be, going up, where
// it has the name of what the object is the value of, or begins the item that it is.
func (x *lines) takes(at int, up bool) bool {
	line := bytes.TrimRight(x.b[at:text.LineBreak(x.b, at)], " \r")
	t := bytes.TrimLeft(line, " \t")
	is := len(line) - len(t)
	switch {
	case len(t) == 0 || bytes.HasPrefix(t, []byte("---")):
		return false
	case is > x.column:
		return true
	case is == x.column:
		return fieldLine.Match(t)
	case !up:
		return false
	}
	dash := len(t) - len(bytes.TrimLeft(t, " -"))
	if !fieldLine.Match(t[dash:]) || dash > 0 && t[0] != '-' || is+dash != x.column && t[len(t)-1] != ':' {
		return false
	}
	x.column = is
	return true
}

// afterQuote is where the object begins in a line with the quote of the string that it is in, 0 where
// none does.
func (x *lines) afterQuote(at int) int {
	end := text.LineBreak(x.b, at)
	i := at + bytes.LastIndexAny(x.b[at:end], "\"'`") + 1
	if i > at && fieldLine.Match(x.b[i:end]) {
		return i
	}
	return 0
}

// starts says whether a line has a field of the outermost object that is one of the first of objects.
func (x *lines) starts(at int) bool {
	line := x.b[at:text.LineBreak(x.b, at)]
	t := bytes.TrimLeft(line, " \t")
	return len(line)-len(t) == x.column && (bytes.HasPrefix(t, []byte("apiVersion:")) || bytes.HasPrefix(t, []byte("kind:")))
}
