package matrix

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
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

// ReadBumps reads "NAME VERSION" and "NAME=VERSION" arguments.
func ReadBumps(s *stack.Stack, args []string) ([]Bump, error) {
	var bumps []Bump
	for len(args) > 0 {
		name, version, ok := strings.Cut(args[0], "=")
		args = args[1:]
		if !ok {
			if len(args) == 0 {
				return nil, fmt.Errorf("no version for %s", name)
			}
			version, args = args[0], args[1:]
		}
		c, err := s.Lookup(name)
		if err != nil {
			return nil, err
		}
		if v, ok := c.VersionOfTag(version); ok {
			version = v
		} else if v := "v" + strings.TrimPrefix(version, "v"); versions.IsVersion(v) || !c.Refs {
			version = v
		}
		if !versions.IsVersion(version) && !c.Refs {
			return nil, fmt.Errorf("version %q of %s is not a semantic version vMAJOR.MINOR.PATCH", version, c.Name)
		}
		if slices.ContainsFunc(bumps, func(b Bump) bool { return b.Component == c }) {
			return nil, fmt.Errorf("%s is given twice", c.Name)
		}
		bumps = append(bumps, Bump{Component: c, Version: version})
	}
	return bumps, nil
}

// VersionsOf are the versions of bumps, by component.
func VersionsOf(bumps []Bump) map[string]string {
	versions := map[string]string{}
	for _, b := range bumps {
		versions[b.Component.Name] = b.Version
	}
	return versions
}

// A Change is what a bump does at one place.
type Change struct {
	Bump
	Match stack.Match
}

// Set returns the edits, by path, that bump every place of the components in
// the tree, and what each does; places that have the version already are left
// out. The row of a table and the requirement of a component's module need no
// declared place. The edits are verified: after them every place says its version.
// Versions that are no semantic version, and components of which a place is
// missing, are errors. See Directives for go.mod's replace directives.
func Set(s *stack.Stack, tree fs.FS, bumps []Bump) ([]Change, map[string][]source.Edit, error) {
	tree = stack.NewIndex(tree)
	at := versionOf(s, tree)
	have, err := readCells(s, tree, at)
	if err != nil {
		return nil, nil, err
	}
	var changes []Change
	edits := map[string][]source.Edit{}
	for _, b := range bumps {
		if !versions.IsVersion(b.Version) && !b.Component.Refs {
			return nil, nil, fmt.Errorf("version %q of %s is not a semantic version vMAJOR.MINOR.PATCH", b.Version, b.Component.Name)
		}
		cells, err := have.set(b)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range slices.Sorted(maps.Keys(cells)) {
			for range cells[file] {
				changes = append(changes, Change{Bump: b})
			}
			edits[file] = append(edits[file], cells[file]...)
		}
		matches, err := matchesOf(s, tree, b.Component, at, len(have[b.Component]) > 0)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range matches {
			if m.Skipped || !m.Sets(b.Version) {
				continue
			}
			e, err := m.Set(b.Version)
			if err != nil {
				return nil, nil, err
			}
			if !slices.Contains(edits[m.Path], e) {
				changes = append(changes, Change{b, m})
				edits[m.Path] = append(edits[m.Path], e)
			}
		}
	}
	if err := shared(s, tree, edits, bumps, at); err != nil {
		return nil, nil, err
	}
	return changes, edits, prove(s, tree, edits, bumps, at)
}

// shared is the error of an edit where the version of a component stands that is not bumped:
// behind a variable or an anchor that both take. A place that cannot be read has none.
func shared(s *stack.Stack, tree fs.FS, edits map[string][]source.Edit, bumps []Bump, at string) error {
	bumped := VersionsOf(bumps)
	for i := range s.Components {
		c := &s.Components[i]
		if _, ok := bumped[c.Name]; ok {
			continue
		}
		for _, p := range s.PlacesOf(c, s.RootComponent(), at) {
			matches, _ := p.Find(tree)
			for _, m := range matches {
				meets := func(e source.Edit) bool { return e.Start == m.Span.Start }
				if !m.Skipped && m.Span.Len() > 0 && slices.ContainsFunc(edits[m.Path], meets) {
					return &source.Error{Path: m.Path, Pos: m.Pos, Err: fmt.Errorf("this is the version of %s, too: %s", c.Name, p), Hint: "set both to one version, or write each at its own place"}
				}
			}
		}
	}
	return nil
}

// matchesOf is what is at the declared places of a component and at those that
// need no declaration. A component without any is an error, unless a cell of a table
// of releases was found.
func matchesOf(s *stack.Stack, tree fs.FS, c *stack.Component, at string, found bool) ([]stack.Match, error) {
	places, err := s.Implied(c)
	if err != nil {
		return nil, err
	}
	var implied []stack.Match
	for _, p := range places {
		matches, err := p.Find(tree)
		if err != nil {
			return nil, err
		}
		implied = append(implied, matches...)
	}
	matches, err := s.Find(tree, c, at)
	if errors.Is(err, stack.ErrNoPlace) && (found || len(implied) > 0) {
		err = nil
	}
	return append(matches, implied...), err
}

// cells are those of a tree's tables that take more than one version, by component.
type cells map[*stack.Component][]row

// readCells reads the cells of the stack release at, or of what is worked on. A file or a table
// that is not there has none, and what is wrong with a table of components is for its own rows to say.
func readCells(s *stack.Stack, tree fs.FS, at string) (cells, error) {
	x := cells{}
	for _, t := range s.TablesOf(stack.RowsComponents) {
		data, err := ReadFile(tree, t.Path)
		if err != nil {
			return nil, err
		}
		doc, err := t.Parse(data)
		if err != nil {
			continue
		}
		for _, r := range rowsOf(s, t, data, doc) {
			if r.takesMore() {
				x[r.of] = append(x[r.of], r)
			}
		}
	}
	tables, err := ReleaseTables(s, tree)
	for _, t := range tables {
		claims, _ := t.Of(at)
		for i := range s.Components {
			c := &s.Components[i]
			if list := lists.Where(claims, func(k *stack.Claim) bool { return k.Component == c }); len(list) > 0 {
				x[c] = append(x[c], row{path: t.Path, data: t.Data, claims: list})
			}
		}
	}
	return x, err
}

// set returns the edits, by path, after which the cells of a component take a version.
func (x cells) set(b Bump) (map[string][]source.Edit, error) {
	edits := map[string][]source.Edit{}
	for _, r := range x[b.Component] {
		if len(r.claims) > 0 && !versions.IsVersion(b.Version) {
			continue // a branch, a commit: cells are read by versions
		}
		list, err := r.admit(b.Version)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			edits[r.path] = append(edits[r.path], list...)
		}
	}
	return edits, nil
}

// admit returns the edits after which a row of several versions takes one more.
func (r row) admit(version string) ([]source.Edit, error) {
	if len(r.claims) > 0 {
		return admit(r.data, r.claims, version)
	}
	return stack.AdmitCell(r.path, r.data, r.Version, version)
}

// admit changes the cells of a release so that one of them takes a version;
// nothing when one does, or there is none.
func admit(data []byte, claims []*stack.Claim, version string) ([]source.Edit, error) {
	var first []source.Edit
	var trouble error
	for _, k := range claims {
		edits, err := k.Admit(data, version)
		switch {
		case err == nil && len(edits) == 0:
			return nil, nil
		case err == nil && first == nil:
			first = edits
		case trouble == nil:
			trouble = err
		}
	}
	if first != nil {
		return first, nil
	}
	return nil, trouble
}

// versionOf is the stack release that the root's row says; empty when it says
// none.
func versionOf(s *stack.Stack, tree fs.FS) string {
	p, err := tablesOf(s, tree)
	if err != nil {
		return ""
	}
	return p.version()
}

// prove reads every place again on the tree with the edits made.
func prove(s *stack.Stack, tree fs.FS, edits map[string][]source.Edit, bumps []Bump, at string) error {
	after := source.Overlay{FS: tree, Files: map[string][]byte{}}
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		list := edits[path]
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		if after.Files[path], err = source.Apply(data, list); err != nil {
			return &source.Error{Path: path, Err: err}
		}
	}
	read := stack.NewIndex(after)
	have, err := readCells(s, read, at)
	if err != nil {
		return err
	}
	for _, b := range bumps {
		cells, err := have.set(b)
		for _, file := range slices.Sorted(maps.Keys(cells)) {
			return fmt.Errorf("%s: the cell of %s does not take %s after the change", file, b.Component.Name, b.Version)
		}
		if err != nil {
			return err
		}
		matches, err := matchesOf(s, read, b.Component, at, len(have[b.Component]) > 0)
		if err != nil {
			return err
		}
		for _, m := range matches {
			if m.Version != b.Version && !m.Skipped && m.Part != stack.PartDigest {
				return &source.Error{Path: m.Path, Pos: m.Pos, Err: errors.New("two places of one text want different versions: " + m.Place.String())}
			}
		}
	}
	return nil
}
