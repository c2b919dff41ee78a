package matrix

import (
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// Left are the places of a tree that nobody has declared and that have a version
// which Set replaces elsewhere: what a bump would forget. The tree is the one
// before the bump.
func Left(s *stack.Stack, tree fs.FS, bumps []Bump, changes []Change) ([]stack.Sighting, error) {
	old := map[*stack.Component][]string{}
	for _, c := range changes {
		if v := c.Match.Version; stack.IsVersion(v) && v != c.Version {
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
		return !slices.Contains(old[f.Component], f.Version) || !slices.ContainsFunc(bumps, func(b Bump) bool { return b.Component == f.Component })
	}), nil
}
