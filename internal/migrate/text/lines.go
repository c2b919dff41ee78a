package text

import (
	"bytes"
	"encoding/binary"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Positions counts lines and characters of a text, in one pass where offsets grow.
type Positions struct {
	Data   []byte
	offset int
	At     source.Position
}

// To is the place of an offset. It counts from the last one, or again where that is behind it.
func (p *Positions) To(offset int) source.Position {
	if offset < p.offset {
		p.offset, p.At = 0, source.Position{Line: 1, Column: 1}
	}
	step := p.Data[p.offset:offset]
	if n := bytes.LastIndexByte(step, '\n'); n >= 0 {
		p.At.Line += bytes.Count(step, []byte("\n"))
		p.At.Column, step = 1, step[n+1:]
	}
	p.At.Column += utf8.RuneCount(step)
	p.offset = offset
	return p.At
}

// IsIdent says whether a byte may stand in an identifier.
func IsIdent(c byte) bool { return c == '_' || c != '-' && IsWordByte(c) }

// document is the document of a stream that holds an offset: from the line
// after (or on) its "---" to the next one.
func document(data []byte, at int) (from, to int) {
	for from = LineStart(data, at); from > 0; from = LineStart(data, from-1) {
		if IsMarker(data[from:]) {
			break
		}
	}
	for to = at; ; {
		n := bytes.IndexByte(data[to:], '\n')
		if n < 0 {
			return from, len(data)
		}
		to += n + 1
		if IsMarker(data[to:]) {
			return from, to
		}
	}
}

// LineBreak is where the line of an offset ends.
func LineBreak(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(data)
}

// LineStart is the start of the line of an offset.
func LineStart(data []byte, at int) int { return bytes.LastIndexByte(data[:at], '\n') + 1 }

// IsMarker says whether a line begins a document.
func IsMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0)
}

// Documents are the spans of the documents of a stream of YAML.
func Documents(data []byte) []source.Span {
	var list []source.Span
	for at := 0; at < len(data); {
		_, to := document(data, at)
		list = append(list, source.Span{Start: at, End: to})
		at = to
	}
	return list
}

// Parts are the documents of a stream of YAML or, of Markdown, its fenced blocks and what is
// between them.
func Parts(name string, data []byte) (list []source.Span) {
	if ext := path.Ext(name); ext != ".md" && ext != ".markdown" {
		return Documents(data)
	}
	from := 0
	for at := range source.All(data, "\n```") {
		list, from = append(list, source.Span{Start: from, End: at + 1}), at+1
	}
	return append(list, source.Span{Start: from, End: len(data)})
}

// Field is the value of the only line of a text that begins with a name, and where the line is; ""
// for none and several, and for a value that is no plain word, path or name.
func Field(b []byte, name string) (value string, at source.Span) {
	if !bytes.HasPrefix(b, []byte(name)) {
		at.Start = bytes.Index(b, []byte("\n"+name)) + 1
		if at.Start == 0 {
			return "", source.Span{}
		}
	}
	at.End, _ = LineEnd(b, at.Start, len(b))
	value = string(b[at.Start+len(name) : at.End])
	plain := !strings.ContainsFunc(value, func(r rune) bool { return r != '/' && r != '.' && (r > 127 || !IsWordByte(byte(r))) })
	if !plain || bytes.Contains(b[at.End:], []byte("\n"+name)) {
		return "", source.Span{}
	}
	return value, at
}

// OnlyCRLF says whether every line ends with a carriage return.
func OnlyCRLF(data []byte) bool {
	n := bytes.Count(data, []byte("\r\n"))
	return n > 0 && n == bytes.Count(data, []byte("\n"))
}

// ToCRLF ends every line with a carriage return.
func ToCRLF(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

// IsWordByte says whether a byte may stand in a label of a dotted name.
func IsWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}

// FromUTF16 is text in UTF-16 as UTF-8. It says false for anything else: text
// of that kind has a byte order mark, or begins with a character of ASCII.
func FromUTF16(data []byte) ([]byte, bool) {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(data) < 2:
		return nil, false
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}), data[0] == 0 && data[1] != 0:
		order = binary.BigEndian
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}), data[0] != 0 && data[1] == 0:
	default:
		return nil, false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), true
}

// LineEnd is the offset behind the text of the line at an offset, without its
// line break, and next the start of the line after.
func LineEnd(data []byte, at, limit int) (text, next int) {
	n := bytes.IndexByte(data[at:limit], '\n')
	if n < 0 {
		return limit, limit
	}
	text = at + n
	if text > at && data[text-1] == '\r' {
		text--
	}
	return text, at + n + 1
}

// SkipBlank is the offset behind the blanks at an offset.
func SkipBlank(data []byte, at, limit int) int {
	for at < limit && (data[at] == ' ' || data[at] == '\t') {
		at++
	}
	return at
}
