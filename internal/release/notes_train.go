package release

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// notes are the notes of the release: the matrix, and what changed in each
// component since its version in the release before. In a plan they are as of
// the commits that will be tagged.
func (v *View) notes(ctx context.Context) (string, error) {
	return recall(v, "notes", func() (string, error) {
		l, err := v.changelog(ctx)
		if err != nil {
			return "", err
		}
		return l.Within(maxNotes)
	})
}

// maxNotes is how long the text of a release may be, in bytes: GitHub refuses
// more than 125,000 characters.
const maxNotes = 120_000

// changelog is notes.New over a train.
func (v *View) changelog(ctx context.Context) (*notes.Changelog, error) {
	t := v.train
	tree, err := t.rootTree(ctx, v)
	if errors.Is(err, errUnknown) {
		tree, err = v.rootMain(ctx)
	}
	if err != nil {
		return nil, err
	}
	base, err := matrix.ReleaseOf(t.stack, tree.Files)
	if err != nil {
		base = &matrix.Release{} // a root without a table
	}
	before, err := v.releaseBefore(ctx, tree.Info.Time)
	if err != nil {
		return nil, err
	}
	return notes.New(ctx, t.stack, v, ForNotes(t.stack, matrix.With(base, t.stack, t.Version, t.Versions)), before, "")
}

// ForNotes is a release as its notes want it; nil stays nil.
func ForNotes(s *stack.Stack, r *matrix.Release) *notes.Release {
	if r == nil {
		return nil
	}
	l := &notes.Release{Version: r.Version, Matrix: matrix.Block(s, r)}
	for _, pin := range r.Components {
		l.Pins = append(l.Pins, notes.Pin{Name: pin.Name, Version: pin.Version})
	}
	return l
}

// releaseBefore is the release before this one, with the versions that its
// table has; nil when there was none. A hotfix of the line below that was made
// after the commit of this one (at) is none: the notes would be others with each.
func (v *View) releaseBefore(ctx context.Context, at time.Time) (*notes.Release, error) {
	root := v.train.root()
	h, err := v.heads(ctx, root.Repository)
	if err != nil {
		return nil, err
	}
	since, err := v.published(ctx, h.Tags, v.train.Version)
	if err != nil {
		return nil, err
	}
	if since == "" {
		return nil, nil //nolint:nilnil // no release before is an answer
	}
	tree, err := v.tree(ctx, root.Repository, h.Tags[root.TagOf(since)].Commit, false)
	for lower := since; err == nil && tree.Info.Time.After(at); {
		if lower, err = v.published(ctx, h.Tags, lower); lower == "" || err != nil {
			break // of very many tags only the highest are known
		}
		since = lower
		tree, err = v.tree(ctx, root.Repository, h.Tags[root.TagOf(since)].Commit, false)
	}
	if err != nil {
		return nil, err
	}
	old := &notes.Release{Version: since, Pins: []notes.Pin{{Name: root.Name, Version: since}}}
	if before, err := matrix.ReleaseOf(v.train.stack, tree.Files); err == nil {
		for _, pin := range before.Components {
			old.Pins = append(old.Pins, notes.Pin{Name: pin.Name, Version: pin.Version})
		}
	}
	return old, nil
}

// Span implements notes.Source: the commit of this release's version is that
// of a tag, or, before there is one, of what will be tagged.
func (v *View) Span(ctx context.Context, c *stack.Component, before, _ string) (from, to string, err error) {
	t := v.train
	h, err := v.heads(ctx, c.Repository)
	if err != nil {
		return "", "", err
	}
	to = h.Tags[t.tag(c)].Commit
	switch {
	case to != "":
	case c == t.root():
		if to = string(t.made().root.merged.In(v)); to == "" {
			to = h.Branches[t.branch(c)]
		}
	default:
		to = string(t.tagged(c, v))
	}
	if ref, ok := h.Tags[c.TagOf(before)]; ok {
		return ref.Commit, to, nil
	}
	all, err := recall(v, "tags "+c.Repository, func() (git.Heads, error) { return v.git.Heads(ctx, c.Repository) })
	return all.Tags[c.TagOf(before)].Commit, to, err
}

// Log implements notes.Source.
func (v *View) Log(ctx context.Context, c *stack.Component, from, to string) ([]git.Commit, error) {
	return v.git.Log(ctx, c.Repository, from, to)
}

// Files implements notes.Source.
func (v *View) Files(ctx context.Context, c *stack.Component, commit string) (fs.FS, error) {
	s, err := v.tree(ctx, c.Repository, commit, v.train.build(c) == nil)
	return s.Files, err
}

// Web implements notes.Source.
func (v *View) Web(c *stack.Component) string {
	return strings.TrimSuffix(v.train.recipe.Forge.Git, "/") + "/" + c.Repository
}
