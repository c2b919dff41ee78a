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
	for _, g := range p.groups {
		for _, name := range names {
			plural, _, _ := strings.Cut(name, "/")
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

// versionsPart leaves a rule to a person of which a group moves, and a version with
// some of its groups and resources only: one list of versions cannot say that.
func (m *permissionMaker) versionsPart(p permission) bool {
	if m.facts.Dual || !slices.ContainsFunc(p.ours(), func(g granted) bool { return !slices.Equal(m.permitted(p, g, 0), []string{g.name}) }) ||
		!slices.ContainsFunc(p.versions, func(item int32) bool { to, _ := m.versionTo(p, item); return to == "" }) {
		return false
	}
	m.leaveSplit(p.ours(), ", and its versions with them", "write one rule for each version")
	return true
}

// servedVersion is a version that a rule names.
var servedVersion = &find.Place{ID: "served-version", Role: find.RoleVersion}

// ruleVersions rewrites the versions of a rule whose groups are done.
func (m *permissionMaker) ruleVersions(p permission) {
	t := p.tree
	have := t.TextsOf(p.versions)
	for _, item := range p.versions {
		version := t.Means(item)
		to, rule := m.versionTo(p, item)
		g := p.itemSite(item, servedVersion, rules.GVK{Group: p.groups[0].name, Version: version})
		switch {
		case to == version || m.facts.IsHomeOf(p.site, version):
		case to == "":
			m.record(m.draft(g).by(rule).Leave(judge.Splits, "what this rule names does not go to one version", "write one rule for each version"))
		case m.facts.Dual:
			m.addGroups(t, item, g, []string{version, to}, slices.DeleteFunc(slices.Clone(have), func(x string) bool { return x == version }))
		case slices.Contains(have, to):
			m.record(m.draft(g).Keep("dual", "both versions are served"))
		default:
			m.beside(p.site.Doc, t.Nodes[item].Val, find.RoleVersion, rule, to)
			have = append(have, to)
		}
	}
}
