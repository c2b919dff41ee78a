package edit

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The marker of a webhook names the product of groups, resources and versions, as its
// rule in YAML does. It is rewritten where it stands only where what these become is a
// product as well: each name one other name, whatever stands beside it.
// Source: sigs.k8s.io/controller-tools, pkg/webhook.

// A calledFor is what the marker of a webhook names.
type calledFor struct {
	line                        source.Span // in the document: the marker
	groups, resources, versions []markerWord
}

// A markerWord is a word of the value of a marker's argument.
type markerWord struct {
	source.Span // in the document
	name        string
}

// calledForBy reads the marker of a webhook around a group; false for any other marker.
func calledForBy(s *find.Site) (calledFor, bool) {
	c := calledFor{line: find.MarkerAround(s.Doc.Data, s.Word)}
	line := c.line.Of(s.Doc.Data)
	if !strings.Contains(string(line), "+kubebuilder:webhook:") {
		return c, false
	}
	versions, ok := Argument(line, "versions")
	if !ok {
		return c, false
	}
	read := func(arg source.Span) []markerWord { return markerWords(line, arg, c.line.Start) }
	c.versions = read(versions)
	if arg, ok := Argument(line, "groups"); ok {
		c.groups = read(arg)
	}
	if arg, ok := Argument(line, "resources"); ok {
		c.resources = read(arg)
	}
	return c, len(c.groups) > 0 && len(c.resources) > 0
}

// markerWords are the words of an argument's value on a line, with their places
// counted from base on.
func markerWords(line []byte, arg source.Span, base int) []markerWord {
	value := string(arg.Of(line))
	sep, _ := separators(value)
	at := base + arg.Start
	var list []markerWord
	for item := range strings.SplitSeq(value, sep) {
		name := strings.Trim(item, "{}\"` \t\r")
		start := at + strings.Index(item, name)
		at += len(item) + len(sep)
		list = append(list, markerWord{source.Span{Start: start, End: start + len(name)}, name})
	}
	return list
}

// webhook moves what the marker of a webhook names, as far as one marker can say it.
func (m *markerMaker) webhook(s *find.Site, c calledFor) {
	if d, kept := m.kept(s); kept {
		m.stay(s, d)
		return
	}
	moved, why := m.calledForMoved(s, c)
	if why != "" {
		m.record(m.draft(s).by(moved.Rule).Leave(judge.Splits, why, "write one marker for each"))
		m.leftPath(s)
		return
	}
	s.Facts.Plural, s.Facts.Version = onlyPlain(c.resources), plainVersion(c.versions[0].name)
	for _, v := range c.versions {
		site := judge.Merge(s.Known, s.Facts)
		site.Version = plainVersion(v.name)
		if ver := m.Ask(site); ver.Outcome == rules.Moves && site.Version != "" && ver.To.Version != site.Version && ver.To.Group != s.Known.Group && m.facts.IsHomeOf(s, site) {
			m.leave(s, judge.AtHome(s.Known.Group, ver, site.Version, ""))
			m.leftPath(s)
			return
		}
	}
	if m.markerSplits(s, plainResources(s.Resources)) {
		m.leftPath(s)
		return
	}
	m.markerGroup(s)
	m.markerResources(s)
	m.webhookPathOf(s, c)
	m.calledVersions(s, c)
}

// onlyPlain is the first resource of a list, without its subresource; "" where it is a
// wildcard.
func onlyPlain(resources []markerWord) string {
	if plain := plainResources([]string{resources[0].name}); len(plain) > 0 {
		return plain[0]
	}
	return ""
}

// plainVersion is a version, "" for a wildcard.
func plainVersion(name string) string {
	if rules.APIVersion.MatchString(name) {
		return name
	}
	return ""
}

// calledForMoved is what the rules say of one of the names of a marker that move, and why
// the marker cannot say what all of them become: "" where it can.
func (m *markerMaker) calledForMoved(s *find.Site, c calledFor) (moved rules.Answer, why string) {
	groups, resources, versions := map[string]string{}, map[string]string{}, map[string]string{}
	become := func(of map[string]string, old, fresh, what string) {
		if to, ok := of[old]; ok && to != fresh && why == "" {
			why = "what this marker names does not go to one " + what + ": " + to + ", " + fresh
		}
		of[old] = fresh
	}
	for _, group := range c.groups {
		for _, resource := range c.resources {
			for _, version := range c.versions {
				for _, a := range m.calledImages(s, group.name, resource.name, version.name) {
					if a.Outcome == rules.Moves {
						moved = a
					}
					if parts := m.facts.Mixed.Parts(a, group.name); parts != "" && plainVersion(version.name) == "" && !m.facts.Dual {
						return a, parts
					}
					if a.Outcome == rules.Ambiguous || a.Outcome == rules.Removed {
						return a, a.Why
					}
					become(groups, group.name, a.To.Group, "group")
					become(versions, version.name, a.To.Version, "version")
					become(resources, resource.name, a.To.Plural, "resource")
				}
			}
		}
	}
	return moved, why
}

// calledImages are what becomes of one group, resource and version of a marker: of
// several, perhaps, for a wildcard. What no rule moves is named as it is.
func (m *markerMaker) calledImages(s *find.Site, group, resource, version string) []rules.Answer {
	plural, _, _ := strings.Cut(resource, "/")
	site := rules.GVK{Group: group, Version: plainVersion(version)}
	if _, kept := m.Keeps(group); kept || !m.names.Has(group) {
		return []rules.Answer{{To: rules.GVK{Group: group, Version: version, Plural: plural}}}
	}
	image := func(a rules.Answer) rules.Answer {
		if a.Outcome != rules.Moves {
			a.To = rules.GVK{Group: group, Version: version, Plural: plural}
		}
		if site.Version == "" || a.To.Group == group && m.facts.IsHomeOf(s, site) {
			a.To.Version = version
		}
		if plural == "*" || a.To.Plural == "" {
			a.To.Plural = plural
		}
		return a
	}
	if plural != "*" {
		site.Plural = plural
		return []rules.Answer{image(m.Ask(site))}
	}
	var list []rules.Answer
	if a := image(m.Ask(site)); m.Whole(group) || a.Outcome != rules.Moves || a.To.Version == version {
		list = append(list, a) // the group that it goes to is named beside the old one
	} else {
		list = append(list, image(rules.Answer{}), a)
	}
	for _, rule := range m.RulesOf(group) {
		if rule.From.Kind != "" && m.Whole(group) {
			site.Kind = rule.From.Kind
			list = append(list, image(m.Ask(site)))
		}
	}
	return list
}

// webhookPathOf rewrites the path of a marker that is made of one of its resources.
func (m *markerMaker) webhookPathOf(s *find.Site, c calledFor) {
	path := pathArgument(s)
	if path.Len() == 0 || m.facts.Dual {
		return
	}
	for _, resource := range c.resources {
		m.hooks.webhookPath(s, path, s.Known.Group, resource.name)
	}
}

// versionNames are the versions of the marker.
func (c calledFor) versionNames() []string {
	names := make([]string, len(c.versions))
	for i, v := range c.versions {
		names[i] = v.name
	}
	return names
}

// calledVersions rewrites the versions of a marker whose groups are done. Each is the
// same for all of its groups and resources.
func (m *markerMaker) calledVersions(s *find.Site, c calledFor) {
	have := c.versionNames()
	line := c.line.Of(s.Doc.Data)
	arg, _ := Argument(line, "versions")
	sep, _ := separators(string(arg.Of(line)))
	for _, v := range c.versions {
		site := judge.Merge(s.Known, s.Facts)
		site.Version = plainVersion(v.name)
		ver := m.Ask(site)
		to := ver.To.Version
		if ver.Outcome != rules.Moves || site.Version == "" || to == v.name || to == "" || m.facts.IsHomeOf(s, site) || m.hasSite(s.Doc.Span(v.Span)) {
			continue
		}
		o := Outcome{Span: s.Doc.Span(v.Span), Role: find.RoleVersion, Old: v.name}.by(ver.Rule)
		switch {
		case slices.Contains(have, to):
			m.record(o.Keep("dual", "both versions are served"))
		case m.facts.Dual:
			o.New = v.name + sep + to
			quote := quoteAround(s.Doc.Data[c.line.Start:v.Start], s.Doc.Data[v.End:c.line.End])
			d := draft{Outcome: o}
			d.part(s.Doc, v.Span, v.name, v.name+quote+sep+quote+to)
			m.record(d.done())
		default:
			m.beside(s.Doc, v.Span, find.RoleVersion, ver.Rule, to)
		}
		have = append(have, to)
	}
}
