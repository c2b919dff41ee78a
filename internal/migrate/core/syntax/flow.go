package syntax

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A flowReader reads JSON and YAML's flow style.
type flowReader struct {
	*scanner
	at int
}

// run reads JSON: what is in brackets.
func (f *flowReader) run() {
	f.at = f.scanner.at
	for f.space(); f.at < f.end; f.space() {
		if c := f.b[f.at]; c != '{' && c != '[' {
			f.at++
			continue
		}
		f.collection(f.entry(f.doc, source.Span{}, Node{Flow: true, Item: true}), 0)
	}
}

// space steps over blanks, line breaks and comments; commas are left.
func (f *flowReader) space() {
	d := f.b
	for f.at < f.end {
		var mark, end, next int
		switch c := d[f.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			f.at++
			continue
		case c == '#' && f.at > 0 && (d[f.at-1] == ' ' || d[f.at-1] == '\n' || d[f.at-1] == '\t'):
			mark = 1
			end, next = text.LineEnd(d, f.at, f.end)
		case bytes.HasPrefix(d[f.at:f.end], []byte("//")): // JSON with comments
			mark = 2
			end, next = text.LineEnd(d, f.at, f.end)
		case bytes.HasPrefix(d[f.at:f.end], []byte("/*")):
			n := bytes.Index(d[f.at+2:f.end], []byte("*/"))
			if n < 0 {
				return
			}
			mark, end, next = 2, f.at+2+n, f.at+n+4
		default:
			return
		}
		f.notes = append(f.notes, source.Span{Start: f.at + mark, End: end})
		f.at = next
	}
}

// collection reads from the opening bracket; the items become kids of a node.
func (f *flowReader) collection(n *Node, depth int) {
	closing := byte(']')
	if f.b[f.at] == '{' {
		closing = '}'
	}
	f.at++
	for f.space(); f.at < f.end; f.space() {
		switch c := f.b[f.at]; c {
		case closing:
			f.at++
			return
		case ']', '}':
			return // unbalanced: leave it to the outer one
		case ',':
			f.at++
		default:
			before := f.at
			f.item(n, closing == ']', depth)
			if f.at == before {
				f.at++
			}
		}
	}
}

// item reads "value" or "key: value".
func (f *flowReader) item(up *Node, list bool, depth int) {
	x := Node{Flow: true, Item: list, Line: up.Line}
	if f.b[f.at] == '?' && f.at+1 < f.end && !isPlainFlow(f.b[f.at+1]) { // ? key : value
		f.at++
		f.space()
	}
	anchor := f.props()
	if f.at >= f.end {
		return
	}
	if c := f.b[f.at]; c == '{' || c == '[' { // or an action, of which each text is one
		n := f.entry(up, source.Span{}, x)
		f.anchor(n, anchor)
		f.nested(n, depth)
		return
	}
	scalar, style := f.text()
	behind := f.at
	f.space()
	if f.at < f.end && f.b[f.at] == ':' && (style != Bare || f.at+1 >= f.end || !isPlainFlow(f.b[f.at+1])) {
		f.at++
		x.Item = false
		f.value(f.entry(up, scalar, x), depth)
		return
	}
	f.at = behind
	n := f.entry(up, source.Span{}, x)
	f.anchor(n, anchor)
	f.scalar(n, scalar, style)
}

// value reads what is behind the colon of an entry.
func (f *flowReader) value(n *Node, depth int) {
	f.space()
	f.anchor(n, f.props())
	if f.at >= f.end {
		return
	}
	switch c := f.b[f.at]; {
	case c == '[', c == '{' && !(f.templated && text.BeginsTemplate(f.b[f.at:f.end])):
		f.nested(n, depth)
	case c != ',' && c != '}' && c != ']':
		scalar, style := f.text()
		f.scalar(n, scalar, style)
	}
}

func (f *flowReader) nested(n *Node, depth int) {
	if depth >= maxNested {
		f.at++
		return
	}
	f.collection(n, depth+1)
}

// props steps over anchors and tags, and is the last anchor.
func (f *flowReader) props() (anchor source.Span) {
	for f.at < f.end && (f.b[f.at] == '&' || f.b[f.at] == '!') {
		from := f.at
		for f.at < f.end && bytes.IndexByte([]byte(" \t\n,]}"), f.b[f.at]) < 0 {
			f.at++
		}
		if f.b[from] == '&' {
			anchor = source.Span{Start: from, End: f.at}
		}
		f.space()
	}
	return anchor
}

// isPlainFlow says whether a byte can go on a plain scalar in flow style.
func isPlainFlow(c byte) bool { return bytes.IndexByte([]byte(" \t\r\n,[]{}"), c) < 0 }

// text reads a quoted or plain scalar.
func (f *flowReader) text() (source.Span, Style) {
	from, style := f.at+1, Double
	switch f.b[f.at] {
	case '"':
	case '\'':
		style = Single
	default:
		return f.plain(), Bare
	}
	end := f.quoteEnd(f.at, f.end)
	if end < 0 {
		f.at = f.end
		return source.Span{Start: from, End: f.end}, Double
	}
	f.at = end
	return source.Span{Start: from, End: end - 1}, style
}

// plain reads a plain scalar.
func (f *flowReader) plain() source.Span {
	from := f.at
	for f.at < f.end && !f.stops(f.b[f.at]) {
		if f.templated && text.BeginsTemplate(f.b[f.at:f.end]) {
			if next := f.actions.End(f.b, f.at, f.end); next >= 0 {
				f.at = next
				continue
			}
			if f.b[f.at] == '{' {
				break
			}
		}
		f.at++
	}
	end := f.at
	for end > from && (f.b[end-1] == ' ' || f.b[end-1] == '\t' || f.b[end-1] == '\r') {
		end--
	}
	return source.Span{Start: from, End: end}
}

// stops says whether a byte, at the offset, ends a plain scalar: in a template, a brace may
// begin an action.
func (f *flowReader) stops(c byte) bool {
	switch c {
	case ',', ']', '}', '[', '\n':
		return true
	case '{':
		return !f.templated || !text.BeginsTemplate(f.b[f.at:f.end])
	case ':':
		return f.at+1 >= f.end || !isPlainFlow(f.b[f.at+1])
	}
	return false
}

// FlowEnd is the offset behind the bracket that closes the one at an offset.
func FlowEnd(data []byte, at int) int {
	v := whole(data)
	f := &flowReader{scanner: &scanner{v: v, b: data, end: len(data)}, at: at}
	f.collection(&Node{View: v}, 0)
	return f.at
}
