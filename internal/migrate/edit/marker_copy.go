package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// ownMarker is a line that is nothing but the marker of a permission. That of a webhook
// has a name and a path, which no other one may have.
var ownMarker = lazyregexp.New(`^\s*(//|#)\s*\+kubebuilder:rbac:\S+\s*$`)

// copiedMarker puts a copy of the marker of a permission behind it, with the names that its
// resources get in the new group. It says false for one that is no line of its own, or
// moves as no whole.
func (m *markerMaker) copiedMarker(g *find.Site) bool {
	line, fresh := m.markerAlone(g)
	if fresh == "" {
		return false
	}
	v := text.Whole(m.file)
	if m.hasLine(fresh) {
		m.record(m.draft(g).Keep(bothGranted, "what it becomes is granted by another marker"))
		return true
	}
	content, next := text.LineEnd(v.Data, line.Start, len(v.Data))
	end := string(v.Data[content:next])
	d := m.draft(g)
	ver := m.Ask(rules.GVK{Group: g.Known.Group, Plural: plainResources(g.Resources)[0]})
	d.Outcome, d.New, d.Why = d.by(ver.Rule), ver.To.Group, "a marker for the new names, behind the old one"
	old := string(line.Of(v.Data))
	d.part(v, line, old, old+cmp.Or(end, "\n")+fresh)
	m.record(d.done())
	return true
}

// markerThere takes a marker out whose file has the one that it becomes.
func (m *markerMaker) markerThere(g *find.Site) bool {
	line, fresh := m.markerAlone(g)
	if fresh == "" || m.facts.Dual || !m.hasLine(fresh) {
		return false
	}
	v := text.Whole(m.file)
	_, line.End = text.LineEnd(v.Data, line.Start, len(v.Data))
	d := m.draft(g)
	ver := m.Ask(rules.GVK{Group: g.Known.Group, Plural: plainResources(g.Resources)[0]})
	d.Outcome, d.New, d.Why, d.structural = d.by(ver.Rule), "", "goes: what it becomes is granted by another marker", true
	d.part(v, line, string(line.Of(v.Data)), "")
	m.record(d.done())
	m.dropped = append(m.dropped, line)
	return true
}

// hasLine says whether the file has a line.
func (m *markerMaker) hasLine(line string) bool {
	for other := range bytes.Lines(m.file) {
		if string(bytes.TrimSpace(other)) == strings.TrimSpace(line) {
			return true
		}
	}
	return false
}

// markerAlone is the line in the file of a marker of permissions, without its end, and what it becomes;
// that is empty where not all of its groups become one for all of its resources, or
// somebody keeps it.
func (m *markerMaker) markerAlone(g *find.Site) (source.Span, string) {
	at := g.Doc.Span(g.Word)
	to, _ := text.LineEnd(m.file, at.End, len(m.file))
	span := source.Span{Start: text.LineStart(m.file, at.Start), End: to}
	line := span.Of(m.file)
	groups, ok := Argument(line, "groups")
	names, named := Argument(line, "resources")
	if _, kept := m.keep.inside(span); kept || !ok || !named || !ownMarker.Match(line) {
		return span, ""
	}
	plurals := plainResources(g.Resources)
	var said []string // what each group becomes
	becomes := func(word string) (string, bool) {
		to := ""
		for _, name := range plurals {
			ver := m.Ask(rules.GVK{Group: word, Plural: name})
			if ver.Outcome != rules.Moves || ver.To.Group == word || to != "" && ver.To.Group != to {
				return "", false
			}
			to = ver.To.Group
		}
		said = append(said, to)
		return to, to != ""
	}
	group := ""
	freshGroups, ok := words(groups.Of(line), func(word string) (string, bool) {
		group = word
		return becomes(word)
	})
	slices.Sort(said)
	if !ok || len(slices.Compact(said)) != len(said) {
		return span, ""
	}
	freshNames, ok := words(names.Of(line), func(word string) (string, bool) {
		plural, sub, more := strings.Cut(word, "/")
		ver := m.Ask(rules.GVK{Group: group, Plural: plural})
		fresh := cmp.Or(ver.To.Plural, plural)
		if more {
			fresh += "/" + sub
		}
		return fresh, ver.Outcome == rules.Moves
	})
	if !ok {
		return span, ""
	}
	fresh, err := relisted(line, []splice{{groups, freshGroups}, {names, freshNames}})
	if err != nil {
		return span, ""
	}
	return span, string(fresh)
}

// words is the value of a marker's argument with each of its words as it becomes; false
// where one becomes nothing.
func words(value []byte, to func(word string) (string, bool)) (string, bool) {
	sep, _ := separators(string(value))
	list := strings.Split(string(value), sep)
	for i, item := range list {
		word := strings.Trim(item, "{}\"` \t")
		fresh, ok := to(word)
		if word == "" || !ok {
			return "", false
		}
		list[i] = strings.Replace(item, word, fresh, 1)
	}
	return strings.Join(list, sep), true
}
