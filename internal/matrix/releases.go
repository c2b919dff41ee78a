package matrix

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// ReleaseTables are the tables of releases of a tree that can be read. One that
// is not there, or is broken, is left out: check says so of it.
func ReleaseTables(s *stack.Stack, tree fs.FS) ([]*stack.ReleaseTable, error) {
	var list []*stack.ReleaseTable
	for _, t := range s.TablesOf(stack.RowsReleases) {
		data, err := ReadFile(tree, t.Path)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		r, err := t.Read(s, data)
		if _, ok := errors.AsType[*stack.TableError](err); ok {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// ReleasesOf are the releases that the tables of releases of a tree have, oldest
// first. A row of a line, "0.9.x", is a release of that name; those of the
// branch that is worked on, and rows that cannot be read, are left out.
func ReleasesOf(s *stack.Stack, tree fs.FS) ([]Release, error) {
	tables, err := ReleaseTables(s, tree)
	if err != nil {
		return nil, err
	}
	var releases []Release
	for _, r := range tables {
		for _, row := range r.Rows {
			if row.Err == nil && !row.Release.Tip {
				releases = addRow(releases, row)
			}
		}
	}
	slices.SortStableFunc(releases, func(a, b Release) int { return semver.Compare(a.begins, b.begins) })
	return releases, nil
}

// addRow adds what a row says to the release of its name.
func addRow(releases []Release, row *stack.ReleaseRow) []Release {
	name := row.Release.Range.String()
	i := slices.IndexFunc(releases, func(r Release) bool { return r.Version == name })
	if i < 0 {
		i = len(releases)
		releases = append(releases, Release{Version: name, begins: row.Release.Range.Member()})
	}
	for _, a := range stack.JoinClaims(row.Claims) {
		if a.None || a.Claims[0].Err != nil {
			continue
		}
		components := &releases[i].Components
		at := slices.IndexFunc(*components, func(p Pin) bool { return p.Name == a.Component.Name })
		if at < 0 {
			at = len(*components)
			*components = append(*components, Pin{Name: a.Component.Name})
		}
		p := &(*components)[at]
		taken := p.Takes().Union(a.Range)
		if p.Version, p.Range = taken.Exact(), ""; p.Version == "" {
			p.Range = taken.String()
		}
	}
	return releases
}

// Takes are the versions of a pin: the range, else the version and what the
// release was tested with.
func (p *Pin) Takes() versions.Range {
	r, _ := versions.ParseRange(p.Range)
	if p.Tested != "" {
		tested, _ := versions.ParseRange(p.Tested)
		r = r.Union(tested)
	}
	return r.Union(versions.OneVersion(p.Version))
}

// Says is what the release says of a component: the version, else the range.
func (p *Pin) Says() string {
	return cmp.Or(p.Version, p.Range)
}

// ReleaseIn is what the tables of releases of a tree say of one release; of the
// branch that is worked on when version is empty. Nil = they have no row for it,
// or there is no such table.
func ReleaseIn(s *stack.Stack, tree fs.FS, version string) (*Release, error) {
	tables, err := ReleaseTables(s, tree)
	if err != nil {
		return nil, err
	}
	var release *Release
	for _, r := range tables {
		claims, ok := r.Of(version)
		if !ok {
			continue
		}
		if release == nil {
			release = &Release{Version: version}
		}
		list := addRow([]Release{{Version: "nothing"}}, &stack.ReleaseRow{Release: &versions.Reading{}, Claims: claims})
		release.Components = append(release.Components, list[0].Components...)
	}
	return release, nil
}
