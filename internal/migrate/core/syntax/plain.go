package syntax

import (
	"bytes"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// YAML and JSON can write a letter of a name as an escape, and continue a name in the next line.
// What of that spells names is read here, in whatever string and at any depth: \\u0069 in a
// string of a string is i, too.

// MayEscape says whether a part of a file may have letters of names that are escaped.
func MayEscape(part []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(part[at:], '\\')
		if i < 0 {
			return false
		}
		at += i
		if _, end := escapeAt(part, at); end > 0 || at+maxEscape > len(part) && at > maxEscape {
			return true
		}
	}
}

// maxEscape is the length of the longest escape of a letter.
const maxEscape = len(`\U00000069`)

// escapeAt is the letter that an escape at an offset spells, 0 for a line that goes on, and where
// it ends; 0 where none is there.
func escapeAt(b []byte, at int) (letter byte, end int) {
	i := at + 1
	if i == len(b) {
		return 0, 0
	}
	digits := 0
	switch b[i] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '/':
		return '/', i + 1
	case '\r', '\n':
		for i < len(b) && bytes.IndexByte([]byte(" \t\r\n"), b[i]) >= 0 {
			i++
		}
		if at == 0 || !isNameByte(b[at-1]) || i < len(b) && !isNameByte(b[i]) {
			return 0, 0
		}
		return 0, i
	}
	if digits == 0 || i+1+digits > len(b) {
		return 0, 0
	}
	code, err := strconv.ParseUint(string(b[i+1:i+1+digits]), 16, 32)
	if err != nil || code > 'z' || !isNameByte(byte(code)) {
		return 0, 0
	}
	return byte(code), i + 1 + digits
}

// isNameByte says whether names of APIs have a byte.
func isNameByte(c byte) bool { return text.IsIdent(c) || c == '.' || c == '-' || c == '/' }

// Plain is a text without the escapes of letters of names; nil where it has none.
func Plain(data []byte) *View {
	if !MayEscape(data) {
		return nil
	}
	b, from := newBuilder(whole(data), len(data)), 0
	for at := bytes.IndexByte(data, '\\'); at >= 0; {
		next := at + 1
		if letter, end := escapeAt(data, at); end > 0 {
			before := at // of the backslashes that escape this one
			for before > from && data[before-1] == '\\' {
				before--
			}
			b.add(from, before)
			if letter != 0 {
				b.put(letter, before)
			}
			from, next = end, end
		}
		i := bytes.IndexByte(data[next:], '\\')
		if i < 0 {
			break
		}
		at = next + i
	}
	if from == 0 {
		return nil
	}
	b.add(from, len(data))
	return b.view()
}
