package shape

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// In a template, lines that hold nothing but actions belong to what is around them: they
// write the value of the key above, more entries of a mapping, or say when the lines up to
// their end are there. An object with such a line needs review as a whole where a step
// would change it, or asks for a field that such a line may write.

// errWoven is why an object needs review that a template writes in pieces.
func errWoven(what string) error {
	return errors.New("a template is in " + what + " or decides whether it exists")
}

// errPieces is why an object needs review that a step would change.
var errPieces = errors.New("actions of a template write lines of the object or decide whether they exist")

var (
	action     = lazyregexp.New(`(?s)\{\{.*?\}\}|\{%.*?%\}|<%.*?%>`)
	says       = lazyregexp.New(`^(\{%|<%[^=]|\{\{[-~]?\s*(/\*|#|else|end|if|with|range|define|block|\$\w*\s*:?=))`) // an action that writes nothing
	indentedBy = lazyregexp.New(`\bn?indent\s*\(?\s*([0-9]+)`)
	begins     = lazyregexp.New(`(?m)^\s*(\{\{|\{%|<%)`) // a line begins with an action
)

// inPieces says whether actions write lines of a text, say which of them are there, or can
// only stand where they are.
func inPieces(content string) bool {
	return begins.MatchString(content) || slices.ContainsFunc(action.Get().FindAllString(content, -1), func(a string) bool {
		return says.MatchString(a) || indentedBy.MatchString(a)
	})
}

// woven says whether a template writes in pieces what a filled path leads into: an item of a
// list, which is there or not as a whole, or the object.
func (t *target) woven(way []string) bool {
	last := len(way) - 2
	for last >= 0 && (way[last][0] != '[' || way[last] == "[*]") {
		last--
	}
	if !t.pieces || last < 0 {
		return t.pieces
	}
	item, _ := t.walk(way[:last+1])
	return item.woven() || inPieces(item.value())
}

// woven says whether an action may write entries of a node or of one below it.
func (n *node) woven() bool { return n.written || slices.ContainsFunc(n.kids, (*node).woven) }

// mark marks the nodes of which the actions in a gap, behind the nodes that were read, may
// write entries: those at whose column they write, and the empty one above.
func (r *reader) mark(gap string) {
	if !r.templated {
		return
	}
	for _, m := range action.Get().FindAllStringIndex(gap, -1) {
		what, above := gap[m[0]:m[1]], r.top
		if says.MatchString(what) {
			continue
		}
		column := m[0] - strings.LastIndexByte(gap[:m[0]], '\n') - 1
		if digits := indentedBy.FindStringSubmatch(what); digits != nil {
			column, _ = strconv.Atoi(digits[1]) // of digits
		}
		if len(r.list) > 0 {
			above = r.list[len(r.list)-1]
		}
		for above.flow {
			above = above.up
		}
		above.written = above.written || !above.scalar && !above.inFlow && len(above.kids) == 0
		for above.indent > column {
			above = above.up
		}
		for above.indent == column { // a list may stand at the column of its key
			above = above.up
			above.written = true
		}
		above.written = true
	}
}

// hides says whether a template may write an entry of a node that is not in its text: beside
// other entries, as its value, or with a key of its own making.
func (n *node) hides() bool {
	return n.written || (n.scalar || n.inFlow) && text.HasTemplate([]byte(n.value())) ||
		slices.ContainsFunc(n.kids, func(k *node) bool { return text.HasTemplate([]byte(k.key)) })
}
