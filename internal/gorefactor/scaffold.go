package gorefactor

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/source"
)

// scaffolded is what kubebuilder names after a kind, its files too, and writes about it.
// Source: https://github.com/kubernetes-sigs/kubebuilder, pkg/plugins/.../templates
var scaffolded = []string{
	"KIND_editor_role.yaml", "KIND_viewer_role.yaml", "KIND_admin_role.yaml", "webhook_in_PLURAL.yaml", "cainjection_in_PLURAL.yaml",
	"KIND-editor-role", "KIND-viewer-role", "KIND-admin-role", "end users to edit PLURAL", "end users to view PLURAL",
	"Schema for the PLURAL API", "resource:path=PLURAL", "singular=KIND",
}

// scaffold notes what is named so after kinds of one word, which are no words of prose elsewhere.
func (p *planner) scaffold() {
	for _, tg := range p.inOrder {
		if tg.kind.Unique || tg.rule.Surface || p.opt.Off["scaffold"] {
			continue
		}
		forms := slices.Clone(scaffolded)
		for _, a := range tg.owners { // samples
			forms = append(forms, label(a.Group)+"_"+a.Version+"_KIND.yaml", a.Group+"_"+a.Version+"_KIND.yaml")
		}
		for _, many := range []string{kindwords.Plural(tg.rule.Kind), tg.rule.Plural} {
			old := strings.NewReplacer("KIND", strings.ToLower(tg.rule.Kind), "PLURAL", many)
			fresh := strings.NewReplacer("KIND", strings.ToLower(tg.rule.ToKind), "PLURAL", tg.rule.ToPlural)
			for _, form := range forms {
				p.tokens[old.Replace(form)] = fresh.Replace(form)
			}
		}
	}
}

// editTokens changes what scaffold noted, where nothing is around it.
func (p *planner) editTokens(name string, at int, text string) {
	for old, fresh := range p.tokens {
		for start := range source.All([]byte(text), old) {
			end := start + len(old)
			if (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end]) || text[end] == '.' && !wordAt(text, end+1)) {
				p.edit(name, at+start, at+end, old, fresh)
			}
		}
	}
}
