package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// ProjectName is the file that kubebuilder keeps at the root of a project. It
// holds the halves of a group apart, so that no search for groups finds it.
const ProjectName = "PROJECT"

// A project is a PROJECT file: the domain of the project, and its resources.
type project struct {
	domain    item
	resources []resource
}

// A resource is one API of a project. Its domain is that of the project where
// it has none.
type resource struct {
	group, domain, version, kind item
}

// name is where a resource is reported.
func (r resource) name() item {
	if r.group.Len() > 0 {
		return r.group
	}
	return r.kind
}

// homeOf is the group of a rule in which the tree defines the kind of a resource, where it does
// not define it in the group of the resource: scheduler-plugins has its group as its domain.
func (t *Tree) homeOf(group string, r resource) (string, rules.RuleID) {
	if r.kind.text == "" || t.Facts.Serves(group, r.kind.text) != nil {
		return "", rules.RuleID{}
	}
	for _, old := range t.core.table.Groups() {
		if a := t.core.table.Ask(rules.GVK{Group: old, Version: r.version.text, Kind: r.kind.text}); a.Outcome == rules.Moves && t.Facts.Serves(old, r.kind.text) != nil {
			return old, a.Rule.Called()
		}
	}
	return "", rules.RuleID{}
}

func readProject(root *syntax.Node) *project {
	p := &project{}
	for _, doc := range root.Kids {
		if d := doc.Child("domain"); d != nil {
			p.domain = one(d)
		}
		list := doc.Child("resources")
		if list == nil {
			continue
		}
		for _, r := range list.Kids {
			p.resources = append(p.resources, resource{one(r.Child("group")), one(r.Child("domain")), one(r.Child("version")), one(r.Child("kind"))})
		}
	}
	if len(p.resources) == 0 {
		return nil
	}
	return p
}

func one(n *syntax.Node) item {
	if n == nil {
		return item{}
	}
	list := itemsOf([]*syntax.Node{n})
	if len(list) == 0 {
		return item{}
	}
	return list[0]
}

// items are the texts of a project, for their positions.
func (p *project) items() []*item {
	list := []*item{&p.domain}
	for i := range p.resources {
		r := &p.resources[i]
		list = append(list, &r.group, &r.domain, &r.version, &r.kind)
	}
	return list
}

// projectSites are what becomes of a PROJECT file. A group changes alone where
// that suffices; the domain changes only if all resources agree.
func (t *Tree) projectSites(p *project) []Site {
	type move struct {
		r             resource
		domain        string
		to            rules.GVK
		rule          rules.RuleID
		moves, whole  bool
		group, suffix string
	}
	var sites []Site
	review := func(x item, rule rules.RuleID, v judge.Verdict) {
		sites = append(sites, Site{Span: x.Span, Pos: x.pos, Role: "group-field", Old: x.text, Action: judge.Review, ID: v.ID(), Why: v.Why(), Hint: v.Hint(), Rule: rule})
	}
	var moves []move
	suffixes := map[string]bool{}
	all := true
	for _, r := range p.resources {
		m := move{r: r, domain: p.domain.text}
		if r.domain.text != "" {
			m.domain = r.domain.text
		}
		full := strings.Trim(r.group.text+"."+m.domain, ".")
		if len(t.core.table.RulesOf(full)) == 0 && len(t.core.table.RulesOf(r.group.text)) > 0 {
			full, m.whole = r.group.text, true // the whole group, as old projects have it
		}
		a := t.core.table.Ask(rules.GVK{Group: full, Version: r.version.text, Kind: r.kind.text})
		m.moves = a.Outcome == rules.Moves && a.To.Group != full
		if a.Outcome == rules.Moves {
			m.to, m.rule = a.To, a.Rule.Called()
		}
		if m.moves {
			var ok bool
			if m.group, ok = strings.CutSuffix(a.To.Group, "."+m.domain); ok && r.group.text != "" && !strings.Contains(m.group, ".") {
				m.suffix = m.domain
			} else if m.whole {
				m.group, m.suffix = a.To.Group, m.domain
				if m.domain == full {
					m.suffix = a.To.Group
				}
			} else if r.group.text == "" {
				m.group, m.suffix = "", a.To.Group
			} else {
				m.group, m.suffix, _ = strings.Cut(a.To.Group, ".")
			}
			suffixes[m.suffix] = true
		} else {
			suffixes[m.domain] = true
			all = false
			if home, rule := t.homeOf(full, r); home != "" {
				v := judge.Because(judge.WrongGroup, fmt.Sprintf("the CRD of %s in this tree is of the group %s, and group and domain here make %s", r.kind.text, home, full))
				review(r.name(), rule, v)
			}
		}
		moves = append(moves, m)
	}
	all = all && len(suffixes) == 1
	change := func(x item, to string, rule rules.RuleID) {
		if x.Len() > 0 && to != "" && x.text != to {
			sites = append(sites, Site{Span: x.Span, Pos: x.pos, Role: "group-field", Old: x.text, New: to, Action: judge.Rewrite, ID: "project", Rule: rule,
				Edits: []source.Edit{{Span: x.Span, Old: x.text, New: to}}})
		}
	}
	for _, m := range moves {
		switch {
		case m.moves && (m.suffix == m.domain || m.r.domain.text != "" || all):
			if m.r.domain.text != "" && m.r.domain.text != m.suffix {
				change(m.r.domain, m.suffix, m.rule)
			}
			change(m.r.group, m.group, m.rule)
		case m.moves:
			review(m.r.name(), m.rule, judge.Because(judge.ProjectDomain, ""))
			continue
		}
		if (m.moves || m.to.Kind != m.r.kind.text) && m.to.Version != "" && m.r.version.text != "" {
			change(m.r.version, m.to.Version, m.rule)
		}
		if m.to.Kind != "" && m.r.kind.text != "" {
			change(m.r.kind, m.to.Kind, m.rule)
		}
	}
	used := slices.ContainsFunc(p.resources, func(r resource) bool { return r.domain.text == "" || r.domain.text == p.domain.text })
	if all && used && len(moves) > 0 && p.domain.Len() > 0 {
		change(p.domain, moves[0].suffix, moves[0].rule)
	}
	for _, x := range p.items() { // what stays
		if x.Len() > 0 && len(t.core.table.RulesOf(x.text)) > 0 && !slices.ContainsFunc(sites, func(s Site) bool { return s.Start == x.Start }) {
			v := judge.Because(judge.NoRule, "")
			sites = append(sites, Site{Span: x.Span, Pos: x.pos, Role: "group-field", Old: x.text, Action: v.Action(), ID: v.ID(), Why: v.Why()})
		}
	}
	slices.SortFunc(sites, func(a, b Site) int { return a.Start - b.Start })
	return sites
}
