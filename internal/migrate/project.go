package migrate

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// The PROJECT file of kubebuilder says an API group in two halves: a domain
// for the project, and a group for each resource; the API group is
// group.domain, or the domain alone where there is no group.
// Source: https://book.kubebuilder.io/reference/project-config

// project rewrites the halves of the groups in a PROJECT file.
func (a *analysis) project(v *text.View) {
	if a.history != "" {
		return
	}
	t := text.ScanYAML(v.Data, 0, len(v.Data), false)
	var moved rules.Answer // of all resources, when they agree
	agree, top := true, topDomain(t)
	for i := range t.Nodes {
		group := int32(i)
		if t.KeyText(group) != "group" || t.Nodes[i].Parent < 0 {
			continue
		}
		to, ok := a.projectResource(v, t, group, top)
		if !ok || moved.To.Group != "" && domainOf(moved.To.Group) != domainOf(to.To.Group) {
			agree = false
			continue
		}
		moved = to
	}
	for i := range t.Nodes {
		n := int32(i)
		if t.KeyText(n) != "domain" {
			continue
		}
		domain := t.Text(n)
		if ver := a.Ask(rules.GVK{Group: domain}); len(a.RulesOf(domain)) > 0 && ver.Outcome == rules.Moves {
			a.beside(v, t.Nodes[n].Val, RoleGroup, ver.Rule, ver.To.Group)
		} else if to, rule := a.domainTo(domain); t.Nodes[n].Parent < 0 && len(t.Nodes) <= 4 && to != "" {
			a.beside(v, t.Nodes[n].Val, RoleGroup, rule, to) // the first layout names no resources
		} else if t.Nodes[n].Parent < 0 && agree && moved.To.Group != "" {
			a.beside(v, t.Nodes[n].Val, RoleGroup, moved.Rule, domainOf(moved.To.Group))
		}
	}
}

// domainTo is the domain that every group of the rules below a domain goes to
// with its first labels unchanged, "" when they do not agree.
func (a *analysis) domainTo(domain string) (string, rules.Rule) {
	to, first := "", rules.Rule{}
	for _, group := range a.Groups() {
		label, ok := strings.CutSuffix(group, "."+domain)
		if !ok {
			continue
		}
		ver := a.Ask(rules.GVK{Group: group})
		rest, same := strings.CutPrefix(ver.To.Group, label+".")
		if ver.Outcome != rules.Moves || !same || !strings.Contains(rest, ".") || to != "" && to != rest {
			return "", rules.Rule{}
		}
		if to == "" {
			to, first = rest, ver.Rule
		}
	}
	return to, first
}

// topDomain is the domain of the project, "" when it has none.
func topDomain(t *text.Tree) string {
	if list := t.Named(-1)["domain"]; len(list) > 0 {
		return t.Text(list[len(list)-1])
	}
	return ""
}

// projectResource rewrites the group and the domain of one resource; it says
// false when the resource stays.
func (a *analysis) projectResource(v *text.View, t *text.Tree, group int32, top string) (rules.Answer, bool) {
	domain := t.Sibling(group, "domain")
	text := t.Text(domain)
	if domain < 0 {
		text = top
	}
	site := rules.GVK{Group: t.Text(group) + "." + text, Version: t.Text(t.Sibling(group, "version")), Kind: t.Text(t.Sibling(group, "kind"))}
	if len(a.RulesOf(site.Group)) == 0 {
		return rules.Answer{}, false
	}
	ver := a.Ask(site)
	if ver.Outcome != rules.Moves || !strings.Contains(ver.To.Group, ".") {
		return rules.Answer{}, false
	}
	first, rest, _ := strings.Cut(ver.To.Group, ".")
	a.beside(v, t.Nodes[group].Val, RoleGroup, ver.Rule, first)
	if domain >= 0 {
		a.beside(v, t.Nodes[domain].Val, RoleGroup, ver.Rule, rest)
	}
	return ver, true
}

func domainOf(group string) string {
	_, rest, _ := strings.Cut(group, ".")
	return rest
}
