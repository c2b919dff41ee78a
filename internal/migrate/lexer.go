package migrate

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A literalText is a string in source.
type literalText struct {
	text   source.Span // between the quotes
	outer  source.Span // with quotes
	raw    bool
	format bool   // a format string: f"", template literal
	name   string // the identifier before ":" or "=": Group of Group: "x"
	scope  int    // offset of the innermost open bracket, -1 at the top
	before []byte // the text on its line before it, as far as it is nearby
	line   int    // counted from 0
}

// A codeFile is source cut into strings and comments.
type codeFile struct {
	literals []literalText
	comments []source.Span // without the marks; adjacent line comments are apart
}

// lex cuts source into strings, comments and the rest. Source that is not well
// formed gives what can be told from it.
func (l *language) lex(data []byte) *codeFile {
	x := &lexer{l: l, data: data}
	for x.at < len(data) {
		x.next()
	}
	return &x.codeFile
}

type lexer struct {
	codeFile
	l    *language
	data []byte
	at   int
	open []int

	unclosed map[string]bool // quotes of long strings that do not end a string any more

	line, counted int // the line of an offset that was reached
}

func (x *lexer) next() {
	c := x.data[x.at]
	rest := x.data[x.at:]
	for _, mark := range x.l.line {
		if bytes.HasPrefix(rest, []byte(mark)) && (mark != "#" || x.at == 0 || x.l.triple || isSpace(x.data[x.at-1])) {
			end, _ := lineEnd(x.data, x.at, len(x.data))
			x.comments = append(x.comments, source.Span{Start: x.at + len(mark), End: end})
			x.at = end
			return
		}
	}
	switch {
	case x.l.block && bytes.HasPrefix(rest, []byte("/*")):
		n := bytes.Index(rest[2:], []byte("*/"))
		end := len(x.data)
		if n >= 0 {
			end = x.at + 2 + n
		}
		x.comments = append(x.comments, source.Span{Start: x.at + 2, End: end})
		x.at = min(end+2, len(x.data))
	case c == '(' || c == '[' || c == '{':
		x.open = append(x.open, x.at)
		x.at++
	case c == ')' || c == ']' || c == '}':
		if len(x.open) > 0 {
			x.open = x.open[:len(x.open)-1]
		}
		x.at++
	case x.l.triple && (bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte(`'''`))):
		x.delimited(3, string(rest[:3]), true)
	case strings.IndexByte(x.l.long, c) >= 0:
		x.delimited(1, string(c), true)
	case strings.IndexByte(x.l.quotes, c) >= 0:
		x.delimited(1, string(c), false)
	case x.l.rust && c == 'r' && rustRaw.Match(rest) && (x.at == 0 || !isWordByte(x.data[x.at-1])):
		n := len(rustRaw.Find(rest))
		x.delimited(n, `"`+strings.Repeat("#", n-2), true)
	case c == '\'':
		x.at += charLiteral(rest)
	default:
		x.at++
	}
}

var rustRaw = regexp.MustCompile(`^r#*"`)

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

// delimited reads a string whose opening is n bytes long.
func (x *lexer) delimited(n int, closing string, multi bool) {
	start := x.at
	raw := n > 1 && closing[0] == '"' && x.data[start] == 'r' || strings.Contains(x.l.raw, closing)
	prefix := start
	for prefix > 0 && isWordByte(x.data[prefix-1]) && start-prefix < 2 && x.l.triple {
		prefix--
	}
	marks := strings.ToLower(string(x.data[prefix:start]))
	if x.l.triple && strings.Trim(marks, "rbfu") == "" && strings.Contains(marks, "r") {
		raw = true
	}
	end := -1
	if multi && x.unclosed[closing] {
		x.at = start + n
		return
	}
	for i := start + n; i < len(x.data); i++ {
		c := x.data[i]
		if c == '\n' && !multi {
			break
		}
		if c == '\\' && (!raw || x.l.triple) {
			i++
			continue
		}
		if bytes.HasPrefix(x.data[i:], []byte(closing)) {
			end = i
			break
		}
	}
	if end < 0 { // no closing quote: not a string after all
		if multi {
			if x.unclosed == nil {
				x.unclosed = map[string]bool{}
			}
			x.unclosed[closing] = true
		}
		x.at = start + n
		return
	}
	lit := literalText{
		text: source.Span{Start: start + n, End: end}, outer: source.Span{Start: start, End: end + len(closing)},
		raw: raw, format: strings.Contains(marks, "f") && x.l.triple || closing == "`" && !raw,
		scope: -1, before: x.data[lineAround(x.data, source.Span{Start: start, End: start}).Start:prefixStart(prefix, start, marks)],
	}
	x.line += bytes.Count(x.data[x.counted:start], []byte("\n"))
	x.counted = start
	lit.line = x.line
	if len(x.open) > 0 {
		lit.scope = x.open[len(x.open)-1]
	}
	lit.name = nameBefore(lit.before)
	x.literals = append(x.literals, lit)
	x.at = lit.outer.End
}

func prefixStart(prefix, start int, marks string) int {
	if strings.Trim(marks, "rbfu") == "" {
		return prefix
	}
	return start
}

var nameAt = regexp.MustCompile(`["']?([A-Za-z_][A-Za-z0-9_-]*)["']?\s*(?::=|==|!=|:|=)\s*(?:&|\[\]string\{|\[)?\s*$`)

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
