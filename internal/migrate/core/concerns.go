package core

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// steadyOf are the groups that stay the same in every rule, with their versions that change.
func steadyOf(t *rules.Table) map[string][]string {
	steady := map[string][]string{}
	for _, g := range t.Groups() {
		if versions, ok := t.Steps(g); ok {
			steady[g] = versions
		}
	}
	return steady
}

// apart says whether a name that no rule changes is of a group of which only versions or kinds
// change, without such a version. It is no old name, and in no report.
func (c *Core) apart(k rules.Known) bool {
	versions, ok := c.steady[k.Group]
	return ok && !slices.ContainsFunc(k.Versions, func(v string) bool { return slices.Contains(versions, v) })
}

// settled says whether no rule changes the apiVersion of an object, and nothing is to say of it,
// whatever the tree has.
func (c *Core) settled(f *File, r *refs.Ref, x *ref) bool {
	k := r.Known
	return f.Format != "go" && r.Leaf.Kind == syntax.Entry && refs.IsAPIVersion(r.Label) && r.Token.Form == names.Versioned && !r.CRD && r.Rule == nil &&
		!k.Open && len(k.Versions) == 1 && len(k.Kinds) == 1 && c.renamed[k.Kinds[0]] == nil && c.apart(k) && !byHand(x.verdict) &&
		!slices.ContainsFunc(c.table.Answers(k), func(a rules.Answer) bool { return !a.Stays() })
}

// Concerns says whether a file may hold something that the rules are about.
func (c *Core) Concerns(name string, data []byte) bool {
	if c.sure.Match(data) || c.names.Match([]byte(name)) {
		return true
	}
	v := syntax.Plain(data)
	return v != nil && c.sure.Match(v.B)
}
