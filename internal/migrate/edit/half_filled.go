package edit

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The kind or the resource of a group may stand in a string of its own that is filled into
// the text which holds the group, or put behind it: "...\nkind: {}\n".format("Widget"),
// "/apis/GROUP/v1/" .. "widgets". The group does not move without it.

// filledBeside says which kind or resource of the group of an outcome is filled into its
// text or put behind it, though it is renamed; "" for none.
func (m *halfNet) filledBeside(c *statements, o Outcome) string {
	if o.unit.told != "" {
		return ""
	}
	for _, at := range m.filledIn(c, o) {
		name := string(at.Of(m.file))
		if to := m.renamed(o.unit, name); to != "" && !c.tells(at) {
			return "it would move without " + name + " beside it, which becomes " + to
		}
	}
	return ""
}

// filledIn are the strings that are filled into the text of an outcome, or put behind it.
func (m *halfNet) filledIn(c *statements, o Outcome) []source.Span {
	behind := text.SpanOf(o.End, min(len(c.data), o.End+text.Nearby))
	var list []source.Span
	if x := putBehind.FindSubmatchIndex(behind.Of(c.data)); x != nil {
		list = append(list, text.SpanOf(o.End+x[2], o.End+x[3]))
	}
	i, _ := c.literal(o.Span)
	if i < 0 || i >= len(c.Literals) || o.Start >= c.Literals[i].Text.End {
		return list
	}
	near := c.Literals[i].Text
	near = text.SpanOf(max(near.Start, o.Start-text.Nearby), min(near.End, o.End+text.Nearby))
	for _, x := range filledString.FindAllSubmatchIndex(near.Of(c.data), -1) {
		list = append(list, text.SpanOf(near.Start+x[2], near.Start+x[3]))
	}
	in, ok := c.aroundOpen(o.Span)
	if !ok {
		return list
	}
	first, _ := slices.BinarySearchFunc(c.Literals, in.Start, func(l text.LiteralText, at int) int { return l.Outer.Start - at })
	for _, other := range c.Literals[first:] {
		if other.Outer.End > in.End {
			break
		}
		list = append(list, other.Text)
	}
	return list
}

// aroundOpen is around, and the statement of a text of any length into which something is
// filled behind a place.
func (c *statements) aroundOpen(at source.Span) (source.Span, bool) {
	if in, ok := c.around(at); ok {
		return in, true
	}
	i, _ := c.literal(at)
	if i < 0 || i >= len(c.Literals) || at.Start >= c.Literals[i].Text.End {
		return source.Span{}, false
	}
	lit := c.Literals[i]
	if !leftOpen.Match(c.data[at.End:min(lit.Text.End, at.End+text.Nearby)]) {
		return source.Span{}, false
	}
	inside := c.loose && c.braced(lit.Outer.Start)
	return source.Span{Start: c.begin(lit.Outer.Start, inside), End: c.end(lit.Outer.End, inside)}, true
}

var (
	// putBehind is (1) a string that goes on where the one of a group ends.
	putBehind = lazyregexp.New(`^(?:[/.:]|[/.:]?["'\x60]\)?\s*(?:\+\+?|\.\.?|<>|&)?\s*)["'\x60]([A-Za-z][\w-]*)["'\x60]`)
	// filledString is (1) a string that is filled into the one around it.
	filledString = lazyregexp.New(`[$#]?\{\s*["'\x60]([A-Za-z][\w-]*)["'\x60]\s*\}`)
	// leftOpen is the rest of a text into which something is filled, or behind which it is put.
	leftOpen = lazyregexp.New(`(?s)%[sqv\[]|%\d|\{[\w:!]*\}|[$#]\{|\$\w|[/:.]\s*(?:\\n)?$`)
)
