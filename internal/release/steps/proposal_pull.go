package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// elsewhere says whether a user has given a PR another base.
func (p *Proposal) elsewhere(pull forge.Pull) bool { return pull.Base != "" && pull.Base != p.base }

// astray says whether a PR does not lead to its base any more.
func (p *Proposal) astray(pull forge.Pull) bool {
	return !pull.Merged && (!pull.Open || p.elsewhere(pull))
}

// strayed is the observation of a PR that was closed, or that goes elsewhere.
func (p *Proposal) strayed(pull forge.Pull) Observation {
	number := fmt.Sprint(pull.Number)
	if p.elsewhere(pull) {
		return conflict(why.PRElsewhere, "PR #%d goes to %s, and not to %s", pull.Number, pull.Base, p.base).At(pull.URL).
			By(p.who+" (make "+p.base+" its base, or close it)").With("number", number)
	}
	return conflict(why.PRClosed, "PR #%d was closed without being merged", pull.Number).At(pull.URL).
		By(p.who+" (reopen it), or you (cfctl release abort "+p.train.Version+", then run it again)").With("number", number)
}

func (p *Proposal) observePull(ctx context.Context, v *View) (Observation, error) {
	if p.nothing.In(v) != "" {
		return Done("nothing to change"), nil
	}
	pull, err := p.Pull(ctx, v)
	switch {
	case errors.Is(err, wire.ErrNotFound):
		o := missing(p.title)
		o.Detail = p.body(v)
		return o, nil
	case err != nil:
		return Observation{}, err
	case p.astray(pull):
		return p.strayed(pull), nil
	}
	return Done(fmt.Sprintf("PR #%d", pull.Number), "number", fmt.Sprint(pull.Number), "url", pull.URL).At(pull.URL), nil
}

func (p *Proposal) actPull(ctx context.Context, h *Writer, _ Observation) error {
	_, err := h.Forge.CreatePull(ctx, p.repo, p.head(h.View), p.base, p.title, p.body(h.View))
	if errors.Is(err, forge.ErrExists) {
		return nil
	}
	return err
}

func (p *Proposal) observeMerged(ctx context.Context, v *View) (Observation, error) {
	if base := string(p.nothing.In(v)); base != "" {
		return Done("nothing to change", "commit", base, "nothing", base), nil
	}
	pull, err := p.Pull(ctx, v)
	switch {
	case errors.Is(err, wire.ErrNotFound):
		return p.wait("the PR is not open yet", ""), nil
	case err != nil:
		return Observation{}, err
	case pull.Merged:
		return p.mergedAs(ctx, v, pull)
	case p.astray(pull):
		return p.strayed(pull), nil
	}
	o, err := p.open(ctx, v, pull)
	if p.due != nil {
		o.Text += p.due(v)
	}
	return o.With("number", fmt.Sprint(pull.Number), "head", pull.Head), err
}

func (p *Proposal) wait(text, url string) Observation {
	o := waiting(text, p.who, url)
	o.Ours = p.ours() && url != ""
	return o
}

// ours says whether it is a PR to a repository that the release tags: people of the
// project review and merge it.
func (p *Proposal) ours() bool {
	return slices.ContainsFunc(p.train.Released(), func(c *stack.Component) bool { return c.Repository == p.repo })
}

// mergedAs proves that what was merged is what was proposed: the image of
// v0.0.5 was built before the edits were in.
func (p *Proposal) mergedAs(ctx context.Context, v *View, pull forge.Pull) (Observation, error) {
	tree, err := p.tree(ctx, v, p.repo, pull.MergeCommit)
	if err != nil {
		return Observation{}, err
	}
	differences, err := p.differs(ctx, v, tree)
	if err != nil {
		return Observation{}, err
	}
	text := fmt.Sprintf("PR #%d merged as %.7s", pull.Number, pull.MergeCommit)
	facts := []string{"commit", pull.MergeCommit, "number", fmt.Sprint(pull.Number)}
	if len(differences) == 0 {
		return Done(text, facts...).At(pull.URL), nil
	}
	who := "you: cfctl release abort " + p.train.Version + ", then run it again: a new PR brings what is missing"
	if p.standing == nil { // it is published with the merge, and no second PR is made
		commit, err := p.mended(ctx, v)
		if err != nil {
			return Observation{}, err
		}
		if commit != "" {
			text += fmt.Sprintf(", and put right since: %s is as it should be at %.7s", p.base, commit)
			return Done(text, "commit", commit, "number", facts[3], "mended", commit).At(pull.URL), nil
		}
		who = p.who + ": mend it there, so that " + p.base + " holds what this release brings"
	}
	text = fmt.Sprintf("PR #%d was merged as %.7s, which does not hold what this release brings%s", pull.Number, pull.MergeCommit, Told(differences))
	return unmanaged(why.Merged, text, who, facts...).Listing(differences).At(pull.URL), nil
}

// mended is the commit of the base at which a maintainer has put right what was merged;
// empty = no one has.
func (p *Proposal) mended(ctx context.Context, v *View) (string, error) {
	if r := v.Journal.Last(p.step("merged"), RecDone); r != nil && r.Facts["mended"] != "" {
		return r.Facts["mended"], nil
	}
	heads, err := v.Heads(ctx, p.repo)
	if err != nil {
		return "", err
	}
	commit := heads.Branches[p.base]
	if commit == "" {
		return "", nil
	}
	tree, err := p.tree(ctx, v, p.repo, commit)
	if err != nil {
		return "", err
	}
	differences, err := p.differs(ctx, v, tree)
	if err != nil || len(differences) > 0 {
		return "", err
	}
	return commit, nil
}

// undoPull closes a PR that is open, and gives up one that is not: a release
// that is run again makes another.
func (p *Proposal) undoPull(ctx context.Context, h *Writer) (*train.Undoing, error) {
	pull, err := p.Newest(ctx, h.View)
	if err != nil {
		return nil, wire.IgnoreNotFound(err)
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
		return h.Forge.ClosePull(ctx, p.repo, pull.Number)
	}}, nil
}

// opened says whether this release opened a PR: the journal has it, or its
// branch is of this release.
func (p *Proposal) opened(ctx context.Context, v *View, pull forge.Pull) (bool, error) {
	for _, r := range v.Past {
		if r.Step == p.step("pr") && r.Kind == RecDone && r.Facts["number"] == fmt.Sprint(pull.Number) {
			return true, nil
		}
	}
	if p.elsewhere(pull) {
		return false, nil
	}
	heads, err := v.Heads(ctx, p.pushed(v))
	if err != nil || heads.Branches[p.work(v)] == "" {
		return false, wire.IgnoreNotFound(err)
	}
	origin, err := p.origin(ctx, v, heads.Branches[p.work(v)])
	return origin != "", err
}

// undoBranch deletes the branch when all of it is ours, unless what it brought
// is published.
func (p *Proposal) undoBranch(ctx context.Context, h *Writer) (*train.Undoing, error) {
	pull, err := p.Newest(ctx, h.View)
	if wire.IgnoreNotFound(err) != nil {
		return nil, err
	}
	heads, err := h.Heads(ctx, p.pushed(h.View))
	if errors.Is(err, wire.ErrNotFound) && len(p.made(h.View)) > 0 {
		text := "branch " + p.work(h.View) + " of " + p.pushed(h.View) + ", where that still is: the repository is not there, or not for this token"
		return &train.Undoing{Text: text, Stays: true}, nil
	}
	if err != nil {
		return nil, wire.IgnoreNotFound(err)
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
		err := h.Git.Push(ctx, p.pushed(h.View), "", git.Update{Ref: "refs/heads/" + work, Old: head, New: git.Zero})
		if errors.Is(err, git.ErrMoved) {
			return fmt.Errorf("%s moved meanwhile: %w", branch, err)
		}
		return err
	}}, nil
}
