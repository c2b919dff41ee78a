package edit

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A name such as backups.old.example.dev is a resource of the group or a label
// key: the spelling does not tell. It is a resource when some object, CRD or
// permission in the tree says that the group has one of that name.

// learnFrom notes the resources that a site tells of.
func (m *maker) learnFrom(s *find.Site, d judge.Decision) {
	m.learn(s.Tells)
	m.kindOf(s)
	if s.Place.Ask == find.Rules && d.Verdict != judge.MoveKey && !d.Kept {
		m.learn(judge.Merge(s.Known, s.Facts))
	}
}

// kindOf notes the kind of an object or of a CRD, however it stands in its file:
// within a list or a string, in a template, as JSON, in a here document, in a block of a
// document. Running text outside of objects tells none.
func (m *maker) kindOf(s *find.Site) {
	is := judge.Merge(s.Known, s.Facts)
	switch {
	case s.Phrase && !m.facts.Format.Is(find.Objects):
	case s.Place == find.CRDGroup && s.Defines.Kind != "":
		for _, version := range s.Served {
			m.kinds = append(m.kinds, rules.GVK{Group: is.Group, Version: version, Kind: s.Defines.Kind})
		}
	case s.Place == find.APIVersion && is.Kind != "" && is.Version != "":
		m.kinds = append(m.kinds, rules.GVK{Group: is.Group, Version: is.Version, Kind: is.Kind})
	}
}

// learn notes the resource that is told of.
func (m *sheet) learn(site rules.GVK) {
	if site.Kind == "" && site.Plural == "" || len(m.RulesOf(site.Group)) == 0 {
		return
	}
	if m.learned == nil {
		m.learned = map[string]bool{}
	}
	if site.Plural != "" {
		m.learned[site.Group+"/"+site.Plural] = true
		return
	}
	kind := strings.TrimSuffix(site.Kind, "List")
	if p := rules.Plurals(kind)[0]; p != strings.ToLower(kind) {
		m.learned[site.Group+"/"+p] = true
	}
}
