package edit

import (
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of permissions whose resources get other names cannot name both groups: it
// would grant old names in the new group. While both are served a copy of it with the
// new names stands behind it; when the window ends, the rule that becomes the other goes.

// copied writes such a copy. It says false for a rule that has none: its resources
// part, it shares a list with others, or it is written in a way that cfctl does not write.
func (m *permissionMaker) copied(p permission) bool {
	t, rule := p.tree, p.tree.Nodes[p.list].Parent
	if !m.movesWhole(p) || hasActions(p) || isOdd(t, p.items()) || isOdd(t, p.names) || isOdd(t, p.versions) {
		return false
	}
	if m.twin(p, m.becomesAlone(p)) >= 0 {
		for _, g := range p.groups {
			m.record(m.draft(g.site).Keep(bothGranted, "what it becomes is granted by another rule of the list"))
		}
		return true
	}
	block := text.RuleSpan(t, rule)
	old := string(block.Of(t.Data))
	if mark, kept := m.keep.inside(p.site.Doc.Span(block)); kept {
		for _, g := range p.groups {
			m.record(m.draft(g.site).KeptByHand(mark.Why))
		}
		return true
	}
	to := m.becomesAlone(p)
	fresh, err := relisted([]byte(old), []splice{
		listText(t, p.items(), itemsOf(p.items(), to[groupsKey]), block.Start),
		listText(t, p.names, itemsOf(p.names, to[p.namesKey()]), block.Start),
	})
	if err != nil {
		return false
	}
	between := ""
	switch {
	case t.Nodes[rule].Flow:
		between = ", "
	case !strings.HasSuffix(old, "\n"):
		between = "\n"
	}
	for i, g := range p.groups {
		d := m.draft(g.site)
		d.Outcome, d.New, d.Why = d.by(m.splitBy(p, g)), strings.Join(to[groupsKey], ", "), "a rule for the new names, behind the old one"
		if i == 0 {
			d.part(p.site.Doc, block, old, old+between+string(fresh))
		}
		m.record(d.done())
	}
	return true
}

// thereAlready takes a rule out of a list that has the one that it becomes. It says
// false for any other rule, and for one with a comment that the other does not have.
func (m *permissionMaker) thereAlready(p permission) bool {
	if m.facts.Dual || !m.movesWhole(p) || hasActions(p) {
		return false
	}
	t, rule := p.tree, p.tree.Nodes[p.list].Parent
	other := m.twin(p, m.becomesAlone(p))
	if other < 0 {
		return false
	}
	span := text.RuleSpan(t, rule)
	if _, kept := m.keep.inside(p.site.Doc.Span(span)); kept {
		return false
	}
	said := notes(text.RuleSpan(t, other).Of(t.Data))
	if slices.ContainsFunc(notes(span.Of(t.Data)), func(note string) bool { return !slices.Contains(said, note) }) {
		return false
	}
	if t.Nodes[rule].Flow {
		span = text.FlowItem(t, rule)
	}
	for i, g := range p.groups {
		d := m.draft(g.site)
		d.Outcome, d.New, d.Why, d.structural = d.by(m.splitBy(p, g)), "", "goes: what it becomes is in the list", true
		if i == 0 {
			d.part(p.site.Doc, span, string(span.Of(t.Data)), "")
		}
		m.record(d.done())
	}
	m.dropped = append(m.dropped, p.site.Doc.Span(span))
	m.hooks.rulePath(p, false)
	return true
}

// movesWhole says whether all groups of a rule move, each to one group for all of its
// resources, and nothing but these and the resources becomes another one.
func (m *permissionMaker) movesWhole(p permission) bool {
	t, rule := p.tree, p.tree.Nodes[p.list].Parent
	if len(p.names) == 0 || rule < 0 || !t.Nodes[rule].Seq || t.Aliased(rule) || len(t.Takers(p.list)) > 0 || len(t.Takers(t.Nodes[p.names[0]].Parent)) > 0 {
		return false
	}
	for _, g := range p.groups {
		if g.alias || !g.moves() {
			return false
		}
		first := m.targets(p, g.name, 0)
		for i := range p.names {
			if to := m.targets(p, g.name, i); len(to) != 1 || to[0] != first[0] || to[0] == g.name {
				return false
			}
		}
	}
	return !slices.ContainsFunc(p.names, func(name int32) bool {
		fresh, ver := m.nameTo(p, name)
		plural, _, _ := strings.Cut(t.Means(name), "/")
		return fresh != t.Means(name) && m.namedOtherwise(p, plural, p.renamed(ver.To))
	}) && !slices.ContainsFunc(p.versions, func(item int32) bool {
		to, _ := m.versionTo(p, item)
		return to != t.Means(item)
	})
}

// groupsKey is the list of groups of a rule.
const groupsKey = "apiGroups"

// namesKey is the list of the resources of a rule, or of its kinds.
func (p permission) namesKey() string {
	if p.kinds {
		return "kinds"
	}
	return "resources"
}

// becomesAlone is what a rule that moves as a whole says then, by its keys: each list
// without doubles.
func (m *permissionMaker) becomesAlone(p permission) map[string][]string {
	said := saidBy(p.tree, p.tree.Nodes[p.list].Parent)
	if said == nil {
		return nil
	}
	said[groupsKey], said[p.namesKey()] = nil, nil
	for _, g := range p.groups {
		if to := m.targets(p, g.name, 0); !slices.Contains(said[groupsKey], to[0]) {
			said[groupsKey] = append(said[groupsKey], to[0])
		}
	}
	for _, name := range p.names {
		if fresh, _ := m.nameTo(p, name); !slices.Contains(said[p.namesKey()], fresh) {
			said[p.namesKey()] = append(said[p.namesKey()], fresh)
		}
	}
	return said
}

// saidBy is what a rule says, by its keys; nil where it says more than scalars and
// lists of them.
func saidBy(t *text.Tree, rule int32) map[string][]string {
	said := map[string][]string{}
	for _, entry := range t.Children(rule) {
		key, list := t.KeyText(entry), t.Children(entry)
		switch {
		case key == "" || key == "<<" || said[key] != nil || !t.Scalars(list):
			return nil
		case len(list) == 0:
			said[key] = []string{t.Means(entry)}
		default:
			said[key] = t.TextsOf(list)
		}
	}
	return said
}

// A ruleIndex finds the rules of one list by what they say, in whatever order.
type ruleIndex struct {
	tree *text.Tree
	list int32
	said map[string][]int32
}

// ofList is the index of a list, made once for all of its rules.
func (x *ruleIndex) ofList(t *text.Tree, list int32) map[string][]int32 {
	if x.said == nil || x.tree != t || x.list != list {
		*x = ruleIndex{t, list, map[string][]int32{}}
		for _, rule := range t.Children(list) {
			if said := saidBy(t, rule); said != nil {
				x.said[spelled(said)] = append(x.said[spelled(said)], rule)
			}
		}
	}
	return x.said
}

// spelled is what a rule says as one text, the same for the same words in another order.
func spelled(said map[string][]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(said)) {
		b.WriteString(key)
		for _, word := range slices.Compact(slices.Sorted(slices.Values(said[key]))) {
			b.WriteString("\x00" + word)
		}
		b.WriteString("\x01")
	}
	return b.String()
}

// twin is another rule of the list that says what is given, in whatever order, and that
// no part of a template parts from this one; -1 for none.
func (m *permissionMaker) twin(p permission, said map[string][]string) int32 {
	t, rule := p.tree, p.tree.Nodes[p.list].Parent
	if said == nil || t.Nodes[rule].Parent < 0 {
		return -1
	}
	for _, other := range m.rules.ofList(t, t.Nodes[rule].Parent)[spelled(said)] {
		if other == rule {
			continue
		}
		a, b := text.RuleSpan(t, min(rule, other)), text.RuleSpan(t, max(rule, other))
		if !branch.Match(source.Span{Start: a.Start, End: b.End}.Of(t.Data)) {
			return other
		}
	}
	return -1
}

// itemsOf are the words of a list that comes of another one: each as the first item
// of that which has not been taken.
func itemsOf(items []int32, words []string) []listItem {
	var list []listItem
	for i, word := range words {
		list = append(list, listItem{word, items[min(i, len(items)-1)]})
	}
	return list
}
