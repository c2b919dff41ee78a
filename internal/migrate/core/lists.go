package core

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An item is one text of a list.
type item struct {
	source.Span
	text   string
	outer  source.Span // with quotes, and in a block with its line
	flow   bool
	before string // what an item after it begins with: the indentation, dash and quote
	after  string
	lead   int  // in a block: what its line has before it
	gone   bool // it was taken out
	stuck  bool // no item can be added after it, and it cannot go
	block  int  // of the blocks of a template that the list is cut into by conditions and loops
}

// there is the key of a text in a list, in one block of a template: what a condition adds is not
// there for the items before it.
func (x item) there(text string) string { return strconv.Itoa(x.block) + " " + text }

// control begins, changes or ends a block of a template.
var control = lazyregexp.New(`\{\{-?\s*(if|else|end|range|with)\b`)

// itemsOf are the items of a list.
func itemsOf(list []*syntax.Node) []item {
	var out []item
	for _, n := range list {
		s, ok := n.View.Span(n.Start, n.End)
		if !ok {
			continue
		}
		x := item{Span: s, text: n.String(), flow: n.Flow || n.Up.Flow || !n.Item || n.Kind != syntax.Entry || n.Document().Lang != "yaml"}
		x.layout(n)
		if view := n.Root().View; len(out) > 0 {
			last := out[len(out)-1]
			if x.block = last.block; last.End < x.Start && control.Match(view.B[last.End-view.Base:x.Start-view.Base]) {
				x.block++
			}
		}
		out = append(out, x)
	}
	return out
}

// layout notes how an item is written, for one that is added after it.
func (x *item) layout(n *syntax.Node) {
	file := n.Root().View
	b, quote := file.B, ""
	from := n.View.Offset(n.Start) - file.Base
	to := from + n.End - n.Start
	for _, q := range []string{`\"`, `"`, "'", "`"} {
		if bytes.HasSuffix(b[:from], []byte(q)) && bytes.HasPrefix(b[to:], []byte(q)) {
			quote, from, to = q, from-len(q), to+len(q)
			break
		}
	}
	x.outer = source.Span{Start: from + file.Base, End: to + file.Base}
	x.after = quote
	switch {
	case n.Up.Kind == syntax.Comment || n.Up.Up != nil && n.Up.Up.Kind == syntax.Comment: // a marker
		x.before = ";" + quote
		if from > 0 && (b[from-1] == ',' || b[from-1] == '{') {
			x.before = "," + quote
		}
		x.flow = true
	case x.flow:
		x.before = ", " + quote
		if to < len(b) && b[to] == ',' && to+1 < len(b) && b[to+1] != ' ' && b[to+1] != '\n' {
			x.before = "," + quote
		}
	default: // a block: the same line again, with its comment
		line := bytes.LastIndexByte(b[:from], '\n') + 1
		if len(bytes.Trim(b[line:from], " \t-#")) > 0 {
			x.stuck = true
			return
		}
		end := text.LineBreak(b, to)
		x.before, x.after, x.lead = "\n"+string(b[line:from])+quote, quote+string(b[to:end]), from-line
		x.outer.End = end + file.Base
	}
}

// removal takes an item out of a list, with the comma or line that it has.
func removal(list []item, i int) source.Edit {
	list[i].gone = true
	x := list[i]
	switch {
	case !x.flow: // its line
		return source.Edit{Span: source.Span{Start: x.outer.Start - x.lead - 1, End: x.outer.End}, New: ""}
	case slices.ContainsFunc(list[:i], func(x item) bool { return !x.gone }):
		return source.Edit{Span: source.Span{Start: list[i-1].outer.End, End: x.outer.End}}
	case i+1 < len(list):
		return source.Edit{Span: source.Span{Start: x.outer.Start, End: list[i+1].outer.Start}}
	}
	return source.Edit{Span: x.Span, Old: x.text, New: x.text}
}

// and adds items behind one.
func (x item) and(texts []string) source.Edit {
	e := source.Edit{Span: source.Span{Start: x.outer.End, End: x.outer.End}}
	for _, text := range texts {
		e.New += x.before + text + x.after
	}
	return e
}

// rewritten has other texts in a list, and takes those items out for which there is none. The
// group of Kubernetes itself is an empty text.
func rewritten(list []item, to func(i int) (string, bool)) (edits []source.Edit) {
	list = slices.Clone(list)
	for i, x := range list {
		if text, ok := to(i); !ok {
			edits = append(edits, removal(list, i))
		} else if text != x.text {
			edits = append(edits, source.Edit{Span: x.Span, Old: x.text, New: text})
		}
	}
	return edits
}
