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

// A ClusterServiceVersion owns the CRDs of its bundle, each by an entry. While
// both groups are served it owns both; an entry whose new one is there goes
// when the window ends.
// Source: https://olm.operatorframework.io/docs/concepts/crds/clusterserviceversion/

// An ownedMaker makes the edits of owned CRDs.
type ownedMaker struct {
	*sheet
	judged func(*find.Site) // has a name like any other judged
	last   ownedList        // that was read
}

// ownedCRD settles the name of an owned CRD. Where there are not two of it, nor
// are to be, it is a name like any other.
func (m *ownedMaker) ownedCRD(s *find.Site) {
	if m.ownedTwice(s) {
		return
	}
	s.Place = find.CRDName
	if ver := m.Ask(judge.Merge(s.Known, s.Facts)); ver.Outcome == rules.Moves && ver.To.Group == s.Known.Group {
		s.Facts = rules.GVK{} // a version is served beside others
	}
	m.judged(s)
}

// ownedTwice settles an entry of which there are two, or are to be. It says false
// for any other one.
func (m *ownedMaker) ownedTwice(g *find.Site) bool {
	t := g.Tree
	item := t.Nodes[g.Node].Parent
	ver := m.Ask(judge.Merge(g.Known, g.Facts))
	fresh := g.Spell(g.Doc.Data, ver.To)
	if _, kept := m.kept(g); kept || ver.Outcome != rules.Moves || fresh == t.Text(g.Node) {
		return false // a CRD that keeps its name is owned once
	}
	both := ownsAlready(t, item, fresh, ver.To.Version) || m.ownedBefore(t, item, fresh, ver.To.Version)
	if !both && !m.facts.Dual {
		return false
	}
	span := text.RuleSpan(t, item)
	if mark, kept := m.keep.inside(g.Doc.Span(span)); kept {
		m.record(m.draft(g).KeptByHand(mark.Why))
		return true
	}
	switch {
	case both && m.facts.Dual:
		m.stay(g, judge.Decision{Reason: "dual", Why: "both groups are owned"})
	case m.facts.Dual:
		both, ok := m.besideOld(t, item, span, fresh, ver.To)
		if !ok {
			m.record(m.draft(g).by(ver.Rule).unwritable("two entries"))
			return true
		}
		m.entry(g, ver.Rule, "owned beside the old one", fresh, span, both)
	default:
		if t.Nodes[item].Flow {
			span = text.FlowItem(t, item)
		}
		m.entry(g, ver.Rule, "the new group is owned already", "", span, "")
		m.dropped = append(m.dropped, g.Doc.Span(span))
	}
	return true
}

// entry records what becomes of the entry of an owned CRD as a whole.
func (m *ownedMaker) entry(g *find.Site, rule rules.Rule, why, to string, span source.Span, fresh string) {
	d := m.draft(g)
	d.Outcome, d.Why, d.New, d.structural = d.by(rule), why, to, true
	d.part(g.Doc, span, string(span.Of(g.Doc.Data)), fresh)
	m.record(d.done())
}

// ownsAlready says whether another entry owns a CRD of a name, in a version
// when both tell one.
func ownsAlready(t *text.Tree, item int32, crd, version string) bool {
	return slices.ContainsFunc(t.Texts(t.Nodes[item].Parent, "name")[crd], func(j int32) bool {
		if j == item {
			return false
		}
		at := t.Child(j, "version")
		return at < 0 || version == "" || t.Text(at) == version
	})
}

// ownedBefore says whether an entry before another one becomes it as well.
func (m *ownedMaker) ownedBefore(t *text.Tree, item int32, crd, version string) bool {
	return slices.ContainsFunc(m.becoming(t, t.Nodes[item].Parent)[crd], func(x ownedEntry) bool {
		return t.Nodes[x.item].Pos < t.Nodes[item].Pos && (x.version == version || version == "" || x.version == "")
	})
}

// An ownedEntry is one that becomes that of another CRD, in a version where it tells one.
type ownedEntry struct {
	item    int32
	version string
}

// becoming are the entries of a list of owned CRDs by what they become, read once
// for a list.
func (m *ownedMaker) becoming(t *text.Tree, list int32) map[string][]ownedEntry {
	if m.last.tree == t && m.last.list == list {
		return m.last.becoming
	}
	found := map[string][]ownedEntry{}
	for _, j := range t.Children(list) {
		name := []byte(t.Raw(t.Child(j, "name")))
		for _, tok := range m.names.Tokens(name) {
			known := tok.Known
			if known.Version = t.Text(t.Child(j, "version")); tok.Shape != find.Resource && tok.Shape != find.Key || tok.Word.Len() != len(name) {
				continue
			}
			if known.Plural == "" {
				known.Plural = tok.Prefix
			}
			ver := m.Ask(judge.Merge(known, rules.GVK{Kind: t.Text(t.Child(j, "kind"))}))
			byHand := oddlyBecomes(t, t.Child(j, "kind"), ver.To.Kind) || oddlyBecomes(t, t.Child(j, "version"), ver.To.Version)
			if ver.Outcome == rules.Moves && !byHand {
				crd := tok.Spell(name, ver.To)
				found[crd] = append(found[crd], ownedEntry{j, ver.To.Version})
			}
		}
	}
	m.last = ownedList{t, list, found}
	return found
}

// An ownedList is a list of owned CRDs, and what becomes of its entries.
type ownedList struct {
	tree     *text.Tree
	list     int32
	becoming map[string][]ownedEntry
}

// oddlyBecomes says whether a node would have to become another text, and is not
// written as what it says.
func oddlyBecomes(t *text.Tree, n int32, fresh string) bool {
	return n >= 0 && fresh != "" && !t.Verbatim(n) && t.Text(n) != fresh
}

// besideOld is an entry with a copy of it behind, in which every name has
// moved, with its own, its kind and its version. It says false where one of these
// cannot be written.
func (m *ownedMaker) besideOld(t *text.Tree, item int32, span source.Span, name string, to rules.GVK) (string, bool) {
	old := string(span.Of(t.Data))
	between := ""
	switch {
	case t.Nodes[item].Flow:
		between = ", "
	case !strings.HasSuffix(old, "\n"):
		between = "\n"
	}
	in := text.Whole([]byte(old))
	var edits []source.Edit
	written := true
	edit := func(at source.Span, is, fresh string) {
		if is == fresh {
			return
		}
		e, err := in.Edit(at, is, fresh)
		if err != nil {
			written = false
			return
		}
		edits = append(edits, e)
	}
	own := func(at int32) source.Span {
		return source.Span{Start: t.Nodes[at].Val.Start - span.Start, End: t.Nodes[at].Val.End - span.Start}
	}
	for _, tok := range m.names.Tokens(in.Data) {
		if ver := m.Ask(tok.Known); tok.Shape == find.Resource && ver.Outcome == rules.Moves && tok.Word != own(t.Child(item, "name")) {
			edit(tok.Word, string(tok.Word.Of(in.Data)), tok.Spell(in.Data, ver.To))
		}
	}
	for _, beside := range []struct{ key, fresh string }{{"name", name}, {"kind", to.Kind}, {"version", to.Version}} {
		if at := t.Child(item, beside.key); at >= 0 && beside.fresh != "" {
			edit(own(at), t.Text(at), beside.fresh)
		}
	}
	slices.SortFunc(edits, func(x, y source.Edit) int { return x.Start - y.Start })
	fresh, err := source.Apply([]byte(old), edits)
	return old + between + string(fresh), written && err == nil
}

// dropInside takes out the sites inside of what is dropped as a whole.
func (m *ownedMaker) dropInside() {
	m.made = slices.DeleteFunc(m.made, func(s Outcome) bool {
		return !s.structural && slices.ContainsFunc(m.dropped, func(d source.Span) bool { return d.Start <= s.Start && s.End <= d.End })
	})
}
