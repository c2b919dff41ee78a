package text

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Text is what a node's scalar says: without its escapes, and with its lines as
// YAML puts them together. An alias is as it is written.
// Source: YAML 1.2.2, 7.3 and 8.1.
func (t *Tree) Text(i int32) string {
	if i < 0 || t.Nodes[i].Style == None {
		return ""
	}
	return said(t.Data, t.Nodes[i].Val, t.Nodes[i].Style)
}

// Raw is a node's scalar as it is written, between its quotes.
func (t *Tree) Raw(i int32) string {
	if i < 0 || t.Nodes[i].Style == None {
		return ""
	}
	return string(t.Nodes[i].Val.Of(t.Data))
}

// said is what a scalar says.
func said(data []byte, at source.Span, st style) string {
	raw := at.Of(data)
	switch {
	case st == Double && bytes.IndexByte(raw, '\\') >= 0, st == Double && bytes.IndexByte(raw, '\n') >= 0:
		return unescape(raw)
	case st == Single && (bytes.IndexByte(raw, '\'') >= 0 || bytes.IndexByte(raw, '\n') >= 0):
		return unquoteSingle(raw)
	case st == Literal:
		return strings.TrimRight(unindent(raw), "\r\n")
	case st == Folded:
		return strings.Join(strings.Fields(string(raw)), " ")
	case st == Plain && bytes.IndexByte(raw, '\n') >= 0:
		return strings.Join(strings.Fields(string(raw)), " ")
	}
	return string(raw)
}
