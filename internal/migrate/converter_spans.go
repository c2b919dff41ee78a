package migrate

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/source"
)

// block is the text of an entry: its lines with everything under it, in block
// style; from its key to the end of its value, in flow style.
func (t *tree) block(n int32) source.Span {
	x := t.nodes[n]
	if x.flow {
		return t.flowSpan(n)
	}
	end := x.key.End
	for j := n; int(j) < len(t.nodes) && (j == n || under(t, j, n)); j++ {
		end = max(end, t.nodes[j].key.End, t.nodes[j].val.End, int(t.nodes[j].pos))
		if t.nodes[j].flow && t.nodes[j].parent == n {
			end = max(end, t.flowSpan(n).End)
		}
	}
	if x.style == none && x.last >= 0 && t.nodes[x.last].flow {
		end = max(end, t.flowSpan(n).End)
	}
	if x.style == literal || x.style == folded {
		return source.Span{Start: int(x.line), End: max(end, x.val.End)}
	}
	limit := len(t.data)
	_, next := lineEnd(t.data, min(end, limit), limit)
	if last := deepest(t, n); last >= 0 && (t.nodes[last].style == literal || t.nodes[last].style == folded) {
		next = t.nodes[last].val.End
	}
	return source.Span{Start: int(x.line), End: next}
}

// deepest is the last node under n in textual order.
func deepest(t *tree, n int32) int32 {
	for t.nodes[n].last >= 0 {
		n = t.nodes[n].last
	}
	return n
}

// flowSpan is an entry of a flow collection, or the flow value of a block
// entry with its key.
func (t *tree) flowSpan(n int32) source.Span {
	x := t.nodes[n]
	from := int(x.pos)
	if x.key.Len() > 0 {
		from = x.key.Start
		if from > 0 && (t.data[from-1] == '"' || t.data[from-1] == '\'') {
			from--
		}
	}
	if x.style != none {
		end := x.val.End
		if x.style != plain {
			end++
			if from == int(x.pos) && x.key.Len() == 0 {
				from = x.val.Start - 1
			}
		}
		return source.Span{Start: from, End: end}
	}
	at := from
	if x.key.Len() > 0 {
		at = x.key.End
	}
	for at < len(t.data) && t.data[at] != '{' && t.data[at] != '[' {
		at++
	}
	if at == len(t.data) {
		return source.Span{Start: from, End: x.key.End}
	}
	return source.Span{Start: from, End: flowEnd(t.data, at)}
}

// withComments widens the lines of an entry by the comment lines right above.
func (t *tree) withComments(n int32, s source.Span) source.Span {
	for s.Start > 0 {
		above := lineStart(t.data, s.Start-1)
		line := t.data[above:s.Start]
		trimmed := bytes.TrimLeft(line, " \t")
		if len(trimmed) == 0 || trimmed[0] != '#' || len(line)-len(trimmed) != int(t.nodes[n].indent) {
			break
		}
		s.Start = above
	}
	return s
}

// shares says whether an entry begins on the line of a dash.
func (t *tree) shares(n int32) bool {
	x := t.nodes[n]
	return x.key.Len() > 0 && len(bytes.TrimLeft(t.data[x.line:x.pos], " \t\"'")) > 0
}
