package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
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

// changelog is notes.New over the ports of a train, whose components may not
// be tagged yet.
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

// Fill looks up what changed in one component. What cannot be determined for another
// reason than a bad line is a Problem of the entry: it stops no release.
func (v *View) Fill(ctx context.Context, c *stack.Component, e *notes.Component) error {
	from, to, err := v.span(ctx, c, e.Before)
	if err != nil {
		return err
	}
	old, fresh := c.TagOf(e.Before), c.TagOf(e.Version)
	if web := v.train.recipe.Forge.Git; strings.HasPrefix(web, "https://") {
		e.Compare = fmt.Sprintf("%s/%s/compare/%s...%s", strings.TrimSuffix(web, "/"), c.Repository, old, fresh)
	}
	if from == "" || to == "" {
		e.Problem = fmt.Sprintf("%s has no tag %s", c.Repository, map[bool]string{true: old, false: fresh}[from == ""])
		return nil
	}
	err = v.compareTrees(ctx, c, e, from, to)
	var transit *wire.TransitError
	if err == nil || errors.As(err, &transit) || ctx.Err() != nil {
		return err
	}
	e.Problem = err.Error()
	return nil
}

// span are the commits of a component's old version and of this release's; that
// of a tag, or, before there is one, of what will be tagged. Empty = there is none.
func (v *View) span(ctx context.Context, c *stack.Component, before string) (from, to string, err error) {
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

// compareTrees fills in commits and the changes of CRDs.
func (v *View) compareTrees(ctx context.Context, c *stack.Component, e *notes.Component, from, to string) error {
	if from == to {
		return nil
	}
	commits, err := v.git.Log(ctx, c.Repository, from, to)
	if err != nil {
		return err
	}
	var trees [2]fs.FS
	for i, commit := range []string{from, to} {
		s, err := v.tree(ctx, c.Repository, commit, v.train.build(c) == nil)
		if err != nil {
			return err
		}
		trees[i] = s.Files
	}
	return e.Between(commits, trees[0], trees[1])
}
