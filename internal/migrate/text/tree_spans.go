package text

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Block is the text of an entry: its lines with everything under it, in block
// style; from its key to the end of its value, in flow style.
func (t *Tree) Block(n int32) source.Span {
	x := t.Nodes[n]
	if x.Flow {
		return t.FlowSpan(n)
	}
	end := x.Key.End
	for j := n; int(j) < len(t.Nodes) && (j == n || Under(t, j, n)); j++ {
		end = max(end, t.Nodes[j].Key.End, t.Nodes[j].Val.End, int(t.Nodes[j].Pos))
		if t.Nodes[j].Flow && t.Nodes[j].Parent == n {
			end = max(end, t.FlowSpan(n).End)
		}
	}
	if x.Style == None && x.Last >= 0 && t.Nodes[x.Last].Flow {
		end = max(end, t.FlowSpan(n).End)
	}
	if x.Style == Literal || x.Style == Folded {
		return source.Span{Start: int(x.Line), End: max(end, x.Val.End)}
	}
	limit := len(t.Data)
	_, next := LineEnd(t.Data, min(end, limit), limit)
	if last := deepest(t, n); last >= 0 && (t.Nodes[last].Style == Literal || t.Nodes[last].Style == Folded) {
		next = t.Nodes[last].Val.End
	}
	return source.Span{Start: int(x.Line), End: next}
}

// deepest is the last node under n in textual order.
func deepest(t *Tree, n int32) int32 {
	for t.Nodes[n].Last >= 0 {
		n = t.Nodes[n].Last
	}
	return n
}

// FlowSpan is an entry of a flow collection, or the flow value of a block
// entry with its key.
func (t *Tree) FlowSpan(n int32) source.Span {
	x := t.Nodes[n]
	from := int(x.Pos)
	if x.Key.Len() > 0 {
		from = t.Begin(n)
	}
	if x.Style != None {
		end := x.Val.End
		if x.Style != Plain {
			end++
			if from == int(x.Pos) && x.Key.Len() == 0 {
				from = x.Val.Start - 1
			}
		}
		return source.Span{Start: from, End: end}
	}
	at := t.flowAt(n)
	if at < 0 && x.Last >= 0 { // behind a comment
		for at = max(from, x.Key.End); at < len(t.Data) && t.Data[at] != '{' && t.Data[at] != '['; {
			at++
		}
	}
	if at < 0 || at == len(t.Data) {
		return source.Span{Start: from, End: t.behindKey(n)}
	}
	return source.Span{Start: from, End: FlowEnd(t.Data, at)}
}

// behindKey is the offset behind the key of an entry without a value, and its
// colon; where the node begins, for one without a key.
func (t *Tree) behindKey(n int32) int {
	x := t.Nodes[n]
	if x.Key.Len() == 0 {
		return int(x.Pos)
	}
	at := x.Key.End
	if at < len(t.Data) && (t.Data[at] == '"' || t.Data[at] == '\'') {
		at++
	}
	if colon := SkipBlank(t.Data, at, len(t.Data)); colon < len(t.Data) && t.Data[colon] == ':' {
		return colon + 1
	}
	return at
}

// flowAt is the offset of the bracket that begins the value of an entry, -1 for
// a value that is no flow collection.
func (t *Tree) flowAt(n int32) int {
	x := t.Nodes[n]
	at := int(x.Pos)
	switch {
	case x.Style != None:
		return -1
	case x.Key.Len() > 0:
		at = x.Key.End
	case !x.Flow && x.Seq:
		at++ // the dash
	}
	end, _ := LineEnd(t.Data, at, len(t.Data))
	if x.Flow {
		end = len(t.Data)
	}
	at += len(t.Data[at:end]) - len(bytes.TrimLeft(t.Data[at:end], "\"': \t\r\n"))
	for at < end && (t.Data[at] == '&' || t.Data[at] == '!') { // an anchor or a tag
		for at < end && t.Data[at] != ' ' {
			at++
		}
		at = SkipBlank(t.Data, at, end)
	}
	if at < end && (t.Data[at] == '{' || t.Data[at] == '[') {
		return at
	}
	return -1
}

// InFlow says whether the value of an entry is a flow collection, be it empty.
func (t *Tree) InFlow(n int32) bool {
	if last := t.Nodes[n].Last; last >= 0 {
		return t.Nodes[last].Flow
	}
	return t.flowAt(n) >= 0
}

// Takes says whether an entry can be written under a node: it is a mapping, or
// nothing is there. -1 is the document.
func (t *Tree) Takes(n int32) bool {
	if n < 0 {
		return true
	}
	x := t.Nodes[n]
	if x.Last >= 0 {
		return !t.Nodes[x.Last].Seq
	}
	at := t.flowAt(n)
	return x.Style == None && (at < 0 || t.Data[at] == '{')
}

// WithComments widens the lines of an entry by the comment lines right above.
func (t *Tree) WithComments(n int32, s source.Span) source.Span {
	for s.Start > 0 {
		above := LineStart(t.Data, s.Start-1)
		line := t.Data[above:s.Start]
		trimmed := bytes.TrimLeft(line, " \t")
		if len(trimmed) == 0 || trimmed[0] != '#' || len(line)-len(trimmed) != int(t.Nodes[n].Indent) {
			break
		}
		s.Start = above
	}
	return s
}

// Shares says whether an entry begins on the line of a dash.
func (t *Tree) Shares(n int32) bool {
	x := t.Nodes[n]
	return x.Key.Len() > 0 && len(bytes.TrimLeft(t.Data[x.Line:t.Begin(n)], " \t")) > 0
}

// Begin is where an entry begins: its key with the quote before it, or the mark
// that asks for the key.
func (t *Tree) Begin(n int32) int {
	at := t.Nodes[n].Key.Start
	if at > 0 && (t.Data[at-1] == '"' || t.Data[at-1] == '\'') {
		at--
	}
	asked := -1
	switch {
	case t.Nodes[n].Asked:
		asked = bytes.LastIndexByte(t.Data[:at], '?')
	case t.Nodes[n].Flow:
		asked = askedInFlow(t.Data, at)
	}
	if asked >= 0 {
		return asked
	}
	return at
}

// askedInFlow is the offset of the mark that asks, in flow style, for the key at
// an offset; -1 where none does.
func askedInFlow(data []byte, at int) int {
	blank := bytes.TrimRight(data[:at], " \t\r\n")
	i := len(blank) - 1
	if len(blank) < at && i > 0 && blank[i] == '?' && bytes.IndexByte([]byte("{[, \t\n"), blank[i-1]) >= 0 {
		return i
	}
	return -1
}

// FlowItem is an entry of a flow collection with its comma.
func FlowItem(t *Tree, n int32) source.Span {
	s := t.FlowSpan(n)
	x := t.Nodes[n]
	if x.Next >= 0 {
		s.End = t.FlowSpan(x.Next).Start
		return s
	}
	if x.Prev >= 0 {
		s.Start = t.FlowSpan(x.Prev).End
		return s
	}
	return s
}

// Movable is the value of an entry as text for another place: for a flow
// collection "key: value", for a block what is behind the colon, with the
// comment lines above. It says false when the value cannot stand there.
func (t *Tree) Movable(n int32, toFlow bool) (value, comments string, ok bool) {
	x := t.Nodes[n]
	switch {
	case x.Asked:
		return "", "", false
	case x.Flow && toFlow:
		return string(t.FlowSpan(n).Of(t.Data)), "", true
	case x.Flow:
		_, value, _ = strings.Cut(string(t.FlowSpan(n).Of(t.Data))[x.Key.Len():], ":")
		value = strings.TrimSpace(value)
		return " " + value + "\n", "", value != "" && !strings.Contains(value, "\n")
	case !toFlow:
		value, comments = t.valueText(n)
		return value, comments, true
	}
	value, comments = t.valueText(n)
	value = strings.TrimSpace(value)
	return "x: " + value, "", x.Style <= Double && value != "" && comments == "" && !strings.ContainsAny(value, "\n#,[]{}|>")
}

// valueText is what is behind the key of a block entry up to its end, and
// the comment lines above it.
func (t *Tree) valueText(n int32) (value, comments string) {
	b := t.Block(n)
	x := t.Nodes[n]
	colon := x.Key.End + bytes.IndexByte(t.Data[x.Key.End:], ':') + 1
	if !t.Shares(n) {
		w := t.WithComments(n, b)
		comments = string(t.Data[w.Start:b.Start])
	}
	return string(t.Data[colon:b.End]), comments
}

// Under says whether a node is another one, or is in it.
func Under(t *Tree, i, top int32) bool {
	for i >= 0 {
		if i == top {
			return true
		}
		i = t.Nodes[i].Parent
	}
	return false
}

// FlowEnd is the offset behind the bracket that closes the one at an offset.
func FlowEnd(data []byte, at int) int {
	s := &scanner{Tree: Tree{Data: data}, end: len(data), top: -1}
	n := s.add(Node{Parent: -1, Flow: true})
	return (&flowReader{s: s, at: at}).collection(n, 0)
}

// PieceOf is the text of an object with all that is in it: whole lines in
// block style, up to the next entry that is not part of it.
func PieceOf(t *Tree, obj int32, doc source.Span) source.Span {
	if obj < 0 {
		return doc
	}
	if t.Nodes[obj].Flow {
		return t.FlowSpan(obj)
	}
	for j := obj + 1; int(j) < len(t.Nodes); j++ {
		if !Under(t, j, obj) {
			return source.Span{Start: int(t.Nodes[obj].Line), End: int(t.Nodes[j].Line)}
		}
	}
	return source.Span{Start: int(t.Nodes[obj].Line), End: doc.End}
}
