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

// A permission rule is one item of rules: in a Role, a ClusterRole, a CSV, a
// webhook or an admission policy. It grants the product of its groups and its
// resources, so a group whose resources go to different groups cannot be
// rewritten in place: the rule is split. What it grants is preserved tuple by
// tuple: (old group, resource, verb) becomes exactly (new group, new resource,
// verb).
type permission struct {
	site              *find.Site
	groups, resources int32 // the entries in the tree, -1 without resources
	items             []int32
	names             []int32 // items of resources
	kinds             bool    // they are kinds, as policies name them
	versions          []int32 // items of apiVersions, of a webhook or an admission policy
}

// of is what a rule says of one of its names, in a group.
func (p permission) of(group, name string) rules.GVK {
	if p.kinds {
		return rules.GVK{Group: group, Kind: name}
	}
	return rules.GVK{Group: group, Plural: name}
}

// renamed is the new one of such names.
func (p permission) renamed(to rules.GVK) string {
	if p.kinds {
		return to.Kind
	}
	return to.Plural
}

// rbacRule rewrites the rule around an apiGroups entry.
func (m *maker) rbacRule(s *find.Site) {
	v, t, entry := s.Doc, s.Tree, s.Node
	p := permission{site: s, groups: entry, resources: t.Sibling(entry, "resources"), items: t.Children(entry)}
	if kinds := t.Sibling(entry, "kinds"); p.resources < 0 && kinds >= 0 {
		p.resources, p.kinds = kinds, true
	}
	p.readNames(t)
	if m.rbacAtHome(p) {
		return
	}
	if len(p.items) == 1 {
		for _, name := range plainResources(t.TextsOf(p.names)) {
			m.learn(p.of(t.Text(p.items[0]), name))
		}
	}
	if list := t.Sibling(entry, "apiVersions"); list >= 0 && t.Scalars(t.Children(list)) {
		p.versions = t.Children(list)
	}
	if m.renamedInOne(t, p) || m.sharedRule(t, p) {
		return
	}
	after := make([][]string, max(1, len(p.names))) // groups after, by resource
	for i := range after {
		for _, item := range p.items {
			for _, g := range m.permitted(t, p, item, i) {
				if !slices.Contains(after[i], g) {
					after[i] = append(after[i], g)
				}
			}
		}
	}
	split := slices.ContainsFunc(after, func(x []string) bool { return !slices.Equal(x, after[0]) })
	if split && m.facts.Stays == "" {
		m.splitRule(v, t, p, after)
		return
	}
	m.inPlace(v, t, p)
	m.ruleVersions(v, t, p)
	m.rulePath(t, p)
}

// readNames reads the items of the resources of a rule; without any they are not
// there.
func (p *permission) readNames(t *text.Tree) {
	if p.resources >= 0 {
		p.names = t.Children(p.resources)
		if len(p.names) == 0 {
			p.resources = -1
		}
	}
	if !t.Scalars(p.names) {
		p.resources, p.names = -1, nil
	}
}

// renamedInOne hands a rule to a person of which a resource has another name in
// one of its groups, and keeps it in another one; or which is to serve both
// names. A rule of one list of names cannot say that.
func (m *maker) renamedInOne(t *text.Tree, p permission) bool {
	if m.facts.Stays != "" {
		return false
	}
	names := plainResources(t.TextsOf(p.names))
	for _, item := range p.items {
		g, ok := m.groupAt(p, item)
		if !ok {
			continue
		}
		if _, kept := m.kept(g); kept {
			continue
		}
		for _, name := range names {
			ver := m.Ask(p.of(g.Known.Group, name))
			fresh := p.renamed(ver.To)
			if ver.Outcome != rules.Moves || fresh == name || fresh == "" || !m.facts.Dual && !m.namedOtherwise(t, p, name, fresh) {
				continue
			}
			why := name + " becomes " + fresh + " in " + ver.To.Group + ", and stays in another group of this rule"
			if m.facts.Dual {
				why = name + " becomes " + fresh + ": a rule for both would permit more"
			}
			m.record(m.draft(g).by(ver.Rule).Leave(judge.Splits, why, "write one rule for each group"))
			return true
		}
	}
	return false
}

// namedOtherwise says whether some group of a rule does not give a name a new
// one that another group gives it.
func (m *maker) namedOtherwise(t *text.Tree, p permission, name, fresh string) bool {
	return slices.ContainsFunc(p.items, func(item int32) bool {
		ver := m.Ask(p.of(t.Text(item), name))
		return ver.Outcome != rules.Moves || p.renamed(ver.To) != fresh
	})
}

// rbacAtHome leaves a rule alone whose file is about a version that becomes
// another one in another group: what it belongs to must move first.
func (m *maker) rbacAtHome(p permission) bool {
	found := false
	for _, item := range p.items {
		s, ok := m.groupAt(p, item)
		if !ok || m.facts.Stays != "" {
			continue
		}
		home := m.facts.HomeOf(m.Table, s)
		ver := m.Ask(rules.GVK{Group: s.Known.Group, Version: home})
		if home != "" && ver.Outcome == rules.Moves && ver.To.Group != s.Known.Group && ver.To.Version != home {
			m.person(s, judge.AtHome(s.Known.Group, ver, home, ""))
			found = true
		}
	}
	return found
}

// permitted are the groups that one group becomes for one resource.
func (m *maker) permitted(t *text.Tree, p permission, item int32, resource int) []string {
	group := t.Text(item)
	site := rules.GVK{Group: group}
	if len(m.RulesOf(group)) == 0 {
		return []string{group}
	}
	var to []string
	if p.resources >= 0 {
		name, _, _ := strings.Cut(t.Text(p.names[resource]), "/")
		if name == "*" {
			to = m.everyTarget(group)
		} else {
			site = p.of(group, name)
		}
	}
	if to == nil {
		to = m.versioned(t, p, site)
	}
	if to == nil {
		to = []string{group}
		switch v := m.Ask(site); v.Outcome {
		case rules.Moves:
			to = []string{v.To.Group}
		case rules.Ambiguous:
			to = m.everyTarget(group)
		}
	}
	if m.facts.Dual && !slices.Contains(to, group) {
		to = append([]string{group}, to...)
	}
	return to
}

// everyTarget are all groups that the kinds of a group go to, and the group
// itself where its rules are of some kinds alone: what else there is stays in it.
func (m *maker) everyTarget(group string) []string {
	var to []string
	if v := m.Ask(rules.GVK{Group: group}); v.Outcome == rules.Moves {
		to = append(to, v.To.Group)
	}
	for _, rule := range m.RulesOf(group) {
		if v := m.Ask(rules.GVK{Group: group, Kind: rule.From.Kind}); v.Outcome == rules.Moves && !slices.Contains(to, v.To.Group) {
			to = append(to, v.To.Group)
		}
	}
	if !m.Whole(group) && !slices.Contains(to, group) {
		to = append(to, group)
	}
	return to
}

// inPlace rewrites the items of a list of groups, and leaves out those that
// are there already.
func (m *maker) inPlace(v *text.View, t *text.Tree, p permission) {
	have, gone := m.folded(t, p)
	facts := rules.GVK{}
	if p.resources >= 0 {
		if plain := plainResources(t.TextsOf(p.names)); len(plain) > 0 {
			facts = p.of("", plain[0])
		}
	}
	for i, item := range p.items {
		s, ok := m.groupAt(p, item)
		if !ok {
			continue
		}
		to := m.permitted(t, p, item, 0)
		switch {
		case len(to) == 1 && to[0] == t.Text(item):
			m.stays(t, p, s)
		case gone[i]:
			m.dropItem(v, t, p, gone, i, s)
		case len(to) == 1:
			s.Facts = facts
			m.judged(s)
		default:
			m.addGroups(t, item, s, to, have)
			have = append(have, to...)
		}
	}
	if p.resources >= 0 {
		m.renameResources(v, t, p)
	}
}

// folded says which items of a list of groups go, because what they become
// stands there already, and which groups the others are.
func (m *maker) folded(t *text.Tree, p permission) (have []string, gone []bool) {
	gone = make([]bool, len(p.items))
	moved := make([]string, len(p.items))
	for i, item := range p.items {
		to := m.permitted(t, p, item, 0)
		s, ok := m.groupAt(p, item)
		kept := false
		if ok {
			_, kept = m.kept(s)
		}
		switch group := t.Text(item); {
		case !ok || kept || slices.Equal(to, []string{group}):
			have = append(have, group)
		case len(to) == 1:
			moved[i] = to[0]
		}
	}
	for i, group := range moved {
		switch {
		case group == "":
		case slices.Contains(have, group):
			gone[i] = true
		default:
			have = append(have, group)
		}
	}
	return have, gone
}

// stays is a group in a list that keeps its name: one of the resources may be
// gone, or no rule moves those of the list.
func (m *maker) stays(t *text.Tree, p permission, g *find.Site) {
	if d, ok := m.kept(g); ok {
		m.stay(g, d)
		return
	}
	for _, name := range plainResources(t.TextsOf(p.names)) {
		if ver := m.Ask(p.of(g.Known.Group, name)); ver.Outcome == rules.Removed {
			m.record(m.draft(g).by(ver.Rule).Leave(judge.Removed, name+": "+ver.Why, ""))
			return
		}
		if ver := m.Ask(p.of(g.Known.Group, name)); ver.Outcome == rules.NoRule {
			m.stay(g, judge.Decision{Reason: "no-rule", Why: ver.Why, Unruled: true})
			return
		}
	}
}

// groupAt is the group that is the whole of an item of a rule.
func (m *maker) groupAt(p permission, item int32) (*find.Site, bool) {
	n := p.site.Tree.Nodes[item]
	group := p.site.Tree.Text(item)
	if n.Style > text.Double || !m.names.Has(group) {
		return nil, false
	}
	return p.itemSite(item, find.Permitted, rules.GVK{Group: group}), true
}

// itemSite is an item of a list of a rule as a site.
func (p permission) itemSite(item int32, place *find.Place, known rules.GVK) *find.Site {
	val := p.site.Tree.Nodes[item].Val
	return &find.Site{Doc: p.site.Doc, Token: find.Token{Group: val, Word: val, Known: known}, Place: place, Home: p.site.Home, Tree: p.site.Tree, Node: item}
}

// renameResources follows a plural that a rule renames. One whose new name is
// in the list already goes.
func (m *maker) renameResources(v *text.View, t *text.Tree, p permission) {
	if m.facts.Stays != "" || m.facts.Dual {
		return
	}
	gone := make([]bool, len(p.names))
	var have []string // those that stay, and what others became
	for _, name := range p.names {
		if fresh, _ := m.nameTo(t, p, name); fresh == t.Text(name) {
			have = append(have, fresh)
		}
	}
	for i, name := range p.names {
		fresh, ver := m.nameTo(t, p, name)
		if fresh == t.Text(name) {
			continue
		}
		if slices.Contains(have, fresh) {
			gone[i] = true
			m.dropName(v, t, p.names, gone, i, ver)
			continue
		}
		have = append(have, fresh)
		s := t.Nodes[name].Val
		_, sub, _ := strings.Cut(t.Text(name), "/")
		if sub != "" {
			s.End -= len(sub) + 1
		}
		m.beside(v, s, find.RoleResource, ver.Rule, p.renamed(ver.To))
	}
}

// nameTo is what a name of a rule becomes, with what stands behind its slash.
func (m *maker) nameTo(t *text.Tree, p permission, name int32) (string, rules.Answer) {
	plural, sub, more := strings.Cut(t.Text(name), "/")
	for _, item := range p.items {
		g, ok := m.groupAt(p, item)
		if !ok {
			continue
		}
		ver := m.Ask(p.of(g.Known.Group, plural))
		if fresh := p.renamed(ver.To); ver.Outcome == rules.Moves && fresh != plural && fresh != "" {
			if more {
				fresh += "/" + sub
			}
			return fresh, ver
		}
	}
	return t.Text(name), rules.Answer{}
}

// dropName leaves a name out of a list, of which others may go as well.
func (m *maker) dropName(v *text.View, t *text.Tree, items []int32, gone []bool, i int, ver rules.Answer) {
	at := t.Nodes[items[i]].Val
	d := draft{Outcome: Outcome{Span: v.Span(at), Role: find.RoleResource, Old: string(at.Of(v.Data)), Why: "goes: its new name is in the list already"}.by(ver.Rule)}
	span := dropped(t, items, gone, i)
	d.part(v, span, string(span.Of(t.Data)), "")
	m.record(d.done())
}

// dropItem leaves a group out of the list of a rule, of which others may go as
// well: what it becomes is granted by the same list.
func (m *maker) dropItem(v *text.View, t *text.Tree, p permission, gone []bool, i int, g *find.Site) {
	ver := m.Ask(p.of(g.Known.Group, first(plainResources(t.TextsOf(p.names)))))
	if ver.Outcome != rules.Moves {
		ver = m.Ask(g.Known)
	}
	d := m.draft(g)
	d.Outcome, d.Why = d.by(ver.Rule), goesWhy(ver.To.Group)
	if slices.Contains(t.TextsOf(p.items), ver.To.Group) {
		d.granted = g.Known.Group
	}
	span := dropped(t, p.items, gone, i)
	d.part(v, span, string(span.Of(t.Data)), "")
	m.record(d.done())
}

// goesWhy says of a permission that it is taken away.
func goesWhy(to string) string { return "goes: " + to + " is in the list" }

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// dropped is the text that goes with an item of a list: its line, or the item
// with a comma. The texts of several that go do not overlap.
func dropped(t *text.Tree, items []int32, gone []bool, i int) source.Span {
	switch {
	case !t.Nodes[items[i]].Flow:
		return text.ItemSpan(t, items[i])
	case slices.Contains(gone[:i], false):
		return source.Span{Start: t.QuotedSpan(items[i-1]).End, End: t.QuotedSpan(items[i]).End}
	case i+1 < len(items):
		return source.Span{Start: t.QuotedSpan(items[i]).Start, End: t.QuotedSpan(items[i+1]).Start}
	}
	return t.QuotedSpan(items[i])
}

// addGroups puts more groups behind an item (the dual mode, and wildcards
// over a group that is split).
func (m *maker) addGroups(t *text.Tree, item int32, g *find.Site, to, have []string) {
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
	n := t.Nodes[item]
	if !n.Flow {
		from := int(n.Line)
		_, next := text.LineEnd(t.Data, n.Val.End, len(t.Data))
		var lines strings.Builder
		for _, g := range to {
			line := append(append(slices.Clone(t.Data[from:n.Val.Start]), g...), t.Data[n.Val.End:next]...)
			if !bytes.HasSuffix(line, []byte("\n")) {
				line = append(line, '\n')
			}
			lines.Write(line)
		}
		text := lines.String()
		if t.Data[next-1] != '\n' {
			text = strings.TrimSuffix(text, "\n")
		}
		d.part(v, source.Span{Start: from, End: next}, string(t.Data[from:next]), text)
		m.record(d.done())
		return
	}
	quote := ""
	if n.Style != text.Plain {
		quote = string(t.Data[n.Val.Start-1])
	}
	d.part(v, n.Val, group, strings.Join(to, quote+", "+quote))
	m.record(d.done())
}
