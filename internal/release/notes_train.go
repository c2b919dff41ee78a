package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
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
		text, err := l.within(maxNotes)
		return text + v.leftOut(), err
	})
}

// leftOut tells of what was skipped in this release, and why; empty = nothing.
func (v *View) leftOut() string {
	text, told := "", ""
	for _, s := range v.Train.Steps() {
		r := v.Journal.Last(s.Name, recSkip)
		if r == nil || s.Group == told {
			continue
		}
		told = s.Group
		text += "- " + told + ": " + escapeMarkdown(strings.Join(strings.Fields(r.Text), " ")) + "\n"
	}
	if text == "" {
		return ""
	}
	return leftOutHeading + text
}

const leftOutHeading = "\n## Left out\n\n"

// withoutLeftOut are notes as a release without its journal would write them.
func withoutLeftOut(notes string) string {
	notes, _, _ = strings.Cut(strings.ReplaceAll(notes, "\r\n", "\n"), leftOutHeading)
	return strings.TrimSpace(notes)
}

// maxNotes is how long the text of a release may be, in bytes: GitHub refuses
// more than 125,000 characters.
const maxNotes = 120_000

// within is the changelog as Markdown, without the changes of the components
// that have the most of them where it would be longer than size: the
// comparison's address stays.
func (l *Changelog) within(size int) (string, error) {
	for {
		var b strings.Builder
		if err := l.WriteMarkdown(&b); err != nil || b.Len() <= size {
			return b.String(), err
		}
		most := slices.MaxFunc(l.Components, func(a, b ComponentLog) int { return len(a.Changes) + len(a.CRDs) - len(b.Changes) - len(b.CRDs) })
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

// changelog is NewChangelog over the ports of a train, whose components may not
// be tagged yet.
func (v *View) changelog(ctx context.Context) (*Changelog, error) {
	t := v.Train
	tree, err := t.rootTree(ctx, v)
	if errors.Is(err, errUnknown) {
		tree, err = v.rootMain(ctx)
	}
	if err != nil {
		return nil, err
	}
	base, err := ReleaseOf(t.Stack, tree.Files)
	if err != nil {
		base = &matrix.Release{} // a root without a table
	}
	now := With(base, t.Stack, t.Version, t.Versions)
	l := &Changelog{Schema: 1, Stack: t.Stack.Name, Version: t.Version, Matrix: matrix.Block(t.Stack, now)}
	old, err := v.releaseBefore(ctx, l)
	if err != nil {
		return nil, err
	}
	for _, pin := range now.Components {
		c, err := t.Stack.Lookup(pin.Name)
		if err != nil {
			return nil, err
		}
		l.Components = append(l.Components, ComponentLog{Name: c.Name, Title: c.Title, Repository: c.Repository, Version: pin.Version, Before: old[c.Name]})
	}
	return l, v.fillAll(ctx, l)
}

// releaseBefore are the versions of the release before this one, as its table
// has them; none when there was none.
func (v *View) releaseBefore(ctx context.Context, l *Changelog) (map[string]string, error) {
	root := v.Train.root()
	h, err := v.heads(ctx, root.Repository)
	if err != nil {
		return nil, err
	}
	if l.Since = newest(root, h.Tags, v.Train.Version); l.Since == "" {
		return nil, nil //nolint:nilnil // no release before is an answer
	}
	tree, err := v.tree(ctx, root.Repository, h.Tags[root.TagOf(l.Since)].Commit, false)
	if err != nil {
		return nil, err
	}
	old := map[string]string{root.Name: l.Since}
	if before, err := ReleaseOf(v.Train.Stack, tree.Files); err == nil {
		for _, pin := range before.Components {
			old[pin.Name] = pin.Version
		}
	}
	return old, nil
}

// fillAll looks up what changed in the components, side by side.
func (v *View) fillAll(ctx context.Context, l *Changelog) error {
	slots := make(chan struct{}, 8)
	errs := make([]error, len(l.Components))
	var group sync.WaitGroup
	for i := range l.Components {
		if e := &l.Components[i]; e.Before != "" && e.Before != e.Version {
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				errs[i] = v.fillEntry(ctx, e)
			})
		}
	}
	group.Wait()
	return errors.Join(errs...)
}

// fillEntry looks up what changed in one. What cannot be told for another
// reason than a bad line is a Problem of the entry: it stops no release.
func (v *View) fillEntry(ctx context.Context, e *ComponentLog) error {
	c, err := v.Train.Stack.Lookup(e.Name)
	if err != nil {
		return err
	}
	from, to, err := v.span(ctx, c, e.Before)
	if err != nil {
		return err
	}
	old, fresh := c.TagOf(e.Before), c.TagOf(e.Version)
	if web := v.Train.Recipe.Forge.Git; strings.HasPrefix(web, "https://") {
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
	t := v.Train
	h, err := v.heads(ctx, c.Repository)
	if err != nil {
		return "", "", err
	}
	to = h.Tags[t.tag(c)].Commit
	switch {
	case to != "":
	case c == t.root():
		if to = v.Fact("operator-merged", "commit"); to == "" {
			to = h.Branches[t.branch(c)]
		}
	default:
		to = v.Fact(stepOf("tag", c), "commit")
	}
	if ref, ok := h.Tags[c.TagOf(before)]; ok {
		return ref.Commit, to, nil
	}
	all, err := recall(v, "tags "+c.Repository, func() (git.Heads, error) { return v.Git.Heads(ctx, c.Repository) })
	return all.Tags[c.TagOf(before)].Commit, to, err
}

// compareTrees fills in commits and the changes of CRDs.
func (v *View) compareTrees(ctx context.Context, c *stack.Component, e *ComponentLog, from, to string) error {
	if from == to {
		return nil
	}
	commits, err := v.Git.Log(ctx, c.Repository, from, to)
	if err != nil {
		return err
	}
	e.Commits, e.Changes = len(commits), changesOf(commits)
	var trees [2]fs.FS
	for i, commit := range []string{from, to} {
		s, err := v.tree(ctx, c.Repository, commit, v.Train.build(c) == nil)
		if err != nil {
			return err
		}
		trees[i] = s.Files
	}
	return e.schemas(trees[0], trees[1])
}
