package matrix

import (
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// rowEdits writes a version into a row of a table: its text, and the tag in
// its link.
func rowEdits(r stack.Row, data []byte, version, tag string) []source.Edit {
	var edits []source.Edit
	for _, e := range []source.Edit{{Span: r.Text, New: version}, {Span: r.Tag, New: tag}} {
		if e.Len() > 0 && string(e.Of(data)) != e.New {
			e.Old = string(e.Of(data))
			edits = append(edits, e)
		}
	}
	return edits
}
