package text

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The scanner reads YAML, JSON and templates of them line by line, without a
// parser's help, so that every span is a count of bytes that it made itself.
// It never refuses: what it does not understand becomes an opaque scalar. What
// it understood is proven afterwards by a real parser, where the
// text is one that a parser can read.

// A style is how a scalar is written.
type style byte

// The styles.
const (
	Plain style = iota
	Single
	Double
	Literal // |
	Folded  // >
	None    // no scalar: the node has children, or nothing
	comment // the text of a comment, which is no node of the tree
)

// A Node is one entry of a mapping or sequence. Siblings have one parent.
type Node struct {
	Key    source.Span // the key's text without quotes; empty in a sequence
	Val    source.Span // the scalar's text without quotes or block indentation header
	Parent int32       // index, -1 at the top
	Prev   int32       // the sibling before, -1
	Next   int32       // the sibling after, -1
	Last   int32       // the last child, -1
	Indent int32       // column of the key or of the dash's content
	Line   int32       // offset of the start of its line
	Pos    int32       // offset where it begins; never less than that of the node before
	Style  style
	Seq    bool // an item of a sequence
	Flow   bool // is inside of [] or {}
	Asked  bool // its key is written "? key", in block style: the value has a line of its own
	alias  bool // the value is *alias
}

// A Tree is the nodes of one document in textual order.
type Tree struct {
	Data  []byte
	Nodes []Node
	Notes []source.Span // comments, without the "#"

	keys  map[int32]string             // those with an escape, as what they say
	index map[int32]map[string][]int32 // of the entries under some nodes, by key

	anchors anchors
}

// scanner holds the state of reading one document.
type scanner struct {
	Tree
	templated bool    // {{ }}, {% %}, <% %> are opaque
	stack     []int32 // open block nodes, outermost first
	at        int
	end       int
	top       int32 // the last node without a parent, -1
	missing   [3]unclosed
}

// An unclosed delimiter is known not to be closed between an offset and a limit.
type unclosed struct{ from, limit int }

// closing is the offset behind the action of a template that begins at an
// offset, at most limit; -1 when it is not closed there.
func (s *scanner) closing(at, limit int) int {
	for i, d := range templateMarks {
		if !bytes.HasPrefix(s.Data[at:limit], d.open) {
			continue
		}
		if u := s.missing[i]; u.limit == limit && at >= u.from {
			return -1
		}
		if n := bytes.Index(s.Data[at:limit], d.close); n >= 0 {
			return at + n + len(d.close)
		}
		s.missing[i] = unclosed{at, limit}
		return -1
	}
	return -1
}

// ScanYAML reads one document: data[from:to).
func ScanYAML(data []byte, from, to int, templated bool) *Tree {
	s := &scanner{Tree: Tree{Data: data}, templated: templated, at: from, end: to, top: -1}
	s.reserve(data[from:to])
	for s.at < s.end {
		s.line()
	}
	return &s.Tree
}

// large is the size from which a document's nodes are counted before they are
// read, so that memory is taken once.
const large = 1 << 20

// reserve takes memory for the nodes of a document: about one for each line and
// each dash, and in a large one at most one for each separator.
func (s *scanner) reserve(doc []byte) {
	n := 0
	if len(doc) < large {
		n = bytes.Count(doc, []byte{'\n'}) + bytes.Count(doc, []byte("- ")) + 2
	} else {
		for _, c := range []byte(",{[:\n") {
			n += bytes.Count(doc, []byte{c})
		}
		n = min(n, len(doc)/4) + 1
	}
	if list, _ := spare.Get().(*[]Node); list != nil && cap(*list) >= n {
		s.Nodes = *list
		return
	}
	s.Nodes = make([]Node, 0, n)
}

// LineEnd is the offset behind the text of the line at an offset, without its
// line break, and next the start of the line after.
func LineEnd(data []byte, at, limit int) (text, next int) {
	n := bytes.IndexByte(data[at:limit], '\n')
	if n < 0 {
		return limit, limit
	}
	text = at + n
	if text > at && data[text-1] == '\r' {
		text--
	}
	return text, at + n + 1
}

// SkipBlank is the offset behind the blanks at an offset.
func SkipBlank(data []byte, at, limit int) int {
	for at < limit && (data[at] == ' ' || data[at] == '\t') {
		at++
	}
	return at
}

// line reads one line of block structure and what hangs on it.
func (s *scanner) line() {
	start := s.at
	text, next := LineEnd(s.Data, s.at, s.end)
	at := SkipBlank(s.Data, start, text)
	if start == 0 && bytes.HasPrefix(s.Data, []byte("\xef\xbb\xbf")) {
		start, at = 3, SkipBlank(s.Data, 3, text)
	}
	s.at = next
	switch {
	case at == text:
		return
	case s.Data[at] == '#':
		s.Notes = append(s.Notes, source.Span{Start: at + 1, End: text})
		return
	case s.templated && s.opaqueLine(at, text):
		return
	case at == start && bytes.HasPrefix(s.Data[at:text], []byte("---")) && (at+3 == text || s.Data[at+3] == ' ' || s.Data[at+3] == '\t'):
		s.stack = s.stack[:0]
		at = SkipBlank(s.Data, at+3, text)
		if at == text || s.Data[at] == '#' {
			return
		}
	case at == start && s.Data[at] == '%', at == start && bytes.Equal(s.Data[at:text], []byte("...")):
		return
	}
	s.entry(start, at, at-start, text)
}

// opaqueLine says whether a line holds nothing but template actions, and
// steps over those that go on over several lines.
func (s *scanner) opaqueLine(at, text int) bool {
	for at < text {
		open := templateOpen(s.Data[at:text])
		if open == nil {
			return false
		}
		next := s.closing(at, s.end)
		if next < 0 {
			s.at = s.end
			return true
		}
		at = next
		if at > text {
			text, s.at = LineEnd(s.Data, at, s.end)
		}
		at = SkipBlank(s.Data, at, text)
		if at < text && s.Data[at] == '#' {
			s.Notes = append(s.Notes, source.Span{Start: at + 1, End: text})
			return true
		}
	}
	return true
}

// delimiters of template languages: Go and Helm, Jinja, ERB.
type delimiters struct{ open, close []byte }

var templateMarks = []delimiters{
	{[]byte("{{"), []byte("}}")},
	{[]byte("{%"), []byte("%}")},
	{[]byte("<%"), []byte("%>")},
}

// BeginsTemplate says whether a text begins with an action of a template.
func BeginsTemplate(data []byte) bool { return templateOpen(data) != nil }

// templateOpen is the delimiters of the template action that a text begins with,
// nil for none.
func templateOpen(data []byte) *delimiters {
	for i := range templateMarks {
		if bytes.HasPrefix(data, templateMarks[i].open) {
			return &templateMarks[i]
		}
	}
	return nil
}

// mark says whether a mark is at an offset: a character that begins an
// entry, and a blank behind it.
func (s *scanner) mark(c byte, at, text int) bool {
	return at < text && s.Data[at] == c && s.ends(at+1, text)
}

// entry reads "- " and "key:" at an offset, and the value behind. What is nested too
// deep is not read.
func (s *scanner) entry(line, at, indent, text int) {
	for s.mark('-', at, text) && len(s.stack) < maxDepth {
		n := s.open(Node{Seq: true, Indent: int32(indent), Line: int32(line), Pos: int32(at), Style: None})
		at = SkipBlank(s.Data, at+1, text)
		indent = at - line
		if at == text || s.Data[at] == '#' {
			s.trailing(at, text)
			return
		}
		if s.mark('-', at, text) || s.mark('?', at, text) {
			continue
		}
		if _, _, ok := s.key(at, text); !ok {
			s.value(n, at, text)
			return
		}
	}
	if len(s.stack) >= maxDepth {
		return
	}
	if s.mark('?', at, text) {
		s.asked(line, at, indent, text)
		return
	}
	if s.mark(':', at, text) && s.answers(line, at, indent, text) {
		return
	}
	at2 := s.properties(-1, at, text)
	key, after, ok := s.key(at2, text)
	if !ok {
		s.loose(line, at, indent, text)
		return
	}
	n := s.open(Node{Key: key, Indent: int32(indent), Line: int32(line), Pos: int32(key.Start), Style: None})
	at = SkipBlank(s.Data, after, text)
	if at == text || s.Data[at] == '#' {
		s.trailing(at, text)
		return
	}
	s.value(n, at, text)
}

// loose reads a line that is no entry: the continuation of a scalar that began
// above, or a value on a line of its own.
func (s *scanner) loose(line, at, indent, text int) {
	s.closeTo(indent, false)
	if len(s.stack) == 0 {
		n := s.add(Node{Parent: -1, Indent: int32(indent), Line: int32(line), Pos: int32(at), Style: None})
		s.value(n, at, text)
		return
	}
	top := s.stack[len(s.stack)-1]
	if s.Nodes[top].Style == None && s.Nodes[top].Last < 0 {
		s.value(top, at, text)
		return
	}
	if s.Nodes[top].Style == Plain {
		s.Nodes[top].Val.End = s.plainEnd(at, text)
	}
}

// trailing keeps the comment at the end of a line.
func (s *scanner) trailing(at, text int) {
	if at < text && s.Data[at] == '#' {
		s.Notes = append(s.Notes, source.Span{Start: at + 1, End: text})
	}
}

// closeTo closes the open nodes that a line at a column cannot belong to. A
// sequence may stand at the column of its key.
func (s *scanner) closeTo(indent int, dash bool) {
	for len(s.stack) > 0 {
		top := &s.Nodes[s.stack[len(s.stack)-1]]
		in := int(top.Indent)
		if in < indent || in == indent && dash && !top.Seq {
			return
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// open adds a block node under the open node that it belongs to.
func (s *scanner) open(n Node) int32 {
	s.closeTo(int(n.Indent), n.Seq)
	n.Parent = -1
	if len(s.stack) > 0 {
		n.Parent = s.stack[len(s.stack)-1]
	}
	i := s.add(n)
	s.stack = append(s.stack, i)
	return i
}

// add links a node behind the last child of its parent.
func (s *scanner) add(n Node) int32 {
	i := int32(len(s.Nodes))
	n.Prev, n.Next, n.Last = -1, -1, -1
	if n.Parent >= 0 {
		p := &s.Nodes[n.Parent]
		n.Prev = p.Last
		p.Last = i
	} else {
		n.Prev, s.top = s.top, i
	}
	if n.Prev >= 0 {
		s.Nodes[n.Prev].Next = i
	}
	s.Nodes = append(s.Nodes, n)
	if at := n.Key.Start; n.Key.Len() > 0 && at > 0 && s.Data[at-1] == '"' && bytes.IndexByte(n.Key.Of(s.Data), '\\') >= 0 {
		if s.keys == nil {
			s.keys = map[int32]string{}
		}
		s.keys[i] = said(s.Data, n.Key, Double)
	}
	return i
}

// key reads "key:" at an offset: plain, quoted or with template parts.
func (s *scanner) key(at, text int) (key source.Span, after int, ok bool) {
	if at >= text {
		return
	}
	switch c := s.Data[at]; c {
	case '"', '\'':
		return s.quotedKey(at, text)
	case '[', '#', '|', '>':
		return
	case '*':
		if !bytes.Contains(s.Data[at:text], []byte(": ")) {
			return
		}
	case '{':
		if !s.templated || templateOpen(s.Data[at:text]) == nil {
			return
		}
	}
	return s.plainKey(at, text)
}

func (s *scanner) quotedKey(at, text int) (key source.Span, after int, ok bool) {
	end := s.quoteEnd(at, text)
	if end < 0 {
		return
	}
	if after = SkipBlank(s.Data, end, text); after < text && s.Data[after] == ':' && s.ends(after+1, text) {
		return source.Span{Start: at + 1, End: end - 1}, after + 1, true
	}
	return
}

// ends says whether a blank is at an offset, or the line ends there.
func (s *scanner) ends(at, text int) bool {
	return at == text || s.Data[at] == ' ' || s.Data[at] == '\t'
}

func (s *scanner) plainKey(at, text int) (key source.Span, after int, ok bool) {
	for i := at; i < text; i++ {
		switch c := s.Data[i]; {
		case c == ':' && s.ends(i+1, text):
			end := s.trimmed(at, i)
			return source.Span{Start: at, End: end}, i + 1, end > at
		case c == '#' && i > at && s.ends(i-1, text):
			return
		case s.templated && (c == '{' || c == '<') && templateOpen(s.Data[i:text]) != nil:
			next := s.closing(i, text)
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
	for end > from && (s.Data[end-1] == ' ' || s.Data[end-1] == '\t') {
		end--
	}
	return end
}

// quoteEnd is the offset behind the closing quote on the same line, or -1.
func (s *scanner) quoteEnd(at, limit int) int {
	q := s.Data[at]
	for i := at + 1; i < limit; i++ {
		switch {
		case s.Data[i] == '\\' && q == '"':
			i++
		case s.Data[i] == q && q == '\'' && i+1 < limit && s.Data[i+1] == q:
			i++
		case s.Data[i] == q:
			return i + 1
		}
	}
	return -1
}

// properties steps over anchors and tags, and notes those of a node; -1 is none.
func (s *scanner) properties(n int32, at, text int) int {
	for at < text && (s.Data[at] == '&' || s.Data[at] == '!') {
		i := at
		for i < text && s.Data[i] != ' ' && s.Data[i] != '\t' {
			i++
		}
		s.anchor(n, source.Span{Start: at, End: i})
		if i == text {
			return i
		}
		at = SkipBlank(s.Data, i, text)
	}
	return at
}

// ScanJSON reads data as flow style from the first bracket on.
func ScanJSON(data []byte, templated bool) *Tree {
	s := &scanner{Tree: Tree{Data: data}, templated: templated, end: len(data), top: -1}
	s.reserve(data)
	f := &flowReader{s: s}
	for f.space(); f.at < s.end; f.space() {
		c := data[f.at]
		if c != '{' && c != '[' {
			f.at++
			continue
		}
		n := s.add(Node{Parent: -1, Flow: true, Seq: true, Pos: int32(f.at), Style: None})
		f.collection(n, 0)
	}
	return &s.Tree
}

// HasTemplate says whether text holds template actions.
func HasTemplate(data []byte) bool {
	for i := range templateMarks {
		if bytes.Contains(data, templateMarks[i].open) {
			return true
		}
	}
	return false
}

// ScanPart scans a part of a text: spans count from the beginning of the text.
func ScanPart(data []byte, s source.Span, json, templated bool) *Tree {
	if json {
		return ScanJSON(data[:s.End], false)
	}
	return ScanYAML(data[:s.End], s.Start, s.End, templated)
}
