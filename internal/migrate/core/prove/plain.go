package prove

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Most manifests are written in a small part of YAML: mappings and sequences in
// blocks or short ones in one line, plain words, quoted words without escapes,
// literal and folded blocks. Whether text is
// of that part, and so can be read, is said here in one pass and without a node;
// whatever is not surely of it is for the parser. FuzzPlain checks that the parser
// takes all that this takes.

// IsPlain says whether a stream of documents is surely YAML. False says nothing.
func IsPlain(data []byte) bool {
	p := plainReader{rest: data}
	for len(p.rest) > 0 {
		line := p.next()
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		if !p.line(line[indent:], indent) {
			return false
		}
	}
	return true
}

// A plainReader reads text line by line.
type plainReader struct {
	rest  []byte
	stack []collection
	wants bool // a key or a dash has no value so far
	began bool // the document has a block
	words bool // the last value is plain and may go on in the next line

	anchors [][]byte // names of those of the document
}

// A collection is one that is open.
type collection struct {
	column int
	list   bool
}

// deepest is how many collections in each other are looked at.
const deepest = 64

func (p *plainReader) next() []byte {
	line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
	p.rest = rest
	return bytes.TrimSuffix(line, []byte("\r"))
}

// top is the innermost open collection; column -1 for none.
func (p *plainReader) top() collection {
	if len(p.stack) == 0 {
		return collection{column: -1}
	}
	return p.stack[len(p.stack)-1]
}

// line reads one without its indent.
func (p *plainReader) line(text []byte, column int) bool {
	switch {
	case !printable(text):
		return false
	case len(text) == 0 || text[0] == '#':
		p.words = false
		return true
	case column == 0 && bytes.HasPrefix(text, []byte("---")) && endsAfter(text[len("---"):]):
		*p = plainReader{rest: p.rest, stack: p.stack[:0], anchors: p.anchors[:0]}
		return true
	case p.words && column > p.top().column:
		return isWords(text)
	}
	return p.place(text, column) && p.entry(text, column)
}

// place finds the block that a line belongs to, or opens it.
func (p *plainReader) place(text []byte, column int) bool {
	item := isItem(text)
	for p.top().column > column {
		p.stack, p.wants = p.stack[:len(p.stack)-1], false
	}
	switch top := p.top(); {
	case top.column < column: // the first of a new block
		return (p.wants || !p.began) && p.open(column, item)
	case item && !top.list: // a list may stand below its key without an indent
		return p.wants && p.open(column, item)
	case !item && top.list: // such a list ends
		p.stack = p.stack[:len(p.stack)-1]
		return p.top() == collection{column: column}
	}
	return true
}

func (p *plainReader) open(column int, list bool) bool {
	p.stack, p.began = append(p.stack, collection{column, list}), true
	return len(p.stack) < deepest
}

// entry reads an item or a key with what follows it; its block is open.
func (p *plainReader) entry(text []byte, column int) bool {
	p.wants, p.words = false, false
	if isItem(text) {
		after := bytes.TrimLeft(text[1:], " ")
		if len(after) == 0 {
			p.wants = true
			return true
		}
		column += len(text) - len(after)
		if !isItem(after) && keyEnd(after) < 0 {
			return p.value(after)
		}
		return p.open(column, isItem(after)) && p.entry(after, column)
	}
	end := keyEnd(text)
	return end > 0 && p.value(bytes.TrimLeft(text[end:], " "))
}

// value reads what follows a dash or the colon of a key.
func (p *plainReader) value(text []byte) bool {
	if len(text) == 0 || text[0] == '#' {
		p.wants = true
		return true
	}
	switch c := text[0]; {
	case c == '"' || c == '\'':
		end := bytes.IndexByte(text[1:], c)
		return end >= 0 && bytes.IndexByte(text, '\\') < 0 && endsAfter(text[end+2:])
	case c == '[' || c == '{':
		return isFlow(text)
	case c == '|' || c == '>':
		return (len(text) == 1 || len(text) == 2 && (text[1] == '-' || text[1] == '+')) && p.literal()
	case c == '&' || c == '*':
		return p.anchor(c == '*', text[1:])
	case isWordStart(text):
		words, _, commented := bytes.Cut(text, []byte(" #"))
		p.words = !commented
		return isWords(words)
	}
	return false
}

// anchor reads the name of an anchor, with a block behind it, or of an alias of one.
func (p *plainReader) anchor(alias bool, text []byte) bool {
	rest := bytes.TrimLeftFunc(text, isNameRune)
	name := text[:len(text)-len(rest)]
	if len(name) == 0 || bytes.ContainsAny(name, "./") || !endsAfter(rest) {
		return false
	}
	if alias { // of this document
		return slices.ContainsFunc(p.anchors, func(known []byte) bool { return bytes.Equal(known, name) })
	}
	p.wants, p.anchors = true, append(p.anchors, name)
	return true
}

// isFlow says whether text is a list or mapping of plain or quoted words, in one line.
func isFlow(text []byte) bool {
	list, end := text[0] == '[', bytes.IndexAny(text, "]}")
	if end < 0 || (text[end] == ']') != list || !endsAfter(text[end+1:]) {
		return false
	}
	inner := bytes.TrimSpace(text[1:end])
	if len(inner) == 0 {
		return true
	}
	for entry := range bytes.SplitSeq(inner, []byte(",")) {
		entry = bytes.TrimSpace(entry)
		if !list {
			key := keyEnd(entry)
			if key < 0 {
				return false
			}
			entry = bytes.TrimSpace(entry[key:])
		}
		if !isFlowWord(entry) {
			return false
		}
	}
	return true
}

// isFlowWord says whether an entry of a list in one line is one word.
func isFlowWord(word []byte) bool {
	if len(word) == 0 {
		return false
	}
	if quote := word[0]; quote == '"' || quote == '\'' {
		return len(word) > 1 && bytes.IndexByte(word[1:], quote) == len(word)-2 && bytes.IndexByte(word, '\\') < 0
	}
	return isLetter(word[0]) && len(bytes.TrimLeftFunc(word, isNameRune)) == 0
}

// isNameRune says whether a word may have a character wherever it is.
func isNameRune(r rune) bool {
	return r < utf8.RuneSelf && isLetter(byte(r)) || r == '.' || r == '/' || r == '-'
}

// literal reads the lines of a literal block.
func (p *plainReader) literal() bool {
	indent := -1
	for len(p.rest) > 0 {
		rest := p.rest
		line := p.next()
		own := len(line) - len(bytes.TrimLeft(line, " "))
		switch {
		case !printable(line) || own == len(line) && own > max(indent, 0):
			return false
		case own == len(line):
		case indent < 0 && own > p.top().column:
			indent = own
		case own <= p.top().column:
			p.rest = rest
			return true
		case own < indent:
			return false
		}
	}
	return true
}

// isItem says whether text begins with the dash of an item.
func isItem(text []byte) bool {
	return text[0] == '-' && (len(text) == 1 || text[1] == ' ')
}

// keyEnd is behind the colon of the plain key that text begins with, -1 for none.
func keyEnd(text []byte) int {
	end := bytes.IndexByte(text, ':')
	if end <= 0 || end > 256 || end+1 < len(text) && text[end+1] != ' ' {
		return -1
	}
	for i, c := range text[:end] {
		if !isLetter(c) && (i == 0 || !isNameRune(rune(c))) {
			return -1
		}
	}
	return end + 1
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// isWordStart says whether a plain value may begin so.
func isWordStart(text []byte) bool {
	c := text[0]
	return isLetter(c) || c >= utf8.RuneSelf || c == '.' || c == '/' || c == '$' || c == '(' || c == '<' || c == '-' && len(text) > 1 && text[1] != ' '
}

// isWords says whether text is, or goes on with, a plain value to the end of its line.
func isWords(text []byte) bool {
	return !bytes.Contains(text, []byte(": ")) && text[len(text)-1] != ':' && !bytes.Contains(text, []byte(" #")) && text[0] != '#'
}

// endsAfter says whether nothing but a comment follows a value.
func endsAfter(text []byte) bool {
	left := bytes.TrimLeft(text, " ")
	return len(left) == 0 || left[0] == '#' && len(left) < len(text)
}

// printable says whether a line has only characters that YAML takes, and none that
// ends a line.
func printable(line []byte) bool {
	for i, c := range line {
		if c >= utf8.RuneSelf {
			return isUnicode(line[i:])
		}
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

func isUnicode(line []byte) bool {
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		if r < ' ' || r > '~' && r < 0xa0 || r == utf8.RuneError || r >= 0x2028 && r <= 0x2029 || r >= 0xfdd0 && r <= 0xffff {
			return false
		}
		line = line[size:]
	}
	return true
}
