package matrix

import (
	"errors"
	"io/fs"
	"maps"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// ReleaseOf reads the release that a tree of the root's repository is: the
// versions of its table. A row whose version is none, and one of a component
// that the stack does not know, is left out.
func ReleaseOf(s *stack.Stack, tree fs.FS) (*Release, error) {
	data, doc, err := TableOf(s, tree)
	if err != nil {
		return nil, err
	}
	r := ReadRelease(s, data, doc, "")
	r.Components = slices.DeleteFunc(r.Components, func(p Pin) bool {
		_, ok := s.Component(p.Name)
		return !ok || !versions.IsVersion(p.Version)
	})
	if r.Version == "" {
		return nil, errors.New("the table has no version of " + s.RootComponent().Title)
	}
	return &r, nil
}

// With returns the release with other versions (by component's name) and
// version; components that it did not have come last.
func With(r *Release, s *stack.Stack, version string, versions map[string]string) *Release {
	next := &Release{Version: version, Date: r.Date, Notes: r.Notes}
	seen := map[string]bool{}
	for _, pin := range r.Components {
		if v := versions[pin.Name]; v != "" {
			pin.Version = v
		}
		if pin.Name == s.Root {
			pin.Version = version
		}
		seen[pin.Name] = true
		next.Components = append(next.Components, pin)
	}
	for i := range s.Components {
		if c := &s.Components[i]; !seen[c.Name] && versions[c.Name] != "" {
			next.Components = append(next.Components, Pin{Name: c.Name, Version: versions[c.Name]})
		}
	}
	return next
}

// Newest is the highest version among a component's tags; pre-releases count
// only when below says so by being one. Empty = none.
func Newest(c *stack.Component, tags map[string]git.Ref, below string) string {
	best := ""
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		v, ok := c.VersionOfTag(tag)
		if !ok || !versions.IsVersion(v) || semver.Prerelease(v) != "" || below != "" && semver.Compare(v, below) >= 0 {
			continue
		}
		if best == "" || semver.Compare(v, best) > 0 {
			best = v
		}
	}
	return best
}
