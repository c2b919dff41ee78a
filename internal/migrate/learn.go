package migrate

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// A name such as backups.old.example.dev is a resource of the group or a label
// key: the spelling does not tell. It is a resource when some object, CRD or
// permission in the tree says that the group has one of that name.

// learn notes the resource that a site tells of.
func (a *analysis) learn(site rules.GVK) {
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

// perhapsResource keeps a token that looks like a key, unless its first label
// turns out to be a resource of the group (see File.settle).
func (a *analysis) perhapsResource(v *text.View, tok token) {
	const why = "looks like a label or annotation key"
	if !rules.PluralName.MatchString(tok.prefix) || tok.word.End != tok.group.End || a.history != "" {
		a.keep(v, tok, RoleKey, why)
		return
	}
	if _, ok := a.kept(v, tok); ok {
		a.keep(v, tok, RoleKey, why)
		return
	}
	site := rules.GVK{Group: tok.site.Group, Plural: tok.prefix}
	ver := a.Ask(site)
	if ver.Outcome != rules.Moves {
		a.keep(v, tok, RoleKey, why)
		return
	}
	if s := a.change(v, tok, RoleKey, ver); s != nil {
		s.Action, s.Why, s.resource = Stay, why, site.Group+"/"+site.Plural
	}
}
