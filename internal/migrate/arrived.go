package migrate

import (
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A CRD or a manifest that has moved tells of the resource that it was as well: what
// names that elsewhere may be migrated later, folder by folder.

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
