package syntax

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// YAML and JSON can write a letter of a name as an escape, continue a name in the next line,
// and write a string in base64. What of that spells names is read here, in whatever string and
// at any depth: \\u0069 in a string of a string is i, too.

// MayEscape says whether a part of a file may have letters of names that are escaped.
func MayEscape(name, part []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(part[at:], '\\')
		if i < 0 {
			return isTagged(name, part)
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
func isNameByte(c byte) bool { return isWord(c) || c == '.' || c == '-' || c == '/' }

// tagged is a scalar of YAML with a tag, which may be base64: a block, a text in quotes, a word.
// The tag is any one, as !!binary has many spellings.
var tagged = lazyregexp.New("(?:^|[\\s,\\[{])![^\\s\\[{,]\\S*\\s+(?:&\\S+\\s+)?(?:[|>][-+0-9]*\\s*\\n((?:[ \\t]*[A-Za-z0-9+/=]+[ \\t\\r]*(?:\\n|$))+)|[\"']([A-Za-z0-9+/=\\s]+)|([A-Za-z0-9+/]+=*))")

// name is a text that may be one of an API.
var name = lazyregexp.New(`^[A-Za-z0-9._/-]+$`)

// isTagged says whether YAML has a tag.
func isTagged(name, part []byte) bool {
	if !bytes.HasSuffix(name, []byte(".yaml")) && !bytes.HasSuffix(name, []byte(".yml")) {
		return false
	}
	for at := 0; ; at++ {
		i := bytes.IndexByte(part[at:], '!')
		if i < 0 {
			return false
		}
		at += i
		if (at == 0 || bytes.IndexByte([]byte(" \t\n,[{"), part[at-1]) >= 0) && at+1 < len(part) && bytes.IndexByte([]byte(" \t\n=[{,"), part[at+1]) < 0 {
			return true
		}
	}
}

// Plain is a text without the escapes of letters of names; nil where it has none.
func Plain(name string, data []byte) *View {
	if !MayEscape([]byte(name), data) {
		return nil
	}
	v := whole(data)
	b, from := newBuilder(v, len(data)), 0
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
	if from > 0 {
		b.add(from, len(data))
		v = b.view()
	}
	if isTagged([]byte(name), data) {
		v = v.decoded()
	}
	if v.P == nil {
		return nil
	}
	return v
}

// decoded is YAML with the names that it has in base64.
func (v *View) decoded() *View {
	b, from := newBuilder(v, len(v.B)), 0
	for _, m := range tagged.FindAllSubmatchIndex(v.B, -1) {
		at, end := max(m[2], m[4], m[6]), max(m[3], m[5], m[7])
		content := bytes.TrimSpace(v.B[at:end])
		at += bytes.Index(v.B[at:end], content)
		if text, err := base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(content), nil))); err == nil && name.Match(text) {
			b.add(from, at)
			for _, c := range text {
				b.put(c, at)
			}
			from = at + len(content)
		}
	}
	if from == 0 {
		return v
	}
	b.add(from, len(v.B))
	return b.view()
}
