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

// A marker names resources, versions and the path of a webhook beside its groups.

// markerSplits hands a marker to a person in which a resource gets another name
// in one of its groups alone, or is to serve both names.
func (m *markerMaker) markerSplits(g *find.Site, plurals []string) bool {
	if _, kept := m.kept(g); kept {
		return false
	}
	v, around := g.Doc, find.MarkerAround(g.Doc.Data, g.Word)
	left, right := v.Data[around.Start:g.Word.Start], v.Data[g.Word.End:around.End]
	head := string(left[bytes.LastIndexByte(left, '=')+1:])
	sep, end := separators(head)
	rest, _, _ := strings.Cut(string(right), end)
	groups := strings.Split(head+g.Known.Group+rest, sep)
	for _, name := range plurals {
		ver := m.Ask(rules.GVK{Group: g.Known.Group, Version: g.Facts.Version, Plural: name})
		if ver.Outcome != rules.Moves || ver.To.Plural == name || ver.To.Plural == "" {
			continue
		}
		if m.facts.Dual && m.copiedMarker(g) {
			return true
		}
		if m.facts.Dual || slices.ContainsFunc(groups, func(group string) bool {
			return m.Ask(rules.GVK{Group: strings.Trim(group, "{}\"` \t\r"), Version: g.Facts.Version, Plural: name}).To.Plural != ver.To.Plural
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
	marker := find.MarkerAround(v.Data, s.Word)
	arg, ok := Argument(marker.Of(v.Data), "resources")
	if !ok {
		return
	}
	for _, word := range markerWords(marker.Of(v.Data), arg, marker.Start) {
		name, _, _ := strings.Cut(word.name, "/")
		if ver := m.Ask(judge.Merge(rules.GVK{Group: s.Known.Group, Plural: name}, rules.GVK{Version: s.Facts.Version})); name != "" && ver.Outcome == rules.Moves && ver.To.Plural != name {
			m.beside(v, source.Span{Start: word.Start, End: word.Start + len(name)}, find.RoleResource, ver.Rule, ver.To.Plural)
		}
	}
}

// pathArgument is the path of a webhook that a marker names, empty for none.
func pathArgument(s *find.Site) source.Span {
	line := find.MarkerAround(s.Doc.Data, s.Word)
	arg, _ := Argument(line.Of(s.Doc.Data), "path")
	return text.SpanOf(line.Start+arg.Start, line.Start+arg.End)
}

// leftPath tells a person of the path that a marker of a webhook names whose group is for a
// person as well.
func (m *markerMaker) leftPath(s *find.Site) {
	if path := pathArgument(s); path.Len() > 0 && !m.facts.Dual && m.facts.Stays == "" {
		m.hooks.leavePath(s, path, string(path.Of(s.Doc.Data)), s.Known.Group, "*")
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
