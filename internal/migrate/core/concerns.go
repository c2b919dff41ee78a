package core

import (
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Most files that name a group of Kubernetes name versions and kinds of it that no rule is
// about. They are told apart before they are read.

// concerns says which files may hold a name that the rules are about.
type concerns struct {
	sure     *source.Finder      // of what a file holds that is read
	versions map[string][]string // of the groups that stay the same in every rule
	marks    *source.Finder      // what a file holds in which something of such a group changes
}

// concernsOf are the concerns of a Core; others are its needles that are not of a group.
func (c *Core) concernsOf(others []string) *concerns {
	x := &concerns{versions: map[string][]string{}}
	marks := []string{"CustomResourceDefinition"}
	for _, g := range c.table.Groups() {
		if versions, kinds, ok := c.table.Marks(g); ok {
			x.versions[g] = versions
			marks = slices.Concat(marks, versions, kinds)
			for _, open := range "{$%<*" { // the version is filled in
				marks = append(marks, g+"/"+string(open))
			}
		}
	}
	x.marks = source.NewFinder(marks)
	x.sure = source.NewFinder(slices.Concat(c.names.NeedlesOf(func(g string) bool { _, steady := x.versions[g]; return !steady }), others))
	return x
}

// apart says whether a name that no rule changes is of a group of which only versions or kinds
// change, without such a version. It is no old name, and in no report.
func (x *concerns) apart(k rules.Known) bool {
	versions, ok := x.versions[k.Group]
	return ok && !slices.ContainsFunc(k.Versions, func(v string) bool { return slices.Contains(versions, v) })
}

// Concerns says whether a file may hold something that the rules are about.
func (c *Core) Concerns(name string, data []byte) bool {
	x := c.concerns
	return x.sure.Match(data) || c.names.Match([]byte(name)) ||
		len(x.versions) > 0 && (path.Ext(name) == ".go" || x.marks.Match(data)) && c.names.Match(data) // a package is read as a whole
}
