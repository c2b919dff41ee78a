package strict

import (
	"strconv"
	"strings"
)

// Scalar spells a text as a value of configuration that is written anew, in block
// or flow style: plain where that is safe in any place, else Quoted.
func Scalar(text string) string {
	plain := text != ""
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		plain = plain && (letter || i > 0 && strings.ContainsRune(" ._/+-", r) || i > 0 && r == ':' && i+1 < len(text) && text[i+1] == '/')
	}
	if plain && !strings.HasSuffix(text, " ") && !looksTyped(text) {
		return text
	}
	return Quoted(text)
}

// Quoted spells a text in double quotes. The escapes of Go for characters are those of YAML; for bytes there are none, and
// what is no UTF-8 becomes U+FFFD.
func Quoted(text string) string { return strconv.Quote(strings.ToValidUTF8(text, "\ufffd")) }

// looksTyped says whether YAML would read a plain text as a number, a date, a
// boolean or null.
func looksTyped(text string) bool {
	if text[0] >= '0' && text[0] <= '9' {
		return true
	}
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return true
	}
	return false
}
