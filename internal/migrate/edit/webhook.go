package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of a webhook or of an admission policy names versions beside its
// groups and resources, and controller-runtime names the path of a webhook
// after all three: /mutate-example-com-v1-widget.
// Source: sigs.k8s.io/controller-runtime, pkg/builder/webhook.go.

// A hookMaker makes the edits of the paths of webhooks.
type hookMaker struct {
	*sheet
	named []hookName
}

// A hookName is the name of a webhook that moves, with the groups of its rules.
type hookName struct {
	at     source.Span
	groups []source.Span
}

// note notes the name of a webhook in a configuration.
func (m *hookMaker) note(s *find.Site) {
	t := s.Tree
	rulesAt := t.Value(t.Nodes[t.Up(s.Node)].Parent, "rules")
	if rulesAt < 0 {
		return
	}
	name := hookName{at: s.Doc.Span(s.Word)}
	for _, rule := range t.Children(rulesAt) {
		groups := t.Value(t.Meant(rule), "apiGroups")
		if groups < 0 {
			continue
		}
		for _, item := range t.Children(groups) {
			if at := t.Meant(item); at >= 0 && t.Text(at) == s.Known.Group {
				name.groups = append(name.groups, s.Doc.Span(t.Nodes[at].Val))
			}
		}
	}
	m.named = append(m.named, name)
}

// namesLeft leaves the names of webhooks to a person whose rules are for a person.
func (m *hookMaker) namesLeft() {
	if len(m.named) == 0 {
		return
	}
	at := map[source.Span]int{}
	for i, o := range m.made {
		at[o.Span] = i
	}
	for _, name := range m.named {
		for _, group := range name.groups {
			i, ok := at[group]
			n, named := at[name.at]
			if ok && named && m.made[i].action == Person && m.made[n].action == Change {
				o := m.made[n]
				o.New = ""
				m.made[n] = o.Leave(judge.Splits, "the group of its rules is for a person", judge.LooseHint)
			}
		}
	}
}

// rulePath rewrites the paths of the webhooks that a rule belongs to, where they are
// made of the group, version and kind. One that cannot be written, and that of a
// URL, whose server may be anyone's, is for a person; all are, where the rule is left.
func (m *hookMaker) rulePath(p permission, left bool) {
	if m.facts.Dual {
		return
	}
	t := p.tree
	for _, rule := range slices.Concat([]int32{t.Nodes[p.list].Parent}, t.Takers(p.list)) {
		q := p
		q.kinds, q.names = false, nil
		q.readNames(func(key string) int32 { return t.Value(rule, key) })
		for _, hook := range hooksOf(t, rule) {
			if at, url := servicePath(t, hook); at >= 0 {
				m.pathOf(q, at, url, left)
			}
		}
	}
}

// pathOf rewrites the path of a webhook of a rule, or leaves it.
func (m *hookMaker) pathOf(p permission, at int32, url, left bool) {
	t := p.tree
	val := t.Nodes[at].Val
	for _, g := range p.ours() {
		for _, item := range p.names {
			name := t.Means(item)
			switch {
			case url:
				_, path, _ := strings.Cut(t.Text(at), "://")
				m.leavePath(p.site, val, path[strings.LastIndexByte(path, '/')+1:], g.name, name)
			case left || !t.Verbatim(at):
				m.leavePath(p.site, val, t.Text(at), g.name, name)
			default:
				m.webhookPath(p.site, val, g.name, name)
			}
		}
	}
	for _, g := range p.ours() { // made of the group, and of a name that its server has made up
		m.leavePath(p.site, val, t.Text(at), g.name, "*")
	}
	for _, g := range p.groups {
		if path := strings.TrimSpace(t.Text(at)); g.kept != nil && !url && strings.Contains(path, HookSlug(g.name)) && !m.hasSite(p.site.Doc.Span(val)) {
			o := Outcome{Span: p.site.Doc.Span(val), Role: find.RoleWebhook, Old: path, group: g.name}
			m.record(o.Keep(g.kept.Reason, g.kept.Why))
		}
	}
}

// hooksOf are the webhooks of a rule: the one that it stands in, and those that take it, or
// all rules of that one.
func hooksOf(t *text.Tree, rule int32) []int32 {
	if rule < 0 {
		return nil
	}
	list := t.Nodes[rule].Parent
	if list < 0 {
		return nil
	}
	if t.KeyText(list) != "rules" {
		return nil
	}
	return slices.Concat([]int32{t.Nodes[list].Parent}, t.Takers(list))
}

// leavePath tells a person of the path of a webhook that is not rewritten, though
// the group that it is made of moves.
func (m *hookMaker) leavePath(s *find.Site, span source.Span, path, group, resource string) {
	path = "/" + strings.TrimPrefix(strings.TrimSpace(path), "/")
	fresh, rule, ok := m.webhookPathTo(s, path, group, resource)
	if ok && fresh != path && !m.hasSite(s.Doc.Span(span)) {
		m.record(Outcome{Span: s.Doc.Span(span), Role: find.RoleWebhook, Old: path}.by(rule).Leave("webhook-path", "the path of a webhook, which becomes "+fresh, "change it where the webhook is served as well"))
	}
}

// servicePath is the path of a webhook in a webhook configuration or in a CSV, or the URL
// in its place; -1 for none.
func servicePath(t *text.Tree, hook int32) (at int32, url bool) {
	if at := t.Value(hook, "webhookPath"); at >= 0 {
		return at, false
	}
	config := t.Value(hook, "clientConfig")
	if config < 0 {
		return -1, false
	}
	if service := t.Value(config, "service"); service >= 0 {
		return t.Value(service, "path"), false
	}
	return t.Value(config, "url"), true
}

// webhookPath rewrites a path that is made of a group, a version and the kind
// of a resource; any other stays. Where the webhook is for every resource, the path of a
// kind that no rule names is for a person: its server may have made it up.
func (m *hookMaker) webhookPath(s *find.Site, span source.Span, group, resource string) {
	path := string(span.Of(s.Doc.Data))
	if _, known := m.names.Singular(group, path[strings.LastIndexByte(path, '-')+1:]); strings.HasPrefix(resource, "*") && !known {
		m.leavePath(s, span, path, group, resource)
		return
	}
	if fresh, rule, ok := m.webhookPathTo(s, path, group, resource); ok {
		m.beside(s.Doc, span, find.RoleWebhook, rule, fresh)
	}
}

// webhookPathTo is what the path of a webhook becomes. It says false for one that
// is not made of the group, a version and the kind of the resource, or that stays.
func (m *hookMaker) webhookPathTo(s *find.Site, path, group, resource string) (string, rules.Rule, bool) {
	plural, _, _ := strings.Cut(resource, "/")
	verb, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "-")
	if !ok || !strings.HasPrefix(path, "/") || verb != "mutate" && verb != "validate" {
		return "", rules.Rule{}, false
	}
	rest, ok = strings.CutPrefix(rest, Dashed(group)+"-")
	version, kind, more := strings.Cut(rest, "-")
	if !ok || !more || !rules.APIVersion.MatchString(version) || plural != "*" && !slices.Contains(rules.Plurals(kind), plural) {
		return "", rules.Rule{}, false
	}
	if plural == "*" {
		plural = rules.Plurals(kind)[0]
	}
	site := rules.GVK{Group: group, Version: version, Plural: plural}
	if name, known := m.names.Singular(group, kind); known {
		site.Kind, site.Plural = name, ""
	}
	ver := m.Ask(site)
	if ver.Outcome != rules.Moves || ver.To.Version != version && m.facts.IsHomeOf(s, site) {
		return "", rules.Rule{}, false
	}
	if site.Kind != "" {
		kind = strings.ToLower(ver.To.Kind)
	}
	return "/" + verb + "-" + Dashed(ver.To.Group) + "-" + ver.To.Version + "-" + kind, ver.Rule, true
}

// Dashed is a group as it stands in the path of a webhook.
func Dashed(group string) string { return strings.ReplaceAll(group, ".", "-") }
