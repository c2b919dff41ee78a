package migrate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// cut takes an entry away.
func (c *converter) cut(t *tree, n int32) {
	x := t.nodes[n]
	if x.flow {
		c.splice(splice{flowItem(t, n), ""})
		return
	}
	b := t.block(n)
	if !t.shares(n) {
		c.splice(splice{t.withComments(n, b), ""})
		return
	}
	// "- first: x" goes: the next entry moves up to the dash, comments between go above it.
	start := x.key.Start
	if c := t.data[start-1]; c == '"' || c == '\'' {
		start--
	}
	next := x.next
	if next < 0 {
		c.splice(splice{source.Span{Start: start, End: b.End}, "{}\n"})
		return
	}
	nextStart := int(t.nodes[next].line)
	between := string(t.data[b.End:nextStart])
	keyAt := nextStart + len(t.data[nextStart:]) - len(bytes.TrimLeft(t.data[nextStart:], " \t"))
	edits := []splice{{source.Span{Start: start, End: keyAt}, ""}}
	if strings.TrimSpace(between) != "" {
		dash := string(t.data[x.line : int(x.line)+len(t.data[x.line:])-len(bytes.TrimLeft(t.data[x.line:], " \t"))])
		var above strings.Builder
		for _, line := range strings.SplitAfter(between, "\n") {
			if strings.TrimSpace(line) != "" {
				above.WriteString(dash + strings.TrimLeft(line, " \t"))
			}
		}
		edits = append(edits, splice{source.Span{Start: int(x.line), End: int(x.line)}, above.String()})
	}
	c.splice(edits...)
}

// flowItem is an entry of a flow collection with its comma.
func flowItem(t *tree, n int32) source.Span {
	s := t.flowSpan(n)
	x := t.nodes[n]
	if x.next >= 0 {
		s.End = t.flowSpan(x.next).Start
		return s
	}
	if x.prev >= 0 {
		s.Start = t.flowSpan(x.prev).End
		return s
	}
	return s
}

// prune takes away the parents that a step left empty.
func (c *converter) prune(way []string, s Step) {
	if !s.Prune {
		return
	}
	for len(way) > 1 {
		way = way[:len(way)-1]
		t, obj, ok := c.object()
		if !ok {
			return
		}
		n, missing := t.walk(obj, way)
		if len(missing) > 0 || n < 0 || t.nodes[n].last >= 0 || t.text(n) != "" || t.nodes[n].key.Len() == 0 {
			return
		}
		c.cut(t, n)
	}
}

// mapValue replaces a scalar.
func (c *converter) mapValue(t *tree, n int32, way []string, s Step) {
	old := t.text(n)
	fresh, ok := s.Values[old]
	switch {
	case !ok:
		c.tell(fmt.Sprintf("%s: no new value is known for %q", strings.Join(way, "."), old), "")
	case fresh == "":
		c.cut(t, n)
	default:
		c.splice(splice{t.nodes[n].val, fresh})
	}
}
