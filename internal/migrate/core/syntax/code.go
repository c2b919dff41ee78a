package syntax

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A dialect is how a programming language writes comments and strings.
type dialect struct {
	line   []string // what begins a comment to the end of the line
	block  bool     // /* comments */
	quotes string   // strings with escapes
	raw    string   // strings without escapes, over several lines
	triple bool     // """ and ''' strings
	char   bool     // 'x' is a character, not a string
	rust   bool     // r#"..."#, strings over several lines
	raw3   string   // of the triple strings, those without escapes
}

var dialects = map[string]dialect{
	"go":     {line: []string{"//"}, block: true, quotes: `"`, raw: "`", char: true},
	"python": {line: []string{"#"}, quotes: `"'`, triple: true},
	"js":     {line: []string{"//"}, block: true, quotes: "\"'`"},
	"java":   {line: []string{"//"}, block: true, quotes: `"`, triple: true, char: true},
	"kotlin": {line: []string{"//"}, block: true, quotes: `"`, triple: true, raw3: `"""`, char: true},
	"groovy": {line: []string{"//"}, block: true, quotes: `"'`, triple: true},
	"rust":   {line: []string{"//"}, block: true, quotes: `"`, char: true, rust: true},
	"hash":   {line: []string{"#"}, quotes: `"'`, triple: true, raw3: `'''`},
	"lua":    {line: []string{"--"}, quotes: `"'`},
}

// language reads source of a language with brackets and strings: one lexer for
// all of them. Each bracket is an object or list; "name: value", "name = value",
// "name := value", "name == value" and "key": value are entries of it.
func language(name string) func(*Node, *View, options) {
	return func(top *Node, v *View, o options) {
		x := &coder{dialect: dialects[name], name: name, v: v, b: v.B, o: o, up: top}
		x.run()
	}
}

// A coder reads source.
type coder struct {
	dialect
	name  string
	v     *View
	b     []byte
	at    int
	o     options
	up    *Node
	open  []scope
	scope // of the innermost bracket
	notes []source.Span
	apart int // up to there are strings that are joined and are no document
	// unclosed are the ends of strings over several lines that do not come any more.
	unclosed map[string]bool
}

// A scope is what is known of the element of a bracket that is being read.
type scope struct {
	label  string // the name that the next value has
	idents string // dotted identifier right before
	end    int    // where that identifier ends
	called string // what the bracket that was closed last was of
	value  bool   // something of the value was read
	join   bool   // the value is joined to something
	last   *Node  // the last string of the element
	depth  *Node
}

func (x *coder) run() {
	x.depth = x.up
	for x.at < len(x.b) {
		x.next()
	}
	x.flush()
}

// next reads one lexical element.
func (x *coder) next() {
	c := x.b[x.at]
	switch {
	case c == '\n':
		x.newline()
	case c == ' ' || c == '\t' || c == '\r':
		x.at++
	case x.comment():
	case x.str(c):
	case c == '<' && x.name == "hash" && x.here(), c == '|' && x.name == "hash" && x.textBlock():
	case isWord(c) || c == '$' || c == '@':
		x.ident()
	case c == '(' || c == '[' || c == '{':
		x.push(c)
	case c == ')' || c == ']' || c == '}':
		x.pop()
	default:
		x.operator(c)
	}
}

// here reads the document behind <<WORD, of HCL and Ruby: its value is the lines that
// follow, up to the word.
func (x *coder) here() bool {
	if !bytes.HasPrefix(x.b[x.at:], []byte("<<")) || x.label == "" {
		return false
	}
	end := lineEnd(x.b, x.at)
	word := heredoc(x.b[x.at:end])
	if word == "" || !bytes.Contains(x.b[end:], []byte(word)) {
		return false
	}
	up := &Node{Kind: Entry, View: x.v, Name: x.label, Start: x.at, End: x.at, Quoted: true}
	x.up.add(up)
	x.value, x.at = true, here(up, x.v, min(end+1, len(x.b)), word, "heredoc", x.o)
	x.reset()
	return true
}

// textBlock reads the lines between two ||| of Jsonnet.
func (x *coder) textBlock() bool {
	end := lineEnd(x.b, x.at)
	if mark := x.b[x.at:end]; !bytes.Equal(bytes.TrimRight(mark, "- \t\r"), []byte("|||")) || end == len(x.b) {
		return false
	}
	for at := end + 1; at < len(x.b); at = lineEnd(x.b, at) + 1 {
		if t := bytes.TrimLeft(x.b[at:lineEnd(x.b, at)], " \t"); bytes.HasPrefix(t, []byte("|||")) {
			x.literal(literal{end + 1, at, false}, unindent(x.v.Sub(end+1, at)))
			x.at = lineEnd(x.b, at) - len(t) + 3
			return true
		}
	}
	return false
}

// newline ends an element, except within parentheses and behind an operator.
func (x *coder) newline() {
	x.at++
	if x.up.Type == "(" || x.up.Flow && x.name != "go" || x.label != "" && !x.value || x.join {
		return
	}
	x.reset()
}

func (x *coder) reset() {
	x.label, x.idents, x.called, x.value, x.join, x.last = "", "", "", false, false, nil
}

// ident reads an identifier, with the dots in it.
func (x *coder) ident() {
	from := x.at
	for x.at < len(x.b) && (isWord(x.b[x.at]) || x.b[x.at] == '.' || x.b[x.at] == '$' || x.b[x.at] == '@' ||
		x.b[x.at] == '-' && (x.name == "hash" || x.name == "lua") && x.at+1 < len(x.b) && isWord(x.b[x.at+1])) {
		x.at++
	}
	x.idents, x.end = string(x.b[from:x.at]), x.at
	x.called = ""
	if x.label != "" {
		x.value = true
	}
	if x.join && x.last != nil {
		x.last.Open = true
	}
}

// push opens a bracket.
func (x *coder) push(c byte) {
	n := &Node{View: x.v, Name: x.label, Flow: c != '{', Item: x.label == ""}
	if i := x.end - len(x.idents) - 1; x.value && x.idents != "" && x.end == x.at && i >= 0 && x.b[i] == '.' {
		n.Name = "" // a call on the value that was read
	}
	if x.idents != "" && x.end == x.at || c == '{' && x.idents != "" && !x.isStatement() {
		n.Type = x.idents
	} else if c == '[' && x.called != "" {
		n.Type = x.called
	}
	switch {
	case c == '{' && x.isStatement():
		n.Kind, n.Name = Block, ""
	case n.Type == "" && c == '(' && x.idents == "import":
		n.Type = "import"
	case n.Type == "" && c == '(':
		n.Type = "("
	}
	x.up.add(n)
	x.open = append(x.open, x.scope)
	x.scope = scope{depth: n}
	x.up = n
	x.at++
}

// isStatement says whether a brace begins statements rather than a value.
func (x *coder) isStatement() bool {
	if x.label != "" {
		return false
	}
	i := x.at - 1
	for i >= 0 && (x.b[i] == ' ' || x.b[i] == '\t') {
		i--
	}
	if i < 0 || x.b[i] == ')' || x.b[i] == '\n' && len(x.open) == 0 {
		return x.name != "go" || i < 0 || x.b[i] != ')' || true
	}
	switch x.idents {
	case "else", "do", "try", "finally", "struct", "interface", "class", "func", "for", "select", "loop", "unsafe", "default":
		return true
	}
	return x.b[i] == ';' || x.b[i] == '>' || len(x.open) == 0 && (x.name == "java" || x.name == "kotlin" || x.name == "hash")
}

// pop closes a bracket.
func (x *coder) pop() {
	x.at++
	if len(x.open) == 0 {
		return
	}
	x.flush()
	called := x.up.Type
	x.single()
	x.up = x.up.Up
	x.scope = x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	x.value, x.idents, x.end, x.called = true, "", 0, called
}

// single makes the one string of a call an entry that has the name of the call:
// withGroup("example.com") and @Group("example.com") name a group.
func (x *coder) single() {
	n := x.up
	if len(n.Kids) != 1 || n.Kind != Entry || n.Name != "" || n.Type == "" || n.Type == "(" || n.Type == "import" || !n.Flow {
		return
	}
	k := n.Kids[0]
	if !k.Quoted || len(k.Kids) > 0 || k.End == k.Start || k.View != x.v || x.b[x.at-1] != ')' {
		return
	}
	before := bytes.TrimRight(x.b[:k.Start], "\"'` \t\r\n")
	if len(before) == 0 || before[len(before)-1] != '(' || len(bytes.Trim(x.b[k.End:x.at-1], "\"'` \t\r\n,")) > 0 {
		return // other arguments are no strings
	}
	k.Type, k.Item = n.Type, false
	k.Name = strings.TrimLeft(n.Type[strings.LastIndexByte(n.Type, '.')+1:], "@")
	k.Up, k.Seq = n.Up, n.Seq
	n.Up.Kids[n.Seq] = k
}

func (x *coder) operator(c byte) {
	x.at++
	two := byte(0)
	if x.at < len(x.b) {
		two = x.b[x.at]
	}
	switch {
	case c == ',' || c == ';':
		x.reset()
	case c == '=' && two == '>', c == '=' && two == '=', c == '!' && two == '=', c == ':' && two == '=', c == '?' && two == '=':
		x.at++
		for x.at < len(x.b) && x.b[x.at] == '=' {
			x.at++
		}
		x.name2()
	case c == ':' && two == ':':
		x.at++
	case (c == '=' || c == ':') && (x.idents != "" || x.last != nil):
		x.name2()
	case c == '+' || c == '%' || c == '.':
		x.join = x.last != nil && c != '.' || c == '+' && x.value
		x.idents = ""
	case c == '|' || c == '&' || c == '?':
		x.last, x.join = nil, false
	}
}

// name2 makes the identifier or string before an operator the name of what follows.
func (x *coder) name2() {
	switch {
	case x.last != nil && !x.value && x.label == "" && x.idents == "":
		x.label = x.last.String()
		x.last.Kind, x.last.Name, x.last.Item = Key, "", false
	case x.idents != "" && x.idents != "case" && x.idents != "default":
		x.label = x.idents[strings.LastIndexByte(x.idents, '.')+1:]
	default:
		return
	}
	x.idents, x.last, x.value, x.join = "", nil, false, false
}

// comment reads a comment.
func (x *coder) comment() bool {
	rest := x.b[x.at:]
	for _, mark := range x.line {
		if bytes.HasPrefix(rest, []byte(mark)) && (mark != "#" || x.at == 0 || !isWord(x.b[x.at-1]) && x.b[x.at-1] != '$' && x.b[x.at-1] != '{') {
			end := lineEnd(x.b, x.at)
			x.note(source.Span{Start: x.at + len(mark), End: end})
			x.at = end
			return true
		}
	}
	if !x.block || !bytes.HasPrefix(rest, []byte("/*")) {
		return false
	}
	end := len(x.b)
	if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
		end = x.at + 2 + i
	}
	x.flush()
	for at := x.at + 2; at < end; {
		stop := min(lineEnd(x.b, at), end)
		from := at
		for from < stop && (x.b[from] == ' ' || x.b[from] == '*' || x.b[from] == '\t') {
			from++
		}
		if x.o.hit == nil || x.o.hit(x.b[from:stop]) {
			comment(x.up, x.v, source.Span{Start: from, End: stop}, x.name)
		}
		at = stop + 1
	}
	x.at = min(end+2, len(x.b))
	return true
}

// note keeps a comment until it is known whether the next line goes on with it.
func (x *coder) note(s source.Span) {
	if n := len(x.notes); n > 0 && !between(x.b, x.notes[n-1].End, s.Start) {
		x.flush()
	}
	x.notes = append(x.notes, s)
}

// between says whether there is nothing but one line break and the mark of a
// comment between two offsets.
func between(b []byte, from, to int) bool {
	return bytes.Count(b[from:to], []byte("\n")) == 1 && len(bytes.TrimLeft(b[from:to], " \t\r\n/#-")) == 0
}

func (x *coder) flush() {
	if len(x.notes) > 0 {
		block(x.up, x.v, x.notes, x.name, x.o)
		x.notes = x.notes[:0]
	}
}

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
	c, n, multi := rest[0], 1, false
	switch {
	case x.triple && (bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte(`'''`))):
		closing, n, multi, s.escapes = string(rest[:3]), 3, true, !bytes.HasPrefix([]byte(x.raw3), rest[:3]) && !x.prefixed(at, 'r')
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
	if !multi || !x.unclosed[closing] {
		s.to = closed(x.b, s.from, closing, multi, s.escapes)
	}
	if s.to < 0 && multi {
		if x.unclosed == nil {
			x.unclosed = map[string]bool{}
		}
		x.unclosed[closing] = true
	}
	return closing, s, s.to >= 0
}

// prefixed says whether the letters right before a string hold one.
func (x *coder) prefixed(at int, c byte) bool {
	for i := at - 1; i >= 0 && i >= at-2 && isWord(x.b[i]); i-- {
		if x.b[i]|0x20 == c {
			return i == 0 || !isWord(x.b[i-1]) || i == at-1
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
