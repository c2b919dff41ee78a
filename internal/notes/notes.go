// Package notes makes the changelog of a stack between two of its releases:
// conventional commits, differences of CRDs, Markdown.
//
// The flow: New goes through the components that have moved and asks a Source
// what happened to each: commits and two trees, which Between turns into
// changes. Sources reads servers; a train has a Source of its own, whose
// components may not be tagged yet. WriteMarkdown writes the text.
package notes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Changelog is what changed in a stack between two of its releases.
type Changelog struct {
	Schema     int         `json:"schema"` // 1
	Stack      string      `json:"stack"`  // its name, for people
	Version    string      `json:"version"`
	Since      string      `json:"since,omitempty"`      // the stack release before; empty = none
	Highlights string      `json:"highlights,omitempty"` // Markdown, written by hand
	Matrix     string      `json:"matrix"`               // the compatibility matrix as a Markdown block
	Components []Component `json:"components"`           // in the order of the matrix
}

// A Component is what changed in one component.
type Component struct {
	Name       string      `json:"name"`
	Title      string      `json:"title"`
	Repository string      `json:"repository"`
	Version    string      `json:"version"`
	Before     string      `json:"before,omitempty"`  // its version in the stack release before; empty = it is new
	Compare    string      `json:"compare,omitempty"` // URL of the comparison
	Problem    string      `json:"problem,omitempty"` // why its changes are not known
	Commits    int         `json:"commits"`
	Changes    []Change    `json:"changes,omitempty"` // one for each commit on the main line, newest first
	CRDs       []CRDChange `json:"crds,omitempty"`
}

// A Change is one entry: a pull request where the commits tell of one, else
// a commit.
type Change struct {
	Group    string `json:"group"` // one of groups
	Subject  string `json:"subject"`
	Breaking bool   `json:"breaking,omitempty"`
	Pull     string `json:"pull,omitempty"` // number of the pull request: "123"
	Author   string `json:"author"`
	Commit   string `json:"commit"` // full hash
}

// A Release is a release that a changelog is of, or the one before it.
type Release struct {
	Version string
	Pins    []Pin  // in the order of the matrix
	Matrix  string // the compatibility matrix as a Markdown block
}

// A Pin is a component's version in a release.
type Pin struct{ Name, Version string }

// A Source knows what changed in a component.
type Source interface {
	// Fill looks up what changed in c from e.Before to e.Version. What cannot
	// be told is a Problem of e; an error means that the answer may come.
	Fill(ctx context.Context, c *stack.Component, e *Component) error
}

// New gathers what changed in each component of now since before, the
// release that preceded it (nil = there was none). Components that went are
// left out. Components are looked up side by side.
func New(ctx context.Context, s *stack.Stack, from Source, now, before *Release, highlights string) (*Changelog, error) {
	l := &Changelog{Schema: 1, Stack: s.Name, Version: now.Version, Highlights: strings.TrimSpace(highlights), Matrix: now.Matrix}
	old := map[string]string{}
	if before != nil {
		l.Since = before.Version
		for _, pin := range before.Pins {
			old[pin.Name] = pin.Version
		}
	}
	components := make([]*stack.Component, len(now.Pins))
	for i, pin := range now.Pins {
		c, err := s.Lookup(pin.Name)
		if err != nil {
			return nil, err
		}
		components[i] = c
		l.Components = append(l.Components, Component{Name: c.Name, Title: c.Title, Repository: c.Repository, Version: pin.Version, Before: old[c.Name]})
	}
	return l, l.fill(ctx, from, components)
}

// fill asks the source about every component that has moved.
func (l *Changelog) fill(ctx context.Context, from Source, components []*stack.Component) error {
	slots := make(chan struct{}, 8)
	errs := make([]error, len(components))
	var group sync.WaitGroup
	for i, c := range components {
		if e := &l.Components[i]; e.Before != "" && e.Before != e.Version {
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				if err := from.Fill(ctx, c, e); err != nil {
					errs[i] = fmt.Errorf("%s: %w", c.Name, err)
				}
			})
		}
	}
	group.Wait()
	return errors.Join(errs...)
}

// Between fills in what commits, the newest first, and two trees tell.
func (e *Component) Between(commits []git.Commit, before, now fs.FS) error {
	e.Commits, e.Changes = len(commits), changesOf(commits)
	var err error
	e.CRDs, err = CompareCRDs(before, now)
	return err
}

// Sources are tags and repositories, as they are on their servers: a
// component whose tags are not there has a Problem, a repository that cannot be
// asked is an error.
type Sources struct {
	Stack   *stack.Stack
	Remotes *git.Remotes // tags
	Cache   *git.Cache   // commits and files
	Root    *git.Repo    // the root's repository on this machine; nil = from the cache too
	Head    string       // the revision of Root that will be the release while it has no tag
}

// Fill implements Source.
func (from Sources) Fill(ctx context.Context, c *stack.Component, e *Component) error {
	if c == from.Stack.RootComponent() && from.Root != nil {
		return e.fillRoot(ctx, c, from)
	}
	return e.fillRemote(ctx, c, from)
}

// fillRemote looks the component's tags, commits and CRDs up.
func (e *Component) fillRemote(ctx context.Context, c *stack.Component, from Sources) error {
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
	before, _, err := from.Cache.At(ctx, c.URL(), old)
	if err != nil {
		return err
	}
	now, _, err := from.Cache.At(ctx, c.URL(), fresh)
	if err != nil {
		return err
	}
	return e.Between(commits, before, now)
}

// fillRoot does the same from the root's repository on this machine, up to
// Head while the release has no tag.
func (e *Component) fillRoot(ctx context.Context, c *stack.Component, from Sources) error {
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
	before, err := from.Root.Tree(ctx, old)
	if err != nil {
		return err
	}
	now, err := from.Root.Tree(ctx, fresh)
	if err != nil {
		return err
	}
	return e.Between(commits, before, now)
}

// compare sets the address of the comparison.
func (e *Component) compare(c *stack.Component, old, fresh string) {
	if web := strings.TrimSuffix(c.URL(), ".git"); strings.HasPrefix(web, "https://") {
		e.Compare = fmt.Sprintf("%s/compare/%s...%s", web, old, fresh)
	}
}

// Problems are the components whose changes are not known.
func (l *Changelog) Problems() []Component {
	return slices.DeleteFunc(slices.Clone(l.Components), func(c Component) bool { return c.Problem == "" })
}

// Within is the changelog as Markdown, without the changes of the components
// that have the most of them where it would be longer than size: the
// comparison's address stays.
func (l *Changelog) Within(size int) (string, error) {
	for {
		var b strings.Builder
		if err := l.WriteMarkdown(&b); err != nil || b.Len() <= size {
			return b.String(), err
		}
		most := slices.MaxFunc(l.Components, func(a, b Component) int { return len(a.Changes) + len(a.CRDs) - len(b.Changes) - len(b.CRDs) })
		if len(most.Changes)+len(most.CRDs) == 0 {
			return b.String(), nil
		}
		for i := range l.Components {
			if l.Components[i].Name == most.Name {
				l.Components[i].Changes, l.Components[i].CRDs = nil, nil
			}
		}
	}
}
