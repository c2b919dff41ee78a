package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// Source of a language is not parsed: whether a conversion has something to change in an
// object there is asked of the words of its text.

// shapeWords are those of a text, in small letters and without "_": service_name of a client in
// Python and ServiceName of Go are serviceName of the API.
type shapeWords map[string]bool

// shapeWordsOf are the words of a text.
func shapeWordsOf(data []byte) shapeWords {
	words := shapeWords{}
	data = bytes.ReplaceAll(data, []byte(`\n`), []byte(" ")) // of a string
	for _, w := range bytes.FieldsFunc(data, betweenWords) {
		words[lowWord(string(w))] = true
	}
	return words
}

func betweenWords(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func lowWord(word string) string { return strings.ToLower(strings.ReplaceAll(word, "_", "")) }

// has says whether the words of all keys are there; those of items have none.
func (w shapeWords) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(key, betweenWords), func(part string) bool { return !w[lowWord(part)] })
	})
}

// asked says whether a conversion may change an object of these words, and what it may tell
// of one, "" for nothing. Whole says that the words are those of the object and of nothing else.
func (w shapeWords) asked(c *rules.Conversion, whole bool) (changes bool, tells string) {
	for _, s := range c.Steps {
		name, at, err := s.Verb()
		keys, bad := text.ParsePath(at)
		if err != nil || bad != nil || !w.asks(name, keys, s.When, whole) {
			continue // a ruleset that was validated has none that is no path
		}
		if changes = changes || name != "tell"; name == "tell" && whole {
			tells = cmp.Or(tells, at+": "+s.Why)
		}
	}
	return changes, tells
}

// asks is asked of one step.
func (w shapeWords) asks(name string, keys []string, when *rules.When, whole bool) bool {
	asked := keys // what the condition is about
	if when != nil && when.Path != "" {
		asked, _ = text.ParsePath(when.Path)
	}
	missing := when != nil && when.Is == "missing"
	there := when != nil && !missing && (when.Is != "" || len(when.In) > 0)
	switch {
	case missing && w.has(asked...), there && !w.has(asked...):
		return false
	case there && len(when.In) > 0 && !slices.ContainsFunc(when.In, func(value string) bool { return w.has(value) }):
		return false
	case missing && len(asked) == len(keys):
		return whole
	case name != "set" && name != "require-input":
		return w.has(keys...)
	}
	items := len(keys) - 1 // up to the last list
	for items > 0 && keys[items-1] != "[*]" {
		items--
	}
	return !w.has(keys[len(keys)-1]) && w.has(keys[:items]...) && (items > 0 || whole || there)
}
