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

// grantedCRD writes both names of a CRD into a rule that grants it, while both groups
// are served, and takes the old one out of a list that has both. It says false for a
// name that becomes another one in its place.
// Source: rbac.authorization.k8s.io/v1, PolicyRule.resourceNames.
func (m *permissionMaker) grantedCRD(s *find.Site, ver rules.Answer) bool {
	t := s.Tree
	if t == nil {
		return m.markerCRD(s, ver)
	}
	if !t.Nodes[s.Node].Seq || t.Text(s.Node) != string(s.Word.Of(s.Doc.Data)) {
		return false
	}
	items := t.Children(t.Nodes[s.Node].Parent)
	names, fresh := t.TextsOf(items), s.Spell(s.Doc.Data, ver.To)
	switch {
	case m.facts.Dual:
		m.addGroups(t, s.Node, s, []string{t.Text(s.Node), fresh}, names)
	case slices.Contains(names, fresh) && inParts(t, items):
		m.record(m.draft(s).by(ver.Rule).Leave(judge.Splits, "a template says when "+fresh+" is in this list", "write it by hand, and leave the rest of the template as it is"))
	case slices.Contains(names, fresh):
		m.dropCRD(s, ver, items, fresh)
	default:
		return false
	}
	return true
}

// dropCRD takes the name of a CRD out of a list of them that has its new one.
func (m *permissionMaker) dropCRD(s *find.Site, ver rules.Answer, items []int32, fresh string) {
	t := s.Tree
	names := t.TextsOf(items)
	gone := make([]bool, len(items))
	for i, name := range names {
		for _, tok := range m.names.Tokens([]byte(name)) {
			known := tok.Known
			if known.Plural == "" {
				known.Plural = tok.Prefix
			}
			to := m.Ask(known)
			gone[i] = gone[i] || to.Outcome == rules.Moves && slices.Contains(names, tok.Spell([]byte(name), to.To))
		}
	}
	d := m.draft(s)
	d.Outcome, d.Why = d.by(ver.Rule), goesWhy(fresh)
	span := dropped(t, items, gone, slices.Index(items, s.Node))
	d.part(s.Doc, span, string(span.Of(t.Data)), "")
	m.record(d.done())
}

// markerCRD is grantedCRD for a name in the marker of a permission. One that grants
// more than CRDs by these names is for a person.
func (m *permissionMaker) markerCRD(s *find.Site, ver rules.Answer) bool {
	v, around := s.Doc, text.LineAround(s.Doc.Data, s.Word)
	if markerGrantsMore(around.Of(v.Data)) {
		m.record(m.draft(s).by(ver.Rule).Leave(judge.Splits, namesMore, "write one marker for the CRDs"))
		return true
	}
	left, right := v.Data[around.Start:s.Word.Start], v.Data[s.Word.End:around.End]
	head := string(left[strings.LastIndexByte(string(left), '=')+1:])
	sep, end := separators(head)
	rest, _, _ := strings.Cut(string(right), end)
	old, fresh := string(s.Word.Of(v.Data)), s.Spell(v.Data, ver.To)
	names := strings.Split(head+old+rest, sep)
	for i := range names {
		names[i] = strings.Trim(names[i], "{}\"` \t\r")
	}
	there := slices.Contains(names, fresh)
	d := m.draft(s)
	d.Outcome, d.New = d.by(ver.Rule), fresh
	switch quote := quoteAround(left, right); {
	case m.facts.Dual && there:
		m.record(d.Keep(bothGranted, bothGrantedWhy))
	case m.facts.Dual:
		d.New = old + sep + fresh
		d.part(v, s.Word, old, old+quote+sep+quote+fresh)
		m.record(d.done())
	case there:
		d.New, d.Why = "", goesWhy(fresh)
		span := inMarkerList(s.Word, len(quote), strings.Contains(head, sep))
		d.part(v, span, string(span.Of(v.Data)), "")
		m.record(d.done())
	default:
		return false
	}
	return true
}

// markerGrantsMore says whether the marker of a permission is about others than CRDs.
func markerGrantsMore(line []byte) bool {
	others := func(name string, named ...string) bool {
		arg, ok := Argument(line, name)
		if !ok {
			return false
		}
		value := string(arg.Of(line))
		sep, _ := separators(value)
		return slices.ContainsFunc(strings.Split(value, sep), func(word string) bool {
			word, _, _ = strings.Cut(strings.Trim(word, "{}\"` \t\r"), "/")
			return !slices.Contains(named, word)
		})
	}
	return others("resources", "customresourcedefinitions", "apiservices") || others("groups", "apiextensions.k8s.io", "apiregistration.k8s.io")
}

// quoteAround is the quote that stands on both sides of a word of a marker, "" for none:
// what stands in one pair of them is one word of a list.
// Source: sigs.k8s.io/controller-tools, pkg/markers.
func quoteAround(left, right []byte) string {
	if n := len(left); n > 0 && len(right) > 0 && left[n-1] == right[0] && (right[0] == '"' || right[0] == '`') {
		return string(right[:1])
	}
	return ""
}

// inMarkerList is what goes with a word of a marker's list, in quotes of a length: the
// separator before it, or, of the first one, that behind it.
func inMarkerList(word source.Span, quote int, behindOther bool) source.Span {
	word.Start, word.End = word.Start-quote, word.End+quote
	if behindOther {
		word.Start--
	} else {
		word.End++
	}
	return word
}
