package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// unindent is the content of a block scalar without its indentation.
func unindent(raw []byte) string {
	indent := -1
	for line := range bytes.Lines(raw) {
		text := bytes.TrimRight(line, "\r\n")
		if n := len(text) - len(bytes.TrimLeft(text, " ")); n < len(text) && (indent < 0 || n < indent) {
			indent = n
		}
	}
	var out []byte
	for line := range bytes.Lines(raw) {
		text := bytes.TrimRight(line, "\r\n")
		out = append(out, line[min(max(indent, 0), len(text)):]...)
	}
	return string(out)
}

// unquoteSingle is the content of a YAML single-quoted scalar.
func unquoteSingle(raw []byte) string {
	var out []byte
	for i, kept := 0, 0; i < len(raw); i++ {
		switch {
		case raw[i] == '\n':
			out, i = fold(out, kept, raw, i)
			kept = len(out)
		case raw[i] == '\'' && i+1 < len(raw) && raw[i+1] == '\'':
			out = append(out, '\'')
			i, kept = i+1, len(out)
		default:
			out = append(out, raw[i])
		}
	}
	return string(out)
}

// escapes are the one-letter escapes that JSON, YAML, Go, Python, C and Java
// share, with their meaning.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", '"': "\"", '\'': "'", '\\': "\\", '/': "/", '0': "\x00",
	'a': "\a", 'b': "\b", 'e': "\x1b", 'f': "\f", 'v': "\v", ' ': " ", '`': "`", '$': "$",
	'_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// unescape is the content of a double-quoted scalar of YAML. An escape that is not known
// stays as it is written.
func unescape(raw []byte) string {
	var out []byte
	for i, kept := 0, 0; i < len(raw); i++ {
		switch {
		case raw[i] == '\n':
			out, i = fold(out, kept, raw, i)
			kept = len(out)
		case raw[i] == '\\' && i+1 < len(raw):
			text, n := escape(raw[i:])
			for isSpace(raw[i+1]) && text != " " && i+n < len(raw) && isSpace(raw[i+n]) {
				if raw[i+n] == '\n' {
					text += "\n" // a blank line below a continued one
				}
				n++ // the indentation of the line that it goes on with
			}
			out = append(out, text...)
			i, kept = i+n-1, len(out)
		default:
			out = append(out, raw[i])
		}
	}
	return string(out)
}

// fold adds a line break in a quoted scalar of YAML to its text, of which some bytes are
// kept: a blank for one, a line break less for several; blanks around them are nothing.
// It returns the offset of the last of them.
func fold(out []byte, kept int, raw []byte, at int) ([]byte, int) {
	for len(out) > kept && isSpace(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	breaks := 0
	for ; at < len(raw) && isSpace(raw[at]); at++ {
		if raw[at] == '\n' {
			breaks++
		}
	}
	return append(out, strings.Repeat("\n", breaks-1)+strings.Repeat(" ", max(0, 2-breaks))...), at - 1
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// escape reads one escape sequence: its meaning and its length.
func escape(data []byte) (string, int) {
	c := data[1]
	if m := octal.Find(data[:min(len(data), 4)]); m != nil {
		n, _ := strconv.ParseUint(string(m[1:]), 8, 16)
		return string(rune(n)), len(m)
	}
	if text, ok := escapes[c]; ok {
		return text, 2
	}
	switch c {
	case '\n':
		return "", 2 // a continued line
	case '\r':
		if len(data) > 2 && data[2] == '\n' {
			return "", 3
		}
	case 'x', 'u', 'U':
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if len(data) >= 2+n {
			if r, err := strconv.ParseUint(string(data[2:2+n]), 16, 32); err == nil && r <= utf8.MaxRune {
				if pair := surrogates(data); pair != utf8.RuneError {
					return string(pair), 12
				}
				return string(rune(r)), 2 + n
			}
		}
	}
	return string(data[:2]), 2
}

// octal is a character as three octal digits, as Go, Python, C and Java have it.
var octal = lazyregexp.New(`^\\[0-3][0-7][0-7]$`)

// surrogates is the character of two escapes that are halves of one in UTF-16,
// as JSON, JavaScript and Java spell what lies beyond 16 bits.
func surrogates(data []byte) rune {
	if len(data) < 12 || data[1] != 'u' || data[6] != '\\' || data[7] != 'u' {
		return utf8.RuneError
	}
	high, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	low, err2 := strconv.ParseUint(string(data[8:12]), 16, 16)
	if err != nil || err2 != nil {
		return utf8.RuneError
	}
	return utf16.DecodeRune(rune(high), rune(low))
}
