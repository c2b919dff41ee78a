package text

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A flowReader reads JSON and YAML's flow style.
type flowReader struct {
	s  *scanner
	at int

	line, seen int // the start of the line of an offset that was reached
}

// lineStart is the start of the line that is read.
func (f *flowReader) lineStart() int32 {
	if n := bytes.LastIndexByte(f.s.Data[f.seen:f.at], '\n'); n >= 0 {
		f.line = f.seen + n + 1
	}
	f.seen = f.at
	return int32(f.line)
}

const maxDepth = 2000

// space steps over blanks, line breaks, commas are left.
func (f *flowReader) space() {
	d := f.s.Data
	for f.at < f.s.end {
		switch c := d[f.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			f.at++
		case c == '#' && f.at > 0 && (d[f.at-1] == ' ' || d[f.at-1] == '\n' || d[f.at-1] == '\t'):
			text, next := LineEnd(d, f.at, f.s.end)
			f.s.Notes = append(f.s.Notes, source.Span{Start: f.at + 1, End: text})
			f.at = next
		case c == '/' && f.at+1 < f.s.end && d[f.at+1] == '/': // JSON with comments
			text, next := LineEnd(d, f.at, f.s.end)
			f.s.Notes = append(f.s.Notes, source.Span{Start: f.at + 2, End: text})
			f.at = next
		case c == '/' && f.at+1 < f.s.end && d[f.at+1] == '*':
			n := bytes.Index(d[f.at+2:f.s.end], []byte("*/"))
			if n < 0 {
				return
			}
			f.s.Notes = append(f.s.Notes, source.Span{Start: f.at + 2, End: f.at + 2 + n})
			f.at += n + 4
		default:
			return
		}
	}
}

// collection reads from the opening bracket; the items become children of n.
func (f *flowReader) collection(n int32, depth int) int {
	d, s := f.s.Data, f.s
	closing := byte(']')
	if d[f.at] == '{' {
		closing = '}'
	}
	f.at++
	for f.at < s.end {
		f.space()
		if f.at >= s.end {
			break
		}
		switch c := d[f.at]; c {
		case closing:
			f.at++
			return f.at
		case ']', '}':
			return f.at // unbalanced: leave it to the outer one
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
	return f.at
}

// item reads "value" or "key: value".
func (f *flowReader) item(parent int32, seq bool, depth int) {
	s := f.s
	line := s.Nodes[parent].Line // cheap, and only a hint inside of one collection
	if depth == 0 && !s.Nodes[parent].Flow {
		line = f.lineStart()
	}
	if s.mark('?', f.at, s.end) {
		f.at++
		f.space()
	}
	anchor := f.props()
	if f.at >= s.end {
		return
	}
	if c := s.Data[f.at]; c == '{' || c == '[' {
		i := s.add(Node{Parent: parent, Flow: true, Seq: seq, Line: line, Pos: int32(f.at), Style: None})
		s.anchor(i, anchor)
		f.nested(i, depth)
		return
	}
	text, st := f.scalar()
	save := f.at
	f.space()
	colon := f.at < s.end && s.Data[f.at] == ':' && (st != Plain || f.at+1 >= s.end || !isPlainFlow(s.Data[f.at+1]))
	if !colon {
		f.at = save
		i := s.add(Node{Parent: parent, Flow: true, Seq: seq, Line: line, Pos: int32(text.Start), Val: text, Style: st, alias: st == Plain && text.Len() > 1 && s.Data[text.Start] == '*'})
		s.anchor(i, anchor)
		return
	}
	f.at++
	i := s.add(Node{Parent: parent, Flow: true, Key: text, Line: line, Pos: int32(text.Start), Style: None})
	f.value(i, depth)
}

// value reads what is behind the colon of an entry.
func (f *flowReader) value(i int32, depth int) {
	s := f.s
	f.space()
	s.anchor(i, f.props())
	if f.at >= s.end {
		return
	}
	switch c := s.Data[f.at]; c {
	case '{', '[':
		f.nested(i, depth)
	case ',', '}', ']':
	default:
		s.Nodes[i].Val, s.Nodes[i].Style = f.scalar()
		s.Nodes[i].alias = s.Nodes[i].Style == Plain && s.Nodes[i].Val.Len() > 1 && s.Data[s.Nodes[i].Val.Start] == '*'
	}
}

func (f *flowReader) nested(i int32, depth int) {
	if depth >= maxDepth {
		f.at++
		return
	}
	f.collection(i, depth+1)
}

// props steps over anchors and tags, and is the last anchor.
func (f *flowReader) props() (anchor source.Span) {
	for f.at < f.s.end && (f.s.Data[f.at] == '&' || f.s.Data[f.at] == '!') {
		from := f.at
		for f.at < f.s.end && !bytes.ContainsRune([]byte(" \t\n,]}"), rune(f.s.Data[f.at])) {
			f.at++
		}
		if f.s.Data[from] == '&' {
			anchor = source.Span{Start: from, End: f.at}
		}
		f.space()
	}
	return anchor
}

// isPlainFlow says whether a byte can go on a plain scalar in flow style.
func isPlainFlow(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', '[', ']', '{', '}':
		return false
	}
	return true
}

// scalar reads a quoted or plain scalar.
func (f *flowReader) scalar() (source.Span, style) {
	s := f.s
	c := s.Data[f.at]
	if c != '"' && c != '\'' {
		return f.plain(), Plain
	}
	from := f.at + 1
	end := s.quoteEnd(f.at, s.end)
	if end < 0 {
		f.at = s.end
		return source.Span{Start: from, End: s.end}, Double
	}
	f.at = end
	if c == '\'' {
		return source.Span{Start: from, End: end - 1}, Single
	}
	return source.Span{Start: from, End: end - 1}, Double
}

// plain reads a plain scalar.
func (f *flowReader) plain() source.Span {
	d, s, from := f.s.Data, f.s, f.at
	for f.at < s.end && !f.stops(d[f.at]) {
		if s.templated && templateOpen(d[f.at:s.end]) != nil {
			if next := s.closing(f.at, s.end); next >= 0 {
				f.at = next
				continue
			}
			if c := d[f.at]; c == '{' {
				break
			}
		}
		f.at++
	}
	end := f.at
	for end > from && (d[end-1] == ' ' || d[end-1] == '\t' || d[end-1] == '\r') {
		end--
	}
	return source.Span{Start: from, End: end}
}

// stops says whether a byte, at the offset, ends a plain scalar: in a template, a
// brace may begin an action.
func (f *flowReader) stops(c byte) bool {
	switch c {
	case ',', ']', '}', '[', '\n':
		return true
	case '{':
		return !f.s.templated || templateOpen(f.s.Data[f.at:f.s.end]) == nil
	case ':':
		return f.at+1 >= f.s.end || !isPlainFlow(f.s.Data[f.at+1])
	}
	return false
}
