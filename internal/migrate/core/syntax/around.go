package syntax

import (
	"bytes"
	"slices"

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
)

// fieldBefore is a field up to its value, or to an item of the list that is its value. The quotes of
// its name are those of the whole object.
var fieldBefore = lazyregexp.New("((?:\\\\*[\"'`]|\"\")?)([A-Za-z]+(?: Version)?)((?:\\\\*[\"'`]|\"\")?)\\s*:\\s*(?:[&!]\\S+\\s+)*(?:[|>][-+]?\\s+)?(?:\\[[^\\]{}]*)?(?:\\\\*[\"'`]|\"\")?$")

// itemBefore is the begin of a line of a list up to the text of the item.
var itemBefore = lazyregexp.New("(?:^|\n)([ \t]*)-[ \t]+[\"']?$")

// Around is the object that a text has around the value at an offset, as a document; nil where
// there is none that is sure, and where most bytes, which are left to be read for it, are none. Field
// is the name of the field of that value, "" where it is of none.
func Around(v *View, at int, most *int) (doc *Node, field string) {
	if *most > 0 {
		v, at = unmarked(v, at, most)
	}
	begin, quote, field := fieldAt(v.B, at)
	if field == "" || *most <= 0 {
		return nil, field
	}
	for _, w := range inBraces(v, begin, quote, most) {
		*most -= len(w.B)
		if doc = objectsIn(w); isMapping(doc) {
			return doc, field
		}
	}
	if w := inLines(v, begin, most); w != nil {
		*most -= len(w.B)
		return objectsIn(w), field
	}
	return nil, field
}

// lineOf is where the line of an offset begins, -1 where that is too far before it.
func lineOf(b []byte, at int) int {
	first := max(0, at-maxAround)
	if i := bytes.LastIndexByte(b[first:at], '\n'); i >= 0 || first == 0 {
		return first + i + 1
	}
	return -1
}

// fieldAt is where the field begins whose value, or an item of it, is at an offset, with the quotes of
// its name; "" for none.
func fieldAt(b []byte, at int) (begin int, quote, name string) {
	first := max(0, at-200)
	if m := fieldBefore.FindSubmatchIndex(b[first:at]); m != nil {
		name = string(b[first+m[4] : first+m[5]])
		if quote = string(b[first+m[2] : first+m[3]]); quote != string(b[first+m[6]:first+m[7]]) {
			return first + m[4], "", name
		}
		return first + m[2], quote, name
	}
	m := itemBefore.FindSubmatchIndex(b[first:at])
	if m == nil {
		return 0, "", ""
	}
	column, end := m[3]-m[2], first+m[2]
	for n := 0; n < 40 && end > 0; n++ {
		from := lineOf(b, end-1)
		if from < 0 {
			break
		}
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

// Adopt makes documents that were found in the texts of a tree a part of it.
func (n *Node) Adopt(list []*Node) {
	for _, doc := range list {
		n.add(doc)
	}
}

// objectsIn reads a text as YAML.
func objectsIn(v *View) *Node {
	doc := &Node{Kind: Document, Lang: "yaml", View: v}
	yamlStream(doc, v, options{templated: true, formats: formats[:len(formats)-1]})
	return doc
}

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

// inBraces are the texts of the braces around an offset, the outermost first, without the escapes of
// their quotes.
func inBraces(v *View, at int, quote string, most *int) (list []*View) {
	b, first := v.B[:min(len(v.B), at+maxAround)], max(0, at-maxAround)
	for open := at; open > first && len(list) < mostBraces && *most > 0; {
		i := bytes.LastIndexByte(b[first:open], '{')
		if *most -= open - first - i; i < 0 {
			break
		}
		open = first + i
		end := shutAt(b, open, quote)
		if end < 0 {
			*most -= len(b) - open
			break
		}
		*most -= end - open
		if end > at {
			list = append(list, unquoted(v.Sub(open, end), quote))
		}
	}
	slices.Reverse(list)
	return list
}

// shutAt is behind the brace that closes the one at an offset, -1 where none does. Braces in
// quotes are not counted.
func shutAt(b []byte, at int, quote string) int {
	depth := 0
	for i := at; i < len(b); i++ {
		switch c := b[i]; {
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case quote != "" && bytes.HasPrefix(b[i:], []byte(quote)):
			n := bytes.Index(b[i+len(quote):], []byte(quote))
			if n < 0 {
				return -1
			}
			i += 2*len(quote) + n - 1
		case quote == "" && (c == '"' || c == '\'') && bytes.IndexByte([]byte(" \t\n:,[{"), b[i-1]) >= 0:
			n := bytes.IndexByte(b[i+1:], c)
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
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
func unmarked(v *View, at int, most *int) (*View, int) {
	from := lineOf(v.B, at)
	if from < 0 {
		*most -= maxAround
		return v, at
	}
	*most -= at - from
	mark := lineMark.Find(v.B[from:at])
	if mark == nil {
		return v, at
	}
	quote := mark[len(mark)-1]
	if bytes.IndexByte([]byte("\"'`"), quote) < 0 {
		quote = 0
	} else if bytes.IndexByte(v.B[from+len(mark):at], quote) >= 0 {
		return v, at
	}
	first := from
	for first > max(0, from-maxAround) {
		before := lineOf(v.B, first-1)
		if before < 0 || !bytes.HasPrefix(v.B[before:], mark) {
			break
		}
		first = before
	}
	w, is := newBuilder(v, 0), 0
	for next := first; next < min(len(v.B), from+maxAround) && bytes.HasPrefix(v.B[next:], mark); {
		end := text.LineBreak(v.B, next)
		to := end
		if quote != 0 {
			if to = next + bytes.LastIndexByte(v.B[next:end], quote); to < next+len(mark) {
				break
			}
			to -= len(v.B[next+len(mark):to]) - len(bytes.TrimSuffix(v.B[next+len(mark):to], []byte(`\n`)))
		}
		if next == from {
			is = len(w.out.B) + at - from - len(mark)
		}
		w.add(next+len(mark), to)
		w.put('\n', to)
		next = end + 1
	}
	*most -= len(w.out.B)
	return w.view(), is
}

// fieldLine is the begin of a line of an object: a field, an item, a comment.
var fieldLine = lazyregexp.New(`^(?:["']?[A-Za-z_$][\w.$/-]*(?: Version)?["']?\s*:(?:\s|$)|-(?:\s|$)|#)`)

// inLines is the text of the lines of an object that have a field at an offset, with the objects that
// it is in: those next to it that are fields and items as YAML has them. It is nil where they are none.
func inLines(v *View, at int, most *int) *View {
	from := lineOf(v.B, at)
	if quote := at - 1; quote > from && bytes.IndexByte([]byte("\"'`"), v.B[quote]) >= 0 { // all of a string
		b := v.B[at:min(len(v.B), at+maxAround)]
		*most -= len(b)
		if end := bytes.IndexByte(b, v.B[quote]); end >= 0 {
			return v.Sub(at, at+end)
		}
		return nil
	}
	if from < 0 {
		return nil
	}
	x := lines{b: v.B, column: at - from}
	first, last := from, from
	for ok := x.takes(from, true); ok; {
		if first == 0 || from-first > maxAround {
			break
		}
		before := lineOf(v.B, first-1)
		if ok = before >= 0 && x.takes(before, true); ok {
			first = before
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
	*most -= last - first
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
