package migrate

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A CRD or a manifest that has moved tells of the resource that it was as well: what
// names that elsewhere may be migrated later, folder by folder.

// learnArrived notes the old resources, group/plural, of the objects of a file that
// bear the new name of their group or kind.
func (m *Migration) learnArrived(f *File, resources map[string]bool) {
	if f.facts == nil {
		return
	}
	for _, is := range f.facts.kinds {
		m.learnOld(rules.GVK{Group: is.Group, Kind: is.Kind, Plural: rules.Plurals(is.Kind)[0]}, resources)
	}
	for _, c := range f.facts.crds {
		m.learnOld(rules.GVK{Group: c.group, Kind: c.kind, Plural: strings.TrimSuffix(c.name, "."+c.group)}, resources)
	}
}

// learnOld notes what became a resource by a rule.
func (m *Migration) learnOld(is rules.GVK, resources map[string]bool) {
	for _, group := range m.concord.pairs[is.Group] {
		for _, r := range m.rules.RulesOf(group) {
			old := rules.GVK{Group: group, Plural: is.Plural}
			if r.From.Plural != "" && (r.To.Plural == is.Plural || r.To.Kind == is.Kind) {
				old.Plural = r.From.Plural
			}
			if to := m.rules.Ask(old); to.Outcome == rules.Moves && to.To.Group == is.Group && (to.To.Plural == "" || to.To.Plural == is.Plural) {
				resources[group+"/"+old.Plural] = true
			}
		}
	}
}
