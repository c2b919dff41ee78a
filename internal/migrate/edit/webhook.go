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

// A rule of a webhook or of an admission policy names versions beside its
// groups and resources, and controller-runtime names the path of a webhook
// after all three: /mutate-example-com-v1-widget.
// Source: sigs.k8s.io/controller-runtime, pkg/builder/webhook.go.

// A hookMaker makes the edits of the paths of webhooks.
type hookMaker struct{ *sheet }

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

// markerSplits hands a marker to a person in which a resource gets another name
// in one of its groups alone, or is to serve both names.
func (m *markerMaker) markerSplits(g *find.Site, plurals []string) bool {
	if _, kept := m.kept(g); kept {
		return false
	}
	v, around := g.Doc, text.LineAround(g.Doc.Data, g.Word)
	left, right := v.Data[around.Start:g.Word.Start], v.Data[g.Word.End:around.End]
	head := string(left[bytes.LastIndexByte(left, '=')+1:])
	sep, end := separators(head)
	rest, _, _ := strings.Cut(string(right), end)
	groups := strings.Split(head+g.Known.Group+rest, sep)
	for _, name := range plurals {
		ver := m.Ask(rules.GVK{Group: g.Known.Group, Plural: name})
		if ver.Outcome != rules.Moves || ver.To.Plural == name || ver.To.Plural == "" {
			continue
		}
		if m.facts.Dual || slices.ContainsFunc(groups, func(group string) bool {
			return m.Ask(rules.GVK{Group: strings.Trim(group, "{}\"` \t\r"), Plural: name}).To.Plural != ver.To.Plural
		}) {
			m.record(m.draft(g).by(ver.Rule).Leave(judge.Splits, name+" becomes "+ver.To.Plural+" in "+ver.To.Group+", and this marker has more than that", "write one marker for each group"))
			return true
		}
	}
	return false
}

// markerResources follows kinds that become others in the resources that a
// marker names beside a group.
func (m *markerMaker) markerResources(s *find.Site) {
	v := s.Doc
	if _, kept := m.kept(s); kept || m.facts.Dual {
		return
	}
	from := text.LineStart(v.Data, s.Word.Start)
	to, _ := text.LineEnd(v.Data, s.Word.End, len(v.Data))
	arg, ok := Argument(v.Data[from:to], "resources")
	if !ok {
		return
	}
	at := from + arg.Start
	value := string(v.Data[at : from+arg.End])
	sep, _ := separators(value)
	for item := range strings.SplitSeq(value, sep) {
		name, _, _ := strings.Cut(strings.Trim(item, `{}" `), "/")
		start := at + strings.Index(item, name)
		at += len(item) + 1
		if ver := m.Ask(rules.GVK{Group: s.Known.Group, Plural: name}); name != "" && ver.Outcome == rules.Moves && ver.To.Plural != name {
			m.beside(v, source.Span{Start: start, End: start + len(name)}, find.RoleResource, ver.Rule, ver.To.Plural)
		}
	}
}

// markerArgs rewrites what a webhook marker names beside its groups.
func (m *markerMaker) markerArgs(s *find.Site, site rules.GVK) {
	v := s.Doc
	if site.Version == "" || m.facts.Stays != "" || m.facts.Dual {
		return
	}
	from := text.LineStart(v.Data, s.Word.Start)
	to, _ := text.LineEnd(v.Data, s.Word.End, len(v.Data))
	line := v.Data[from:to]
	if arg, ok := Argument(line, "path"); ok {
		m.hooks.webhookPath(s, source.Span{Start: from + arg.Start, End: from + arg.End}, site.Group, site.Plural)
	}
	ver := m.Ask(site)
	if arg, ok := Argument(line, "versions"); ok && ver.Outcome == rules.Moves && !m.facts.IsHomeOf(s, site.Version) {
		m.beside(v, source.Span{Start: from + arg.Start, End: from + arg.End}, find.RoleVersion, ver.Rule, ver.To.Version)
	}
}

// Argument is the value of an argument of a marker on its line, without quotes.
func Argument(line []byte, name string) (source.Span, bool) {
	for _, mark := range []string{":" + name + "=", "," + name + "="} {
		if i := bytes.Index(line, []byte(mark)); i >= 0 {
			s := source.Span{Start: i + len(mark), End: len(line)}
			if _, end := separators(string(line[s.Start:])); end == "}" {
				if n := bytes.IndexByte(line[s.Start:], '}'); n >= 0 {
					s.End = s.Start + n + 1
				}
			} else if n := bytes.IndexByte(line[s.Start:], ','); n >= 0 {
				s.End = s.Start + n
			}
			for s.Start < s.End && strings.IndexByte(" \t\r\"`", line[s.End-1]) >= 0 {
				s.End--
			}
			for s.Start < s.End && strings.IndexByte("\"`", line[s.Start]) >= 0 {
				s.Start++
			}
			return s, true
		}
	}
	return source.Span{}, false
}
