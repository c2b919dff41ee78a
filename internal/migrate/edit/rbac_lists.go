package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// dropName leaves a name out of a list, of which others may go as well.
func (m *permissionMaker) dropName(p permission, gone []bool, i int, ver rules.Answer) {
	v, at := p.site.Doc, p.tree.Nodes[p.names[i]].Val
	d := draft{Outcome: Outcome{Span: v.Span(at), Role: find.RoleResource, Old: string(at.Of(v.Data)), Why: "goes: its new name is in the list already"}.by(ver.Rule)}
	span := dropped(p.tree, p.names, gone, i)
	d.part(v, span, string(span.Of(v.Data)), "")
	m.record(d.done())
}

// dropItem leaves a group out of the list of a rule, of which others may go as
// well: what it becomes is granted by the same list.
func (m *permissionMaker) dropItem(p permission, gone []bool, i int) {
	g := p.groups[i]
	ver := m.Ask(rules.GVK{Group: g.name})
	for _, name := range p.plain() {
		if v := m.Ask(p.of(g.name, name)); v.Outcome == rules.Moves {
			ver = v
			break
		}
	}
	d := m.draft(g.site)
	d.Outcome, d.Why = d.by(ver.Rule), goesWhy(ver.To.Group)
	if slices.Contains(p.groupNames(), ver.To.Group) {
		d.granted = g.name
	}
	items := make([]int32, len(p.groups))
	for i, g := range p.groups {
		items[i] = g.item
	}
	span := dropped(p.tree, items, gone, i)
	d.part(p.site.Doc, span, string(span.Of(p.tree.Data)), "")
	m.record(d.done())
}

// goesWhy says of a permission that it is taken away.
func goesWhy(to string) string { return "goes: " + to + " is in the list" }

// dropped is the text that goes with an item of a list: its line, or the item
// with a comma. A comment on the line stays, unless that of another item which
// stays says the same. The texts of several that go do not overlap.
func dropped(t *text.Tree, items []int32, gone []bool, i int) source.Span {
	switch {
	case !t.Nodes[items[i]].Flow:
		line := text.ItemSpan(t, items[i])
		n := t.NoteOn(line)
		if n < 0 || saidBeside(t, items, gone, string(t.Notes[n].Of(t.Data))) {
			return line
		}
		return source.Span{Start: int(t.Nodes[items[i]].Pos), End: t.Notes[n].Start - 1}
	case slices.Contains(gone[:i], false):
		return source.Span{Start: t.QuotedSpan(items[i-1]).End, End: t.QuotedSpan(items[i]).End}
	case i+1 < len(items):
		return source.Span{Start: t.QuotedSpan(items[i]).Start, End: t.QuotedSpan(items[i+1]).Start}
	}
	return t.QuotedSpan(items[i])
}

// saidBeside says whether an item of a list that stays has a comment on its line.
func saidBeside(t *text.Tree, items []int32, gone []bool, note string) bool {
	for i, item := range items {
		if n := t.NoteOn(text.ItemSpan(t, item)); n >= 0 && !gone[i] && string(t.Notes[n].Of(t.Data)) == note {
			return true
		}
	}
	return false
}

// addGroups puts more groups behind an item (the dual mode, and wildcards
// over a group that is split).
func (m *permissionMaker) addGroups(t *text.Tree, item int32, g *find.Site, to, have []string) {
	if d, ok := m.kept(g); ok {
		m.stay(g, d)
		return
	}
	v := g.Doc
	group := t.Text(item)
	to = slices.DeleteFunc(slices.Clone(to), func(g string) bool { return g != group && slices.Contains(have, g) })
	if slices.Equal(to, []string{group}) {
		m.record(m.draft(g).Keep(bothGranted, bothGrantedWhy))
		return
	}
	d := m.draft(g)
	d.Outcome, d.New = d.by(m.Ask(g.Known).Rule), strings.Join(to, ", ")
	if n := t.Nodes[item]; n.Flow {
		quote := ""
		if n.Style != text.Plain {
			quote = string(t.Data[n.Val.Start-1])
		}
		d.part(v, n.Val, group, strings.Join(to, quote+", "+quote))
	} else {
		span, lines := itemLines(t, n, to)
		d.part(v, span, string(span.Of(t.Data)), lines)
	}
	m.record(d.done())
}

// itemLines are the lines of an item of a list in block style, and those of
// others in its place.
func itemLines(t *text.Tree, n text.Node, names []string) (source.Span, string) {
	from := int(n.Line)
	_, next := text.LineEnd(t.Data, n.Val.End, len(t.Data))
	var lines strings.Builder
	for _, name := range names {
		line := string(t.Data[from:n.Val.Start]) + name + string(t.Data[n.Val.End:next])
		lines.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	all := lines.String()
	if t.Data[next-1] != '\n' {
		all = strings.TrimSuffix(all, "\n")
	}
	return source.Span{Start: from, End: next}, all
}
