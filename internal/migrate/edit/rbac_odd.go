package edit

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// oddlyListed hands a rule to a person that would be written anew, and has a
// list in a form that cfctl does not write: with anchors, escapes, comments in
// flow style, or under a key that is asked for. Names that only become others,
// each in its place, need no more than that they stand there.
func (m *permissionMaker) oddlyListed(p permission) bool {
	lists := [][]int32{p.items(), p.names, p.versions}
	if !slices.ContainsFunc(lists, func(list []int32) bool { return isOdd(p.tree, list) }) || m.movesInPlace(p) {
		return false
	}
	for _, g := range p.ours() {
		if !g.alias {
			m.record(m.draft(g.site).by(m.splitBy(p, g)).Leave("spelling", "its rule would be written anew, and a list in it is spelled in a way that cfctl does not write", eachGroup))
		}
	}
	return true
}

// items are the items of the list of its groups.
func (p permission) items() []int32 {
	var items []int32
	for _, g := range p.groups {
		items = append(items, g.item)
	}
	return items
}

// movesInPlace says whether nothing becomes of a rule but that groups get another
// name, each for all resources, in their places.
func (m *permissionMaker) movesInPlace(p permission) bool {
	_, gone := m.folded(p)
	if slices.Contains(gone, true) || len(distinct(m.permittedByName(p))) > 1 {
		return false
	}
	for _, g := range p.groups {
		if len(m.permitted(p, g, 0)) != 1 {
			return false
		}
	}
	for _, name := range p.names {
		if fresh, _ := m.nameTo(p, name); fresh != p.tree.Means(name) {
			return false
		}
	}
	for _, item := range p.versions {
		if to, _ := m.versionTo(p, item); to != p.tree.Means(item) {
			return false
		}
	}
	return true
}

// isOdd says whether a list cannot be written with other items.
func isOdd(t *text.Tree, list []int32) bool {
	if len(list) == 0 {
		return false
	}
	first, last := t.Nodes[list[0]], t.Nodes[list[len(list)-1]]
	if first.Flow && t.NoteOn(source.Span{Start: int(first.Pos), End: t.FlowSpan(first.Parent).End}) >= 0 {
		return true
	}
	return last.Flow != first.Flow || slices.ContainsFunc(list, func(i int32) bool { return isOddItem(t, i) })
}

// isOddItem says whether an item of a list is more than its name, in quotes
// perhaps, and the comment behind it: on a line of its own, in block style.
func isOddItem(t *text.Tree, i int32) bool {
	n := t.Nodes[i]
	if n.Style == text.None { // what a template fills in
		return false
	}
	if t.IsAlias(i) || !t.Verbatim(i) || n.Style > text.Double {
		return true
	}
	if n.Flow {
		return int(n.Pos) != n.Val.Start || t.Tagged(i)
	}
	before := bytes.TrimSpace(t.Data[n.Line:t.QuotedSpan(i).Start])
	return len(before) != 1 || before[0] != '-'
}
