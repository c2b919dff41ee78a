package core

import (
	"bytes"
	"cmp"
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
	withoutGo bool // as of Ansible or Helm: else the step of the Go package says what becomes of versions
}

// A resource is one API of a project. Its domain is that of the project where
// it has none.
type resource struct {
	group, domain, version, kind, plural item
	line                                 string // begins a line behind its group; "" where none can be there
}

// name is where a resource is reported.
func (r resource) name() item {
	if r.group.Len() > 0 {
		return r.group
	}
	return r.kind
}

func readProject(root *syntax.Node) *project {
	p := &project{}
	for _, doc := range root.Kids {
		if d := doc.Child("domain"); d != nil {
			p.domain = one(d)
		}
		if l := doc.Child("layout"); l != nil {
			isGo := func(n *syntax.Node) bool { return strings.HasPrefix(n.String(), "go") }
			p.withoutGo = !isGo(l) && !slices.ContainsFunc(l.Kids, isGo)
		}
		list := doc.Child("resources")
		if list == nil {
			continue
		}
		for _, r := range list.Kids {
			x := resource{line: lineBehind(r.Child("group")), group: one(r.Child("group")), domain: one(r.Child("domain")), version: one(r.Child("version")), kind: one(r.Child("kind")), plural: one(r.Child("plural"))}
			p.resources = append(p.resources, x)
		}
	}
	if len(p.resources) == 0 {
		return nil
	}
	return p
}

// lineBehind is the line break behind a group and the blanks in front of its name, "" where there is
// something else beside the group.
func lineBehind(group *syntax.Node) string {
	if group == nil {
		return ""
	}
	b, eol := group.View.B, "\n"
	if bytes.HasPrefix(b[group.End:], []byte("\r\n")) {
		eol = "\r\n"
	}
	blank, own := bytes.CutSuffix(b[bytes.LastIndexByte(b[:group.Start], '\n')+1:group.Start], []byte("group: "))
	if !own || len(bytes.Trim(blank, " -")) > 0 || group.End < len(b) && !bytes.HasPrefix(b[group.End:], []byte(eol)) {
		return ""
	}
	return eol + strings.Repeat(" ", len(blank))
}

func one(n *syntax.Node) item {
	if n == nil {
		return item{}
	}
	return append(itemsOf([]*syntax.Node{n}), item{})[0]
}

// items are the texts of a project, for their positions.
func (p *project) items() []*item {
	list := []*item{&p.domain}
	for i := range p.resources {
		r := &p.resources[i]
		list = append(list, &r.group, &r.domain, &r.version, &r.kind, &r.plural)
	}
	return list
}

// A projectMove is what the rules make of a resource: newGroup and newDomain are the halves of
// its new group.
type projectMove struct {
	resource
	held      string // its domain, or the project's
	full      string // its group
	to        rules.GVK
	rule      rules.RuleID
	regrouped bool
	newGroup  string
	newDomain string
}

func (p *project) move(t *Tree, r resource) projectMove {
	m := projectMove{resource: r, held: cmp.Or(r.domain.text, p.domain.text)}
	m.full = strings.Trim(r.group.text+"."+m.held, ".")
	m.newDomain = m.held
	has := func(group string) bool { return r.kind.text != "" && t.Facts.Serves(group, r.kind.text) != nil }
	whole := len(t.core.table.RulesOf(r.group.text)) > 0 && (len(t.core.table.RulesOf(m.full)) == 0 || has(r.group.text) && !has(m.full))
	switch {
	case whole:
		m.full = r.group.text // as old projects and rabbitmq/cluster-operator have it
	case has(m.held) && !has(m.full): // scheduler-plugins and solr-operator have their group as their domain
		m.full, m.newGroup = m.held, r.group.text
	}
	a := t.core.table.Ask(rules.GVK{Group: m.full, Version: r.version.text, Kind: r.kind.text, Plural: r.plural.text})
	if a.Outcome != rules.Moves {
		return m
	}
	m.to, m.rule, m.regrouped = a.To, a.Rule.Called(), a.To.Group != m.full
	if m.regrouped {
		m.halve(whole)
	}
	return m
}

// halve sets the halves of the new group: with the domain that the resource has, if that suffices.
func (m *projectMove) halve(whole bool) {
	short, same := strings.CutSuffix(m.to.Group, "."+m.held)
	switch {
	case m.newGroup != "":
		m.newDomain = m.to.Group
	case same && m.group.text != "" && !strings.Contains(short, "."):
		m.newGroup = short
	case whole && m.held != m.full, m.held == "":
		m.newGroup = m.to.Group
	case whole:
		m.newGroup, m.newDomain = m.to.Group, m.to.Group
	case m.group.text == "":
		m.newDomain = m.to.Group
	default:
		m.newGroup, m.newDomain, _ = strings.Cut(m.to.Group, ".")
	}
}

// sites are what becomes of a PROJECT file. A group changes alone where
// that suffices; the domain changes only if all resources agree.
func (p *project) sites(t *Tree) []Site {
	var sites projectEdits
	var moves []projectMove
	for _, r := range p.resources {
		moves = append(moves, p.move(t, r))
	}
	agreed := !slices.ContainsFunc(moves, func(m projectMove) bool { return !m.regrouped || m.newDomain != moves[0].newDomain })
	for _, m := range moves {
		sites.resource(m, agreed, p.withoutGo)
	}
	used := slices.ContainsFunc(p.resources, func(r resource) bool { return r.domain.text == "" || r.domain.text == p.domain.text })
	if agreed && used {
		sites.change(p.domain, moves[0].newDomain, moves[0].rule)
	}
	for _, x := range p.items() {
		if x.Len() > 0 && len(t.core.table.RulesOf(x.text)) > 0 && !slices.ContainsFunc(sites, func(s Site) bool { return s.Start == x.Start }) {
			sites.keep(*x, rules.RuleID{}, judge.Because(judge.NoRule, ""))
		}
	}
	slices.SortFunc(sites, func(a, b Site) int { return a.Start - b.Start })
	return sites
}

// projectEdits are the sites of a PROJECT file.
type projectEdits []Site

// resource changes one resource; its halves change where its new domain is the old one, is its
// own, or is that of all.
func (l *projectEdits) resource(m projectMove, agreed, withoutGo bool) {
	own := m.domain.text != ""
	if m.regrouped {
		switch lacks := m.newDomain != m.held && !own && !agreed && m.full != m.group.text; {
		case lacks && m.line == "":
			l.keep(m.name(), m.rule, judge.Because(judge.ProjectDomain, ""))
			return
		case lacks:
			l.change(m.group, m.newGroup+m.line+"domain: "+m.newDomain, m.rule)
			m.group = item{}
		case own:
			l.change(m.domain, m.newDomain, m.rule)
		}
		l.change(m.group, m.newGroup, m.rule)
	}
	if m.regrouped || withoutGo || m.to.Kind != m.kind.text {
		l.change(m.version, m.to.Version, m.rule)
	}
	l.change(m.kind, m.to.Kind, m.rule)
	l.change(m.plural, m.to.Plural, m.rule)
}

func (l *projectEdits) change(x item, to string, rule rules.RuleID) {
	if x.text == "" || to == "" || x.text == to {
		return
	}
	*l = append(*l, Site{Span: x.Span, Verdict: judge.Rewritten("project", "group-field"), Old: x.text, New: to, Rule: rule,
		Edits: []source.Edit{{Span: x.Span, Old: x.text, New: to}}})
}

// keep adds what is not rewritten.
func (l *projectEdits) keep(x item, rule rules.RuleID, v judge.Verdict) {
	*l = append(*l, Site{Span: x.Span, Verdict: v.In("group-field"), Old: x.text, Rule: rule})
}
