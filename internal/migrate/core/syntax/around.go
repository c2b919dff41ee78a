package syntax

import (
	"bytes"
	"slices"
	"sort"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A text of whatever kind may have an object of YAML or JSON in it: a string of a script, a block
// of a page, a comment, lines that a program joins. It is read from one of its fields.

// maxAround is how far before and after a field its object is looked for, in bytes, and mostBraces
// in how many braces.
const (
	maxAround  = 16 << 10
	mostBraces = 12

	nearField   = 200 // of a value or item, the end of the name of its field
	longestName = 60  // with its quotes
	longestLead = 400 // what is in front of the field on its line
)

// fieldBefore is a field up to its value, or to an item of the list that is its value. The quotes of
// its name are those of the whole object.
var fieldBefore = lazyregexp.New("((?:\\\\*[\"'`]|\"\")?)([A-Za-z]+(?: Version)?)((?:\\\\*[\"'`]|\"\")?)\\s*:\\s*(?:[&!]\\S+\\s+)*(?:[|>][-+]?\\s+)?(?:\\[[^\\]{}]*)?(?:\\\\*[\"'`]|\"\")?$")

// itemBefore is the begin of a line of a list up to the text of the item.
var itemBefore = lazyregexp.New("(?:^|\n)([ \t]*)-[ \t]+[\"']?$")

// Texts finds objects in the texts of one file.
type Texts struct {
	Most   int // the bytes that may be read for it
	work   int
	lines  []marked
	braces []braced // of the last texts
}

// marked are lines of a text that begin with the same mark, without it.
type marked struct {
	of          *View
	first, last int // in that text
	view        *View
}

// Around is the object that a text has around the value at an offset, as a document; nil where
// there is none that is sure, or too much was read. Field is the name of the field of that value, "" where it is of none.
func (x *Texts) Around(v *View, at int) (doc *Node, field string) {
	if _, _, field = fieldAt(v.B, at); field == "" && !bytes.Contains(v.B[max(0, at-4):at], []byte("- ")) {
		return nil, "" // quickly, of most
	}
	if x.work <= x.Most {
		v, at = x.unmarked(v, at)
	}
	begin, quote, field := fieldAt(v.B, at)
	if field == "" || x.work > x.Most {
		return nil, field
	}
	for _, w := range x.inBraces(v, begin, quote) {
		if doc = x.read(w); isMapping(doc) {
			return doc, field
		}
	}
	if w := inLines(v, begin); w != nil {
		return x.read(w), field
	}
	x.work += maxAround
	return nil, field
}

// read reads a text as YAML.
func (x *Texts) read(v *View) *Node {
	x.work += len(v.B)
	doc := &Node{Kind: Document, Lang: "yaml", View: v}
	yamlStream(doc, v, options{templated: true, formats: formats[:len(formats)-1]})
	return doc
}

// fieldAt is where the field begins whose value, or an item of it, is at an offset, with the quotes of
// its name; "" for none.
func fieldAt(b []byte, at int) (begin int, quote, name string) {
	first := max(0, at-nearField)
	if colon := bytes.LastIndexByte(b[first:at], ':'); colon >= 0 && (first+colon+1 == at || bytes.IndexByte([]byte(" \t\n\"'`\\[&!|>"), b[first+colon+1]) >= 0) {
		from := max(0, first+colon-longestName)
		if m := fieldBefore.FindSubmatchIndex(b[from:at]); m != nil {
			name = string(b[from+m[4] : from+m[5]])
			if quote = string(b[from+m[2] : from+m[3]]); quote != string(b[from+m[6]:from+m[7]]) {
				return from + m[4], "", name
			}
			return from + m[2], quote, name
		}
	}
	if !bytes.Contains(b[max(0, at-4):at], []byte("- ")) {
		return 0, "", ""
	}
	m := itemBefore.FindSubmatchIndex(b[first:at])
	if m == nil {
		return 0, "", ""
	}
	column, end := m[3]-m[2], first+m[2]
	for n := 0; n < 40 && end > 0; n++ {
		from := bytes.LastIndexByte(b[:end-1], '\n') + 1
		line := b[from:max(from, end-1)]
		t := bytes.TrimLeft(line, " \t")
		is := len(line) - len(t)
		dash := len(t) - len(bytes.TrimLeft(t, " -"))
		key := bytes.Trim(bytes.TrimRight(t[dash:], ": \r"), `"'`)
		switch {
		case dash == 0 && is > column, dash > 0 && is == column && !bytes.HasSuffix(t, []byte(":")), len(t) > 0 && t[0] == '#':
			end = from
		case is+dash <= column && bytes.HasSuffix(bytes.TrimRight(t, " \r"), []byte(":")) && len(key) > 0 && len(bytes.Trim(key, letters)) == 0:
			return from + is + dash, "", string(key)
		default:
			return 0, "", ""
		}
	}
	return 0, "", ""
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Adopt makes a document that was found in a text of a tree a part of the tree.
func (n *Node) Adopt(doc *Node) { n.add(doc) }

// isMapping says whether a document is a mapping in braces of which each entry has a name.
func isMapping(doc *Node) bool {
	for len(doc.Kids) == 1 && doc.Kids[0].Name == "" {
		doc = doc.Kids[0]
	}
	for _, k := range doc.Kids {
		if k.Name == "" && k.Kind != Comment || bytes.IndexByte([]byte(k.Name), '\n') >= 0 {
			return false
		}
	}
	return len(doc.Kids) > 1
}

// lineStart is where the line of an offset begins; false where that is far before it.
func lineStart(b []byte, at int) (int, bool) {
	far := max(0, at-longestLead)
	if i := bytes.LastIndexByte(b[far:at], '\n'); i >= 0 {
		return far + i + 1, true
	}
	return far, far == 0
}

// inBraces are the texts of the braces around an offset, the outermost first, without the escapes of
// their quotes.
func (x *Texts) inBraces(v *View, at int, quote string) (list []*View) {
	pairs := x.bracesOf(v, quote)
	i := sort.Search(len(pairs), func(i int) bool { return pairs[i].open >= at }) - 1
	for ; i >= 0 && pairs[i].open > at-maxAround && len(list) < mostBraces; i = pairs[i].up {
		if p := pairs[i]; v.B[p.open] == '{' && p.end > at && p.end < at+maxAround {
			list = append(list, unquoted(v.Sub(p.open, p.end), quote))
		}
	}
	slices.Reverse(list)
	return list
}

// A brace is a bracket of a text.
type brace struct {
	open, end int // from its begin to behind the one that closes it; end 0: none does
	up        int // the bracket around it, -1 for none
}

// braced are the brackets of a text whose names are in quotes of one kind.
type braced struct {
	of    *View
	quote string
	list  []brace
}

// bracesOf are the brackets of a text, in order. Those in quotes count where they are pairs.
func (x *Texts) bracesOf(v *View, quote string) []brace {
	for _, b := range x.braces {
		if b.of == v && b.quote == quote {
			return b.list
		}
	}
	var list []brace
	up, closed := -1, 0
	for i := 0; i < len(v.B); i++ {
		switch c := v.B[i]; {
		case c == '{' || c == '[':
			list = append(list, brace{open: i, up: up})
			up = len(list) - 1
		case c == '}' || c == ']':
			for up >= 0 && v.B[list[up].open] != c-2 { // { and }, [ and ] are two apart
				up = list[up].up
			}
			if up >= 0 {
				list[up].end = i + 1
				up = list[up].up
			}
		case i >= closed && quote != "" && bytes.HasPrefix(v.B[i:], []byte(quote)):
			i, closed = quoted(v.B, i, quote)
		case i >= closed && quote == "" && (c == '"' || c == '\'') && i > 0 && bytes.IndexByte([]byte(" \t\n:,[{"), v.B[i-1]) >= 0:
			i, closed = quoted(v.B, i, string(c))
		}
	}
	x.work += len(v.B)
	x.braces = append(x.braces[max(0, len(x.braces)-3):], braced{v, quote, list})
	return list
}

// quoted is where a text goes on that has quotes at an offset which end on their line: in them, where
// the brackets in them are pairs, else behind them, and where they end.
func quoted(b []byte, at int, quote string) (next, end int) {
	in := b[at+len(quote) : text.LineBreak(b, at)]
	n := bytes.Index(in, []byte(quote))
	if n < 0 {
		return at, at + 1
	}
	end = at + n + 2*len(quote)
	if in = in[:n]; bytes.Count(in, []byte("{")) == bytes.Count(in, []byte("}")) && bytes.Count(in, []byte("[")) == bytes.Count(in, []byte("]")) {
		return at, end
	}
	return end - 1, end
}

// unquoted takes the escapes away that an object has in the string around it.
func unquoted(v *View, quote string) *View {
	if quote == `""` {
		b := newBuilder(v, len(v.B))
		for i := 0; i < len(v.B); i++ {
			b.add(i, i+1)
			if v.B[i] == '"' && i+1 < len(v.B) && v.B[i+1] == '"' {
				i++
			}
		}
		return b.view()
	}
	for n := len(quote) - 1; n > 0; n /= 2 {
		v = unescape(v)
	}
	return v
}

// lineMark is what lines of a comment, a quotation or a list of strings begin with.
var lineMark = lazyregexp.New("^[ \t]*(?:(?:[#*>;|]+|//+|--)|[\"'`])")

// unmarked are the lines around an offset without the mark that they all begin with, and where
// the offset is in them; the text itself where its line has none.
func (x *Texts) unmarked(v *View, at int) (*View, int) {
	for i := len(x.lines) - 1; i >= 0 && i >= len(x.lines)-4; i-- { // the last ones: texts are read in order
		if m := x.lines[i]; m.of == v && m.first <= at && at < m.last {
			return m.view, m.view.at(v.Offset(at))
		}
	}
	from, ok := lineStart(v.B, at)
	mark := lineMark.Find(v.B[from:at])
	if !ok || mark == nil {
		return v, at
	}
	quote := mark[len(mark)-1]
	if bytes.IndexByte([]byte("\"'`"), quote) < 0 {
		quote = 0
	} else if bytes.IndexByte(v.B[from+len(mark):at], quote) >= 0 {
		return v, at
	}
	first := from
	for first > 0 {
		before := bytes.LastIndexByte(v.B[:first-1], '\n') + 1
		if !bytes.HasPrefix(v.B[before:], mark) {
			break
		}
		first = before
	}
	next, w := first, newBuilder(v, 0)
	for next < len(v.B) && bytes.HasPrefix(v.B[next:], mark) {
		end := text.LineBreak(v.B, next)
		to := end
		if quote != 0 {
			if to = next + bytes.LastIndexByte(v.B[next:end], quote); to < next+len(mark) {
				break
			}
			to -= len(v.B[next+len(mark):to]) - len(bytes.TrimSuffix(v.B[next+len(mark):to], []byte(`\n`)))
		}
		w.add(next+len(mark), to)
		w.put('\n', to)
		next = end + 1
	}
	if x.work += max(next, at) - first; next <= at {
		return v, at
	}
	m := marked{v, first, next, w.view()}
	x.lines = append(x.lines, m)
	return m.view, m.view.at(v.Offset(at))
}

// fieldLine is the begin of a line of an object: a field, an item, a comment.
var fieldLine = lazyregexp.New(`^(?:["']?[A-Za-z_$][\w.$/-]*(?: Version)?["']?\s*:(?:\s|$)|-(?:\s|$)|#)`)

// inLines is the text of the lines of an object that have a field at an offset, with the objects that
// it is in: those next to it that are fields and items as YAML has them. It is nil where they are none.
func inLines(v *View, at int) *View {
	from, ok := lineStart(v.B, at)
	if !ok {
		return nil
	}
	if quote := at - 1; quote > from && bytes.IndexByte([]byte("\"'`"), v.B[quote]) >= 0 { // all of a string
		b := v.B[at:min(len(v.B), at+maxAround)]
		if end := bytes.IndexByte(b, v.B[quote]); end >= 0 {
			return v.Sub(at, at+end)
		}
		return nil
	}
	if len(bytes.Trim(v.B[from:at], " \t-")) > 0 {
		return nil
	}
	x := lines{b: v.B, column: at - from}
	first, last := from, from
	for line := from; x.takes(line, true) && from-line <= maxAround; line = bytes.LastIndexByte(v.B[:line-1], '\n') + 1 {
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
	w := newBuilder(v, 0)
	for at := first; at < min(last, len(v.B)); at++ {
		if v.B[at] == '\t' {
			w.put(' ', at)
			continue
		}
		w.add(at, at+1)
	}
	return unindent(w.view())
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
		return fieldLine.Match(t) && t[len(t)-1] != ','
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

// starts says whether a line has a field of the outermost object that is one of the first of objects.
func (x *lines) starts(at int) bool {
	line := x.b[at:text.LineBreak(x.b, at)]
	t := bytes.TrimLeft(line, " \t")
	return len(line)-len(t) == x.column && (bytes.HasPrefix(t, []byte("apiVersion:")) || bytes.HasPrefix(t, []byte("kind:")))
}
