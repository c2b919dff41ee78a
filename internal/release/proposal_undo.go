package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// undoPull closes a PR that is open, and gives up one that is not: a release
// that is run again makes another.
func (p *proposal) undoPull(ctx context.Context, h *Writer) (*train.Undoing, error) {
	pull, err := p.newest(ctx, h.View)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	number := train.Pairs("number", fmt.Sprint(pull.Number))
	switch {
	case pull.Merged:
		return &train.Undoing{Text: fmt.Sprintf("PR to %s: #%d is merged", p.repo, pull.Number), Facts: number, Stays: true}, nil
	case !pull.Open && pull.Number <= p.void(h.View):
		return nil, nil //nolint:nilnil // nothing to undo is an answer
	case !pull.Open:
		return &train.Undoing{Text: "gave up " + pull.URL + ", which is closed", Facts: number}, nil
	}
	if ours, err := p.opened(ctx, h.View, pull); err != nil || !ours {
		return &train.Undoing{Text: pull.URL + " is not of this release", Stays: true}, err
	}
	return &train.Undoing{Text: "closed " + pull.URL, Facts: number, Act: func(ctx context.Context) error {
		return h.forge.ClosePull(ctx, p.repo, pull.Number)
	}}, nil
}

// opened says whether this release opened a PR: the journal has it, or its
// branch is of this release.
func (p *proposal) opened(ctx context.Context, v *View, pull forge.Pull) (bool, error) {
	for _, r := range v.Past {
		if r.Step == p.step("pr") && r.Kind == recDone && r.Facts["number"] == fmt.Sprint(pull.Number) {
			return true, nil
		}
	}
	if p.elsewhere(pull) {
		return false, nil
	}
	heads, err := v.heads(ctx, p.pushed(v))
	if err != nil || heads.Branches[p.work(v)] == "" {
		return false, ignoreNotFound(err)
	}
	origin, err := p.origin(ctx, v, heads.Branches[p.work(v)])
	return origin != "", err
}

// undoBranch deletes the branch when all of it is ours, unless what it brought
// is published.
func (p *proposal) undoBranch(ctx context.Context, h *Writer) (*train.Undoing, error) {
	pull, err := p.newest(ctx, h.View)
	if ignoreNotFound(err) != nil {
		return nil, err
	}
	heads, err := h.heads(ctx, p.pushed(h.View))
	if errors.Is(err, wire.ErrNotFound) && len(p.made(h.View)) > 0 {
		text := "branch " + p.work(h.View) + " of " + p.pushed(h.View) + ", where that still is: the repository is not there, or not for this token"
		return &train.Undoing{Text: text, Stays: true}, nil
	}
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	work := p.work(h.View)
	head := heads.Branches[work]
	if head == "" {
		return nil, nil //nolint:nilnil // nothing to undo is an answer
	}
	branch := work + " of " + p.pushed(h.View)
	if pull.Merged && p.standing == nil {
		return &train.Undoing{Text: fmt.Sprintf("branch %s, whose PR #%d is merged", branch, pull.Number), Stays: true}, nil
	}
	switch origin, err := p.origin(ctx, h.View, head); {
	case err != nil:
		return nil, err
	case origin == "":
		return &train.Undoing{Text: "branch " + branch + " is not of this release", Stays: true}, nil
	case origin != head:
		return &train.Undoing{Text: "branch " + branch + " has commits of others", Stays: true}, nil
	}
	return &train.Undoing{Text: "deleted branch " + branch, Act: func(ctx context.Context) error {
		err := h.git.Push(ctx, p.pushed(h.View), "", git.Update{Ref: "refs/heads/" + work, Old: head, New: git.Zero})
		if errors.Is(err, git.ErrMoved) {
			return fmt.Errorf("%s moved meanwhile: %w", branch, err)
		}
		return err
	}}, nil
}
