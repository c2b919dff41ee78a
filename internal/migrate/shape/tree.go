package shape

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A node is an entry of a mapping or an item of a list, with all of its text: what the nodes
// of a document write, in their order, is the document, byte for byte. Steps change nodes;
// what they do not change is written as it was read.
type node struct {
	up    *node
	kids  []*node
	gap   string // before it: comments, blank lines, actions of a template; in brackets, a comma
	pad   string // before its key or dash, on its line
	key   string // with its quotes; "" for an item
	name  string // what the key says
	colon string // behind the key, up to its colon; the dash of an item
	open  string // before its scalar or its kids: an anchor, a quote, a bracket, the end of the line
	val   string // its scalar
	tail  string // behind its scalar or its kids: a quote, a bracket, a comment, the end of the line
	at    int    // where it was read
	form
}

// A form is how a node is written.
type form struct {
	indent  int
	scalar  bool
	plain   bool // the scalar has no quotes and is no block
	block   bool // the scalar is a block
	seq     bool // it is an item
	flow    bool // it is in brackets
	inFlow  bool // its kids are in brackets
	shares  bool // it begins on the line of a dash
	written bool // an action of a template may write entries of it
}

// write writes a node.
func (n *node) write(b *strings.Builder) {
	b.WriteString(n.gap)
	b.WriteString(n.pad)
	b.WriteString(n.key)
	b.WriteString(n.colon)
	n.writeValue(b)
}

func (n *node) writeValue(b *strings.Builder) {
	b.WriteString(n.open)
	b.WriteString(n.val)
	for _, k := range n.kids {
		k.write(b)
	}
	b.WriteString(n.tail)
}

// value is the text behind the colon or dash of a node.
func (n *node) value() string {
	var b strings.Builder
	n.writeValue(&b)
	return b.String()
}

// A reader makes nodes of a text.
type reader struct {
	data      []byte
	templated bool
	top       *node
	at        int     // up to there the text is in nodes
	list      []*node // in the order of the text
	broken    bool    // a node is not where it should be
}

// errBroken is why an object needs review whose text is not understood.
var errBroken = errors.New("its YAML is written in a form that is not converted")

// read reads a document, the node of which holds those at its top.
func read(data []byte, o Options) (*node, []*node, error) {
	if !o.JSON && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(bytes.Clone(data), '\n')
	}
	r := reader{data: data, templated: o.Templated, top: &node{form: form{indent: -2}}}
	for _, x := range syntax.Scan(data, source.Span{End: len(data)}, o.JSON, o.Templated).Kids {
		r.node(r.top, x)
	}
	r.top.tail = r.take(len(data))
	r.mark(r.top.tail)
	if r.broken {
		return nil, nil, errBroken
	}
	return r.top, r.list, nil
}

// take is the text up to an offset.
func (r *reader) take(to int) string {
	if to < r.at {
		r.broken = true
		return ""
	}
	s := string(r.data[r.at:to])
	r.at = to
	return s
}

// line is the text up to the next line.
func (r *reader) line() string {
	_, next := text.LineEnd(r.data, r.at, len(r.data))
	return r.take(next)
}

// node reads a node with those below it.
func (r *reader) node(up *node, x *syntax.Node) {
	n := &node{up: up, name: x.Name, form: form{indent: int(x.Indent), scalar: x.Style != syntax.NoScalar, plain: x.Style == syntax.Bare,
		block: x.Style == syntax.Literal || x.Style == syntax.Folded, seq: x.Item, flow: x.Flow}}
	begin := int(x.Line + x.Indent)
	switch {
	case x.Key != nil:
		if begin = x.Key.Start; begin > 0 && strings.IndexByte("\"'", r.data[begin-1]) >= 0 {
			begin--
		}
	case x.Flow && n.scalar && x.Quoted:
		begin = x.Start - 1
	case x.Flow && n.scalar:
		begin = x.Start
	case x.Flow:
		begin = r.skip(" \t\r\n,", "{[")
	}
	if n.at = begin; x.Key != nil {
		n.at = x.Key.Start
	}
	n.shares = !n.flow && r.at > int(x.Line)
	if !n.flow && !n.shares {
		n.gap = r.take(int(x.Line))
		r.mark(n.gap)
	}
	if n.pad = r.take(begin); n.flow {
		n.gap, n.pad = n.pad, ""
	}
	if x.Key != nil {
		n.key = r.take(x.Key.End + x.Key.Start - begin)
		if colon := bytes.IndexByte(r.data[r.at:], ':'); colon >= 0 {
			n.colon = r.take(r.at + colon + 1)
		}
	} else if n.seq && !n.flow {
		n.colon = r.take(text.SkipBlank(r.data, begin+1, len(r.data)))
	}
	up.kids, r.list = append(up.kids, n), append(r.list, n)
	r.content(n, x)
}

// content reads the value of a node.
func (r *reader) content(n *node, x *syntax.Node) {
	bracket := -1
	if !n.scalar {
		bracket = r.skip(" \t\r\n", "{[")
	}
	switch {
	case n.scalar && len(x.Kids) > 0: // no YAML, as the "..." of documents for people
		n.open, n.scalar = r.take(int(x.Kids[0].Line)), false
	case n.scalar:
		n.open, n.val = r.take(x.Start), r.take(x.End)
		if x.Quoted {
			n.tail = r.take(min(r.at+1, len(r.data)))
		}
	case bracket >= 0 && (len(x.Kids) > 0 && x.Kids[0].Flow || len(x.Kids) == 0 && !(r.templated && text.BeginsTemplate(r.data[bracket:]))):
		n.inFlow, n.open = true, r.take(bracket+1)
	case len(x.Kids) > 0 && !x.Kids[0].Flow && int(x.Kids[0].Line) >= r.at:
		n.open = r.line()
	}
	for _, k := range x.Kids {
		r.node(n, k)
	}
	if n.inFlow {
		n.tail = r.take(r.skip(" \t\r\n,", "}]") + 1)
	}
	if !n.flow && (len(x.Kids) == 0 || n.inFlow) && !n.block {
		n.tail += r.line()
	}
}

// skip is the offset of the first of some marks behind blanks, comments, anchors and tags; -1
// for none.
func (r *reader) skip(blank, marks string) int {
	for at := r.at; at < len(r.data); at++ {
		switch c := r.data[at]; {
		case strings.IndexByte(marks, c) >= 0:
			return at
		case bytes.HasPrefix(r.data[at:], []byte("/*")):
			at += max(bytes.Index(r.data[at:], []byte("*/")), 0) + 1
		case c == '#' || c == '&' || c == '!' || bytes.HasPrefix(r.data[at:], []byte("//")):
			for at+1 < len(r.data) && r.data[at+1] != '\n' && (c == '#' || c == '/' || r.data[at+1] != ' ') {
				at++
			}
		case strings.IndexByte(blank, c) < 0:
			return -1
		}
	}
	return -1
}

// entry is the entry of a mapping with a key, nil for none.
func (n *node) entry(key string) *node {
	for _, k := range n.kids {
		if k.key != "" && k.name == key {
			return k
		}
	}
	return nil
}

// index is where a node is among the kids of the one above it.
func (n *node) index() int { return slices.Index(n.up.kids, n) }

// takes says whether an entry can be written below a node.
func (n *node) takes() bool {
	if len(n.kids) > 0 {
		return !n.kids[0].seq
	}
	return !n.scalar && (n.inFlow || !n.flow) && !strings.HasSuffix(n.open, "[")
}

// comments parts the comments right above a node from what is before them.
func (n *node) comments() (before, own string) {
	lines := strings.SplitAfter(n.gap, "\n")
	i := len(lines) - 1
	for i > 0 && !n.flow && strings.HasPrefix(strings.TrimLeft(lines[i-1], " \t"), "#") && len(lines[i-1])-len(strings.TrimLeft(lines[i-1], " \t")) == n.indent {
		i--
	}
	return strings.Join(lines[:i], ""), strings.Join(lines[i:], "")
}

// cut takes a node away.
func (n *node) cut() {
	up, i := n.up, n.index()
	last := i == len(up.kids)-1
	switch before, _ := n.comments(); {
	case n.flow && !last:
		up.kids[i+1].gap = n.gap
	case n.flow && i == 0:
		up.tail = n.gap + up.tail
	case n.flow:
	case !n.shares:
		n.behind(before)
	case last:
		up.open, up.tail, up.inFlow = "{", "}\n", true
		if n.seq {
			up.open, up.tail = "[", "]\n"
		}
	default:
		up.kids[i+1].join(n)
	}
	up.kids = slices.Delete(up.kids, i, i+1)
}

// join puts a node on the line of the dash on which another one is. The comments above it
// go above the dash.
func (n *node) join(first *node) {
	dash := first
	for dash.shares {
		dash = dash.up
	}
	for line := range strings.Lines(n.gap) {
		if strings.TrimSpace(line) != "" {
			dash.gap += dash.pad + strings.TrimLeft(line, " \t")
		}
	}
	n.gap, n.pad, n.shares = "", "", true
}

// behind puts lines behind a node.
func (n *node) behind(lines string) {
	for ; lines != "" && n.up != nil; n = n.up {
		if i := n.index(); i+1 < len(n.up.kids) {
			next := n.up.kids[i+1]
			next.gap = lines + next.gap
			return
		}
		if n.up.up == nil {
			n.up.tail = lines + n.up.tail
		}
	}
}

// adopt adds kids to a node.
func (n *node) adopt(kids ...*node) {
	for _, k := range kids {
		k.up = n
	}
	n.kids = append(n.kids, kids...)
}

// become takes over the value of another node.
func (n *node) become(x *node) {
	n.open, n.val, n.tail, n.kids = x.open, x.val, x.tail, nil
	n.scalar, n.plain, n.block, n.inFlow = x.scalar, x.plain, x.block, x.inFlow
	n.adopt(x.kids...)
}
