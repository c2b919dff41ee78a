package project

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Compared are the release that notes are of, with bumps over its versions, and the
// release before it: since, or the highest lower tag; nil = there is none.
func (v *View) Compared(ctx context.Context, version, since string, bumps []matrix.Bump) (now, before *matrix.Release, err error) {
	versions := matrix.VersionsOf(bumps)
	base, err := v.released(ctx, version, v.Tree)
	if err != nil {
		return nil, nil, err
	}
	now = matrix.With(base, v.Stack, version, versions)
	if since == "" {
		tags, err := v.Repo.Tags(ctx)
		if err != nil {
			return nil, nil, err
		}
		named := lists.By(tags, func(tag git.Ref) string { return tag.Name })
		if since = matrix.Newest(v.Stack.RootComponent(), named, version); since == "" {
			return now, nil, nil
		}
	}
	before, err = v.released(ctx, "v"+strings.TrimPrefix(since, "v"), nil)
	return now, before, err
}

// released is a release as the table of its tag says, else as it is declared, else as
// the table of another tree says; nil = without its tag there is none.
func (v *View) released(ctx context.Context, version string, tree fs.FS) (*matrix.Release, error) {
	tagged, err := v.Repo.Tree(ctx, "refs/tags/"+v.Stack.RootComponent().TagOf(version))
	switch {
	case err != nil && tree == nil:
		return nil, source.Hinted(err, "name a release that has a tag with --since")
	case err != nil && !errors.Is(err, git.ErrNotFound):
		return nil, err
	case err == nil:
		if r, err := matrix.ReleaseOf(v.Stack, tagged); err == nil {
			return r, nil
		}
		if tree == nil {
			tree = tagged
		}
	}
	if r, ok := v.Config.Release(version); ok {
		return r, nil
	}
	return matrix.ReleaseOf(v.Stack, tree)
}

// A History is where notes are read: the root's repository in the work tree, those of other components on their servers.
type History struct {
	*ports.Remotes
	View *View
	Head string // the revision that will be the release while it has no tag
}

// Span implements notes.Source.
func (h History) Span(ctx context.Context, c *stack.Component, before, now string) (from, to string, err error) {
	if c != h.View.Stack.RootComponent() {
		heads, err := h.Heads(ctx, c.URL())
		return heads.Tags[c.TagOf(before)].Commit, heads.Tags[c.TagOf(now)].Commit, err
	}
	at := func(rev string) (commit string) {
		if commit, err = h.View.Repo.Resolve(ctx, rev); errors.Is(err, git.ErrNotFound) {
			err = nil
		}
		return commit
	}
	if from = at("refs/tags/" + c.TagOf(before)); err != nil {
		return "", "", err
	}
	if to = at("refs/tags/" + c.TagOf(now)); to == "" && err == nil {
		to = at(h.Head)
	}
	return from, to, err
}

// Log implements notes.Source.
func (h History) Log(ctx context.Context, c *stack.Component, from, to string) ([]git.Commit, error) {
	if c == h.View.Stack.RootComponent() {
		return h.View.Repo.Log(ctx, from, to)
	}
	return h.Remotes.Log(ctx, c.URL(), from, to)
}

// Files implements notes.Source.
func (h History) Files(ctx context.Context, c *stack.Component, commit string) (fs.FS, error) {
	if c == h.View.Stack.RootComponent() {
		return h.View.Repo.Tree(ctx, commit)
	}
	s, err := h.Tree(ctx, c.URL(), commit, true)
	return s.Files, err
}

// Web implements notes.Source.
func (h History) Web(c *stack.Component) string { return strings.TrimSuffix(c.URL(), ".git") }
