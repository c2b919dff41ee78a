package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// observeBranch says which branch of which repository it is, for the journal.
func (p *Proposal) observeBranch(ctx context.Context, v *View) (Observation, error) {
	o, err := p.seeBranch(ctx, v)
	if err == nil && o.Facts != nil {
		o = o.With("branch", p.work(v), "pushed", p.pushed(v))
	}
	return o, err
}

func (p *Proposal) seeBranch(ctx context.Context, v *View) (Observation, error) {
	pull, err := p.Pull(ctx, v)
	switch {
	case errors.Is(err, wire.ErrNotFound):
	case err != nil:
		return Observation{}, err
	case pull.Merged:
		return Done("PR merged", "number", fmt.Sprint(pull.Number)).At(pull.URL), nil
	case p.astray(pull):
		return p.strayed(pull), nil
	}
	heads, err := v.Heads(ctx, p.pushed(v))
	if errors.Is(err, wire.ErrNotFound) && p.pushed(v) != p.repo {
		return p.fork(ctx, v)
	}
	if err != nil {
		return Observation{}, err
	}
	if head := heads.Branches[p.work(v)]; head != "" {
		if commit, err := p.mergedOffline(ctx, v); err != nil || commit != "" {
			return p.unchanged(commit), err
		}
		return p.compare(ctx, v, head)
	}
	return p.fresh(ctx, v, heads.Branches[p.base])
}

// mergedOffline is the head of a base that has all that is proposed, where no forge is asked
// whether a PR was merged; empty = it lacks something, or a forge knows.
func (p *Proposal) mergedOffline(ctx context.Context, v *View) (string, error) {
	if !v.Offline {
		return "", nil
	}
	heads, err := v.Heads(ctx, p.repo)
	if err != nil || heads.Branches[p.base] == "" {
		return "", err
	}
	base, err := p.tree(ctx, v, p.repo, heads.Branches[p.base])
	if err != nil {
		return "", err
	}
	if differences, err := p.differs(ctx, v, base); err != nil || len(differences) > 0 {
		return "", nil //nolint:nilerr // what cannot be compared is for the branch to say
	}
	return base.Info.Hash, nil
}

// fresh is the observation when there is no branch yet. The proposal is made
// on top of what the repository of the PR has, never of what a fork has: a
// fork that is behind would decide what is replaced. have is the base in the
// repository that gets the branch.
func (p *Proposal) fresh(ctx context.Context, v *View, have string) (Observation, error) {
	heads, err := v.Heads(ctx, p.repo)
	if err != nil {
		return Observation{}, err
	}
	base := heads.Branches[p.base]
	switch {
	case base == "":
		return v.branchless(ctx, p.repo, p.base), nil
	case have == "":
		return v.branchless(ctx, p.pushed(v), p.base), nil
	}
	if p.settled != nil {
		if commit, err := p.settled(ctx, v, base); err != nil {
			return Observation{}, err
		} else if commit != "" {
			return p.unchanged(commit), nil
		}
	}
	o, err := p.propose(ctx, v, base)
	if err != nil || have == base || o.State != train.Missing {
		return o, err
	}
	return p.behind(ctx, v, o, have, base)
}

// behind puts before a proposal that the fork's base is brought to where the
// base is: on it the new commit is.
func (p *Proposal) behind(ctx context.Context, v *View, o Observation, have, base string) (Observation, error) {
	ours, err := v.Contains(ctx, p.repo, base, have)
	if err != nil {
		return Observation{}, err
	}
	if !ours {
		return unmanaged(why.ForkAhead, fmt.Sprintf("%s of the fork %s is at %.7s, and has commits that %s does not have", p.base, p.pushed(v), have, p.repo),
			"a maintainer of "+p.pushed(v)+": move those commits to another branch, and set "+p.base+" to the one of "+p.repo), nil
	}
	first := o.With("sync", base)
	first.Then = &o
	return first, nil
}

// fork is the observation when there is no fork yet.
func (p *Proposal) fork(ctx context.Context, v *View) (Observation, error) {
	heads, err := v.Heads(ctx, p.repo)
	if err != nil {
		return Observation{}, err
	}
	o, err := p.propose(ctx, v, heads.Branches[p.base])
	first := o.With("fork", p.pushed(v))
	first.Then = &o
	return first, err
}

// propose writes the commit into the cache and shows what it changes.
func (p *Proposal) propose(ctx context.Context, v *View, base string) (Observation, error) {
	snap, err := p.tree(ctx, v, p.repo, base)
	if err != nil {
		return Observation{}, err
	}
	made, err := p.write(ctx, v, p.repo, snap)
	var cannot *unfitError
	switch {
	case errors.Is(err, ErrUnknown):
		return missing("one commit on top of " + p.base), nil
	case errors.As(err, &cannot):
		return cannot.stop(p, base), nil
	case err != nil:
		return Observation{}, err
	case made.Tree == snap.Info.Tree:
		return p.unchanged(base).With("base", p.base), nil
	}
	o := missing(fmt.Sprintf("one commit on top of %.7s, %d changed", base, strings.Count(made.Diff, "\ndiff --git ")+1))
	o.Detail = made.Diff
	return o.With("commit", made.Commit, "base", base), nil
}

// unchanged is the observation when a commit of the base is as it should be.
func (p *Proposal) unchanged(commit string) Observation {
	return Done(fmt.Sprintf("%s of %s is as it should be at %.7s", p.base, p.repo, commit), "nothing", commit, "commit", commit)
}

// write makes the proposal's commit on top of a snapshot.
func (p *Proposal) write(ctx context.Context, v *View, repo string, base ports.Snapshot) (ports.Proposal, error) {
	changes, err := p.changes(ctx, v, base)
	if err != nil {
		return ports.Proposal{}, err
	}
	return v.Git.Commit(ctx, repo, base.Info.Hash, ports.NewCommit{Changes: changes, Message: p.title, SignOff: true})
}

// compare evaluates a branch that is there. It is ours when it grows from a
// commit that this release made, or would make: then people may have added to
// it what leaves the release as it is. Anything else is theirs.
func (p *Proposal) compare(ctx context.Context, v *View, head string) (Observation, error) {
	origin, err := p.origin(ctx, v, head)
	if err != nil {
		return Observation{}, err
	}
	if origin == head && p.stale != nil {
		tree, err := p.tree(ctx, v, p.pushed(v), head)
		if err != nil {
			return Observation{}, err
		}
		if text, err := p.stale(ctx, v, tree); err != nil || text != "" {
			return conflict(why.BranchOutdated, "branch %s of %s is outdated: %s", p.work(v), p.pushed(v), text).
				By("you: cfctl release abort " + p.train.Version + ", then run it again"), err
		}
	}
	if origin == head {
		return Done(fmt.Sprintf("%s is at %.7s", p.work(v), head), "commit", head), nil
	}
	have, err := p.tree(ctx, v, p.pushed(v), head)
	if err != nil {
		return Observation{}, err
	}
	differences, err := p.differs(ctx, v, have)
	unknown := errors.Is(err, ErrUnknown)
	switch {
	case err != nil && !unknown:
		differences = []string{err.Error()}
	case unknown && origin == "":
		differences = []string{"what this release makes there is not known yet"}
	case origin != "" && len(differences) == 0:
		return Done(fmt.Sprintf("%s is at %.7s, with other commits on it", p.work(v), head), "commit", head), nil
	}
	if origin == "" {
		return unmanaged(why.BranchUnmanaged, fmt.Sprintf("branch %s of %s is at %.7s, %s, and is not of this release%s", p.work(v), p.pushed(v), head, whose(have), Told(differences)),
			"its author: rename it; or you: set release.prefix to another one", "commit", head).Listing(differences), nil
	}
	return unmanaged(why.BranchChanged, fmt.Sprintf("branch %s of %s is at %.7s, %s, on top of %.7s of ours%s", p.work(v), p.pushed(v), head, whose(have), origin, Told(differences)),
		"its author: revert that", "commit", head).Listing(differences), nil
}

// reach is how many commits back the one that this release made is looked for.
const reach = 8

// origin is the commit of this release that a branch grows from: one that the
// journal has, or one that changes its parent as this release would. Empty: the
// branch is another user's.
func (p *Proposal) origin(ctx context.Context, v *View, head string) (string, error) {
	known := p.made(v)
	heads, err := v.Heads(ctx, p.repo)
	if err != nil {
		return "", err
	}
	for commit, n := head, 0; n < reach && commit != heads.Branches[p.base]; n++ {
		if known[commit] {
			return commit, nil
		}
		have, err := p.tree(ctx, v, p.pushed(v), commit)
		if err != nil {
			return "", err
		}
		if len(have.Info.Parents) == 0 {
			return "", nil
		}
		base, err := p.tree(ctx, v, p.pushed(v), have.Info.Parents[0])
		if err != nil {
			return "", err
		}
		made, err := p.write(ctx, v, p.pushed(v), base)
		switch {
		case wire.InTransit(err), ctx.Err() != nil:
			return "", errors.Join(err, ctx.Err())
		case err == nil && made.Tree == have.Info.Tree && made.Tree != base.Info.Tree:
			return commit, nil
		}
		commit = base.Info.Hash
	}
	return "", nil
}

// made are the commits that the journal says this release made for the branch.
func (p *Proposal) made(v *View) map[string]bool {
	commits := map[string]bool{}
	for _, r := range v.Past {
		mine := r.Step == p.step("branch") || r.Step == p.step("module")
		if mine && (r.Kind == RecIntent || r.Kind == RecEffect) && r.Facts["commit"] != "" {
			commits[r.Facts["commit"]] = true
		}
	}
	return commits
}

func (p *Proposal) actBranch(ctx context.Context, h *Writer, seen Observation) error {
	if seen.Facts["fork"] != "" {
		owner, _ := forge.Split(p.pushed(h.View))
		if err := h.Forge.Fork(ctx, p.repo, owner); err != nil {
			return err
		}
		return &wire.TransitError{Err: fmt.Errorf("fork %s is being made", p.pushed(h.View))} // look again: it is made in the background
	}
	if seen.Facts["sync"] != "" {
		return h.Forge.Sync(ctx, p.pushed(h.View), p.base) // the next look sees the fork as it is then
	}
	return p.pushCommit(ctx, h, p.repo, seen.Facts["commit"], "")
}

// pushCommit signs a commit where that is done, and pushes it to the branch, where that is at
// a commit; objects is the repository whose cache has it.
func (p *Proposal) pushCommit(ctx context.Context, h *Writer, objects, commit, at string) error {
	commit, err := h.signed(ctx, objects, commit)
	if err != nil {
		return err
	}
	err = h.Git.Push(ctx, p.pushed(h.View), objects, git.Update{Ref: "refs/heads/" + p.work(h.View), Old: at, New: commit})
	if errors.Is(err, git.ErrMoved) {
		return nil // the next look says what is there
	}
	return err
}
