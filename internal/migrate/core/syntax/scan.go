package syntax

import (
	"bytes"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// The scanner reads YAML, JSON and templates of them line by line, without a parser's help,
// so that every offset is a count of bytes that it made itself. It never refuses: what it
// does not understand becomes an opaque scalar. What it understood is proven afterwards by
// a real parser, where the text is one that a parser can read.

// A Style is how YAML and JSON write a scalar.
type Style uint8

// The styles.
const (
	NoScalar Style = iota // the node has kids, or nothing
	Bare
	Single
	Double
	Literal // |
	Folded  // >
)

// A scanner holds the state of reading one document.
type scanner struct {
	doc       *Node
	v         *View
	b         []byte
	templated bool    // {{ }}, {% %}, <% %> are opaque
	stack     []*Node // open block nodes, outermost first
	at        int
	end       int
	spare     []Node
	notes     []source.Span    // comments, without the "#"
	anchors   map[string]*Node // what a name stands for from here on
	actions   text.Actions
}

// Scan reads a document of YAML or JSON as it is written, without what is in its texts.
func Scan(data []byte, at source.Span, json, templated bool) *Node {
	v := whole(data)
	doc := &Node{Kind: Document, View: v, rare: &rare{place: at}}
	scan(doc, v, at, json, templated)
	return doc
}

// scan adds the nodes of a document, and returns its comments.
func scan(doc *Node, v *View, at source.Span, json, templated bool) []source.Span {
	lines := bytes.Count(at.Of(v.B), []byte{'\n'})
	s := &scanner{doc: doc, v: v, b: v.B, templated: templated, at: at.Start, end: at.End, spare: make([]Node, 0, min(2*lines+2, 4*fewNodes))}
	if json {
		f := &flowReader{scanner: s}
		f.run()
		return s.notes
	}
	for s.at < s.end {
		s.line()
	}
	return s.notes
}

// fewNodes are taken from memory at once, at the least.
const fewNodes = 64

// node takes a node from memory.
func (s *scanner) node(n Node) *Node {
	if len(s.spare) == cap(s.spare) {
		s.spare = make([]Node, 0, fewNodes)
	}
	n.View = s.v
	s.spare = append(s.spare, n)
	return &s.spare[len(s.spare)-1]
}

// entry adds an entry to a node, with its key; an empty one is that of an item.
func (s *scanner) entry(up *Node, key source.Span, x Node) *Node {
	n := up.add(s.node(x))
	if key.Len() == 0 {
		return n
	}
	n.Key = s.node(Node{Kind: Key, Start: key.Start, End: key.End, Up: n})
	n.Name = n.Key.String()
	if bytes.IndexByte(n.Key.Text(), '\\') >= 0 && key.Start > 0 && s.b[key.Start-1] == '"' {
		if name, err := strconv.Unquote(`"` + n.Name + `"`); err == nil {
			n.Name = name
		}
	}
	return n
}

// scalar sets the text of a node.
func (s *scanner) scalar(n *Node, at source.Span, style Style) {
	n.Start, n.End, n.Style, n.Quoted = at.Start, at.End, style, style == Single || style == Double
	if style == Bare && at.Len() > 1 && s.b[at.Start] == '*' {
		s.alias(n)
	}
}

// line reads one line of block structure and what hangs on it.
func (s *scanner) line() {
	start := s.at
	stop, next := text.LineEnd(s.b, s.at, s.end)
	if start == 0 && bytes.HasPrefix(s.b, []byte("\xef\xbb\xbf")) {
		start = 3
	}
	at := text.SkipBlank(s.b, start, stop)
	s.at = next
	switch {
	case at >= stop:
		return
	case s.b[at] == '#':
		s.trailing(at, stop)
		return
	case s.templated && s.opaqueLine(at, stop):
		return
	case at == start && text.IsMarker(s.b[at:next]):
		s.stack = s.stack[:0]
		at = text.SkipBlank(s.b, at+3, stop)
		if at == stop || s.b[at] == '#' {
			return
		}
	case at == start && s.b[at] == '%', at == start && bytes.Equal(s.b[at:stop], []byte("...")):
		return
	}
	s.content(start, at, stop)
}

// opaqueLine says whether a line holds nothing but template actions, and steps over those
// that go on over several lines.
func (s *scanner) opaqueLine(at, stop int) bool {
	for at < stop {
		if !text.BeginsTemplate(s.b[at:stop]) {
			return false
		}
		next := s.actions.End(s.b, at, s.end)
		if next < 0 {
			s.at = s.end
			return true
		}
		at = next
		if at > stop {
			stop, s.at = text.LineEnd(s.b, at, s.end)
		}
		at = text.SkipBlank(s.b, at, stop)
		if at < stop && s.b[at] == '#' {
			s.trailing(at, stop)
			return true
		}
	}
	return true
}

// ends says whether a blank is at an offset, or the line ends there.
func (s *scanner) ends(at, stop int) bool {
	return at == stop || s.b[at] == ' ' || s.b[at] == '\t'
}

// content reads "- " and "key:" at an offset, and the value behind. What is nested too deep
// is not read.
func (s *scanner) content(line, at, stop int) {
	for s.b[at] == '-' && s.ends(at+1, stop) && len(s.stack) < maxNested {
		n := s.open(line, at, source.Span{})
		at = text.SkipBlank(s.b, at+1, stop)
		if at == stop || s.b[at] == '#' {
			s.trailing(at, stop)
			return
		}
		if s.b[at] == '-' && s.ends(at+1, stop) {
			continue
		}
		if _, _, ok := s.key(at, stop); !ok {
			s.value(n, at, stop)
			return
		}
	}
	if len(s.stack) >= maxNested {
		return
	}
	if s.b[at] == '?' && s.ends(at+1, stop) && s.asked(line, at, stop) {
		return
	}
	key, after, ok := s.key(s.properties(nil, at, stop), stop)
	if !ok {
		s.loose(line, at, stop)
		return
	}
	n := s.open(line, at, key)
	if at = text.SkipBlank(s.b, after, stop); at == stop || s.b[at] == '#' {
		s.trailing(at, stop)
		return
	}
	s.value(n, at, stop)
}

// asked reads "? key", a word, with ": value" on the next line. Other keys that are written so are
// not read.
// Source: YAML 1.2, 8.2.2, explicit entries of block mappings.
func (s *scanner) asked(line, at, stop int) bool {
	from := s.properties(nil, text.SkipBlank(s.b, at+1, stop), stop)
	key := source.Span{Start: from, End: s.plainEnd(from, stop)}
	if from < stop && (s.b[from] == '"' || s.b[from] == '\'') {
		key = source.Span{Start: from + 1, End: s.quoteEnd(from, stop) - 1}
	}
	behind, next := text.LineEnd(s.b, s.at, s.end)
	value := text.SkipBlank(s.b, s.at, behind)
	if key.Len() <= 0 || value-s.at != at-line || value >= behind || s.b[value] != ':' || !s.ends(value+1, behind) {
		return false
	}
	line = s.at
	n := s.open(line, value, key)
	if s.at, value = next, text.SkipBlank(s.b, value+1, behind); value == behind || s.b[value] == '#' {
		s.trailing(value, behind)
	} else if _, _, entry := s.key(value, behind); entry || s.b[value] == '-' && s.ends(value+1, behind) {
		s.content(line, value, behind)
	} else {
		s.value(n, value, behind)
	}
	return true
}

// maxNested is how deep nodes are read.
const maxNested = 2000

// loose reads a line that is no entry: the continuation of a scalar that began above, or a
// value on a line of its own.
func (s *scanner) loose(line, at, stop int) {
	s.closeTo(at-line, false)
	if len(s.stack) == 0 {
		s.value(s.entry(s.doc, source.Span{}, Node{Indent: int32(at - line), Line: int32(line)}), at, stop)
		return
	}
	switch top := s.stack[len(s.stack)-1]; {
	case top.Style == NoScalar && len(top.Kids) == 0:
		s.value(top, at, stop)
	case top.Style == Bare:
		top.End = s.plainEnd(at, stop)
	}
}

// trailing keeps the comment at the end of a line.
func (s *scanner) trailing(at, stop int) {
	if at < stop && s.b[at] == '#' {
		s.notes = append(s.notes, source.Span{Start: at + 1, End: stop})
	}
}

// closeTo closes the open nodes that a line at a column cannot belong to. A sequence may
// stand at the column of its key.
func (s *scanner) closeTo(indent int, dash bool) {
	for len(s.stack) > 0 {
		top := s.stack[len(s.stack)-1]
		in := int(top.Indent)
		if in < indent || in == indent && dash && !top.Item {
			return
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// open adds a block node, an item for an empty key, below the open node that it belongs to.
func (s *scanner) open(line, at int, key source.Span) *Node {
	x := Node{Item: key.Len() == 0, Indent: int32(at - line), Line: int32(line)}
	s.closeTo(at-line, x.Item)
	up := s.doc
	if len(s.stack) > 0 {
		up = s.stack[len(s.stack)-1]
	}
	n := s.entry(up, key, x)
	s.stack = append(s.stack, n)
	return n
}

// key reads "key:" at an offset: plain, quoted or with template parts.
func (s *scanner) key(at, stop int) (key source.Span, after int, ok bool) {
	if at >= stop {
		return
	}
	switch c := s.b[at]; c {
	case '"', '\'':
		end := s.quoteEnd(at, stop)
		if end < 0 {
			return
		}
		after = text.SkipBlank(s.b, end, stop)
		return source.Span{Start: at + 1, End: end - 1}, after + 1, after < stop && s.b[after] == ':' && s.ends(after+1, stop)
	case '[', '#', '|', '>':
		return
	case '*':
		if !bytes.Contains(s.b[at:stop], []byte(": ")) {
			return
		}
	case '{':
		if !s.templated || !text.BeginsTemplate(s.b[at:stop]) {
			return
		}
	}
	for i := at; i < stop; i++ {
		switch c := s.b[i]; {
		case c == ':' && s.ends(i+1, stop):
			end := s.trimmed(at, i)
			return source.Span{Start: at, End: end}, i + 1, end > at
		case c == '#' && i > at && s.ends(i-1, stop):
			return
		case s.templated && text.BeginsTemplate(s.b[i:stop]):
			next := s.actions.End(s.b, i, stop)
			if next < 0 {
				return
			}
			i = next - 1
		}
	}
	return
}

// trimmed is the end of a span without the blanks before it.
func (s *scanner) trimmed(from, end int) int {
	for end > from && (s.b[end-1] == ' ' || s.b[end-1] == '\t') {
		end--
	}
	return end
}

// quoteEnd is the offset behind the quote that closes the one at an offset, or -1.
func (s *scanner) quoteEnd(at, limit int) int {
	q := s.b[at]
	for i := at + 1; i < limit; i++ {
		switch {
		case s.b[i] == '\\' && q == '"':
			i++
		case s.b[i] == q && q == '\'' && i+1 < limit && s.b[i+1] == q:
			i++
		case s.b[i] == q:
			return i + 1
		}
	}
	return -1
}

// properties steps over anchors and tags, and notes those of a node; nil is none.
func (s *scanner) properties(n *Node, at, stop int) int {
	for at < stop && (s.b[at] == '&' || s.b[at] == '!') {
		i := at
		for i < stop && s.b[i] != ' ' && s.b[i] != '\t' {
			i++
		}
		s.anchor(n, source.Span{Start: at, End: i})
		at = text.SkipBlank(s.b, i, stop)
	}
	return at
}

// value reads the value of a node, which begins on this line.
func (s *scanner) value(n *Node, at, stop int) {
	if at = s.properties(n, at, stop); at >= stop {
		return
	}
	switch c := s.b[at]; {
	case c == '#':
		s.trailing(at, stop)
	case c == '|' || c == '>':
		s.block(n, s.b[at] == '>')
	case c == '"' || c == '\'':
		end, style := s.quoteEnd(at, s.end), Double
		if end < 0 {
			end = stop + 1
		}
		if c == '\'' {
			style = Single
		}
		s.scalar(n, source.Span{Start: at + 1, End: max(at+1, end-1)}, style)
		s.after(end)
	case (c == '{' || c == '[') && !(s.templated && text.BeginsTemplate(s.b[at:stop])):
		f := &flowReader{scanner: s, at: at}
		f.collection(n, 0)
		s.after(f.at)
	default:
		s.scalar(n, source.Span{Start: at, End: s.plainEnd(at, stop)}, Bare)
	}
}

// after goes on behind a value that may have ended on a later line.
func (s *scanner) after(end int) {
	stop, next := text.LineEnd(s.b, min(end, s.end), s.end)
	s.at = next
	s.trailing(text.SkipBlank(s.b, min(end, s.end), stop), stop)
}

// plainEnd is where a plain scalar's text on this line ends; a comment behind it is kept.
func (s *scanner) plainEnd(at, stop int) int {
	for i := at; i < stop; i++ {
		c := s.b[i]
		if s.templated && text.BeginsTemplate(s.b[i:stop]) {
			if next := s.actions.End(s.b, i, stop); next >= 0 {
				i = next - 1
				continue
			}
		}
		if c == '#' && i > at && (s.b[i-1] == ' ' || s.b[i-1] == '\t') {
			s.trailing(i, stop)
			stop = i
			break
		}
	}
	return s.trimmed(at, stop)
}

// block reads a literal or folded scalar: every line that is blank or indented more than
// the entry it belongs to.
func (s *scanner) block(n *Node, folded bool) {
	from, end, style := s.at, s.at, Literal
	if folded {
		style = Folded
	}
	for s.at < s.end {
		stop, next := text.LineEnd(s.b, s.at, s.end)
		first := text.SkipBlank(s.b, s.at, stop)
		if first < stop && first-s.at <= int(n.Indent) && !(s.templated && text.BeginsTemplate(s.b[first:stop])) {
			break
		}
		s.at = next
		if first < stop {
			end = next
		}
	}
	s.scalar(n, source.Span{Start: from, End: end}, style)
}
