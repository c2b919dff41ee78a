package bump

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Versioned match is a place with the version that it shall hold.
type Versioned struct {
	stack.Match
	Version string
}

// Splice edits the files that hold matches, and leaves out those that do not
// change.
func Splice(tree fs.FS, matches []Versioned) ([]git.Change, error) {
	edits := map[string][]source.Edit{}
	for _, m := range matches {
		if m.Skipped || !m.Sets(m.Version) {
			continue
		}
		e, err := m.Set(m.Version)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(edits[m.Path], e) {
			edits[m.Path] = append(edits[m.Path], e)
		}
	}
	return Edited(tree, edits)
}

// Edited are the files of a tree with edits made, without those that they leave as
// they are.
func Edited(tree fs.FS, edits map[string][]source.Edit) ([]git.Change, error) {
	var changes []git.Change
	for _, path := range git.Sorted(edits) {
		data, err := fs.ReadFile(tree, path)
		if IgnoreMissing(err) != nil {
			return nil, err
		}
		out, err := source.Apply(data, edits[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if string(out) != string(data) {
			changes = append(changes, git.Change{Path: path, Data: out})
		}
	}
	return changes, nil
}

// WithChanges is a tree as it is with changes.
func WithChanges(tree fs.FS, changes []git.Change) fs.FS {
	o := source.Overlay{FS: tree, Files: map[string][]byte{}}
	for _, c := range changes {
		o.Files[c.Path] = c.Data
	}
	return o
}
