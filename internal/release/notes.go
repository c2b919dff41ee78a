package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Changelog is what changed in a stack between two of its releases.
type Changelog struct {
	Schema     int            `json:"schema"` // 1
	Stack      string         `json:"stack"`  // its name, for people
	Version    string         `json:"version"`
	Since      string         `json:"since,omitempty"`      // the stack release before; empty = none
	Highlights string         `json:"highlights,omitempty"` // Markdown, written by hand
	Matrix     string         `json:"matrix"`               // the compatibility matrix as a Markdown block
	Components []ComponentLog `json:"components"`           // in the order of the matrix
}

// A ComponentLog is what changed in one component.
type ComponentLog struct {
	Name       string      `json:"name"`
	Title      string      `json:"title"`
	Repository string      `json:"repository"`
	Version    string      `json:"version"`
	Before     string      `json:"before,omitempty"`  // its version in the stack release before; empty = it is new
	Compare    string      `json:"compare,omitempty"` // URL of the comparison
	Problem    string      `json:"problem,omitempty"` // why its changes are not known
	Commits    int         `json:"commits"`
	Changes    []LogChange `json:"changes,omitempty"` // one for each commit on the main line, newest first
	CRDs       []CRDChange `json:"crds,omitempty"`
}

// A LogChange is one entry: a pull request where the commits tell of one, else
// a commit.
type LogChange struct {
	Group    string `json:"group"` // one of LogGroups
	Subject  string `json:"subject"`
	Breaking bool   `json:"breaking,omitempty"`
	Pull     string `json:"pull,omitempty"` // number of the pull request: "123"
	Author   string `json:"author"`
	Commit   string `json:"commit"` // full hash
}

// LogSources is where a changelog comes from.
type LogSources struct {
	Remotes *git.Remotes // tags
	Cache   *git.Cache   // commits and files
	Root    *git.Repo    // the root's repository on this machine; nil = from the cache too
	Head    string       // the revision of Root that will be the release while it has no tag
}

// NewChangelog gathers what changed in each component of now since before, the
// release that preceded it (nil = there was none). Components that went are
// left out. A component whose tags are not there has a Problem; a repository
// that cannot be asked is an error.
func NewChangelog(ctx context.Context, s *stack.Stack, from LogSources, now, before *matrix.Release, highlights string) (*Changelog, error) {
	l := &Changelog{Schema: 1, Stack: s.Name, Version: now.Version, Highlights: strings.TrimSpace(highlights), Matrix: matrix.Block(s, now)}
	old := map[string]string{}
	if before != nil {
		l.Since = before.Version
		for _, pin := range before.Components {
			old[pin.Name] = pin.Version
		}
	}
	for _, pin := range now.Components {
		c, err := s.Lookup(pin.Name)
		if err != nil {
			return nil, err
		}
		entry := ComponentLog{Name: c.Name, Title: c.Title, Repository: c.Repository, Version: pin.Version, Before: old[pin.Name]}
		if entry.Before != "" && entry.Before != entry.Version {
			fill := entry.fill
			if c == s.RootComponent() && from.Root != nil {
				fill = entry.fillRoot
			}
			if err := fill(ctx, c, from); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		l.Components = append(l.Components, entry)
	}
	return l, nil
}

// fill looks the component's tags, commits and CRDs up.
func (e *ComponentLog) fill(ctx context.Context, c *stack.Component, from LogSources) error {
	refs, err := from.Remotes.Tags(ctx, c.URL())
	if err != nil {
		return err
	}
	old, fresh := c.TagOf(e.Before), c.TagOf(e.Version)
	for _, tag := range []string{fresh, old} {
		if !refs.Has(tag) {
			e.Problem = fmt.Sprintf("%s has no tag %s", c.Repository, tag)
			return nil
		}
	}
	e.compare(c, old, fresh)
	if refs.Tags[old].Commit == refs.Tags[fresh].Commit {
		return nil
	}
	commits, err := from.Cache.Range(ctx, c.URL(), old, fresh)
	if err != nil {
		return err
	}
	e.Commits, e.Changes = len(commits), changesOf(commits)
	before, _, err := from.Cache.At(ctx, c.URL(), old)
	if err != nil {
		return err
	}
	now, _, err := from.Cache.At(ctx, c.URL(), fresh)
	if err != nil {
		return err
	}
	return e.schemas(before, now)
}

// fillRoot does the same from the root's repository on this machine, up to
// Head while the release has no tag.
func (e *ComponentLog) fillRoot(ctx context.Context, c *stack.Component, from LogSources) error {
	old, fresh := "refs/tags/"+c.TagOf(e.Before), "refs/tags/"+c.TagOf(e.Version)
	if _, err := from.Root.Resolve(ctx, fresh); errors.Is(err, git.ErrNotFound) {
		fresh = from.Head
	}
	commits, err := from.Root.Log(ctx, old, fresh)
	if errors.Is(err, git.ErrNotFound) {
		e.Problem = fmt.Sprintf("the repository has no tag %s", c.TagOf(e.Before))
		return nil
	}
	if err != nil {
		return err
	}
	e.compare(c, c.TagOf(e.Before), c.TagOf(e.Version))
	e.Commits, e.Changes = len(commits), changesOf(commits)
	before, err := from.Root.Tree(ctx, old)
	if err != nil {
		return err
	}
	now, err := from.Root.Tree(ctx, fresh)
	if err != nil {
		return err
	}
	return e.schemas(before, now)
}

// compare sets the address of the comparison.
func (e *ComponentLog) compare(c *stack.Component, old, fresh string) {
	if web := c.URL(); strings.HasPrefix(web, "https://") {
		e.Compare = fmt.Sprintf("%s/compare/%s...%s", web, old, fresh)
	}
}

// schemas compares the CRDs of two trees.
func (e *ComponentLog) schemas(old, fresh fs.FS) error {
	before, err := readCRDs(old)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Before, err)
	}
	now, err := readCRDs(fresh)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Version, err)
	}
	e.CRDs = compareCRDs(before, now)
	return nil
}

// ReleaseOf reads the release that a tree of the root's repository is: the
// versions of its table. A row whose version is none, and one of a component
// that the stack does not know, is left out.
func ReleaseOf(s *stack.Stack, tree fs.FS) (*matrix.Release, error) {
	_, doc, err := matrix.TableOf(s, tree)
	if err != nil {
		return nil, err
	}
	r := &matrix.Release{}
	for _, row := range doc.Rows {
		c, ok := s.Component(row.Name)
		version := row.Value
		if ok && !strings.HasPrefix(version, "v") {
			version = "v" + version
		}
		if !ok || !stack.IsVersion(version) {
			continue
		}
		if c == s.RootComponent() {
			r.Version = version
		}
		r.Components = append(r.Components, matrix.Pin{Name: c.Name, Version: version})
	}
	if r.Version == "" {
		return nil, errors.New("the table has no version of " + s.RootComponent().Title)
	}
	return r, nil
}

// With returns the release with other versions (by component's name) and
// version; components that it did not have come last.
func With(r *matrix.Release, s *stack.Stack, version string, versions map[string]string) *matrix.Release {
	next := &matrix.Release{Version: version, Date: r.Date, Notes: r.Notes, Layout: r.Layout}
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
			next.Components = append(next.Components, matrix.Pin{Name: c.Name, Version: versions[c.Name]})
		}
	}
	return next
}

// Before is the highest of the tags that is a release lower than version;
// empty when there is none.
func Before(c *stack.Component, tags []git.Ref, version string) string {
	best := ""
	for _, tag := range tags {
		v, ok := c.VersionOfTag(tag.Name)
		if ok && semver.Compare(v, version) < 0 && (best == "" || semver.Compare(v, best) > 0) {
			best = v
		}
	}
	return best
}

// Problems are the components whose changes are not known.
func (l *Changelog) Problems() []ComponentLog {
	return slices.DeleteFunc(slices.Clone(l.Components), func(c ComponentLog) bool { return c.Problem == "" })
}
