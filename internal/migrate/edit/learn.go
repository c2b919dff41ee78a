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
	if s.Place.Ask == find.Rules && d.Verdict != judge.MoveKey && !d.Kept {
		m.learn(judge.Merge(s.Known, s.Facts))
	}
}

// learn notes the resource that is told of.
func (m *maker) learn(site rules.GVK) {
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
