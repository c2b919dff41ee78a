package strict

import (
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
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

// Entry is the key and the value of an entry of a mapping; nil = n is none, or has
// no such entry. Of a key that is twice it is the first.
func Entry(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// Value is the value of an entry of a mapping; nil = there is none.
func Value(n *yaml.Node, name string) *yaml.Node {
	_, value := Entry(n, name)
	return value
}
