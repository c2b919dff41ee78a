package text

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A LiteralText is a string in source.
type LiteralText struct {
	Text   source.Span // between the quotes
	Outer  source.Span // with quotes
	Raw    bool
	Format bool   // a format string: f"", template literal
	Name   string // the identifier before ":" or "=": Group of Group: "x"
	Scope  int    // offset of the innermost open bracket, -1 at the top
	Before []byte // the text on its line before it, as far as it is nearby
	Line   int    // counted from 0
}

// A CodeFile is source cut into strings and comments.
type CodeFile struct {
	Literals []LiteralText
	Comments []source.Span // without the marks; adjacent line comments are apart
}

// Lex cuts source into strings, comments and the rest. Source that is not well
// formed gives what can be told from it.
func (l *Language) Lex(data []byte) *CodeFile {
	x := &lexer{l: l, data: data}
	x.Literals = make([]LiteralText, 0, min(bytes.Count(data, []byte{'"'})/2, len(data)/16))
	begins := l.begins()
	for x.at < len(data) {
		if !begins[data[x.at]] {
			x.at++
			continue
		}
		x.next()
	}
	return &x.CodeFile
}

// begins are the bytes at which something else may begin than the rest.
func (l *Language) begins() *[256]bool {
	begins := &[256]bool{'r': l.rust, '/': l.block}
	for _, list := range append([]string{"([{)]}\"'", l.Long, l.quotes}, l.line...) {
		for i := range len(list) {
			begins[list[i]] = true
		}
	}
	return begins
}

type lexer struct {
	CodeFile
	l    *Language
	data []byte
	at   int
	open []int

	unclosed map[string]bool // quotes of long strings that do not end a string any more

	line, counted int // the line of an offset that was reached
}

// next reads a comment, a string, a bracket or a byte of anything else.
func (x *lexer) next() {
	if x.comment() {
		return
	}
	switch c := x.data[x.at]; c {
	case '(', '[', '{':
		x.open = append(x.open, x.at)
		x.at++
	case ')', ']', '}':
		x.open = x.open[:max(0, len(x.open)-1)]
		x.at++
	default:
		if !x.literal(c) {
			x.at++
		}
	}
}

// comment reads a comment, if one begins here.
func (x *lexer) comment() bool {
	rest := x.data[x.at:]
	for _, mark := range x.l.line {
		if rest[0] == mark[0] && bytes.HasPrefix(rest, []byte(mark)) && (mark != "#" || x.at == 0 || x.l.Triple || isSpace(x.data[x.at-1])) {
			end, _ := LineEnd(x.data, x.at, len(x.data))
			x.Comments = append(x.Comments, source.Span{Start: x.at + len(mark), End: end})
			x.at = end
			return true
		}
	}
	return x.l.block && rest[0] == '/' && x.blockComment(rest)
}

// blockComment reads a comment in /* */, if one begins.
func (x *lexer) blockComment(rest []byte) bool {
	if !bytes.HasPrefix(rest, []byte("/*")) {
		return false
	}
	end := len(x.data)
	if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
		end = x.at + 2 + n
	}
	x.Comments = append(x.Comments, source.Span{Start: x.at + 2, End: end})
	x.at = min(end+2, len(x.data))
	return true
}

// literal reads a string or a character, if one begins here with c.
func (x *lexer) literal(c byte) bool {
	rest := x.data[x.at:]
	switch {
	case x.l.Triple && (c == '"' || c == '\'') && (bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte(`'''`))):
		x.delimited(3, string(rest[:3]), true)
	case strings.IndexByte(x.l.Long, c) >= 0:
		x.delimited(1, string(c), true)
	case strings.IndexByte(x.l.quotes, c) >= 0:
		x.delimited(1, string(c), false)
	case x.l.rust && c == 'r' && rustRaw.Match(rest) && (x.at == 0 || !IsWordByte(x.data[x.at-1])):
		n := len(rustRaw.Find(rest))
		x.delimited(n, `"`+strings.Repeat("#", n-2), true)
	case c == '\'':
		x.at += charLiteral(rest)
	default:
		return false
	}
	return true
}

var rustRaw = lazyregexp.New(`^r#*"`)

// charLiteral is the length of 'x' or '\n', or 1 for a lone quote.
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

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// delimited reads a string whose opening is n bytes long. One that is not
// closed is no string after all: its opening alone is read.
func (x *lexer) delimited(n int, closing string, multi bool) {
	start := x.at
	x.at += n
	if multi && x.unclosed[closing] {
		return
	}
	prefix, marks := x.marks(start)
	raw := n > 1 && closing[0] == '"' && x.data[start] == 'r' || strings.Contains(x.l.raw, closing) ||
		x.l.Triple && strings.Trim(marks, "rbfu") == "" && strings.Contains(marks, "r")
	end := x.closed(x.at, closing, multi, !raw || x.l.Triple)
	if end < 0 {
		if multi {
			if x.unclosed == nil {
				x.unclosed = map[string]bool{}
			}
			x.unclosed[closing] = true
		}
		return
	}
	lit := LiteralText{
		Text: source.Span{Start: start + n, End: end}, Outer: source.Span{Start: start, End: end + len(closing)},
		Raw: raw, Format: strings.Contains(marks, "f") && x.l.Triple || closing == "`" && !raw,
		Scope: -1, Before: x.data[lineAround(x.data, source.Span{Start: start, End: start}).Start:prefixStart(prefix, start, marks)],
	}
	x.line += bytes.Count(x.data[x.counted:start], []byte("\n"))
	x.counted = start
	lit.Line = x.line
	if len(x.open) > 0 {
		lit.Scope = x.open[len(x.open)-1]
	}
	lit.Name = nameBefore(lit.Before)
	x.Literals = append(x.Literals, lit)
	x.at = lit.Outer.End
}

// marks are the letters right before a string, at most two, in lower case: r, b,
// f and u of Python; prefix is where they begin.
func (x *lexer) marks(start int) (prefix int, marks string) {
	prefix = start
	for prefix > 0 && IsWordByte(x.data[prefix-1]) && start-prefix < 2 && x.l.Triple {
		prefix--
	}
	return prefix, strings.ToLower(string(x.data[prefix:start]))
}

// closed is where a string ends that goes on at an offset, -1 where it does not
// end: on its line, or anywhere for one over several lines.
func (x *lexer) closed(at int, closing string, multi, escapes bool) int {
	for i := at; i < len(x.data); i++ {
		switch c := x.data[i]; {
		case c == '\n' && !multi:
			return -1
		case c == '\\' && escapes:
			i++
		case c == closing[0] && bytes.HasPrefix(x.data[i:], []byte(closing)):
			return i
		}
	}
	return -1
}

func prefixStart(prefix, start int, marks string) int {
	if strings.Trim(marks, "rbfu") == "" {
		return prefix
	}
	return start
}

var nameAt = lazyregexp.New(`["']?([A-Za-z_][A-Za-z0-9_-]*)["']?\s*(?::=|==|!=|:|=)\s*(?:&|\[\]string\{|\[)?\s*$`)

// nameBefore is the name that a literal is given: Group of `Group: "x"`.
func nameBefore(before []byte) string {
	if end := bytes.TrimRight(before, " \t{[&"); len(end) == 0 || end[len(end)-1] != ':' && end[len(end)-1] != '=' && end[len(end)-1] != 'g' {
		return "" // quicker than the expression; the g ends []string{
	}
	if m := nameAt.FindSubmatch(before); m != nil {
		return string(m[1])
	}
	return ""
}

// A Language is how a programming language writes comments and strings.
type Language struct {
	line    []string           // what begins a comment to the end of the line
	block   bool               // /* comments */
	quotes  string             // characters that begin a string with escapes on one line
	Long    string             // characters that begin a string over several lines
	raw     string             // of these, those without escapes
	Triple  bool               // """ and ''' strings
	rust    bool               // r#"..."# strings, 'a lifetimes
	Imports *lazyregexp.Regexp // a line (or the text before a literal) that imports a path
}

// Languages are the languages whose source is cut, by name.
var Languages = map[string]*Language{
	"go":     {line: []string{"//"}, block: true, quotes: `"`, Long: "`", raw: "`", Imports: lazyregexp.New(`^\s*(import\s+)?([A-Za-z_.][A-Za-z0-9_]*\s+)?$`)},
	"python": {line: []string{"#"}, quotes: `"'`, Triple: true},
	"js":     {line: []string{"//"}, block: true, quotes: `"'`, Long: "`", Imports: lazyregexp.New(`\b(from|import|require\()\s*$`)},
	"java":   {line: []string{"//"}, block: true, quotes: `"`, Triple: true},
	"groovy": {line: []string{"//"}, block: true, quotes: `"'`, Triple: true},
	"lua":    {line: []string{"--"}, quotes: `"'`},
	"rust":   {line: []string{"//"}, block: true, Long: `"`, rust: true},
	"hash":   {line: []string{"#"}, quotes: `"'`},
}
