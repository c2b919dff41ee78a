package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// The PROJECT file of kubebuilder says an API group in two halves: a domain
// for the project, and a group for each resource; the API group is
// group.domain, or the domain alone where there is no group.
// Source: https://book.kubebuilder.io/reference/project-config

// A projectMaker makes the edits of a PROJECT file.
type projectMaker struct{ *sheet }

// A projectAPI is a resource of a PROJECT file, and what the rules make of it.
type projectAPI struct {
	group, domain, kind, version int32 // entries, -1 for one that is not there; a resource without a domain has that of the project

	site        rules.GVK
	answer      rules.Answer // Moves, or the resource stays
	first, rest string       // the halves of what its group becomes, of the one it has when it stays
	alone       bool         // its group field is the whole of a group, whatever the domain beside it
}

// project rewrites the halves of the groups in a PROJECT file, and the kinds. A
// half that several resources share moves when it becomes the same for all of
// them: no resource gets a group that no rule says. While both groups are served
// it stays.
func (m *projectMaker) project(s *find.Site) {
	if m.facts.Stays != "" || m.facts.Dual {
		return
	}
	v := s.Doc
	t := text.ScanYAML(v.Data, 0, len(v.Data), false)
	top := t.Entry(-1, "domain")
	all := m.projectAPIs(v, t, top)
	list := slices.DeleteFunc(slices.Clone(all), func(p projectAPI) bool { return p.alone })
	shared := slices.DeleteFunc(slices.Clone(list), func(p projectAPI) bool { return p.domain >= 0 })
	domain := t.Text(top)
	left := m.facts.Domains[domain]
	agree := left == "" && !slices.ContainsFunc(shared, func(p projectAPI) bool { return p.rest != shared[0].rest })
	for i, p := range all {
		switch p.answer.Outcome {
		case rules.Moves:
			switch {
			case p.version < 0 || p.answer.To.Version == p.site.Version:
			case onlySteps(p):
				m.versionStays(v, t, &p, "own-package", "the entry is that of the Go package of this version")
			case versionTaken(all, i):
				m.versionStays(v, t, &p, "name-taken", "another entry has "+p.answer.To.Version+" of it, and this one is that of another Go package")
			}
			m.projectAPI(v, t, p, p.alone || p.rest != "" && (agree || p.domain >= 0))
		case rules.Removed:
			m.record(m.projectDraft(v, t, p).Leave(judge.Removed, p.answer.Why, ""))
		}
	}
	if top < 0 || !agree && left == "" {
		return
	}
	switch rest, rule := m.projectDomain(list, shared, domain); {
	case rest == "", rest == domain:
	case left != "":
		at := t.Nodes[top].Val
		s := &find.Site{Doc: v, Token: find.Token{Group: at, Word: at, Known: rules.GVK{Group: domain}}, Place: find.ProjectHalf}
		o, why := m.draft(s).by(rule), "the tree has a CRD of "+left+", which stays below this domain"
		if len(shared) > 0 {
			o = o.Leave(judge.Splits, why, "give each resource that moves a domain of its own")
		} else {
			o = o.Keep(s.Place.Reason, why)
		}
		m.record(o)
	case len(list) == 0 && rule.From.Kind != "" && m.facts.Mixed.In(domain, "") != "":
		m.record(m.projectDomainDraft(v, t, top, domain).by(rule).Leave(judge.Splits, "it depends on the kind: "+rule.From.Kind+" moves, and "+judge.StaysIn(m.facts.Mixed.In(domain, "")), "give the resources that move a domain of their own, or keep it with cfctl:keep"))
	case len(list) == 0 && len(m.RulesOf(domain)) == 0:
		m.record(m.projectDomainDraft(v, t, top, domain).by(rule).Leave(judge.Splits, "groups below "+domain+" go to "+rest+", and no resource of the project says whether all of them do", "write "+rest+" when they do, or keep it with cfctl:keep"))
	default:
		m.beside(v, t.Nodes[top].Val, find.RoleGroup, rule, rest)
	}
}

// projectAPI rewrites one resource that moves. Where its group has no halves, or
// the domain that it shares stays, a person is told.
func (m *projectMaker) projectAPI(v *text.View, t *text.Tree, p projectAPI, whole bool) {
	if !whole && p.answer.To.Group != p.site.Group {
		m.record(m.projectDraft(v, t, p).Leave(judge.Splits, p.site.Group+" becomes "+p.answer.To.Group+", and the domain of the project stays", "give the resource a group and a domain of its own that spell "+p.answer.To.Group))
		return
	}
	if p.group >= 0 {
		m.beside(v, t.Nodes[p.group].Val, find.RoleGroup, p.answer.Rule, p.first)
	}
	if p.domain >= 0 {
		m.beside(v, t.Nodes[p.domain].Val, find.RoleGroup, p.answer.Rule, p.rest)
	}
	if p.kind >= 0 && p.site.Kind != "" {
		m.beside(v, t.Nodes[p.kind].Val, find.RoleKind, p.answer.Rule, p.answer.To.Kind)
	}
	if p.version >= 0 && p.site.Version != "" {
		m.beside(v, t.Nodes[p.version].Val, find.RoleAPIVersion, p.answer.Rule, p.answer.To.Version)
	}
}

// versionStays records that the version of a resource stays.
func (m *projectMaker) versionStays(v *text.View, t *text.Tree, p *projectAPI, reason, why string) {
	at := t.Nodes[p.version].Val
	site := &find.Site{Doc: v, Token: find.Token{Group: at, Word: at, Known: p.site}, Place: find.InProject}
	o := m.draft(site).by(p.answer.Rule)
	o.Role = find.RoleAPIVersion
	m.record(o.Keep(reason, why))
	p.version = -1
}

// onlySteps says whether a resource gets another version and nothing else. Its entry
// tells of the Go package of the old one, which the package of the new one, with an
// entry of its own, comes beside.
func onlySteps(p projectAPI) bool {
	to := p.answer.To
	return to.Group == p.site.Group && (to.Kind == "" || to.Kind == p.site.Kind)
}

// versionTaken says whether another resource of a project is the one that a resource
// would become by its version.
func versionTaken(all []projectAPI, i int) bool {
	to := all[i].answer.To
	for j, other := range all {
		is := other.site
		if other.answer.Outcome == rules.Moves {
			is = other.answer.To
		}
		if i != j && is.Group == to.Group && is.Version == to.Version && is.Kind == to.Kind {
			return true
		}
	}
	return false
}

// projectDraft is the outcome of a resource, of which nothing is said yet.
func (m *projectMaker) projectDraft(v *text.View, t *text.Tree, p projectAPI) Outcome {
	node := p.group
	if node < 0 {
		node = p.kind
	}
	at := t.Nodes[node].Val
	return m.draft(&find.Site{Doc: v, Token: find.Token{Group: at, Word: at, Known: p.site}, Place: find.InProject}).by(p.answer.Rule)
}

// projectDomainDraft is the outcome of the domain, of which nothing is said yet.
func (m *projectMaker) projectDomainDraft(v *text.View, t *text.Tree, top int32, domain string) *draft {
	at := t.Nodes[top].Val
	return m.draft(&find.Site{Doc: v, Token: find.Token{Group: at, Word: at, Known: rules.GVK{Group: domain}}, Place: find.InProject})
}

// projectDomain is what the domain of the project becomes: what that of the
// resources becomes which share it; where there are none, what that of all
// resources becomes, or that of the rules' groups below it, of which a person is
// told: others may stay there.
func (m *projectMaker) projectDomain(list, shared []projectAPI, domain string) (string, rules.Rule) {
	switch {
	case len(shared) > 0:
		list = shared
	case len(list) == 0:
		return m.domainTo(domain)
	}
	rest, rule := "", rules.Rule{}
	for _, p := range list {
		switch {
		case len(shared) == 0 && p.site.Group != domain && !strings.HasSuffix(p.site.Group, "."+domain):
			continue // of another domain
		case p.answer.Outcome != rules.Moves || rest != "" && p.rest != rest:
			return "", rule
		}
		rest, rule = p.rest, p.answer.Rule
	}
	return rest, rule
}

// projectAPIs are the resources of a PROJECT file.
func (m *projectMaker) projectAPIs(v *text.View, t *text.Tree, top int32) []projectAPI {
	resources := t.Entry(-1, "resources")
	if resources < 0 {
		return nil
	}
	var list []projectAPI
	for _, item := range t.Children(resources) {
		p := projectAPI{group: t.Child(item, "group"), domain: t.Child(item, "domain"), kind: t.Child(item, "kind"), version: t.Child(item, "version")}
		if p.group >= 0 || p.kind >= 0 {
			list = append(list, m.projectAsk(v, t, p, top))
		}
	}
	return list
}

// projectAsk is a resource with what the rules make of it; where a person keeps
// a half of it, it stays.
func (m *projectMaker) projectAsk(v *text.View, t *text.Tree, p projectAPI, top int32) projectAPI {
	domain := p.domain
	if domain < 0 {
		domain = top
	}
	name := t.Text(p.group)
	p.site = rules.GVK{Group: strings.Trim(name+"."+t.Text(domain), "."), Version: t.Text(p.version), Kind: t.Text(p.kind)}
	p.rest = t.Text(domain)
	if strings.Contains(name, ".") && len(m.RulesOf(name)) > 0 && (domain < 0 || len(m.RulesOf(p.site.Group)) == 0) {
		p.site.Group, p.alone = name, true
		if domain = p.domain; t.Text(domain) != name { // the group says it all
			domain = -1
		}
		p.domain = domain
	}
	for _, n := range []int32{p.group, domain, p.kind, p.version} {
		if n < 0 {
			continue
		}
		if _, kept := m.keep.keeps(Outcome{Span: v.Span(t.Nodes[n].Val), Old: t.Text(n)}); kept {
			return p
		}
	}
	if len(m.RulesOf(p.site.Group)) > 0 {
		p.answer = m.Ask(p.site)
	}
	switch {
	case p.answer.Outcome != rules.Moves:
	case p.alone: // its domain is the whole group as well, or none of it
		p.first, p.rest = p.answer.To.Group, p.answer.To.Group
	default:
		p.first, p.rest = halves(p.answer.To.Group, p.group >= 0)
	}
	return p
}

// halves are what a group is in a PROJECT file: its first label and the others,
// or nothing and all of it.
func halves(group string, two bool) (first, rest string) {
	if !two {
		return "", group
	}
	first, rest, _ = strings.Cut(group, ".")
	return first, rest
}

// domainTo is the domain that a domain goes to which is a group, and every group
// of the rules below it with its first labels unchanged, "" when they do not
// agree.
func (m *projectMaker) domainTo(domain string) (string, rules.Rule) {
	to, first := "", rules.Rule{}
	for _, group := range m.Groups() {
		label, ok := strings.CutSuffix("."+group, "."+domain)
		if !ok {
			continue
		}
		ver := m.Ask(rules.GVK{Group: group})
		rest, same := strings.CutPrefix("."+ver.To.Group, label+".")
		if ver.Outcome != rules.Moves || !same || !strings.Contains(rest, ".") || to != "" && to != rest {
			return "", rules.Rule{}
		}
		if to == "" {
			to, first = rest, ver.Rule
		}
	}
	return to, first
}

// projectHalf is a half of a group that stays.
func (m *projectMaker) projectHalf(s *find.Site) {
	if m.hasSite(s.Doc.Span(s.Word)) {
		return
	}
	d, kept := m.kept(s)
	if !kept && m.facts.Dual {
		d = judge.Decision{Reason: "dual", Why: judge.DualWhy}
	} else if !kept {
		d = judge.Decision{Reason: s.Place.Reason, Why: s.Place.Why}
	}
	m.stay(s, d)
}
