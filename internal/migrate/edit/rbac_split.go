package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// splits says whether the resources of a rule go to different groups, and then
// writes one rule for each.
func (m *maker) splits(p permission) bool {
	after := m.permittedByName(p)
	if len(distinct(after)) < 2 {
		return false
	}
	m.splitRule(p, after)
	return true
}

// splitRule writes one rule for each set of groups that some of the resources
// go to. A rule of which a person keeps a line stays.
func (m *maker) splitRule(p permission, after [][]string) {
	t, ours := p.tree, p.ours()
	rule := t.Nodes[p.list].Parent
	if rule < 0 || !t.Nodes[rule].Seq {
		m.leaveSplit(ours, ": "+groupsOf(after), eachGroup)
		return
	}
	block := text.RuleSpan(t, rule)
	content := block.Of(t.Data)
	if mark, ok := m.keep.inside(p.site.Doc.Span(block)); ok {
		for _, g := range ours {
			m.record(m.draft(g.site).KeptByHand(mark.Why))
		}
		return
	}
	switch {
	case m.namesCRDs(p):
		m.leaveSplit(ours, ", and it is about CRDs by their names: "+groupsOf(after), eachGroup)
		return
	case t.Nodes[rule].Flow && !(bytes.HasPrefix(content, []byte("{")) && bytes.HasSuffix(content, []byte("}"))):
		m.leaveSplit(ours, ", and the rule is not closed", "mend the file")
		return
	}
	fresh, err := m.splitText(p, block, after)
	if err != nil {
		m.leaveSplit(ours, ": "+groupsOf(after), eachGroup)
		return
	}
	m.recordSplit(p, block, fresh, groupsOf(after))
}

// recordSplit records that a rule becomes several. The edit of its first group
// writes the others as well.
func (m *maker) recordSplit(p permission, block source.Span, fresh, groups string) {
	ours := p.ours()
	for i, g := range ours {
		d := m.draft(g.site)
		d.Outcome, d.Why, d.New = d.by(m.splitBy(p, g)), "split: its resources go to different groups", groups
		if i == 0 {
			d.part(p.site.Doc, block, string(block.Of(p.tree.Data)), fresh)
		}
		o := d.done()
		if o.action == Person { // in this string it cannot be written
			m.leaveSplit(ours, ": "+groups, eachGroup)
			return
		}
		m.record(o)
	}
}

// leaveSplit hands groups of a rule that cannot be split to a person.
func (m *maker) leaveSplit(groups []granted, why, hint string) {
	for _, g := range groups {
		m.record(m.draft(g.site).Leave(judge.Splits, apartWhy+why, hint))
	}
}

// eachGroup is what a person does about a rule that is not split.
const eachGroup = "write one rule for each group"

// ours are the groups that the rules may move.
func (p permission) ours() []granted {
	return slices.DeleteFunc(slices.Clone(p.groups), func(g granted) bool { return !g.moves() })
}

// splitText is the text of the rules that a rule becomes, of which each has the
// names that go to the same groups.
func (m *maker) splitText(p permission, block source.Span, after [][]string) (string, error) {
	t, content := p.tree, block.Of(p.tree.Data)
	items := make([]int32, len(p.groups))
	for i, g := range p.groups {
		items[i] = g.item
	}
	var out []byte
	for i, groups := range distinct(after) {
		var names []string
		for j, name := range p.names {
			if fresh, _ := m.nameTo(p, name); slices.Equal(after[j], groups) && !slices.Contains(names, fresh) {
				names = append(names, fresh)
			}
		}
		piece, err := relisted(content, listText(t, items, groups, block.Start), listText(t, p.names, names, block.Start))
		if err != nil {
			return "", err
		}
		switch {
		case i == 0:
		case t.Nodes[t.Nodes[p.list].Parent].Flow:
			out = append(out, ", "...)
		case out[len(out)-1] != '\n':
			out = append(out, '\n')
		}
		out = append(out, piece...)
	}
	return string(out), nil
}

// distinct are the lists of a list, each once, in their order.
func distinct(all [][]string) [][]string {
	var list [][]string
	for _, x := range all {
		if !slices.ContainsFunc(list, func(y []string) bool { return slices.Equal(x, y) }) {
			list = append(list, x)
		}
	}
	return list
}

// namesCRDs says whether a rule is about objects by names that move as well:
// which of its parts they belong to a person says.
func (m *maker) namesCRDs(p permission) bool {
	list := p.tree.Sibling(p.list, "resourceNames")
	if list < 0 {
		return false
	}
	return slices.ContainsFunc(p.tree.TextsOf(p.tree.Children(list)), func(name string) bool { return len(m.names.Tokens([]byte(name))) > 0 })
}

// splitBy is the rule that moves the first of the resources that it moves in a group.
func (m *maker) splitBy(p permission, g granted) rules.Rule {
	for _, name := range p.plain() {
		if ver := m.Ask(p.of(g.name, name)); ver.Outcome == rules.Moves {
			return ver.Rule
		}
	}
	return m.Ask(g.site.Known).Rule
}

// apartWhy begins the words for a rule that cannot be rewritten in place.
const apartWhy = "the resources of this rule go to different groups"

func groupsOf(after [][]string) string {
	var all []string
	for _, set := range after {
		for _, g := range set {
			if !slices.Contains(all, g) {
				all = append(all, g)
			}
		}
	}
	return strings.Join(all, ", ")
}

// A splice writes text over a span.
type splice struct {
	source.Span
	text string
}

// relisted is a text with other lists in it.
func relisted(content []byte, lists ...splice) ([]byte, error) {
	v := text.Whole(content)
	var edits []source.Edit
	for _, x := range lists {
		if x.Start < 0 || x.End > len(content) {
			return nil, text.ErrElsewhere
		}
		e, err := v.Edit(x.Span, string(x.Of(content)), x.text)
		if err != nil {
			return nil, err
		}
		edits = append(edits, e)
	}
	return source.Apply(content, edits)
}

// listText is what replaces the items of a list by names, in the style of the
// first. Its span counts from base.
func listText(t *text.Tree, items []int32, names []string, base int) splice {
	first, last := t.Nodes[items[0]], t.Nodes[items[len(items)-1]]
	quote := ""
	if first.Style != text.Plain {
		quote = string(t.Data[first.Val.Start-1])
	}
	if first.Flow {
		s := source.Span{Start: first.Val.Start - len(quote) - base, End: last.Val.End - base}
		if last.Style != text.Plain {
			s.End++
		}
		return splice{s, quote + strings.Join(names, quote+", "+quote) + quote}
	}
	_, next := text.LineEnd(t.Data, last.Val.End, len(t.Data))
	head := t.Data[first.Line:first.Val.Start]
	from := int(first.Line)
	if slices.ContainsFunc(items, func(i int32) bool { return slices.Contains(names, t.Text(i)) }) {
		from = listStart(t, first)
	}
	var b strings.Builder
	for n, name := range names {
		line := ""
		at := from
		for _, i := range items { // an item that stays keeps its own line, and the comments on it and above it
			_, end := text.LineEnd(t.Data, t.Nodes[i].Val.End, len(t.Data))
			if t.Text(i) == name {
				line = string(t.Data[at:end])
			}
			at = end
		}
		if line == "" {
			line = string(head) + name + quote + besideGone(t, items, names, n) + "\n"
		}
		b.WriteString(line)
	}
	return splice{source.Span{Start: from - base, End: next - base}, b.String()}
}

// besideGone are the comments on the lines of items that do not stay, for the
// first name that stands in their place.
func besideGone(t *text.Tree, items []int32, names []string, n int) string {
	stays := func(name string) bool {
		return slices.ContainsFunc(items, func(i int32) bool { return t.Text(i) == name })
	}
	if slices.ContainsFunc(names[:n], func(name string) bool { return !stays(name) }) {
		return ""
	}
	comments := ""
	for _, i := range items {
		if slices.Contains(names, t.Text(i)) {
			continue
		}
		end, _ := text.LineEnd(t.Data, t.Nodes[i].Val.End, len(t.Data))
		if at := bytes.Index(t.Data[t.Nodes[i].Val.End:end], []byte(" #")); at >= 0 {
			comments += string(bytes.TrimRight(t.Data[t.Nodes[i].Val.End+at:end], " \t"))
		}
	}
	return comments
}

// listStart is where a list in block style begins: behind the line of its key,
// when nothing but comments stands between that and the first item.
func listStart(t *text.Tree, first text.Node) int {
	if first.Parent < 0 {
		return int(first.Line)
	}
	_, at := text.LineEnd(t.Data, t.Nodes[first.Parent].Key.End, len(t.Data))
	for from := at; from < int(first.Line); {
		text, next := text.LineEnd(t.Data, from, len(t.Data))
		if line := bytes.TrimSpace(t.Data[from:text]); len(line) > 0 && line[0] != '#' {
			return int(first.Line)
		}
		from = next
	}
	return min(at, int(first.Line))
}
