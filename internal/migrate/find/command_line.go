package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A command is one line, however it is written: over several lines, each of
// which but the last ends in a backslash, as a list of words in YAML, or as one in
// a Dockerfile.

// longestCommand is how much of a command over several lines is read before and
// behind a name, in bytes.
const longestCommand = 4 * text.Nearby

// commandAround is the command over several lines that a name stands in, before
// and behind it, with a blank for each byte that only joins them; nil where the
// line of the name is all of it.
func commandAround(data []byte, word, line source.Span) (left, right []byte) {
	from, to := line.Start, line.End
	first, last := max(0, from-longestCommand), min(len(data), to+longestCommand)
	for from > first && goesOn(data[first:from]) {
		from = first + text.LineStart(data[first:], from-1-first)
	}
	for {
		_, next := text.LineEnd(data, to, last)
		if next >= last || !goesOn(data[from:next]) {
			break
		}
		to, _ = text.LineEnd(data, next, last)
	}
	if from == line.Start && to == line.End {
		return nil, nil
	}
	return unbroken(data[from:word.Start]), unbroken(data[word.End:to])
}

// beforeOnLine is the line of a name, or its command, up to it.
func beforeOnLine(data []byte, word source.Span) []byte {
	line := text.LineAround(data, word)
	if left, _ := commandAround(data, word, line); left != nil {
		return left
	}
	return data[line.Start:word.Start]
}

// goesOn says whether a text ends with a line that the next one goes on.
func goesOn(data []byte) bool {
	end, ok := bytes.CutSuffix(data, []byte("\n"))
	if !ok {
		return false
	}
	end = bytes.TrimSuffix(end, []byte("\r"))
	return (len(end)-len(bytes.TrimRight(end, `\`)))%2 == 1
}

// unbroken is a text with blanks for what joins its lines, and for the mark of the
// comment that it is.
func unbroken(data []byte) []byte {
	data = bytes.Clone(data)
	for _, m := range lineJoin.FindAllIndex(data, -1) {
		copy(data[m[0]:m[1]], bytes.Repeat([]byte(" "), m[1]-m[0]))
	}
	return data
}

var lineJoin = lazyregexp.New(`\\\r?\n([ \t]*(//|#|\*)[ \t])?`)

// wordList is a command that a Dockerfile writes as a list of words.
// Source: https://docs.docker.com/reference/dockerfile/#shell-and-exec-form
var wordList = rx(`^\s*(?i:(?:healthcheck\s.*)?cmd|entrypoint|run)\s+\[`, "cmd", "entrypoint", "run")

// unlisted is the list of words of a Dockerfile as its command: with blanks for
// what stands between two words.
func unlisted(line []byte) []byte {
	line = bytes.Clone(line)
	for i, c := range line {
		if c == '"' || c == ',' || c == '[' || c == ']' {
			line[i] = ' '
		}
	}
	return line
}

// commandBefore are the words of the command in YAML that stand before an item of
// it, with the blank behind them; "" where it is no such item. The arguments of a
// container stand behind its command.
func (e *entry) commandBefore() string {
	at := e.holder()
	if !e.t.Nodes[e.i].Seq || at < 0 || !isCommand(e.t.KeyText(at)) {
		return ""
	}
	var words []string
	if list := e.t.Sibling(at, "command"); list >= 0 && list != at {
		words = e.t.TextsOf(e.t.Children(list))
	}
	for _, n := range e.t.Children(at) {
		if n == e.i {
			break
		}
		words = append(words, e.t.Text(n))
	}
	if len(words) == 0 {
		return ""
	}
	before := strings.Join(words, " ") + " "
	return before[max(0, len(before)-longestCommand):]
}

var isCommand = isKey("^(command|args|cmd|entrypoint)$")

// behind says which words of its command stand before the line of a name.
func (p *spot) behind(words string) {
	if words != "" {
		p.left, p.told = append([]byte(words), p.left...), len(words)
	}
}

// tellsArguments reads the kind, version or resource of a group from the arguments
// beside it: --kind=AppWrapper, or --kind with the next one.
func (e *entry) tellsArguments(v *text.View, s *Site) {
	at := e.holder()
	if s.Place.Role != RoleGroup || s.Shape != Bare || !e.t.Nodes[e.i].Seq || at < 0 {
		return
	}
	flag := ""
	for _, n := range e.t.Children(at) {
		value, node := e.t.Text(n), e.t.Nodes[n]
		m := partFlag.FindStringSubmatch(value)
		switch {
		case m != nil && m[2] != "":
			flag, value = m[1], m[2][1:]
		case m != nil:
			flag = m[1]
			continue
		}
		word := source.Span{Start: node.Val.End - len(value), End: node.Val.End}
		if word.Start >= node.Val.Start && string(word.Of(v.Data)) == value {
			e.tellsArgument(s, flag, Part{Doc: v, Span: word})
		}
		flag = ""
	}
}

func (e *entry) tellsArgument(s *Site, flag string, p Part) {
	switch value := string(p.Span.Of(p.Doc.Data)); {
	case flag == "version" && s.Facts.Version == "" && rules.APIVersion.MatchString(value):
		s.Facts.Version, p.Role = value, RoleVersion
	case flag == "kind" && s.Facts.Kind == "" && rules.KindName.MatchString(value):
		s.Facts.Kind, p.Role = value, RoleKind
	case (flag == "resource" || flag == "plural") && s.Facts.Plural == "" && rules.PluralName.MatchString(value):
		s.Facts.Plural, p.Role = value, RoleResource
	default:
		return
	}
	s.Beside = append(s.Beside, p)
}

var partFlag = lazyregexp.New(`^--?(?:[a-z]+-)*(version|kind|resource|plural)(=.+)?$`)

// isWordOfKubectl says whether a value is a word of kubectl's in a list of words.
func (a *analysis) isWordOfKubectl(t *text.Tree, i int32) bool {
	e := entry{analysis: a, t: t, i: i}
	return kubectlBefore.Match([]byte(e.commandBefore()))
}
