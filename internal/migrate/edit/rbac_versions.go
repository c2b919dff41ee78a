package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A rule of a webhook or of an admission policy names versions beside its groups
// and resources: it moves with all three.

// versioned are the groups that a group becomes for one resource, by the
// versions that the rule names; nil when it names none.
func (m *permissionMaker) versioned(p permission, site rules.GVK) []string {
	t := p.tree
	var to []string
	for _, item := range p.versions {
		if !rules.APIVersion.MatchString(t.Means(item)) {
			return nil // a wildcard is every version
		}
		site.Version = t.Means(item)
		group := site.Group
		if v := m.Ask(site); v.Outcome == rules.Moves {
			group = v.To.Group
		}
		if !slices.Contains(to, group) {
			to = append(to, group)
		}
	}
	return to
}

// versionTo is what a version of a rule becomes: the same when it stays, ""
// when the groups and resources of the rule do not agree.
func (m *permissionMaker) versionTo(p permission, item int32) (string, rules.Rule) {
	version, names := p.tree.Means(item), p.tree.TextsOf(p.names)
	if !rules.APIVersion.MatchString(version) {
		return version, rules.Rule{}
	}
	if len(names) == 0 {
		names = []string{""}
	}
	to, rule := "", rules.Rule{}
	window := m.facts.Dual || m.allGo(p)
	for _, g := range p.groups {
		for _, name := range names {
			plural, _, _ := strings.Cut(name, "/")
			if window && m.isTwin(p, g, version, name) {
				continue // it is there beside what becomes it, with its own versions
			}
			next := version
			if v := m.Ask(rules.GVK{Group: g.name, Version: version, Plural: strings.Trim(plural, "*")}); g.kept == nil && v.Outcome == rules.Moves && v.To.Version != version {
				next, rule = v.To.Version, v.Rule
			}
			if to != "" && to != next {
				return "", rule
			}
			to = next
		}
	}
	return to, rule
}

// isTwin says whether a group of a rule is what another one of it becomes, for a resource in a
// version, while both are served: the rule names the versions of both.
func (m *permissionMaker) isTwin(p permission, g granted, version, name string) bool {
	plural, _, _ := strings.Cut(name, "/")
	ask := func(group string) rules.Answer {
		return m.Ask(rules.GVK{Group: group, Version: version, Plural: strings.Trim(plural, "*")})
	}
	return ask(g.name).Outcome != rules.Moves && slices.ContainsFunc(p.groups, func(other granted) bool {
		ver := ask(other.name)
		return other.name != g.name && ver.Outcome == rules.Moves && ver.To.Group == g.name
	})
}

// allGo says whether the groups of a rule that go leave it in each of its versions: one that
// stays in some may be meant by any version that the rule names.
func (m *permissionMaker) allGo(p permission) bool {
	if len(p.plain()) == 0 || slices.ContainsFunc(p.tree.TextsOf(p.names), func(name string) bool { return strings.HasPrefix(name, "*") }) {
		return false
	}
	for _, g := range p.ours() {
		for _, name := range p.plain() {
			site := p.of(g.name, name)
			for _, item := range p.versions {
				site.Version = p.tree.Means(item)
				if ver := m.Ask(site); ver.Outcome != rules.Moves || ver.To.Group == g.name {
					return false
				}
			}
		}
	}
	return true
}

// hasTwins says whether a rule names a group and what it becomes, in versions of both.
func (m *permissionMaker) hasTwins(p permission, version string) bool {
	return slices.ContainsFunc(p.groups, func(g granted) bool {
		return slices.ContainsFunc(append(p.tree.TextsOf(p.names), ""), func(name string) bool { return m.isTwin(p, g, version, name) })
	})
}

// oneVersion says whether each version of a rule becomes one for all that the rule names;
// where one does not, a person is told of it.
func (m *permissionMaker) oneVersion(p permission) bool {
	return !slices.ContainsFunc(p.versions, func(item int32) bool {
		to, _ := m.versionTo(p, item)
		return to == ""
	})
}

// versionsPart leaves a rule to a person of which a group moves, and a version with
// some of its groups and resources only: one list of versions cannot say that, and a
// rule that is split keeps its versions.
func (m *permissionMaker) versionsPart(p permission) bool {
	after := m.permittedByName(p)
	split := len(distinct(after)) > 1
	parts := func(item int32) bool {
		to, _ := m.versionTo(p, item)
		return to == "" && (split || !m.facts.Dual) || split && to != p.tree.Means(item)
	}
	if m.versionsDiffer(p) {
		m.leaveSplit(p.ours(), ", by its versions", "write one rule for each version")
		return true
	}
	if !slices.ContainsFunc(p.versions, parts) || !slices.ContainsFunc(after, func(to []string) bool { return !slices.Equal(to, p.groupNames()) }) {
		return false
	}
	m.leaveSplit(p.ours(), ", and its versions with them", "write one rule for each version")
	return true
}

// versionsDiffer says whether the versions of a rule give a resource several new groups
// or names.
func (m *permissionMaker) versionsDiffer(p permission) bool {
	if !p.allVersioned() {
		return false
	}
	for _, g := range p.ours() {
		for _, name := range p.plain() {
			fresh := slices.DeleteFunc(m.versioned(p, p.of(g.name, name)), func(group string) bool { return group == g.name })
			named := func(item int32) string {
				site := p.of(g.name, name)
				site.Version = p.tree.Means(item)
				if ver := m.Ask(site); ver.Outcome == rules.Moves && p.renamed(ver.To) != "" {
					return p.renamed(ver.To)
				}
				return name
			}
			if len(fresh) > 1 || slices.ContainsFunc(p.versions, func(item int32) bool { return named(item) != named(p.versions[0]) }) {
				return true
			}
		}
	}
	return false
}

// otherVersions leaves a rule to a person that names no version of a resource of which
// one goes to another group, and another one of the tree stays.
func (m *permissionMaker) otherVersions(p permission) bool {
	if m.facts.Dual || p.allVersioned() {
		return false
	}
	for _, g := range p.ours() {
		for _, name := range p.plain() {
			ver := m.Ask(p.of(g.name, name))
			if why := m.facts.Mixed.Parts(ver, g.name); why != "" {
				for _, x := range p.ours() {
					m.record(m.draft(x.site).by(ver.Rule).Leave(judge.Splits, why, "name both groups, or keep it with cfctl:keep"))
				}
				return true
			}
		}
	}
	return false
}

// allVersioned says whether a rule names versions, and no wildcard for any.
func (p permission) allVersioned() bool {
	return len(p.versions) > 0 && !slices.ContainsFunc(p.versions, func(item int32) bool { return plainVersion(p.tree.Means(item)) == "" })
}

// servedVersion is a version that a rule names.
var servedVersion = &find.Place{ID: "served-version", Role: find.RoleVersion}

// ruleVersions rewrites the versions of a rule whose groups are done.
func (m *permissionMaker) ruleVersions(p permission) {
	t := p.tree
	have := t.TextsOf(p.versions)
	gone := make([]bool, len(p.versions))
	for i, item := range p.versions {
		to, _ := m.versionTo(p, item)
		gone[i] = !m.facts.Dual && to != "" && to != t.Means(item) && slices.Contains(have, to) && m.hasTwins(p, t.Means(item))
	}
	for i, item := range p.versions {
		version := t.Means(item)
		to, rule := m.versionTo(p, item)
		g := p.itemSite(item, servedVersion, rules.GVK{Group: p.groups[0].name, Version: version})
		switch {
		case to == version:
		case m.facts.IsHomeOf(p.site, g.Known):
			m.record(m.draft(g).Keep("version-folder", "this file belongs to "+version))
		case to == "":
			m.record(m.draft(g).by(rule).Leave(judge.Splits, "what this rule names does not go to one version", "write one rule for each version"))
		case m.facts.Dual:
			m.addGroups(t, item, g, []string{version, to}, slices.DeleteFunc(slices.Clone(have), func(x string) bool { return x == version }))
		case gone[i]:
			d := m.draft(g)
			d.Outcome, d.Why, d.structural = d.by(rule), goesWhy(to), true
			span := dropped(t, p.versions, gone, i)
			d.part(p.site.Doc, span, string(span.Of(t.Data)), "")
			m.record(d.done())
		case slices.Contains(have, to):
			m.record(m.draft(g).Keep("dual", "both versions are served"))
		default:
			m.beside(p.site.Doc, t.Nodes[item].Val, find.RoleVersion, rule, to)
			have = append(have, to)
		}
	}
}
