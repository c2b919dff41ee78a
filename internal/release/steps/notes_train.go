package steps

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// notes are the notes of the release: the matrix, and what changed in each
// component since its version in the release before. In a plan they are as of
// the commits that will be tagged.
func (v *View) notes(ctx context.Context) (string, error) {
	return Recall(v, "notes", func() (string, error) {
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
	t := v.Train
	tree, err := t.rootTree(ctx, v)
	if errors.Is(err, ErrUnknown) {
		tree, err = v.RootMain(ctx)
	}
	if err != nil {
		return nil, err
	}
	base, err := matrix.ReleaseOf(t.Stack, tree.Files)
	if err != nil {
		base = &matrix.Release{} // a root without a table
	}
	before, err := v.releaseBefore(ctx, tree.Info.Time)
	if err != nil {
		return nil, err
	}
	return notes.New(ctx, t.Stack, v, ForNotes(t.Stack, matrix.With(base, t.Stack, t.Version, t.Versions)), before, "")
}

// ForNotes is a release as its notes want it; nil stays nil.
func ForNotes(s *stack.Stack, r *matrix.Release) *notes.Release {
	if r == nil {
		return nil
	}
	return &notes.Release{Version: r.Version, Matrix: matrix.Block(s, r), Pins: pinsOf(r)}
}

func pinsOf(r *matrix.Release) []notes.Pin {
	return lists.Of(r.Components, func(p matrix.Pin) notes.Pin { return notes.Pin{Name: p.Name, Version: p.Version} })
}

// releaseBefore is the release before this one, with the versions that its table
// or its declaration has; nil when there was none. A hotfix of the line below that was
// made after the commit of this one (at) is none: the notes would be others with each.
func (v *View) releaseBefore(ctx context.Context, at time.Time) (*notes.Release, error) {
	root := v.Train.Root()
	h, err := v.Heads(ctx, root.Repository)
	if err != nil {
		return nil, err
	}
	since, err := v.published(ctx, h.Tags, v.Train.Version)
	if err != nil {
		return nil, err
	}
	if since == "" {
		return nil, nil //nolint:nilnil // no release before is an answer
	}
	tree, err := v.Tree(ctx, root.Repository, h.Tags[root.TagOf(since)].Commit, false)
	for lower := since; err == nil && tree.Info.Time.After(at); {
		if lower, err = v.published(ctx, h.Tags, lower); lower == "" || err != nil {
			break // of very many tags only the highest are known
		}
		since = lower
		tree, err = v.Tree(ctx, root.Repository, h.Tags[root.TagOf(since)].Commit, false)
	}
	if err != nil {
		return nil, err
	}
	old := &notes.Release{Version: since, Pins: []notes.Pin{{Name: root.Name, Version: since}}}
	before, err := matrix.ReleaseOf(v.Train.Stack, tree.Files)
	if err != nil && v.Train.Matrix != nil { // the table may be younger than the tag
		before, _ = v.Train.Matrix.Release(since)
	}
	if before != nil {
		old.Pins = append(old.Pins, pinsOf(before)...)
	}
	return old, nil
}

// Span implements notes.Source: the commit of this release's version is that
// of a tag, or, before there is one, of what will be tagged.
func (v *View) Span(ctx context.Context, c *stack.Component, before, _ string) (from, to string, err error) {
	t := v.Train
	h, err := v.Heads(ctx, c.Repository)
	if err != nil {
		return "", "", err
	}
	to = h.Tags[t.Tag(c)].Commit
	switch {
	case to != "":
	case c == t.Root():
		if to = string(t.Made().root.merged.In(v)); to == "" {
			to = h.Branches[t.Branch(c)]
		}
	default:
		to = string(t.Tagged(c, v))
	}
	if ref, ok := h.Tags[c.TagOf(before)]; ok {
		return ref.Commit, to, nil
	}
	all, err := Recall(v, "tags "+c.Repository, func() (git.Heads, error) { return v.Git.Heads(ctx, c.Repository) })
	return all.Tags[c.TagOf(before)].Commit, to, err
}

// Log implements notes.Source.
func (v *View) Log(ctx context.Context, c *stack.Component, from, to string) ([]git.Commit, error) {
	return v.Git.Log(ctx, c.Repository, from, to)
}

// Files implements notes.Source.
func (v *View) Files(ctx context.Context, c *stack.Component, commit string) (fs.FS, error) {
	s, err := v.Tree(ctx, c.Repository, commit, v.Train.Build(c) == nil)
	return s.Files, err
}

// Web implements notes.Source.
func (v *View) Web(c *stack.Component) string {
	return strings.TrimSuffix(v.Train.Recipe.Forge.Git, "/") + "/" + c.Repository
}
