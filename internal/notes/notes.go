// Package notes makes the changelog of a stack between two of its releases:
// conventional commits, differences of CRDs, Markdown.
//
// The flow: New goes through the components that have moved and asks a Source
// what happened to each: commits and two trees, which Between turns into
// changes. Components of a train may not be tagged yet. WriteMarkdown writes the text.
package notes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
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

// A Source knows the history of components.
type Source interface {
	// Span are the commits of two versions of a component; empty = it has no such tag.
	Span(ctx context.Context, c *stack.Component, before, now string) (from, to string, err error)
	// Log lists the commits that to has and from does not, newest first.
	Log(ctx context.Context, c *stack.Component, from, to string) ([]git.Commit, error)
	Files(ctx context.Context, c *stack.Component, commit string) (fs.FS, error)
	// Web is the address of a component's repository, for people.
	Web(c *stack.Component) string
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
				switch err := e.fill(ctx, from, c); {
				case wire.InTransit(err), ctx.Err() != nil:
					errs[i] = fmt.Errorf("%s: %w", c.Name, cmp.Or(err, ctx.Err()))
				case err != nil:
					e.Problem = err.Error()
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

// fill looks up what changed in a component.
func (e *Component) fill(ctx context.Context, from Source, c *stack.Component) error {
	old, now, err := from.Span(ctx, c, e.Before, e.Version)
	if err != nil {
		return err
	}
	for _, end := range [][2]string{{now, e.Version}, {old, e.Before}} {
		if end[0] == "" {
			e.Problem = fmt.Sprintf("%s has no tag %s", c.Repository, c.TagOf(end[1]))
			return nil
		}
	}
	if web := from.Web(c); strings.HasPrefix(web, "https://") {
		e.Compare = fmt.Sprintf("%s/compare/%s...%s", web, c.TagOf(e.Before), c.TagOf(e.Version))
	}
	if old == now {
		return nil
	}
	commits, err := from.Log(ctx, c, old, now)
	if err != nil {
		return err
	}
	before, err := from.Files(ctx, c, old)
	if err != nil {
		return err
	}
	after, err := from.Files(ctx, c, now)
	if err != nil {
		return err
	}
	return e.Between(commits, before, after)
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
