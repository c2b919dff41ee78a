package find

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Sharer is one of the objects that a name of YAML is written for once.
type Sharer struct {
	rules.GVK      // what it is
	Named     bool // it has the name from there; else the kind beside it alone
}

// shared reads which objects take a name, or the kind beside it, from where it
// stands, and the kind that its own object takes from elsewhere.
func (e *entry) shared(s *Site) {
	t := e.t
	if t.Nodes[e.i].Key.Len() == 0 {
		return
	}
	own := t.Nodes[e.i].Parent
	var list []Sharer
	takers := t.Takers(e.i)
	for _, m := range append([]int32{own}, takers...) {
		list = append(list, Sharer{e.objectAt(m), true})
	}
	if base := list[0]; len(takers) > 0 && base.Kind == "" && base.Plural == "" {
		list = list[1:] // others make an object of it
	}
	kind := t.Value(own, "kind")
	if kind < 0 && len(takers) == 0 {
		return
	}
	for _, m := range append([]int32{own}, takers...) {
		list = append(list, e.withKind(m)...)
	}
	of := takers // whose kinds are not beside it yet
	if first := list[0].GVK; s.Facts.Kind == "" && s.Facts.Plural == "" {
		s.Facts.Kind, s.Facts.Plural = first.Kind, first.Plural
		of = append([]int32{own}, takers...)
	}
	e.kindsOf(s, of)
	if len(list) > 1 {
		s.Shared = list
	}
}

// kindsOf adds the kinds of mappings to what moves with a site, each place once.
func (e *entry) kindsOf(s *Site, mappings []int32) {
	seen := map[source.Span]bool{}
	for _, p := range s.Beside {
		seen[p.Span] = true
	}
	for _, m := range mappings {
		if n := e.t.Value(m, "kind"); n >= 0 && !seen[e.t.Nodes[n].Val] && e.t.Text(n) == s.Facts.Kind {
			seen[e.t.Nodes[n].Val] = true
			s.Beside = append(s.Beside, e.part(n, RoleKind))
		}
	}
}

// withKind are the objects beside that of a mapping which have its kind from the
// same place.
func (e *entry) withKind(m int32) []Sharer {
	kind := e.t.Value(m, "kind")
	if kind < 0 {
		return nil
	}
	var list []Sharer
	for _, other := range append([]int32{e.t.Nodes[kind].Parent}, e.t.Takers(kind)...) {
		if o := e.objectAt(other); other != m && o.Group != "" {
			list = append(list, Sharer{o, false})
		}
	}
	return list
}

// objectAt is what a mapping says that it is; without a group where it does not
// say so.
func (e *entry) objectAt(m int32) rules.GVK {
	t := e.t
	scalar := func(keys ...string) string {
		for _, key := range keys {
			if n := t.Value(m, key); n >= 0 && t.Nodes[n].Style <= text.Double {
				return t.Text(n)
			}
		}
		return ""
	}
	o := rules.GVK{Group: scalar("group", "apiGroup", "apiVersion"), Version: scalar("version")}
	if group, version, ok := strings.Cut(o.Group, "/"); ok {
		o.Group, o.Version = group, version
	}
	if !rules.APIVersion.MatchString(o.Version) {
		o.Version = ""
	}
	if kind := scalar("kind", "Kind", "ownerKind"); rules.KindName.MatchString(kind) {
		o.Kind = kind
	} else if plural := scalar("resource", "plural"); rules.PluralName.MatchString(plural) {
		o.Plural = plural
	}
	return o
}
