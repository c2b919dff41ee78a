package matrix

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// rowEdits writes a version into a row of a table: its text, and the tag in
// its link.
func rowEdits(r row, version, tag string) []source.Edit {
	var edits []source.Edit
	for _, e := range []source.Edit{{Span: r.Text, New: r.spell(version)}, {Span: r.Tag, New: tag}} {
		if e.Len() > 0 && string(e.Of(r.data)) != e.New {
			e.Old = string(e.Of(r.data))
			edits = append(edits, e)
		}
	}
	return edits
}

// A Bump is a component and the version that it is to have.
type Bump struct {
	Component *stack.Component
	Version   string // "v1.2.3"
}

// A Change is what a bump does at one place.
type Change struct {
	Bump
	Match stack.Match
	Edit  source.Edit
}

// Set returns the edits, by path, that bump every place of the components in
// the tree, and what each does; places that have the version already are left
// out. The edits are proven: after them every place says its version. Versions
// that are no semantic version, and components of which a place is missing,
// are errors.
func Set(s *stack.Stack, tree fs.FS, bumps []Bump) ([]Change, map[string][]source.Edit, error) {
	at := versionOf(s, tree)
	var changes []Change
	edits := map[string][]source.Edit{}
	made := map[string]map[source.Edit]bool{}
	for _, b := range bumps {
		if !stack.IsVersion(b.Version) {
			return nil, nil, fmt.Errorf("version %q of %s is not a semantic version vMAJOR.MINOR.PATCH", b.Version, b.Component.Name)
		}
		matches, err := s.Find(tree, b.Component, at)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range matches {
			if m.Skipped || !m.Sets(b.Version) {
				continue
			}
			if made[m.Path] == nil {
				made[m.Path] = map[source.Edit]bool{}
			}
			set := m.Set(b.Version)
			if !made[m.Path][set[0]] {
				changes = append(changes, Change{b, m, set[0]})
			}
			for _, e := range set {
				if !made[m.Path][e] {
					made[m.Path][e] = true
					edits[m.Path] = append(edits[m.Path], e)
				}
			}
		}
	}
	return changes, edits, prove(s, tree, edits, bumps, at)
}

// versionOf is the stack release that the root's row says; empty when it says
// none.
func versionOf(s *stack.Stack, tree fs.FS) string {
	data, doc, err := TableOf(s, tree)
	if err != nil {
		return ""
	}
	for _, r := range rowsOf(s, &s.Table, data, doc) {
		if r.of != nil && r.of == s.RootComponent() && stack.IsVersion(r.Value) {
			return r.Value
		}
	}
	return ""
}

// An edited tree is a tree with some files changed.
type edited struct {
	fs.FS
	files map[string][]byte
}

// ReadFile is the file with its edits.
func (e edited) ReadFile(name string) ([]byte, error) {
	if data, ok := e.files[name]; ok {
		return data, nil
	}
	return fs.ReadFile(e.FS, name)
}

// prove reads every place again on the tree with the edits made.
func prove(s *stack.Stack, tree fs.FS, edits map[string][]source.Edit, bumps []Bump, at string) error {
	after := edited{tree, map[string][]byte{}}
	for path, list := range edits {
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		if after.files[path], err = source.Apply(data, list); err != nil {
			return &source.Error{Path: path, Err: err}
		}
	}
	for _, b := range bumps {
		matches, err := s.Find(after, b.Component, at)
		if err != nil {
			return err
		}
		for _, m := range matches {
			if m.Version != b.Version && !m.Skipped {
				return &source.Error{Path: m.Path, Pos: m.Pos, Err: errors.New("two places of one text want different versions: " + m.Place.String())}
			}
		}
	}
	return nil
}
