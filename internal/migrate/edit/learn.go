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
func (a *Maker) learnFrom(s *find.Site, d judge.Decision) {
	a.learn(s.Tells)
	if s.Place.Ask == find.Rules && d.Verdict != judge.MoveKey && !d.Kept {
		a.learn(judge.Merge(s.Known, s.Facts))
	}
}

// learn notes the resource that is told of.
func (a *Maker) learn(site rules.GVK) {
	if site.Kind == "" && site.Plural == "" || len(a.RulesOf(site.Group)) == 0 {
		return
	}
	if a.learned == nil {
		a.learned = map[string]bool{}
	}
	if site.Plural != "" {
		a.learned[site.Group+"/"+site.Plural] = true
		return
	}
	kind := strings.TrimSuffix(site.Kind, "List")
	if p := rules.Plurals(kind)[0]; p != strings.ToLower(kind) {
		a.learned[site.Group+"/"+p] = true
	}
}
