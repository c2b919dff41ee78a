package matrix

import (
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// tablesOf is what the tables of a tree say.
func tablesOf(s *stack.Stack, tree fs.FS) (*pass, error) {
	p := &pass{Input: &Input{Stack: s, Config: &Config{}, Tree: tree}}
	return p, p.loadTables()
}

// Current are the versions, by component, that the tables of a tree say of what
// is worked on or released last. Ranges, and what no table has, are left out.
func Current(s *stack.Stack, tree fs.FS) (map[string]string, error) {
	p, err := tablesOf(s, tree)
	if err != nil {
		return nil, err
	}
	now := map[string]string{}
	for _, r := range p.rows {
		if r.of != nil && !r.takesMore() && versions.IsVersion(r.Value) {
			now[r.of.Name] = r.Value
		}
	}
	return now, nil
}

// Left are the places of a tree that no one has declared and that have a version
// which Set replaces elsewhere: what a bump would forget. The tree is the one
// before the bump.
func Left(s *stack.Stack, tree fs.FS, bumps []Bump, changes []Change) ([]stack.Sighting, error) {
	old := map[*stack.Component][]string{}
	for _, c := range changes {
		if v := c.Match.Version; versions.IsVersion(v) && v != c.Version {
			old[c.Component] = append(old[c.Component], v)
		}
	}
	if len(old) == 0 {
		return nil, nil
	}
	found, err := s.Search(tree)
	if err != nil {
		return nil, err
	}
	left, err := s.Undeclared(tree, found, versionOf(s, tree))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(left, func(f stack.Sighting) bool {
		changed := func(c Change) bool { return c.Match.Path == f.Path && c.Match.Pos.Line == f.Pos.Line }
		return slices.ContainsFunc(changes, changed) || !slices.Contains(old[f.Component], f.Version) || !slices.ContainsFunc(bumps, func(b Bump) bool { return b.Component == f.Component })
	}), nil
}
