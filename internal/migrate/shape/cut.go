package shape

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// cut takes an entry away.
func (c *converter) cut(t *text.Tree, n int32) {
	x := t.Nodes[n]
	if x.Flow {
		c.splice(splice{text.FlowItem(t, n), ""})
		return
	}
	b := t.Block(n)
	if !t.Shares(n) {
		c.splice(splice{t.WithComments(n, b), ""})
		return
	}
	// "- first: x" goes: the next entry moves up to the dash, comments between go above it.
	start := t.Begin(n)
	next := x.Next
	if next < 0 {
		c.splice(splice{source.Span{Start: start, End: b.End}, "{}\n"})
		return
	}
	nextStart := int(t.Nodes[next].Line)
	between := string(t.Data[b.End:nextStart])
	keyAt := nextStart + len(t.Data[nextStart:]) - len(bytes.TrimLeft(t.Data[nextStart:], " \t"))
	edits := []splice{{source.Span{Start: start, End: keyAt}, ""}}
	if strings.TrimSpace(between) != "" {
		dash := string(t.Data[x.Line : int(x.Line)+len(t.Data[x.Line:])-len(bytes.TrimLeft(t.Data[x.Line:], " \t"))])
		var above strings.Builder
		for _, line := range strings.SplitAfter(between, "\n") {
			if strings.TrimSpace(line) != "" {
				above.WriteString(dash + strings.TrimLeft(line, " \t"))
			}
		}
		edits = append(edits, splice{source.Span{Start: int(x.Line), End: int(x.Line)}, above.String()})
	}
	c.splice(edits...)
}

// prune takes away the parents that a step left empty.
func (c *converter) prune(way []string, s rules.Step) {
	if !s.Prune {
		return
	}
	for len(way) > 1 {
		way = way[:len(way)-1]
		t, obj := c.object()
		n, missing := t.Walk(obj, way)
		if len(missing) > 0 || n < 0 || t.Nodes[n].Last >= 0 || t.Raw(n) != "" || t.Nodes[n].Key.Len() == 0 {
			return
		}
		c.cut(t, n)
	}
}

// mapValue replaces a scalar.
func (c *converter) mapValue(t *text.Tree, n int32, way []string, s rules.Step) {
	old := t.Raw(n)
	fresh, ok := s.Values[old]
	switch {
	case !ok:
		c.tell(fmt.Sprintf("%s: no new value is known for %q", c.spelled(way), old), "")
	case fresh == "":
		c.cut(t, n)
	default:
		c.splice(splice{t.Nodes[n].Val, fresh})
	}
}
