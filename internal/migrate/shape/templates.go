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
// up to their end are there. The scanner of YAML steps over them. A step that would part
// such a line from what it belongs to is not done: its object needs review as a whole.

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

// within are the parts of the template that are open at an offset, by the actions that
// opened them; of those that began before the text only how many have ended.
func (w weave) within(at int) []int {
	var open []int
	for i, a := range w.list {
		if a.Start >= at {
			break
		}
		switch n := len(open); {
		case a.sort == '{':
			open = append(open, i)
		case a.sort != '|' && a.sort != '}':
		case n == 0 || open[n-1] < 0:
			open = append(open, -i-1)
		case a.sort == '|':
			open[n-1] = i
		default:
			open = open[:n-1]
		}
	}
	return open
}

// same says whether two offsets stand in the same parts of the template.
func (w weave) same(a, b int) bool { return slices.Equal(w.within(a), w.within(b)) }

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

// behind is where a block ends of which an end and the column of its key are given, with
// the actions that write more of it. It says false where an action is part of it, or may
// be, that cannot be told from what is around it.
func (w weave) behind(end, column int) (int, bool) {
	at, depth, written := end, 0, false // written: in a part that is open yet
	for next := end; next < len(w.data); {
		content, after := text.LineEnd(w.data, next, len(w.data))
		line := source.Span{Start: next, End: content}
		next = after
		actions := w.alone(line)
		switch trimmed := bytes.TrimSpace(line.Of(w.data)); {
		case len(actions) > 0:
		case len(trimmed) == 0, trimmed[0] == '#':
			continue
		default:
			return at, !written
		}
		for _, a := range actions {
			switch {
			case a.Start < line.Start: // the rest of one that is told
			case a.sort == '{':
				depth++
			case depth == 0 && (a.sort == '}' || a.sort == '|'):
				return at, true
			case a.sort == '}':
				if depth--; depth == 0 && written {
					at, written = after, false
				}
			case a.sort == '=' && a.indent < 0:
				return at, false
			case a.sort == '=' && a.indent > column && depth > 0:
				written = true
			case a.sort == '=' && a.indent > column:
				at = after
			}
		}
	}
	return at, !written
}

// whole says whether a step may take an entry away as it is, or move it: no action is
// part of it that is outside of its lines, and every part of the template that begins
// in it ends there.
func (c *converter) whole(t *text.Tree, n int32) bool {
	if !c.templated {
		return true
	}
	w := weaveOf(c.text)
	if t.Nodes[n].Flow { // between its braces no line tells what a part belongs to
		up := n
		for t.Nodes[up].Flow && t.Nodes[up].Parent >= 0 {
			up = t.Nodes[up].Parent
		}
		all := t.Block(up)
		return !slices.ContainsFunc(w.list, func(a actionAt) bool {
			return all.Start <= a.Start && a.End <= all.End && a.sort != '=' && a.sort != ' '
		})
	}
	b := t.Block(n)
	if !w.same(b.Start, b.End) {
		return false
	}
	if x := t.Nodes[n]; x.Style != text.None {
		return true
	}
	end, ok := w.behind(b.End, int(t.Nodes[n].Indent))
	return ok && end == b.End
}

// place is where an entry is written behind an offset, which is the end of what is in
// its mapping; from is where that begins. It says false where a template has the end of it.
func (c *converter) place(at, from, column int) (int, bool) {
	w := weaveOf(c.text)
	for !w.same(at, from) { // behind the end of parts that end with the mapping
		content, next := text.LineEnd(c.text, at, len(c.text))
		line := source.Span{Start: at, End: content}
		if next == at || len(bytes.TrimSpace(line.Of(c.text))) > 0 && w.alone(line) == nil {
			return at, false
		}
		at = next
	}
	end, ok := w.behind(at, column)
	return end, ok && w.same(end, from)
}

// woven says whether a template has a say in a step: it writes a key of its path more than
// once, says when what the step asks for is there, or may write it.
func (c *converter) woven(name string, keys []string, s rules.Step) bool {
	if !c.templated {
		return false
	}
	t, obj, ok := c.object()
	if !ok {
		return false
	}
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
			for _, j := range t.Roots(h.Node) {
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

// always says whether an entry is there whenever the object is, or the item of a list in
// which it is.
func always(w weave, t *text.Tree, obj, n int32) bool {
	at := int(t.Nodes[n].Line)
	for up := n; up >= 0 && up != obj; up = t.Nodes[up].Parent {
		if t.Nodes[up].Seq {
			return w.same(at, int(t.Nodes[up].Line))
		}
	}
	kind := t.Entry(obj, "kind")
	return kind < 0 || w.same(at, int(t.Nodes[kind].Line))
}

// refuse reports the object for review: a template has a say in what a step is about.
func (c *converter) refuse(way []string) {
	if c.refused == nil {
		c.refused = errWoven(c.spelled(way))
	}
}
