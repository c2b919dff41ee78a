package shape

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// In a template, lines that hold nothing but actions belong to what is around them:
// they write the value of the key above, more entries of a mapping, or say when the lines
// up to their end are there. The scanner of YAML steps over them. An object with such a line
// needs review as a whole where a step would change it.

// errWoven is why an object needs review that a template writes in pieces.
func errWoven(what string) error {
	return errors.New("a template is in " + what + " or decides whether it exists")
}

var (
	templateAction = lazyregexp.New(`(?s)\{\{.*?\}\}|\{%.*?%\}|<%.*?%>`)
	actionWord     = lazyregexp.New(`^(?:\{\{|\{%|<%)[-~]?\s*(/\*|#|else|elif|elsif|end\w*|if|with|range|define|block|for|unless|case|when|macro|template\b|\$[\w.]*\s*:?=)?`)
	assigns        = lazyregexp.New(`^\{\{[-~]?\s*\$\w*\s*:?=`)
	indentedBy     = lazyregexp.New(`\bn?indent\s*\(?\s*([0-9]+)`)
)

// A weave is a text with the actions of its template.
type weave struct {
	data []byte
	list []actionAt
}

// An actionAt is an action.
type actionAt struct {
	source.Span
	sort   byte // '{' opens a part, '|' begins another branch of it, '}' ends it, '=' writes something, ' ' nothing
	indent int  // of what it writes, -1 when it does not say
}

// weaveOf reads the actions of a text.
func weaveOf(data []byte) weave {
	w := weave{data: data}
	for _, m := range templateAction.FindAllIndex(data, -1) {
		a := actionAt{Span: source.Span{Start: m[0], End: m[1]}, indent: -1}
		what := a.Of(data)
		word := ""
		if m := actionWord.FindSubmatch(what); m != nil {
			word = string(m[1])
		}
		a.sort = sortOf(word)
		if m := indentedBy.FindSubmatch(what); m != nil {
			a.indent, _ = strconv.Atoi(string(m[1])) // of digits
		}
		w.list = append(w.list, a)
	}
	return w
}

// sortOf is the sort of an action by its first word, "" for one that begins with none.
func sortOf(word string) byte {
	switch {
	case word == "else", word == "elif", word == "elsif", word == "when":
		return '|'
	case strings.HasPrefix(word, "end"):
		return '}'
	case word == "/*", word == "#", strings.HasPrefix(word, "$"):
		return ' '
	case word != "" && word != "template":
		return '{'
	}
	return '='
}

// actsInFlow says whether a template is in an object that is written in braces, as JSON
// is, elsewhere than in its strings: no lines tell what that belongs to.
func actsInFlow(data []byte) bool {
	if first := bytes.TrimLeft(data, " \t\r\n"); !bytes.HasPrefix(first, []byte("{")) || bytes.HasPrefix(first, []byte("{{")) || !text.HasTemplate(data) {
		return false
	}
	at, quoted := 0, false
	for _, a := range weaveOf(data).list {
		for ; at < a.Start; at++ {
			switch data[at] {
			case '\\':
				at++
			case '"':
				quoted = !quoted
			}
		}
		if !quoted {
			return true
		}
		at = max(at, a.End)
	}
	return false
}

// alone are the actions of a line that holds nothing else, nil for any other line.
func (w weave) alone(line source.Span) []actionAt {
	var list []actionAt
	rest := slices.Clone(line.Of(w.data))
	for _, a := range w.list {
		if a.Start < line.End && line.Start < a.End {
			list = append(list, a)
			for i := max(a.Start, line.Start); i < min(a.End, line.End); i++ {
				rest[i-line.Start] = ' '
			}
		}
	}
	if rest = bytes.TrimSpace(rest); len(rest) > 0 && rest[0] != '#' {
		return nil
	}
	return list
}

// aloneAt says whether the line on which an action begins holds nothing but actions, and
// so does the one on which it ends.
func (w weave) aloneAt(a actionAt) bool {
	line := a.Span
	line.Start = text.LineStart(w.data, a.Start)
	line.End, _ = text.LineEnd(w.data, a.End, len(w.data))
	return len(w.alone(line)) > 0
}

// inPieces says whether actions write lines of a text, say which of them are there, or can
// only stand where they are.
func (w weave) inPieces() bool {
	return slices.ContainsFunc(w.list, func(a actionAt) bool {
		return a.sort != '=' && a.sort != ' ' || a.indent >= 0 || assigns.Match(a.Of(w.data)) || w.aloneAt(a)
	})
}

// errPieces is why an object needs review that a step would change.
var errPieces = errors.New("actions of a template write lines of the object or decide whether they exist")

// inPieces says whether a template writes the object in pieces, which then needs review.
func (c *converter) inPieces() bool {
	if !c.templated || !weaveOf(c.text).inPieces() {
		return false
	}
	if c.refused == nil {
		c.refused = errPieces
	}
	return true
}

// woven says whether a template has a say in a step: it writes a key of its path more than
// once, says when what the step asks for is there, or may write it.
func (c *converter) woven(name string, keys []string, s rules.Step) bool {
	if !c.templated {
		return false
	}
	t, obj := c.object()
	w := weaveOf(c.text)
	if len(w.list) == 0 {
		return false
	}
	return twice(t, obj, keys) || w.unknown(t, obj, name, keys, s)
}

// twice says whether a mapping on a path has the key that leads on more than once.
func twice(t *text.Tree, obj int32, keys []string) bool {
	for i, key := range keys {
		for _, h := range t.Find(obj, keys[:i]) {
			n := 0
			for _, j := range t.Children(h.Node) {
				if t.Nodes[j].Key.Len() > 0 && t.KeyText(j) == key {
					n++
				}
			}
			if n > 1 {
				return true
			}
		}
	}
	return false
}

// refuse reports the object for review: a template has a say in what a step is about.
func (c *converter) refuse(way []string) {
	if c.refused == nil {
		c.refused = errWoven(c.spelled(way))
	}
}
