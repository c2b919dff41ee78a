package syntax

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A literal is the text of a string without its quotes.
type literal struct {
	from, to int
	escapes  bool
}

// str reads a string or a character. Strings that are joined and together are a document
// are one text.
func (x *coder) str(c byte) bool {
	if c == '\'' && x.char {
		x.at += charLiteral(x.b[x.at:])
		return true
	}
	closing, s, ok := x.opened(x.at)
	if closing == "" {
		return false
	}
	if !ok { // it does not end: its opening alone is read
		x.at = s.from
		return true
	}
	x.at = s.to + len(closing)
	if x.idents != "" && len(x.idents) <= 2 { // r, b, f, u
		x.idents = ""
	}
	if x.at > x.apart {
		list, end := x.together(s)
		if len(list) > 1 {
			if v := x.joined(list); isDocument(v, x.o) {
				x.literal(literal{s.from, list[len(list)-1].to, false}, v)
				x.at = end
				return true
			}
		}
		x.apart = end
	}
	x.literal(s, nil)
	return true
}

// isDocument says whether a text has names and is an object or list of YAML or JSON, or has
// an object of YAML in it.
func isDocument(v *View, o options) bool {
	t := bytes.TrimSpace(v.B)
	return len(t) > 1 && (o.hit == nil || o.hit(v.B)) && (t[0] == '{' && bytes.IndexByte(t, '"') > 0 || bytes.IndexByte(t, '\n') > 0 && (looksYAML(t) || bytes.Contains(t, []byte("apiVersion"))))
}

// literals reads the documents in a text that is not read as code: those in strings, and
// objects of JSON.
func literals(top *Node, v *View, o options) { literalsOf(top, v, 1, o) }

// literalsOf reads those that at least so many literals are joined to.
func literalsOf(top *Node, v *View, least int, o options) {
	x := &coder{dialect: dialect{quotes: `"`}, name: "text", v: v, b: v.B, o: o, up: top}
	open := 0 // up to there braces were read
	for {
		i := bytes.IndexAny(x.b[x.at:], "\"{")
		if i < 0 {
			return
		}
		x.at += i + 1
		if x.b[x.at-1] == '{' {
			if x.at <= open || least > 1 {
				continue
			}
			end, ok := braces(x.b, x.at-1)
			if open = end; ok && (o.hit == nil || o.hit(x.b[x.at-1:end])) {
				n := top.add(&Node{Kind: Comment, View: v})
				embed(n, v.Sub(x.at-1, end), o)
				x.at = end
			}
			continue
		}
		if x.at > 1 && x.b[x.at-2] == '\\' {
			continue // it is in a string, and begins none
		}
		_, s, ok := x.opened(x.at - 1)
		if !ok {
			continue
		}
		start := x.at
		x.at = s.to + 1
		switch list, end := x.together(s); {
		case len(list) >= least && isDocument(x.joined(list), o):
			n := top.add(&Node{Kind: Comment, View: v})
			embed(n, x.joined(list), o)
			x.at = end
		case len(list) > 1:
			x.at = end
		default:
			x.at = start
		}
	}
}

// braces is the end of an object of JSON. False: it is none, as is what begins before the end.
func braces(b []byte, at int) (end int, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(b[at+1:min(len(b), at+9)], " \n"), []byte(`"`)) {
		return at, false
	}
	depth := 0
	for i := at; i < len(b); i++ {
		switch b[i] {
		case '"':
			stop := closed(b, i+1, `"`, false, true)
			if stop < 0 {
				return i, false
			}
			i = stop
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

// joined is what literals say together.
func (x *coder) joined(list []literal) *View {
	if len(list) == 1 {
		return x.text(list[0])
	}
	b := newBuilder(x.v, 0)
	for _, part := range list {
		v := x.text(part)
		b.out.B = append(b.out.B, v.B...)
		for i := range v.B {
			b.out.P = append(b.out.P, int32(v.Offset(i)))
		}
	}
	return b.view()
}

// text is what a literal says.
func (x *coder) text(s literal) *View {
	v := x.v.Sub(s.from, s.to)
	if s.escapes && bytes.IndexByte(v.B, '\\') >= 0 {
		return unescape(v)
	}
	return v
}

// together are the literals that are joined to one without anything between, and where
// the last of them ends.
func (x *coder) together(s literal) (list []literal, end int) {
	list, end = append(list, s), x.at
	for at := x.at; ; {
		plus := false
		for at < len(x.b) && (strings.IndexByte(" \t\r\n", x.b[at]) >= 0 || x.b[at] == '+' && !plus || x.b[at] == '\\' && x.name == "python") {
			plus = plus || x.b[at] == '+'
			at++
		}
		if at == len(x.b) || !plus && x.name != "python" && x.name != "java" && x.name != "text" {
			return list, end
		}
		closing, next, ok := x.opened(at)
		if !ok || closing == "" {
			return list, end
		}
		list, at = append(list, next), next.to+len(closing)
		end = at
	}
}

// opened is the string that begins at an offset, and what closes it: "" where none begins.
// False: it does not end.
func (x *coder) opened(at int) (closing string, s literal, ok bool) {
	rest := x.b[at:]
	c, n := rest[0], 1
	var multi bool
	switch {
	case x.triple && (bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte(`'''`))):
		closing, n, multi, s.escapes = string(rest[:3]), 3, true, !bytes.HasPrefix([]byte(x.raw3), rest[:3]) && !x.prefixed(at, 'r')
	case x.name == "lua" && bytes.HasPrefix(rest, []byte("[[")):
		closing, n, multi = "]]", 2, true
	case strings.IndexByte(x.raw, c) >= 0:
		closing, multi = string(c), true
	case strings.IndexByte(x.quotes, c) >= 0:
		closing, multi, s.escapes = string(c), c == '`' || x.rust, !x.prefixed(at, 'r')
	case x.rust && c == 'r' && bytes.HasPrefix(rest, []byte(`r#`)) && bytes.HasPrefix(bytes.TrimLeft(rest[1:], "#"), []byte(`"`)):
		n = bytes.IndexByte(rest, '"') + 1
		closing, multi = `"`+strings.Repeat("#", n-2), true
	default:
		return "", s, false
	}
	s.from, s.to = at+n, -1
	searched := (multi || s.escapes) && s.from < x.unclosed[closing]
	if !searched {
		s.to = closed(x.b, s.from, closing, multi, s.escapes)
	}
	if s.to < 0 && !searched {
		if x.unclosed == nil {
			x.unclosed = map[string]int{}
		}
		switch {
		case multi:
			x.unclosed[closing] = len(x.b)
		case s.escapes: // a quote in the line is escaped in this string: one that begins there does not end either
			x.unclosed[closing] = text.LineBreak(x.b, s.from)
		}
	}
	return closing, s, s.to >= 0
}

// prefixed says whether the letters right before a string hold one.
func (x *coder) prefixed(at int, c byte) bool {
	for i := at - 1; i >= 0 && i >= at-2 && text.IsIdent(x.b[i]); i-- {
		if x.b[i]|0x20 == c {
			return i == 0 || !text.IsIdent(x.b[i-1]) || i == at-1
		}
	}
	return false
}

func charLiteral(rest []byte) int {
	if len(rest) > 3 && rest[1] == '\\' {
		if n := bytes.IndexByte(rest[3:min(len(rest), 12)], '\''); n >= 0 {
			return n + 4
		}
	}
	if len(rest) > 2 && rest[2] == '\'' {
		return 3
	}
	return 1
}

// literal adds a string, with the document in it. Nil: the text is that of the literal.
func (x *coder) literal(l literal, inner *View) {
	s := &Node{View: x.v, Name: x.label, Start: l.from, End: l.to, Quoted: true, Item: x.label == "", Open: x.join}
	x.up.add(s)
	if x.join && x.last != nil {
		x.last.Open = true
	}
	x.last, x.join = s, false
	if x.label != "" {
		x.value = true
	}
	x.idents = ""
	if x.o.hit != nil && !x.o.hit(x.b[l.from:l.to]) || l.to-l.from < 3 {
		return
	}
	if inner == nil {
		inner = x.text(l)
	}
	embed(s, inner, x.o)
	flag(s)
}

// textBlock reads the lines between two ||| of Jsonnet.
func (x *coder) textBlock() bool {
	end := text.LineBreak(x.b, x.at)
	if mark := x.b[x.at:end]; !bytes.Equal(bytes.TrimRight(mark, "- \t\r"), []byte("|||")) || end == len(x.b) {
		return false
	}
	for at := end + 1; at < len(x.b); at = text.LineBreak(x.b, at) + 1 {
		if t := bytes.TrimLeft(x.b[at:text.LineBreak(x.b, at)], " \t"); bytes.HasPrefix(t, []byte("|||")) {
			x.literal(literal{end + 1, at, false}, unindent(x.v.Sub(end+1, at)))
			x.at = text.LineBreak(x.b, at) - len(t) + 3
			return true
		}
	}
	return false
}

// closed is where a string ends, -1 where it does not.
func closed(b []byte, at int, closing string, multi, escapes bool) int {
	for i := at; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n' && !multi:
			return -1
		case c == '\\' && escapes:
			i++
		case c == closing[0] && bytes.HasPrefix(b[i:], []byte(closing)):
			return i
		}
	}
	return -1
}
