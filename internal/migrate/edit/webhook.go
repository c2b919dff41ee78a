package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of a webhook or of an admission policy names versions beside its
// groups and resources, and controller-runtime names the path of a webhook
// after all three: /mutate-example-com-v1-widget.
// Source: sigs.k8s.io/controller-runtime, pkg/builder/webhook.go.

// A hookMaker makes the edits of the paths of webhooks.
type hookMaker struct{ *sheet }

// rulePath rewrites the path of the webhook that a rule belongs to, where it is
// made of the group, version and kind. One that cannot be written, and that of a
// URL, whose server may be anyone's, is for a person.
func (m *hookMaker) rulePath(p permission) {
	at, url := servicePath(p)
	if m.facts.Dual || at < 0 {
		return
	}
	t := p.tree
	val := t.Nodes[at].Val
	for _, g := range p.ours() {
		for _, name := range t.TextsOf(p.names) {
			switch {
			case url:
				_, path, _ := strings.Cut(t.Text(at), "://")
				m.leavePath(p.site, val, path[strings.LastIndexByte(path, '/')+1:], g.name, name)
			case !t.Verbatim(at):
				m.leavePath(p.site, val, t.Text(at), g.name, name)
			default:
				m.webhookPath(p.site, val, g.name, name)
			}
		}
	}
	for _, g := range p.ours() { // made of the group, and of a name that its server has made up
		m.leavePath(p.site, val, t.Text(at), g.name, "*")
	}
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

// servicePath is the path of the webhook that a rule belongs to, in a webhook
// configuration or in a CSV, or the URL in its place; -1 for none.
func servicePath(p permission) (at int32, url bool) {
	t := p.tree
	hook := t.Nodes[p.list].Parent // the rule
	if hook >= 0 {
		hook = t.Nodes[hook].Parent
	}
	if hook < 0 || t.KeyText(hook) != "rules" {
		return -1, false
	}
	if at := t.Sibling(hook, "webhookPath"); at >= 0 {
		return at, false
	}
	config := t.Sibling(hook, "clientConfig")
	if config < 0 {
		return -1, false
	}
	if service := t.Child(config, "service"); service >= 0 {
		return t.Child(service, "path"), false
	}
	return t.Child(config, "url"), true
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
	if ver.Outcome != rules.Moves || ver.To.Version != version && m.facts.IsHomeOf(s, version) {
		return "", rules.Rule{}, false
	}
	if site.Kind != "" {
		kind = strings.ToLower(ver.To.Kind)
	}
	return "/" + verb + "-" + Dashed(ver.To.Group) + "-" + ver.To.Version + "-" + kind, ver.Rule, true
}

// Dashed is a group as it stands in the path of a webhook.
func Dashed(group string) string { return strings.ReplaceAll(group, ".", "-") }
