package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A markerMaker makes the edits of markers.
type markerMaker struct {
	*sheet
	hooks  *hookMaker
	judged func(*find.Site) // has a group that goes one way judged
}

// marker is a group in a marker: +groupName=G, +kubebuilder:rbac:groups=A;G,resources=...
func (m *markerMaker) marker(s *find.Site) {
	s.Place = find.MarkerGroup
	if c, ok := calledForBy(s); ok {
		m.webhook(s, c)
		return
	}
	plurals := plainResources(s.Resources)
	if len(plurals) == 0 {
		if m.grantsAll(s) {
			m.markerGroup(s)
		} else {
			m.judged(s)
		}
		return
	}
	targets := m.targetsOf(s.Known.Group, plurals)
	if len(targets) > 1 {
		m.leave(s, judge.Decision{Reason: judge.Splits, Why: "its resources go to different groups: " + strings.Join(targets, ", "), Hint: "split the marker into one for each group"})
		m.leftPath(s)
		return
	}
	if m.markerParts(s, plurals) || m.markerAtHome(s) || m.markerSplits(s, plurals) {
		m.leftPath(s)
		return
	}
	if m.markerThere(s) {
		return
	}
	s.Facts.Plural = plurals[0]
	m.markerGroup(s)
	m.markerResources(s)
}

// markerParts leaves a marker of permissions to a person that names a resource of which
// one version goes to another group, and another one of the tree stays.
func (m *markerMaker) markerParts(s *find.Site, plurals []string) bool {
	if _, kept := m.kept(s); kept || m.facts.Dual {
		return false
	}
	for _, name := range plurals {
		ver := m.Ask(rules.GVK{Group: s.Known.Group, Plural: name})
		if why := m.facts.Mixed.Parts(ver, s.Known.Group); why != "" {
			m.record(m.draft(s).by(ver.Rule).Leave(judge.Splits, why, "name both groups, or keep it with cfctl:keep"))
			return true
		}
	}
	return false
}

// markerAtHome leaves a marker of permissions to a person whose package is of a
// version that becomes another one in another group, as the name of its group is.
func (m *markerMaker) markerAtHome(s *find.Site) bool {
	if _, kept := m.kept(s); kept || s.Home == "" || s.Facts.Version != "" {
		return false
	}
	home := m.facts.HomeOf(m.Table, s)
	ver := m.Ask(rules.GVK{Group: s.Known.Group, Version: home})
	if home == "" || ver.Outcome != rules.Moves || ver.To.Group == s.Known.Group || ver.To.Version == home {
		return false
	}
	m.leave(s, judge.AtHome(s.Known.Group, ver, home, ""))
	return true
}

// grantsAll says whether a marker is about all resources of a group that moves.
func (m *markerMaker) grantsAll(s *find.Site) bool {
	return slices.ContainsFunc(s.Resources, isWildcard) && m.Ask(judge.Merge(s.Known, s.Facts)).Outcome == rules.Moves
}

// bothGranted is the id of the reason of a group in a list that names what it
// becomes as well.
const bothGranted = "both-granted"

const bothGrantedWhy = "what it becomes is named beside it"

// markerGroup rewrites a group in the list of a marker. In dual mode the new
// group comes behind it; where it is there already, the old one goes.
func (m *markerMaker) markerGroup(g *find.Site) {
	ver := m.Ask(judge.Merge(g.Known, g.Facts))
	if d, kept := m.kept(g); kept {
		m.stay(g, d)
		return
	}
	if ver.Outcome != rules.Moves || ver.To.Group == g.Known.Group {
		m.judged(g)
		return
	}
	v, around := g.Doc, find.MarkerAround(g.Doc.Data, g.Word)
	list := m.listOfMarker(v.Data[around.Start:g.Word.Start], v.Data[g.Word.End:around.End], g)
	both := m.facts.Dual || m.staysAsWell(g)
	d := draft{Outcome: Outcome{Span: v.Span(g.Word), Role: find.RoleMarker, Old: g.Known.Group, New: ver.To.Group}.by(ver.Rule)}
	switch {
	case list.there && both:
		m.record(d.Keep(bothGranted, bothGrantedWhy))
		return
	case list.there:
		d.New, d.Why = "", goesWhy(ver.To.Group)
		if list.granted {
			d.granted = g.Known.Group
		}
		span := source.Span{Start: g.Word.Start - len(list.quote) - list.before, End: g.Word.End + len(list.quote) + list.behind}
		d.part(v, span, string(span.Of(v.Data)), "")
	case both:
		d.New = g.Known.Group + list.sep + ver.To.Group
		d.part(v, g.Word, d.Old, d.Old+list.quote+list.sep+list.quote+ver.To.Group)
	default:
		d.part(v, g.Word, d.Old, ver.To.Group)
	}
	m.record(d.done())
}

// staysAsWell says whether a marker is about all resources of a group of which
// the rules move some kinds: what else there is stays in it.
func (m *markerMaker) staysAsWell(g *find.Site) bool {
	return slices.ContainsFunc(g.Resources, isWildcard) && !m.Whole(g.Known.Group)
}

// A markerItem is a group in the list of a marker.
type markerItem struct {
	granted        bool // what it becomes stands in the list
	there          bool // what it becomes stands in the list already, or comes of one before it
	before, behind int  // the bytes that go with it when it goes: a separator
	sep            string
	quote          string // that stands around it alone: each word of a list has its own
}

// listOfMarker reads the list of groups around a token.
func (m *markerMaker) listOfMarker(left, right []byte, g *find.Site) markerItem {
	head := string(left[bytes.LastIndexByte(left, '=')+1:])
	sep, end := separators(head)
	rest, _, _ := strings.Cut(string(right), end)
	names := strings.Split(head+g.Known.Group+rest, sep)
	me := strings.Count(head, sep)
	var have []string
	moved := make([]string, len(names))
	for i, name := range names {
		name = strings.Trim(name, "{}\"` \t\r")
		ver := m.Ask(judge.Merge(rules.GVK{Group: name}, g.Facts))
		if _, kept := m.Keeps(name); kept || ver.Outcome != rules.Moves || ver.To.Group == name {
			have = append(have, name)
		} else {
			moved[i] = ver.To.Group
		}
	}
	item, stays := markerItem{behind: 1, sep: sep, quote: quoteAround(left, right), granted: moved[me] != "" && judge.ContainsName([]byte(head+sep+rest), moved[me])}, slices.Contains(moved[:min(me, len(moved))], "")
	for i, to := range moved[:min(me+1, len(moved))] {
		item.there = slices.Contains(have, to)
		if !item.there {
			have = append(have, to)
			stays = stays || i < me
		}
	}
	if stays {
		item.before, item.behind = 1, 0
	} else if me+1 == len(names) {
		item.behind = 0
	}
	return item
}

// separators are what stands between the words of an argument's value, and what
// ends it: a;b or {a,b}.
func separators(value string) (between, end string) {
	if strings.HasPrefix(strings.TrimLeft(value, " "), "{") {
		return ",", "}"
	}
	return ";", ","
}

// isWildcard says whether a resource is one that names no resource.
func isWildcard(resource string) bool {
	name, _, _ := strings.Cut(resource, "/")
	return name == "*"
}

// plainResources cuts sub-resources off and leaves wildcards out.
func plainResources(list []string) []string {
	var plain []string
	seen := map[string]bool{"": true, "*": true}
	for _, r := range list {
		r, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(r), `"'`), "/")
		if !seen[r] {
			plain, seen[r] = append(plain, r), true
		}
	}
	return plain
}

// targetsOf are the groups that resources of a group go to, sorted.
func (m *markerMaker) targetsOf(group string, resources []string) []string {
	var groups []string
	for _, r := range resources {
		to := group
		if v := m.Ask(rules.GVK{Group: group, Plural: r}); v.Outcome == rules.Moves {
			to = v.To.Group
		}
		groups = append(groups, to)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}
