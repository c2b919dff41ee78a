package core

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// isKind says whether what a reference has behind the group may be a kind: the
// tree defines no kind of the group, or this one.
func (t *Tree) isKind(r *ref) bool {
	kinds := t.Facts.Kinds(r.known.Group)
	return len(kinds) == 0 || !slices.ContainsFunc(r.known.Kinds, func(k string) bool {
		return !slices.Contains(kinds, strings.TrimSuffix(k, "List")) && !slices.Contains(t.core.table.KindsOf(r.known.Group), k)
	})
}

// noVersion says whether text has a version behind the group that neither a rule nor
// the tree knows, although rules name others.
func (t *Tree) noVersion(r *ref) bool {
	if !r.text || r.form != names.Versioned || len(r.known.Versions) != 1 {
		return false
	}
	if !t.core.table.Versioned(r.known.Group) || slices.Contains(t.Facts.Versions(r.known.Group, ""), r.known.Versions[0]) {
		return false
	}
	return !slices.ContainsFunc(t.core.table.RulesOf(r.known.Group), func(x rules.Rule) bool {
		return x.From.Version == r.known.Versions[0] || x.To.Version == r.known.Versions[0]
	})
}

// kindMatters says whether it depends on the kind what becomes of a group.
func (c *Core) kindMatters(group string) bool {
	return !c.table.Whole(group) || slices.ContainsFunc(c.table.RulesOf(group), func(x rules.Rule) bool {
		return x.From.Kind != "" && (x.To.Kind != "" && x.To.Kind != x.From.Kind)
	})
}

// leaves is a kind or resource that gets another name and would be left behind:
// the file names it apart from a reference that names no kind.
func (t *Tree) leaves(r *ref) string {
	if r.text || r.crd || len(r.known.Kinds)+len(r.known.Plurals) > 0 || r.form != names.Bare && r.form != names.Versioned && r.form != names.REST {
		return ""
	}
	return r.file.loose[r.known.Group]
}

// isResource says whether what is in front of a group is a resource of it: its
// plural anywhere, its singular name in a command.
func (t *Tree) isResource(r *ref) bool {
	kind := t.core.kindNamed(r.known.Group, r.resource, t.Facts)
	return kind != "" && (r.command || r.resource != strings.ToLower(kind)) || r.operand && t.core.table.Whole(r.known.Group)
}
