package text

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Text is what a node's scalar says: without its escapes, and with its lines as
// YAML puts them together. An alias is as it is written.
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
	lines := bytes.IndexByte(raw, '\n') >= 0
	switch {
	case st == Double && (lines || bytes.IndexByte(raw, '\\') >= 0):
		return decoded(`"`+string(raw)+`"`, string(raw))
	case st == Single && (lines || bytes.IndexByte(raw, '\'') >= 0):
		return decoded("'"+string(raw)+"'", string(raw))
	case st == Literal:
		return decoded("|-\n"+string(raw), string(raw))
	case st == Folded, st == Plain && lines:
		return strings.Join(strings.Fields(string(raw)), " ")
	}
	return string(raw)
}

// decoded is what a parser makes of a scalar, or its text where no parser takes it.
func decoded(scalar, text string) (value string) {
	defer func() { // the parser panics on some broken texts
		if recover() != nil {
			value = text
		}
	}()
	if yaml.Unmarshal([]byte(scalar), &value) != nil {
		return text
	}
	return value
}
