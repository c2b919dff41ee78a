package syntax

import (
	"bytes"
	"go/token"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
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
	// unclosed is up to where in the text the end of a string does not come any more.
	unclosed map[string]int
}

// A scope is what is known of the element of a bracket that is being read.
type scope struct {
	label  string   // the name that the next value has
	before []string // of a, b = x, y: the names before the last
	behind []string // and those of the values that follow
	idents string   // dotted identifier right before
	end    int      // where that identifier ends
	called string   // what the bracket that was closed last was of
	value  bool     // something of the value was read
	typed  bool     // the name is before a colon, and a type may follow
	join   bool     // the value is joined to something
	last   *Node    // the last string of the element
	node   *Node    // of the bracket
}

// maxBrackets is how deep brackets are read: those further in are next to each other.
const maxBrackets = 200

func (x *coder) run() {
	x.node = x.up
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
	case text.IsIdent(c) || c == '$' || c == '@':
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
	end := text.LineBreak(x.b, x.at)
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

// newline ends an element, except within parentheses and behind an operator.
func (x *coder) newline() {
	x.at++
	if x.up.Type == "(" || x.up.Flow && x.name != "go" || x.label != "" && !x.value || x.join {
		return
	}
	x.reset()
}

func (x *coder) reset() {
	x.label, x.idents, x.called, x.value, x.typed, x.join, x.last = "", "", "", false, false, false, nil
	x.before, x.behind = nil, nil
}

// comma ends an element, which may be a name, or a value, of a, b = x, y. In Java and JavaScript
// a has no value then.
func (x *coder) comma() {
	before, behind := x.before, x.behind
	if name := x.idents; name != "" && (x.node.Kind == Block || x.node.Kind == Document) && x.name != "java" && x.name != "js" {
		before = append(before, name[strings.LastIndexByte(name, '.')+1:])
	}
	if x.reset(); len(behind) > 0 {
		x.label, x.behind = behind[0], behind[1:]
		return
	}
	x.before = before
}

// assign gives the values that follow the names before an operator.
func (x *coder) assign() {
	names := x.before
	if x.name2(); len(names) > 0 && x.label != "" {
		names = append(names, x.label)
		x.label, x.behind = names[0], names[1:]
	}
	x.before = nil
}

// ident reads an identifier, with the dots in it.
func (x *coder) ident() {
	from := x.at
	for x.at < len(x.b) && (text.IsIdent(x.b[x.at]) || x.b[x.at] == '.' || x.b[x.at] == '$' || x.b[x.at] == '@' ||
		x.b[x.at] == '-' && (x.name == "hash" || x.name == "lua") && x.at+1 < len(x.b) && text.IsIdent(x.b[x.at+1])) {
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
	if len(x.open) < maxBrackets {
		x.up.add(n)
	} else {
		n.Name = ""
		x.open[maxBrackets-1].node.add(n)
	}
	x.open = append(x.open, x.scope)
	x.scope = scope{node: n}
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
		return true
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
	x.scope = x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	x.up = x.node
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
	case c == ',':
		x.comma()
	case c == ';':
		x.reset()
	case c == ':' && two == '=':
		x.at++
		x.assign()
	case c == '=' && two == '>', c == '=' && two == '=', c == '!' && two == '=', c == '?' && two == '=':
		x.at++
		for x.at < len(x.b) && x.b[x.at] == '=' {
			x.at++
		}
		x.name2()
	case c == ':' && two == ':':
		x.at++
	case c == '=' && x.typed && (x.name == "rust" || x.name == "kotlin"): // NAME: &str = "..."
		x.idents, x.last, x.value, x.join = "", nil, false, false
	case (c == '=' || c == ':') && (x.idents != "" || x.last != nil):
		if x.idents = x.declared(c); c == '=' {
			x.assign()
		} else {
			x.name2()
		}
		x.typed = c == ':'
	case c == '+' || c == '%' || c == '.':
		x.join = x.last != nil && c != '.' || c == '+' && x.value
		x.idents = ""
	case c == '|' || c == '&' || c == '?':
		x.last, x.join = nil, false
	}
}

// declared is the identifier before an operator, or the one before it that has it for its type:
// const NAME string = of Go, NAME: str = of Python.
func (x *coder) declared(c byte) string {
	colon := x.name == "python" || x.name == "js"
	if c == '=' && x.idents != "" && (colon || x.name == "go") {
		before := bytes.TrimRight(x.b[:x.end-len(x.idents)], " \t")
		if colon {
			before = bytes.TrimRight(before, ": \t")
		}
		i := len(before)
		for i > 0 && text.IsIdent(before[i-1]) {
			i--
		}
		if name := string(before[i:]); name != "" && !token.IsKeyword(name) && name != "let" && name != "export" {
			return name
		}
	}
	return x.idents
}

// name2 makes the identifier or string before an operator the name of what follows.
func (x *coder) name2() {
	switch {
	case x.last != nil && !x.value && x.label == "" && x.idents == "":
		x.label = x.last.String()
		x.last.Kind, x.last.Name, x.last.Item = Key, "", false
	case x.idents != "" && x.idents != "case" && x.idents != "default":
		x.label = x.idents[strings.LastIndexByte(x.idents, '.')+1:]
		if strings.HasSuffix(strings.ToLower(x.idents), "group.name") { // of an APIGroup
			x.label = "groupName"
		}
	default:
		return
	}
	x.idents, x.last, x.value, x.join = "", nil, false, false
}

// comment reads a comment.
func (x *coder) comment() bool {
	rest := x.b[x.at:]
	for _, mark := range x.line {
		if bytes.HasPrefix(rest, []byte(mark)) && (mark != "#" || x.at == 0 || !text.IsIdent(x.b[x.at-1]) && x.b[x.at-1] != '$' && x.b[x.at-1] != '{') {
			end := text.LineBreak(x.b, x.at)
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
		stop := min(text.LineBreak(x.b, at), end)
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
	if n := len(x.notes); n > 0 && !between(x.b, x.notes[n-1].End, s.Start, "/#-") {
		x.flush()
	}
	x.notes = append(x.notes, s)
}

// between says whether there is nothing but one line break and marks of comments between two
// offsets.
func between(b []byte, from, to int, marks string) bool {
	return from <= to && bytes.Count(b[from:to], []byte("\n")) == 1 && len(bytes.Trim(b[from:to], " \t\r\n"+marks)) == 0
}

func (x *coder) flush() {
	if len(x.notes) > 0 {
		block(x.up, x.v, x.notes, x.name, x.o)
		x.notes = x.notes[:0]
	}
}
