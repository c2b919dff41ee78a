package prove

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// plainYAML says that a text is surely a stream of YAML: block mappings and lists of words,
// quoted texts, flow collections of one line, anchors, and block scalars, as most manifests are.
// False is no answer. It takes a tenth of the time of a parser, which would say the same.
func plainYAML(data []byte) bool {
	if !printable(data) {
		return false
	}
	p := plain{fresh: true}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if !p.line(string(bytes.TrimSuffix(line, []byte("\r")))) {
			return false
		}
	}
	return true
}

// printable says that a text has no byte at which parsers differ.
func printable(data []byte) bool {
	for i, c := range data {
		switch next := data[i:min(i+3, len(data))]; {
		case c < ' ' && c != '\n' && (c != '\r' || len(next) < 2 || next[1] != '\n'), c == 0x7f, c == 0xef:
			return false // tabs and control characters; a byte order mark, and what is no character
		case c == 0xc2 && len(next) > 1 && next[1] < 0xa0, c == 0xe2 && len(next) > 2 && next[1] == 0x80 && next[2]&^1 == 0xa8:
			return false // control characters and line ends of Unicode
		}
	}
	return utf8.Valid(data)
}

// plain reads a stream line by line.
type plain struct {
	open    []level  // the mappings and lists that a line may go on with, from the outermost on
	fresh   bool     // the value that a line begins with is still to come: of a document, of the last key or dash
	words   bool     // the last value is one of words, which may go on
	block   int      // column of the key or dash of a block scalar, plus 1; 0 = in none
	text    int      // indentation of the lines of the block scalar; 0 = none yet
	anchors []string // of the document
}

// A level is a mapping or list whose entries begin at a column.
type level struct {
	at   int
	list bool
}

// line takes one line.
func (p *plain) line(s string) bool {
	body := strings.TrimLeft(s, " ")
	at := len(s) - len(body)
	if p.block > 0 && (body == "" || at >= p.block) {
		if body != "" && p.text == 0 {
			p.text = at
		}
		return s == "" || at >= p.text && p.text > 0
	}
	p.block = 0
	words := p.words
	p.words = words && (body == "" || body[0] != '#' && at > p.open[len(p.open)-1].at)
	switch {
	case body == "" || body[0] == '#':
		return true
	case p.words:
		return plainWords(body)
	case s == "---" || strings.HasPrefix(s, "--- #"):
		*p = plain{fresh: true}
		return true
	case at == 0 && (strings.HasPrefix(s, "---") || s[0] == '%'):
		return false
	}
	dashed := false
	for body == "-" || strings.HasPrefix(body, "- ") {
		if !p.enter(level{at, true}) {
			return false
		}
		rest := strings.TrimLeft(body[1:], " ")
		if rest == "" || rest[0] == '#' {
			return true
		}
		body, at, dashed = rest, at+len(body)-len(rest), true
	}
	key, value := plainKey(body)
	if key == "" {
		return dashed && p.value(body)
	}
	return p.enter(level{at, false}) && p.value(value)
}

// enter goes on with a mapping or list, or begins it where a value is still to come.
func (p *plain) enter(l level) bool {
	n := len(p.open)
	for n > 0 && (p.open[n-1].at > l.at || p.open[n-1].at == l.at && p.open[n-1].list && !l.list) {
		n--
	}
	begins := p.fresh && n == len(p.open) && (n == 0 || p.open[n-1].at < l.at || l.list && !p.open[n-1].list)
	if n > 100 || !begins && (n == 0 || p.open[n-1] != l) {
		return false
	}
	if p.open = p.open[:n]; begins {
		p.open = append(p.open, l)
	}
	p.fresh = true
	return true
}

// plainKey is the key that a line begins with and what follows its colon; "" for none.
func plainKey(s string) (key, rest string) {
	end := 0
	if s[0] == '"' || s[0] == '\'' {
		end = quotation(s)
	} else if letter(s[0]) || s[0] == '$' || s[0] == '<' {
		for end == 0 || end < len(s) && (letter(s[end]) || s[end] == '-' || s[end] == '<') {
			end++
		}
	}
	if end == 0 || end > 200 || end >= len(s) || s[end] != ':' || end+1 < len(s) && s[end+1] != ' ' {
		return "", s
	}
	return s[:end], strings.TrimLeft(s[end+1:], " ")
}

// value takes the value behind a key or a dash.
func (p *plain) value(s string) bool {
	if s == "" || s[0] == '#' {
		return true
	}
	if name, rest, _ := strings.Cut(s[1:], " "); s[0] == '&' && plainName(name) && len(p.anchors) < mostAnchors {
		p.anchors = append(p.anchors, name)
		if s = strings.TrimLeft(rest, " "); s == "" || s[0] == '#' {
			return true
		}
	}
	p.fresh = false
	end := 0
	switch s[0] {
	case '|', '>':
		if end = 1; end < len(s) && (s[end] == '-' || s[end] == '+') {
			end++
		}
		p.block, p.text = p.open[len(p.open)-1].at+1, 0
	case '"', '\'', '{', '[':
		end = flow(s, 0)
	case '*':
		name, _, _ := strings.Cut(s[1:], " ")
		if slices.Contains(p.anchors, name) {
			end = 1 + len(name)
		}
	default:
		word, _, noted := strings.Cut(s, " #")
		p.words = !noted
		return (!strings.ContainsRune(indicators, rune(s[0])) || s[0] == '-' && len(s) > 1 && s[1] != ' ') && plainWords(word)
	}
	rest := strings.TrimLeft(s[end:], " ")
	return end > 0 && (rest == "" || rest[0] == '#' && len(rest) < len(s[end:]))
}

// mostAnchors is how many anchors of a document are remembered.
const mostAnchors = 100

// indicators cannot begin a value of words.
const indicators = "-?:,[]{}#&*!|>'\"%@`"

// plainWords says that words are a value, or go on with one.
func plainWords(s string) bool {
	return !strings.Contains(s, ": ") && !strings.Contains(s, " #") && !strings.HasSuffix(strings.TrimRight(s, " "), ":")
}

// plainName says that a text is a word of letters alone.
func plainName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c == '.' || c == '/' || !letter(byte(min(c, 127))) })
}

// flow is where a quoted text, a word, or a collection of them ends that a text begins with; 0
// for none.
func flow(s string, depth int) int {
	switch {
	case s == "" || depth > 20:
		return 0
	case s[0] == '"' || s[0] == '\'':
		return quotation(s)
	case s[0] != '[' && s[0] != '{':
		end := 0
		for end < len(s) && (letter(s[end]) || end > 0 && s[end] == '-') {
			end++
		}
		return end
	}
	closing, blank := s[0]+2, func(at int) int { return at + len(s[at:]) - len(strings.TrimLeft(s[at:], " ")) }
	for at := blank(1); at < len(s); at = blank(at + 1) {
		if s[at] == closing && s[blank(1)] == closing {
			return at + 1
		}
		if closing == '}' {
			key, _ := plainKey(s[at:])
			if at += len(key) + 2; key == "" || at > len(s) {
				return 0
			}
			at = blank(at)
		}
		n := flow(s[at:], depth+1)
		if at = blank(at + n); n == 0 || at == len(s) || s[at] != ',' && s[at] != closing {
			return 0
		}
		if s[at] == closing {
			return at + 1
		}
	}
	return 0
}

// quotation is where a quoted text without escapes ends that a line begins with; 0 for none.
func quotation(s string) int {
	n := strings.IndexByte(s[1:], s[0])
	if n < 0 || strings.Contains(s[:n+2], `\`) || strings.HasPrefix(s[n+2:], s[:1]) {
		return 0
	}
	return n + 2
}

// letter says whether a byte can stand at the beginning of a word.
func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '/'
}
