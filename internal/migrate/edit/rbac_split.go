package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// splits says whether the resources of a rule go to different groups, and then
// writes one rule for each.
func (m *permissionMaker) splits(p permission) bool {
	after := m.permittedByName(p)
	if len(distinct(after)) < 2 {
		return false
	}
	m.splitRule(p, after)
	return true
}

// splitRule writes one rule for each set of groups that some of the resources
// go to. A rule of which a person keeps a line stays.
func (m *permissionMaker) splitRule(p permission, after [][]string) {
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
	case t.Nodes[rule].Flow && !(bytes.HasPrefix(content, []byte("{")) && bytes.HasSuffix(content, []byte("}"))):
		m.leaveSplit(ours, ", and the rule is not closed", "mend the file")
		return
	case hasActions(p):
		m.leaveSplit(ours, ", and a template says which it has: "+groupsOf(after), eachGroup)
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
func (m *permissionMaker) recordSplit(p permission, block source.Span, fresh, groups string) {
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
func (m *permissionMaker) leaveSplit(groups []granted, why, hint string) {
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

// hasActions says whether a template stands in the lists of a rule, which says
// what is in them.
func hasActions(p permission) bool {
	t := p.tree
	if p.filled || !t.Scalars(p.items()) {
		return true
	}
	inside := func(from, to int32) bool {
		return text.HasTemplate(t.Data[t.Nodes[from].Line:t.Nodes[to].Val.End])
	}
	return inside(p.groups[0].item, p.groups[len(p.groups)-1].item) || inside(p.names[0], p.names[len(p.names)-1])
}

// splitText is the text of the rules that a rule becomes, of which each has the
// names that go to the same groups.
func (m *permissionMaker) splitText(p permission, block source.Span, after [][]string) (string, error) {
	t, content := p.tree, block.Of(p.tree.Data)
	var items []int32
	for _, g := range p.groups {
		items = append(items, g.item)
	}
	var out []byte
	for i, class := range distinct(after) {
		var groups, names []listItem
		for j, name := range p.names {
			if !slices.Equal(after[j], class) {
				continue
			}
			fresh, _ := m.nameTo(p, name)
			names = addItem(names, fresh, name)
			for _, g := range p.groups {
				for _, to := range m.permitted(p, g, j) {
					groups = addItem(groups, to, g.item)
				}
			}
		}
		lists := append(m.namedCRDs(p, block.Start), listText(t, items, groups, block.Start), listText(t, p.names, names, block.Start))
		piece, err := relisted(content, lists)
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

// A listItem is a name of a list, with the item that it comes of.
type listItem struct {
	name string
	of   int32
}

// addItem adds a name to a list that has it not yet.
func addItem(list []listItem, name string, of int32) []listItem {
	if slices.ContainsFunc(list, func(x listItem) bool { return x.name == name }) {
		return list
	}
	return append(list, listItem{name, of})
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

// namedCRDs writes the names of CRDs that a rule is about as they become: it
// grants the same for each of them. Their spans count from base.
func (m *permissionMaker) namedCRDs(p permission, base int) []splice {
	list := p.tree.Sibling(p.list, "resourceNames")
	if list < 0 || m.facts.Dual || grantsMore(p.tree, p.list) {
		return nil
	}
	var fresh []splice
	for _, item := range p.tree.Children(list) {
		old, at := p.tree.Raw(item), p.tree.Nodes[item].Val.Start-base
		for _, tok := range m.names.Tokens([]byte(old)) {
			if ver := m.Ask(tok.Known); ver.Outcome == rules.Moves {
				fresh = append(fresh, splice{source.Span{Start: at + tok.Word.Start, End: at + tok.Word.End}, tok.Spell([]byte(old), ver.To)})
			}
		}
	}
	return fresh
}

// namesMore is why neither the names of CRDs that a rule grants move, nor its groups.
const namesMore = "this rule names CRDs, and grants more than CRDs by these names"

// grantsMore says whether a rule of permissions, of which an entry is given, is
// about others than the objects that are named after a group.
// Source: apiextensions.k8s.io and apiregistration.k8s.io.
func grantsMore(t *text.Tree, entry int32) bool {
	others := func(key string, named ...string) bool {
		list := t.Nodes[entry].Parent
		if list = t.Value(list, key); list < 0 {
			return false
		}
		return slices.ContainsFunc(t.TextsOf(t.Children(list)), func(name string) bool {
			name, _, _ = strings.Cut(name, "/")
			return !slices.Contains(named, name)
		})
	}
	return others("resources", "customresourcedefinitions", "apiservices") || others("apiGroups", "apiextensions.k8s.io", "apiregistration.k8s.io")
}

// namesCRDs hands a rule to a person that names CRDs which move, and grants more
// than these.
func (m *permissionMaker) namesCRDs(p permission) bool {
	list := p.tree.Sibling(p.list, "resourceNames")
	if list < 0 || m.facts.Dual || !slices.Contains(p.plain(), "customresourcedefinitions") || !grantsMore(p.tree, p.list) {
		return false
	}
	moves := func(name string) bool {
		return slices.ContainsFunc(m.names.Tokens([]byte(name)), func(tok find.Token) bool { return m.Ask(tok.Known).Outcome == rules.Moves })
	}
	if !slices.ContainsFunc(p.tree.TextsOf(p.tree.Children(list)), moves) {
		return false
	}
	for _, g := range p.ours() {
		if !g.alias {
			m.record(m.draft(g.site).Leave(judge.Splits, namesMore, "write one rule for the CRDs"))
		}
	}
	return true
}

// splitBy is the rule that moves the first of the resources that it moves in a group.
func (m *permissionMaker) splitBy(p permission, g granted) rules.Rule {
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
func relisted(content []byte, lists []splice) ([]byte, error) {
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

// listText is what replaces the items of a list by others: each is written as the
// one that it comes of, with the comments on that and above it; in flow style
// with its quotes. Its span counts from base.
func listText(t *text.Tree, items []int32, list []listItem, base int) splice {
	first, last := t.Nodes[items[0]], t.Nodes[items[len(items)-1]]
	if first.Flow {
		var names []string
		for _, x := range list {
			quote := ""
			if t.Nodes[x.of].Style != text.Plain {
				quote = string(t.Data[t.Nodes[x.of].Val.Start-1])
			}
			names = append(names, quote+x.name+quote)
		}
		s := source.Span{Start: t.QuotedSpan(items[0]).Start - base, End: t.QuotedSpan(items[len(items)-1]).End - base}
		return splice{s, strings.Join(names, ", ")}
	}
	above := map[int32]int{} // where the comments above an item begin
	from := listStart(t, first)
	at := from
	for _, i := range items {
		above[i] = at
		_, at = text.LineEnd(t.Data, t.Nodes[i].Val.End, len(t.Data))
	}
	var b strings.Builder
	for _, x := range list {
		n := t.Nodes[x.of]
		_, end := text.LineEnd(t.Data, n.Val.End, len(t.Data))
		line := string(t.Data[above[x.of]:n.Val.Start]) + x.name + string(t.Data[n.Val.End:end])
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		above[x.of] = int(n.Line) // once
	}
	_, next := text.LineEnd(t.Data, last.Val.End, len(t.Data))
	lines := b.String()
	if t.Data[next-1] != '\n' {
		lines = strings.TrimSuffix(lines, "\n")
	}
	return splice{source.Span{Start: from - base, End: next - base}, lines}
}

// listStart is where a list in block style begins: behind the line of its key,
// when nothing but comments stands between that and the first item.
func listStart(t *text.Tree, first text.Node) int {
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
