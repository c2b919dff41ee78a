package syntax

import (
	"bytes"

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
	mostMarks   = 3   // how many marks the lines of an object may have
)

// fieldBefore is a field up to its value, or to an item of the list that is its value. The quotes of
// its name are those of the whole object.
var fieldBefore = lazyregexp.New("((?:\\\\*[\"'`]|\"\"|'')?)([A-Za-z]+(?: Version)?)((?:\\\\*[\"'`]|\"\"|'')?)\\s*:\\s*(?:[&!]\\S+\\s+)*(?:[|>][-+]?\\s+)?(?:\\[[^\\]{}]*)?(?:\\\\*[\"'`]|\"\"|'')?$")

// itemBefore is the begin of a line of a list up to the text of the item.
var itemBefore = lazyregexp.New("(?:^|\n)([ \t]*)-[ \t]+[\"']?$")

// Texts finds objects in the texts of one file.
type Texts struct {
	Most   int // the bytes that may be read for it
	work   int
	lines  []run    // the last ones
	braces []braced // of the last texts
}

// A run is lines of a text that begin with the same mark, without it, or without their escapes.
type run struct {
	of          *View
	first, last int // in that text
	view        *View
}

// Around is the object that a text has around the value at an offset, as a document; nil where
// there is none that is sure, or too much was read. Field is the name of the field of that value, "" where it is of none.
func (x *Texts) Around(v *View, at int) (doc *Node, field string) {
	if _, _, field = fieldAt(v.B, at); field == "" && !bytes.Contains(v.B[max(0, at-8):at], []byte("- ")) || x.work > x.Most {
		return nil, field // quickly, of most
	}
	for range mostMarks { // a quotation in a comment, a list of strings in a quotation
		w, in := x.unmarked(v, at)
		if w == v {
			w, in = x.unescaped(v, at)
		}
		if w == v {
			break
		}
		v, at = w, in
	}
	begin, quote, field := fieldAt(v.B, at)
	if field == "" {
		return nil, ""
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

// lineStart is where the line of an offset begins; false where that is far before it.
func lineStart(b []byte, at int) (int, bool) {
	far := max(0, at-longestLead)
	if i := bytes.LastIndexByte(b[far:at], '\n'); i >= 0 {
		return far + i + 1, true
	}
	return far, far == 0
}

var anyQuote = []byte("\"'`")

// lineMark is what lines of a comment, a quotation, a diff or a list of strings begin with.
var lineMark = lazyregexp.New("^[ \t]*(?:(?:[#*>;|+]+|//+|--)|[\"'`])")

// unmarked are the lines around an offset without the mark that they all begin with, and where
// the offset is in them; the text itself where its line has none.
func (x *Texts) unmarked(v *View, at int) (*View, int) {
	for _, m := range x.lines {
		if m.of == v && m.first <= at && at < m.last {
			return m.view, m.view.at(v.Offset(at))
		}
	}
	from, ok := lineStart(v.B, at)
	mark := lineMark.Get().Find(v.B[from:at])
	if !ok || mark == nil {
		return v, at
	}
	n := len(mark)
	quotes := bytes.IndexByte(anyQuote, mark[n-1]) >= 0
	if quotes && bytes.IndexByte(v.B[from+n:at], mark[n-1]) >= 0 {
		return v, at
	}
	marked := func(at int) bool { // of strings, each may have quotes of its own
		l := v.B[at:]
		return bytes.HasPrefix(l, mark) || quotes && bytes.HasPrefix(l, mark[:n-1]) && len(l) >= n && bytes.IndexByte(anyQuote, l[n-1]) >= 0
	}
	first := from
	for first > 0 {
		before := bytes.LastIndexByte(v.B[:first-1], '\n') + 1
		if !marked(before) {
			break
		}
		first = before
	}
	next, w := first, newBuilder(v, 0)
	for next < len(v.B) && marked(next) {
		end := text.LineBreak(v.B, next)
		to := end
		if quotes {
			if to = next + bytes.LastIndexByte(v.B[next:end], v.B[next+n-1]); to < next+n {
				break
			}
			to -= len(v.B[next+n:to]) - len(bytes.TrimSuffix(v.B[next+n:to], []byte(`\n`)))
		}
		w.add(next+n, to)
		w.put('\n', to)
		next = end + 1
	}
	if x.work += max(next, at) - first; next <= at {
		return v, at
	}
	m := run{v, first, next, w.view()}
	if quotes {
		m.view = unescape(m.view)
	}
	x.keep(m)
	return m.view, m.view.at(v.Offset(at))
}

// unescaped is the line of an offset with what its escapes stand for, where it has escaped line breaks
// in front of the offset, and where the offset is in it; the text itself where it has none.
func (x *Texts) unescaped(v *View, at int) (*View, int) {
	from := max(bytes.LastIndexByte(v.B[max(0, at-maxAround):at], '\n')+1+max(0, at-maxAround), 0)
	if !bytes.Contains(v.B[from:at], []byte(`\n`)) {
		return v, at
	}
	end := min(text.LineBreak(v.B, at), at+maxAround)
	for _, m := range x.lines {
		if m.of == v && m.first <= at && at < m.last {
			return m.view, m.view.at(v.Offset(at))
		}
	}
	x.work += end - from
	m := run{v, from, end, unescape(v.Sub(from, end))}
	x.keep(m)
	return m.view, m.view.at(v.Offset(at))
}

// keep remembers lines that were read: the last ones, as texts are read in order.
func (x *Texts) keep(m run) { x.lines = append(x.lines[max(0, len(x.lines)-7):], m) }
