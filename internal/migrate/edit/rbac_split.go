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

// splitRule writes one rule for each set of groups that some of the resources
// go to.
func (m *maker) splitRule(v *text.View, t *text.Tree, p permission, after [][]string) {
	rule := t.Nodes[p.groups].Parent
	first := p.itemSite(p.items[0], find.Permitted, rules.GVK{})
	var others []*find.Site // further groups of ours
	for _, item := range p.items {
		g, ok := m.groupAt(p, item)
		switch {
		case !ok:
		case first.Known.Group == "":
			first = g
		default:
			others = append(others, g)
		}
	}
	if m.namesCRDs(t, p) {
		for _, g := range append([]*find.Site{first}, others...) {
			m.record(m.draft(g).Leave(judge.Splits, apartWhy+", and it is about CRDs by their names: "+groupsOf(after), "write one rule for each group"))
		}
		return
	}
	if rule < 0 || !t.Nodes[rule].Seq {
		m.record(m.draft(first).Leave(judge.Splits, apartWhy+": "+groupsOf(after), "write one rule for each group"))
		return
	}
	var classes [][]string // distinct sets, in order
	for _, set := range after {
		if !slices.ContainsFunc(classes, func(c []string) bool { return slices.Equal(c, set) }) {
			classes = append(classes, set)
		}
	}
	block := text.RuleSpan(t, rule)
	text := block.Of(t.Data)
	if t.Nodes[rule].Flow && !(bytes.HasPrefix(text, []byte("{")) && bytes.HasSuffix(text, []byte("}"))) {
		m.record(m.draft(first).Leave(judge.Splits, apartWhy+", and the rule is not closed", "mend the file"))
		return
	}
	var out []byte
	for i, class := range classes {
		var names []string
		for j, name := range p.names {
			if !slices.Equal(after[j], class) {
				continue
			}
			if fresh, _ := m.nameTo(t, p, name); !slices.Contains(names, fresh) {
				names = append(names, fresh)
			}
		}
		piece, err := relisted(text, listText(t, p.items, class, block.Start), listText(t, p.names, names, block.Start))
		if err != nil {
			m.record(m.draft(first).Leave(judge.Splits, apartWhy+": "+groupsOf(after), "write one rule for each group"))
			return
		}
		if i > 0 && t.Nodes[rule].Flow {
			out = append(out, ", "...)
		} else if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, '\n')
		}
		out = append(out, piece...)
	}
	d := m.draft(first)
	d.Outcome, d.Why = d.by(m.splits(t, p, first)), "split: its resources go to different groups"
	d.New = groupsOf(after)
	d.part(v, block, string(block.Of(t.Data)), string(out))
	o := d.done()
	if o.action == Person {
		o = o.Leave(judge.Splits, apartWhy+": "+groupsOf(after), "write one rule for each group")
	}
	m.record(o)
	for _, g := range others { // the edit of the first writes them as well
		x := m.draft(g)
		x.Outcome, x.Why, x.New = x.by(m.splits(t, p, g)), o.Why, o.New
		if o.action == Person {
			m.record(x.Leave(judge.Splits, o.Why, o.Hint))
			continue
		}
		m.record(x.Write())
	}
}

// namesCRDs says whether a rule is about objects by names that move as well:
// which of its parts they belong to a person says.
func (m *maker) namesCRDs(t *text.Tree, p permission) bool {
	list := t.Sibling(p.groups, "resourceNames")
	if list < 0 {
		return false
	}
	return slices.ContainsFunc(t.TextsOf(t.Children(list)), func(name string) bool { return len(m.names.Tokens([]byte(name))) > 0 })
}

// splits is the rule that moves the first of the resources that it moves in a group.
func (m *maker) splits(t *text.Tree, p permission, g *find.Site) rules.Rule {
	for _, name := range plainResources(t.TextsOf(p.names)) {
		if ver := m.Ask(p.of(g.Known.Group, name)); ver.Outcome == rules.Moves {
			return ver.Rule
		}
	}
	return m.Ask(g.Known).Rule
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
