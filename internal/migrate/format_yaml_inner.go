package migrate

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// inner classifies the tokens in a scalar that holds more than a name: a
// document inside of a string, a command, prose.
func (a *analysis) inner(v *view, t *tree, i int32) {
	n := t.nodes[i]
	var in *view
	switch n.style {
	case literal, folded:
		in = unindent(v, n.val)
	case double:
		in = unescape(v, n.val, false)
	case single:
		in = unquoteSingle(v, n.val)
	default:
		in = v.sub(n.val)
		in.spell = refuse
	}
	if version := servedAround(t, i); version != "" {
		defer func(was string) { a.pkg = was }(a.pkg)
		a.pkg = version
	}
	entry := t.up(i)
	mode := inCode
	if entry >= 0 {
		switch strings.ToLower(t.keyText(entry)) {
		case "description", "message", "summary", "title", "note", "notes", "documentation", "displayname":
			mode = inProse
		}
	}
	if n.style <= double && !bytes.ContainsAny(in.data, " \n{") {
		a.word(v, in, t, i)
		return
	}
	a.embedded(in, mode)
}

// word classifies a value of one word that is more than a name: a path, a
// list, an assignment.
func (a *analysis) word(outer, v *view, t *tree, i int32) {
	for _, tok := range a.tokens(a.seek, v.data) {
		if tok.shape == fileName {
			a.fileRef(v, tok)
			a.listed(outer, t, i, tok)
			continue
		}
		if tok.shape == key && a.inLabels(t, i) {
			a.keep(v, tok, RoleKey, "the value of a label or annotation")
			continue
		}
		if entry := t.up(i); entry >= 0 && strings.EqualFold(t.keyText(entry), "finalizers") {
			a.finalizer(v, tok)
			continue
		}
		a.phrase(v, tok, inCode)
	}
}

// embedded reads text that may be a document of its own.
func (a *analysis) embedded(v *view, m mode) {
	if v.depth > maxNesting {
		return
	}
	templated := hasTemplate(v.data)
	trimmed := bytes.TrimLeft(v.data, " \t\r\n")
	switch {
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && bytes.IndexByte(trimmed, '"') > 0 && !bytes.HasPrefix(trimmed, []byte("{{")):
		a.json(v, templated)
	case looksYAML(v.data):
		a.yaml(v, templated)
	default:
		a.prose(v, m)
	}
}

// hasTemplate says whether text holds template actions.
func hasTemplate(data []byte) bool {
	for i := range templateMarks {
		if bytes.Contains(data, templateMarks[i].open) {
			return true
		}
	}
	return false
}

// yamlMarks are the keys that tell a manifest from prose with colons.
var yamlMarks = [][]byte{[]byte("apiVersion:"), []byte("kind:"), []byte("apiGroups:"), []byte("apiGroup:"), []byte("group:"),
	[]byte("metadata:"), []byte("labels:"), []byte("annotations:"), []byte("finalizers:"), []byte("resources:"), []byte("\"apiVersion\":")}

// looksYAML says whether some line begins with a key that manifests have.
func looksYAML(data []byte) bool {
	for at := 0; at < len(data); {
		text, next := lineEnd(data, at, len(data))
		line := bytes.TrimLeft(data[at:text], " \t-")
		for _, m := range yamlMarks {
			if bytes.HasPrefix(line, m) && (len(line) == len(m) || line[len(m)] == ' ' || line[len(m)] == '\r') {
				return true
			}
		}
		at = next
	}
	return false
}

// yamlComment classifies the tokens in a run of comment lines and returns the
// tokens behind it. A commented-out manifest is read as one.
func (a *analysis) yamlComment(v *view, t *tree, n int, toks []token) []token {
	first, last := n, n
	if wholeLine(t.data, t.notes[n]) {
		for first > 0 && follows(t.data, t.notes[first-1], t.notes[first]) {
			first--
		}
		for last+1 < len(t.notes) && follows(t.data, t.notes[last], t.notes[last+1]) {
			last++
		}
	}
	b := builder{outer: v}
	for _, c := range t.notes[first : last+1] {
		for c.Start < c.End && v.data[c.Start] == '#' {
			c.Start++
		}
		b.add(c)
		if next, ok := endsLine(v.data, c.End); ok {
			b.add(source.Span{Start: c.End, End: next})
		}
	}
	in := b.view()
	if mark := t.notes[first].Start; wholeLine(t.data, t.notes[first]) {
		end := mark
		for end < t.notes[first].End && v.data[end] == '#' {
			end++
		}
		in.within(v, prefixed(string(v.data[lineStart(v.data, mark):end])))
	}
	if looksYAML(in.data) {
		in = unindent(in, source.Span{End: len(in.data)}) // without the blank behind each mark
		a.yaml(in, hasTemplate(in.data))
	} else {
		a.prose(in, inComment)
	}
	end := t.notes[last].End
	for len(toks) > 0 && toks[0].group.Start < end {
		toks = toks[1:]
	}
	return toks
}

// endsLine says whether nothing but the end of a block comment stands between
// an offset and the next line, and where that begins. Whatever else stands
// there is no comment.
func endsLine(data []byte, at int) (next int, ok bool) {
	for _, end := range []string{"\n", "\r\n", "*/\n", "*/\r\n"} {
		if bytes.HasPrefix(data[at:], []byte(end)) {
			return at + len(end), true
		}
	}
	return at, false
}

// wholeLine says whether nothing stands before a comment on its line.
func wholeLine(data []byte, c source.Span) bool {
	at := c.Start
	for at > 0 && bytes.IndexByte([]byte(" \t#/"), data[at-1]) >= 0 {
		at--
	}
	return at == 0 || data[at-1] == '\n'
}

// follows says whether comment b stands right below comment a, both on lines
// of their own.
func follows(data []byte, a, b source.Span) bool {
	_, next := lineEnd(data, a.End, len(data))
	return wholeLine(data, a) && wholeLine(data, b) && lineStart(data, b.Start) == next
}
