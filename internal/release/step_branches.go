package release

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// branchesStep is the last step: nothing waits for it.
const branchesStep = "branches"

// stepBranches deletes the work branches of PRs that were merged, as far as they
// hold nothing that was not. A branch that a maintainer has gone on with stays.
func stepBranches(t *Train, proposals []*proposal, needs []*Step) *Step {
	b := &branches{t, proposals}
	return &Step{Name: branchesStep, Title: "delete the work branches", Needs: needs, Group: branchesStep, Observe: b.observe, Act: b.act}
}

type branches struct {
	train     *Train
	proposals []*proposal
}

// A spent branch is at the commit that was merged.
type spent struct {
	repo, branch, head string
}

// spent lists the branches that are to be deleted, and what is said of those that
// stay; open counts the PRs that are not merged yet.
func (b *branches) spent(ctx context.Context, v *View) (list []spent, stays []string, open []*proposal, err error) {
	for _, p := range b.proposals {
		if v.Skipped(p.step("merged")) || p.nothing.In(v) != "" {
			continue
		}
		pull, err := p.pull(ctx, v)
		if ignoreNotFound(err) != nil {
			return nil, nil, nil, err
		}
		if err != nil || !pull.Merged {
			open = append(open, p)
			continue
		}
		heads, err := v.heads(ctx, p.pushed(v))
		if errors.Is(err, wire.ErrNotFound) {
			continue // the fork is gone, and its branches with it
		}
		if err != nil {
			return nil, nil, nil, err
		}
		work := p.work(v)
		switch head := heads.Branches[work]; head {
		case "":
		case pull.Head:
			list = append(list, spent{p.pushed(v), work, head})
		default:
			stays = append(stays, fmt.Sprintf("%s: it is at %.7s, and %.7s was merged", p.pushed(v), head, pull.Head))
		}
	}
	return list, stays, open, nil
}

// due are the branches to be deleted; to a plan, also those that will be.
func (b *branches) due(ctx context.Context, v *View) (list []spent, stays []string, err error) {
	list, stays, open, err := b.spent(ctx, v)
	if v.Planning() {
		for _, p := range open {
			list = append(list, spent{repo: p.pushed(v), branch: p.work(v)})
		}
	}
	return list, stays, err
}

func (b *branches) observe(ctx context.Context, v *View) (observation, error) {
	list, stays, err := b.due(ctx, v)
	if err != nil {
		return observation{}, err
	}
	said := ""
	if len(stays) > 0 {
		said = "; left: " + strings.Join(stays, "; ")
	}
	if len(list) == 0 {
		return done("no branch remains" + said), nil
	}
	return missing("delete it in " + counted(len(list), "place") + said), nil
}

// act deletes each branch where it was seen. One that moves meanwhile stays.
func (b *branches) act(ctx context.Context, h *Writer, _ observation) error {
	list, _, err := b.due(ctx, h.View)
	if err != nil {
		return err
	}
	for _, s := range list {
		err := h.git.Push(ctx, s.repo, "", git.Update{Ref: "refs/heads/" + s.branch, Old: s.head, New: git.Zero})
		if err != nil && !errors.Is(err, git.ErrMoved) {
			return err
		}
	}
	return nil
}
