package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A permissionMaker makes the edits of permissions.
type permissionMaker struct {
	*sheet
	hooks  *hookMaker
	judged func(*find.Site) // has a group that moves where it stands judged
	rules  *ruleIndex
}

// A permission rule is one item of rules: in a Role, a ClusterRole, a CSV, a
// webhook or an admission policy. It grants the product of its groups and its
// resources, so a group whose resources go to different groups cannot be
// rewritten in place: the rule is split. What it grants is preserved tuple by
// tuple: (old group, resource, verb) becomes exactly (new group, new resource,
// verb).
type permission struct {
	site     *find.Site
	tree     *text.Tree
	list     int32 // the entry of the groups
	groups   []granted
	names    []int32 // items of resources; empty = it has none
	kinds    bool    // they are kinds, as policies name them
	versions []int32 // items of apiVersions, of a webhook or an admission policy
	filled   bool    // a template fills in some of its names, which are none of these
}

// A granted group is an item of the list of a rule.
type granted struct {
	item int32
	name string
	site *find.Site      // nil = it is no group of the rules
	kept *judge.Decision // not nil: it stays, whatever the rules say
	// alias says that the name stands elsewhere, and moves there.
	alias bool
}

// moves says whether the rules may move a group.
func (g granted) moves() bool { return g.site != nil && g.kept == nil }

// of is what a rule says of one of its names, in a group.
func (p permission) of(group, name string) rules.GVK {
	if p.kinds {
		return rules.GVK{Group: group, Kind: name}
	}
	return rules.GVK{Group: group, Plural: name}
}

// at is the same with the first of its versions, where it names some and all are plain.
func (p permission) at(group, name string) rules.GVK {
	is := p.of(group, name)
	if p.allVersioned() {
		is.Version = p.tree.Means(p.versions[0])
	}
	return is
}

// renamed is the new one of such names.
func (p permission) renamed(to rules.GVK) string {
	if p.kinds {
		return to.Kind
	}
	return to.Plural
}

// plain are its names without sub-resources and wildcards.
func (p permission) plain() []string { return plainResources(p.tree.TextsOf(p.names)) }

// groupNames are the groups of its list.
func (p permission) groupNames() []string {
	names := make([]string, len(p.groups))
	for i, g := range p.groups {
		names[i] = g.name
	}
	return names
}

// itemSite is an item of a list of a rule as a site.
func (p permission) itemSite(item int32, place *find.Place, known rules.GVK) *find.Site {
	val := p.tree.Nodes[item].Val
	return &find.Site{Doc: p.site.Doc, Token: find.Token{Group: val, Word: val, Known: known}, Place: place, Home: p.site.Home, HomeGroup: p.site.HomeGroup, Tree: p.tree, Node: item}
}

// A way is what becomes of a rule that is not changed where it stands. It says false
// for any other one.
type way struct {
	id   string
	goes func(m *permissionMaker, p permission) bool
}

// ways are tried in this order.
var ways = []way{
	{"renamed-by-alias", (*permissionMaker).renamedByAlias},
	{"renamed-in-one", (*permissionMaker).renamedInOne},
	{"shared", (*permissionMaker).sharedRule},
	{"names-crds", (*permissionMaker).namesCRDs},
	{"filled-in", (*permissionMaker).filledIn},
	{"oddly-listed", (*permissionMaker).oddlyListed},
	{"other-versions", (*permissionMaker).otherVersions},
	{"every-kind", (*permissionMaker).everyKind},
	{"versions-part", (*permissionMaker).versionsPart},
	{"splits", (*permissionMaker).splits},
	{"there-already", (*permissionMaker).thereAlready},
}

// permission rewrites the rule around an apiGroups entry.
func (m *permissionMaker) permission(s *find.Site) {
	p := m.permissionAt(s)
	if m.rbacAtHome(p) {
		m.keptStay(p)
		return
	}
	if len(p.groups) == 1 {
		for _, name := range p.plain() {
			m.learn(p.of(p.groups[0].name, name))
		}
	}
	before := len(m.made)
	if slices.ContainsFunc(ways, func(w way) bool { return w.goes(m, p) }) {
		told := slices.ContainsFunc(m.made[before:], func(o Outcome) bool { return o.action != Stay })
		m.keptStay(p)
		if told {
			m.hooks.rulePath(p, true)
		}
		return
	}
	if m.inPlace(p) {
		m.renameResources(p)
		m.ruleVersions(p)
		m.hooks.rulePath(p, false)
	}
}

// keptStay records the groups of a rule that are kept.
func (m *permissionMaker) keptStay(p permission) {
	for _, g := range p.groups {
		if g.kept != nil {
			m.stay(g.site, *g.kept)
		}
	}
}

// permissionAt reads the rule around an apiGroups entry. A person who keeps one
// of its names keeps its groups: what is granted is both.
func (m *permissionMaker) permissionAt(s *find.Site) permission {
	t := s.Tree
	p := permission{site: s, tree: t, list: s.Node}
	p.readNames(func(key string) int32 { return t.Sibling(s.Node, key) })
	if list := t.Sibling(s.Node, "apiVersions"); list >= 0 && t.Scalars(t.Children(list)) {
		p.versions = t.Children(list)
	}
	name, isKept := m.keptName(p)
	for _, item := range t.Children(s.Node) {
		g := granted{item: item, name: t.Means(item), alias: t.IsAlias(item)}
		if m.names.Has(g.name) {
			g.site = p.itemSite(item, find.Permitted, rules.GVK{Group: g.name})
			if d, ok := m.kept(g.site); ok {
				g.kept = &d
			} else if isKept {
				g.kept = &name
			}
		}
		p.groups = append(p.groups, g)
	}
	return p
}

// readNames reads the items of the resources of a rule, or of its kinds.
func (p *permission) readNames(entry func(key string) int32) {
	names := entry("resources")
	if kinds := entry("kinds"); names < 0 && kinds >= 0 {
		names, p.kinds = kinds, true
	}
	if names >= 0 {
		p.names = p.tree.Children(names)
		fills := func(n int32) bool { return text.HasTemplate([]byte(p.tree.Text(n))) }
		if p.filled = !p.tree.Scalars(p.names) || fills(names) || slices.ContainsFunc(p.names, fills); p.filled {
			p.names = nil
		}
	}
}

// keptName is the decision about the groups of a rule of which a person keeps a
// name, by a mark on its line.
func (m *permissionMaker) keptName(p permission) (judge.Decision, bool) {
	if len(m.keep.marks) == 0 {
		return judge.Decision{}, false
	}
	for _, name := range p.names {
		o := Outcome{Span: p.site.Doc.Span(p.tree.Nodes[name].Val), Old: p.tree.Text(name)}
		if kept, ok := m.keep.keeps(o); ok {
			return judge.Decision{Verdict: judge.Stay, Reason: kept.Reason, Why: kept.Why}, true
		}
	}
	return judge.Decision{}, false
}

// renamedInOne hands a rule to a person of which a resource has another name in
// one of its groups, and keeps it in another one; or which is to serve both
// names. A rule of one list of names cannot say that.
func (m *permissionMaker) renamedInOne(p permission) bool {
	for _, g := range p.ours() {
		for _, name := range p.plain() {
			ver := m.Ask(p.at(g.name, name))
			fresh := p.renamed(ver.To)
			if ver.Outcome != rules.Moves || fresh == name || fresh == "" {
				continue
			}
			var why string
			switch {
			case m.facts.Dual && m.copied(p):
				return true
			case m.facts.Dual:
				why = name + " becomes " + fresh + ": a rule for both would permit more"
			case m.namedOtherwise(p, name, fresh):
				why = name + " becomes " + fresh + " in " + ver.To.Group + ", and stays in another group of this rule"
			default:
				continue
			}
			for _, x := range p.ours() {
				m.record(m.draft(x.site).by(ver.Rule).Leave(judge.Splits, why, eachGroup))
			}
			return true
		}
	}
	return false
}

// namedOtherwise says whether some group of a rule does not give a name a new
// one that another group gives it.
func (m *permissionMaker) namedOtherwise(p permission, name, fresh string) bool {
	return slices.ContainsFunc(p.groups, func(g granted) bool {
		ver := m.Ask(p.at(g.name, name))
		return g.kept != nil || ver.Outcome != rules.Moves || p.renamed(ver.To) != fresh
	})
}

// rbacAtHome leaves a rule alone whose file is about a version that becomes
// another one in another group: what it belongs to must move first.
func (m *permissionMaker) rbacAtHome(p permission) bool {
	for _, g := range p.ours() {
		home := m.facts.HomeOf(m.Table, g.site)
		ver := m.Ask(rules.GVK{Group: g.name, Version: home})
		if home == "" || ver.Outcome != rules.Moves || ver.To.Group == g.name || ver.To.Version == home {
			continue
		}
		for _, x := range p.ours() {
			m.leave(x.site, judge.AtHome(g.name, ver, home, ""))
		}
		return true
	}
	return false
}

// permittedByName are the groups that those of a rule become, for each of its
// names; those of a rule without names once.
func (m *permissionMaker) permittedByName(p permission) [][]string {
	after := make([][]string, max(1, len(p.names)))
	for i := range after {
		for _, g := range p.groups {
			for _, group := range m.permitted(p, g, i) {
				if !slices.Contains(after[i], group) {
					after[i] = append(after[i], group)
				}
			}
		}
	}
	return after
}

// permitted are the groups that one group becomes for one of the names.
func (m *permissionMaker) permitted(p permission, g granted, name int) []string {
	if !g.moves() {
		return []string{g.name}
	}
	to := m.targets(p, g.name, name)
	if m.facts.Dual && !slices.Contains(to, g.name) {
		to = append([]string{g.name}, to...)
	}
	return to
}

// targets are the groups that the rules make of one, for one of the names.
func (m *permissionMaker) targets(p permission, group string, name int) []string {
	site := rules.GVK{Group: group}
	if len(p.names) > 0 {
		plural, _, _ := strings.Cut(p.tree.Means(p.names[name]), "/")
		if plural == "*" {
			return m.everyTarget(p, group)
		}
		site = p.of(group, plural)
	}
	if to := m.versioned(p, site); to != nil {
		return to
	}
	switch v := m.Ask(site); v.Outcome {
	case rules.Moves:
		return []string{v.To.Group}
	case rules.Ambiguous:
		return m.everyTarget(p, group)
	}
	return []string{group}
}

// everyTarget are all groups that the kinds of a group go to, in the versions that a rule
// names, and the group itself where its rules are of some kinds or other versions, or
// change no group: what else there is stays in it.
func (m *permissionMaker) everyTarget(p permission, group string) []string {
	var to, versions []string
	for _, item := range p.versions {
		versions = append(versions, plainVersion(p.tree.Means(item)))
	}
	if !p.allVersioned() {
		versions = []string{""}
	}
	stays := !m.Whole(group)
	add := func(v rules.Answer) bool {
		if v.Outcome == rules.Moves && !slices.Contains(to, v.To.Group) {
			to = append(to, v.To.Group)
		}
		return v.Outcome == rules.Moves
	}
	for _, version := range versions {
		whole := add(m.Ask(rules.GVK{Group: group, Version: version}))
		stays = stays || !whole
		for _, rule := range m.RulesOf(group) {
			if rule.From.Kind != "" {
				add(m.Ask(rules.GVK{Group: group, Version: version, Kind: rule.From.Kind}))
			}
		}
	}
	if (stays || len(to) == 0) && !slices.Contains(to, group) {
		to = append(to, group)
	}
	return to
}

// everyKind leaves a rule to a person that is about every resource of a group of which
// kinds go to several others: with all of their groups it would permit more.
func (m *permissionMaker) everyKind(p permission) bool {
	for i, name := range p.names {
		if !isWildcard(p.tree.Means(name)) {
			continue
		}
		for _, g := range p.ours() {
			fresh := slices.DeleteFunc(m.targets(p, g.name, i), func(group string) bool { return group == g.name })
			if len(fresh) > 1 {
				m.leaveSplit(p.ours(), ": "+strings.Join(fresh, ", "), "name the resources of each group")
				return true
			}
		}
	}
	return false
}

// inPlace rewrites the items of a list of groups, and leaves out those that
// are there already. It says false where a person is to move one that would: what stands
// beside it moves with it.
func (m *permissionMaker) inPlace(p permission) bool {
	have, gone := m.folded(p)
	facts := p.at("", "")
	if plain := p.plain(); len(plain) > 0 {
		facts = p.at("", plain[0])
	}
	for i, g := range p.groups {
		if g.site == nil || g.alias {
			continue
		}
		to := m.permitted(p, g, 0)
		switch {
		case len(to) == 1 && to[0] == g.name:
			m.groupStays(p, g)
		case gone[i]:
			m.dropItem(p, gone, i)
		case len(to) == 1:
			before := len(m.made)
			g.site.Facts = facts
			m.judged(g.site)
			if slices.ContainsFunc(m.made[before:], func(o Outcome) bool { return o.action == Person }) {
				return false
			}
		default:
			m.addGroups(p.tree, g.item, g.site, to, have)
			have = append(have, to...)
		}
	}
	return true
}

// folded says which items of a list of groups go, because what they become
// stands there already, and which groups the others are.
func (m *permissionMaker) folded(p permission) (have []string, gone []bool) {
	gone = make([]bool, len(p.groups))
	moved := make([]string, len(p.groups))
	for i, g := range p.groups {
		switch to := m.permitted(p, g, 0); {
		case slices.Equal(to, []string{g.name}):
			have = append(have, g.name)
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

// groupStays records a group in a list that keeps its name: one of the resources
// may be gone, or no rule moves those of the list.
func (m *permissionMaker) groupStays(p permission, g granted) {
	if g.kept != nil {
		m.stay(g.site, *g.kept)
		return
	}
	names := p.plain()
	if len(names) == 0 && p.allVersioned() { // every resource, in versions that no rule moves
		m.stay(g.site, judge.Decision{Reason: "no-rule", Why: m.Ask(p.at(g.name, "")).Why, Unruled: true})
		return
	}
	for _, name := range names {
		switch ver := m.Ask(p.of(g.name, name)); ver.Outcome {
		case rules.Ambiguous:
			if !p.allVersioned() {
				m.record(m.draft(g.site).by(ver.Rule).Leave(judge.Splits, ver.Why, eachGroup))
				return
			}
		case rules.Removed:
			m.record(m.draft(g.site).by(ver.Rule).Leave(judge.Removed, name+": "+ver.Why, ""))
			return
		case rules.NoRule:
			m.stay(g.site, judge.Decision{Reason: "no-rule", Why: ver.Why, Unruled: true})
			return
		}
	}
}
