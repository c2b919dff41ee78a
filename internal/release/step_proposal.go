package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
)

// errUnknown is returned by a proposal's changes that depend on what an
// earlier step has not made yet. Only a plan meets it.
var errUnknown = errors.New("not known yet")

// A proposal is a pull request that the train makes: three steps, NAME-branch,
// NAME-pr and NAME-merged. Its branch is one commit on top of the base.
type proposal struct {
	train *Train
	name  string
	repo  string // that gets the PR
	push  string // that gets the branch: repo, or a fork of it
	base  string // branch
	title string
	body  func(v *View) string
	needs []string
	who   string // can merge it
	large bool   // fetch lazily

	// changes are the files to change on top of base; none = the base is
	// as it should be.
	changes func(ctx context.Context, v *View, base Snapshot) ([]git.Change, error)
	// settled says whether a tree is as the proposal wants it, whoever made
	// it: used on branches and merge commits that people have touched.
	settled func(ctx context.Context, v *View, tree Snapshot) (bool, error)
	// due is added to the text while waiting; may be nil.
	due func(v *View) string
}

func (p *proposal) step(kind string) string { return p.name + "-" + kind }

func (p *proposal) steps() []*Step {
	return []*Step{
		{Name: p.step("branch"), Title: "branch " + p.train.work() + " in " + p.push, Needs: p.needs, Observe: p.observeBranch, Act: p.actBranch, Undo: p.undoBranch},
		{Name: p.step("pr"), Title: "PR to " + p.repo + ": " + p.title, Needs: []string{p.step("branch")}, Observe: p.observePull, Act: p.actPull, Undo: p.undoPull},
		{Name: p.step("merged"), Title: "PR to " + p.repo + " merged", Needs: []string{p.step("pr")}, Observe: p.observeMerged},
	}
}

// head is the branch as the forge names it across forks: OWNER:BRANCH.
func (p *proposal) head() string {
	owner, _ := split(p.push)
	return owner + ":" + p.train.work()
}

func (p *proposal) pull(ctx context.Context, v *View) (Pull, error) {
	return recall(v, "pull "+p.repo+" "+p.head(), func() (Pull, error) { return v.Forge.Pull(ctx, p.repo, p.head()) })
}

func (p *proposal) tree(ctx context.Context, v *View, repo, commit string) (Snapshot, error) {
	return v.tree(ctx, repo, commit, p.large)
}

func (p *proposal) observeBranch(ctx context.Context, v *View) (Observation, error) {
	pull, err := p.pull(ctx, v)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return Observation{}, err
	case pull.Merged:
		return done("PR merged", "number", fmt.Sprint(pull.Number)).at(pull.URL), nil
	case !pull.Open:
		return p.closed(pull), nil
	}
	heads, err := v.heads(ctx, p.push)
	if errors.Is(err, ErrNotFound) && p.push != p.repo {
		return p.fork(ctx, v)
	}
	if err != nil {
		return Observation{}, err
	}
	if head := heads.Branches[p.train.work()]; head != "" {
		return p.compare(ctx, v, head)
	}
	base := heads.Branches[p.base]
	if base == "" {
		return conflict("%s has no branch %s", p.push, p.base), nil
	}
	return p.propose(ctx, v, p.push, base)
}

func (p *proposal) closed(pull Pull) Observation {
	o := conflict("PR #%d was closed without being merged", pull.Number).at(pull.URL)
	o.Who = p.who + " (reopen it), or you (cfctl release abort " + p.train.Version + ")"
	return o
}

// fork is the observation when there is no fork yet.
func (p *proposal) fork(ctx context.Context, v *View) (Observation, error) {
	heads, err := v.heads(ctx, p.repo)
	if err != nil {
		return Observation{}, err
	}
	o, err := p.propose(ctx, v, p.repo, heads.Branches[p.base])
	o.Effects = append([]Effect{{Method: "POST", Target: p.api("/repos/" + p.repo + "/forks"), Text: "fork into " + p.push}}, o.Effects...)
	return o.with("fork", p.push), err
}

func (p *proposal) api(path string) string {
	return strings.TrimSuffix(p.train.Recipe.Forge.API, "/") + path
}

// propose writes the commit into the cache and shows what it changes.
func (p *proposal) propose(ctx context.Context, v *View, repo, base string) (Observation, error) {
	push := Effect{Method: "PUSH", Target: v.Git.Target(p.push, "refs/heads/"+p.train.work()), Text: p.title}
	snap, err := p.tree(ctx, v, repo, base)
	if err != nil {
		return Observation{}, err
	}
	made, err := p.write(ctx, v, repo, snap)
	switch {
	case errors.Is(err, errUnknown):
		return missing("one commit on top of "+p.base, push), nil
	case err != nil:
		return Observation{}, err
	case made.Tree == snap.Info.Tree:
		return done(fmt.Sprintf("%s of %s is as it should be at %.7s", p.base, p.push, base), "nothing", base, "commit", base), nil
	}
	o := missing(fmt.Sprintf("one commit on top of %.7s, %d changed", base, strings.Count(made.Diff, "\ndiff --git ")+1), push)
	o.Detail = made.Diff
	return o.with("commit", made.Commit, "base", base, "objects", repo), nil
}

// write makes the proposal's commit on top of a snapshot.
func (p *proposal) write(ctx context.Context, v *View, repo string, base Snapshot) (Proposal, error) {
	changes, err := p.changes(ctx, v, base)
	if err != nil {
		return Proposal{}, err
	}
	return v.Git.Commit(ctx, repo, base.Info.Hash, NewCommit{Changes: changes, Message: p.title, SignOff: true})
}

// compare judges a branch that is there: it is ours when it changes its base
// as we would; or when people have changed it and the versions are right.
func (p *proposal) compare(ctx context.Context, v *View, head string) (Observation, error) {
	have, err := p.tree(ctx, v, p.push, head)
	if err != nil {
		return Observation{}, err
	}
	diff := ""
	if len(have.Info.Parents) > 0 {
		base, err := p.tree(ctx, v, p.push, have.Info.Parents[0])
		if err != nil {
			return Observation{}, err
		}
		made, err := p.write(ctx, v, p.push, base)
		if err != nil && !errors.Is(err, errUnknown) {
			return Observation{}, err
		}
		if made.Tree == have.Info.Tree {
			return done(fmt.Sprintf("%s is at %.7s", p.train.work(), head), "commit", head), nil
		}
		diff = made.Diff
	}
	ok, err := p.settled(ctx, v, have)
	if err != nil && !errors.Is(err, errUnknown) {
		return Observation{}, err
	}
	if ok {
		return done(fmt.Sprintf("%s is at %.7s, with other commits on it", p.train.work(), head), "commit", head), nil
	}
	o := conflict("branch %s of %s is at %.7s and holds something else", p.train.work(), p.push, head)
	o.Who, o.Detail = "you: delete the branch, or finish it by hand", "what this release would change:\n"+diff
	return o, nil
}

func (p *proposal) actBranch(ctx context.Context, h *Hands, seen Observation) error {
	if seen.Facts["fork"] != "" {
		owner, _ := split(p.push)
		if err := h.Forge.Fork(ctx, p.repo, owner); err != nil {
			return err
		}
		return &TransitError{fmt.Errorf("fork %s is being made", p.push)} // look again: it is made in the background
	}
	err := h.Git.Push(ctx, p.push, seen.Facts["objects"], git.Update{Ref: "refs/heads/" + p.train.work(), New: seen.Facts["commit"]})
	if errors.Is(err, git.ErrMoved) {
		return nil // the next look says what is there
	}
	return err
}

func (p *proposal) observePull(ctx context.Context, v *View) (Observation, error) {
	if v.Fact(p.step("branch"), "nothing") != "" {
		return done("nothing to change"), nil
	}
	pull, err := p.pull(ctx, v)
	switch {
	case errors.Is(err, ErrNotFound):
		o := missing(p.title, Effect{Method: "POST", Target: p.api("/repos/" + p.repo + "/pulls"), Text: p.title})
		o.Detail = p.body(v)
		return o, nil
	case err != nil:
		return Observation{}, err
	case !pull.Open && !pull.Merged:
		return p.closed(pull), nil
	}
	return done(fmt.Sprintf("PR #%d", pull.Number), "number", fmt.Sprint(pull.Number), "url", pull.URL).at(pull.URL), nil
}

func (p *proposal) actPull(ctx context.Context, h *Hands, _ Observation) error {
	_, err := h.Forge.CreatePull(ctx, p.repo, p.head(), p.base, p.title, p.body(h.View))
	if refused(err, http.StatusUnprocessableEntity) && strings.Contains(err.Error(), "already exists") {
		return nil
	}
	return err
}

func (p *proposal) observeMerged(ctx context.Context, v *View) (Observation, error) {
	if base := v.Fact(p.step("branch"), "nothing"); base != "" {
		return done("nothing to change", "commit", base), nil
	}
	pull, err := p.pull(ctx, v)
	switch {
	case errors.Is(err, ErrNotFound):
		return p.wait("the PR is not open yet", ""), nil
	case err != nil:
		return Observation{}, err
	case pull.Merged:
		return p.merged(ctx, v, pull)
	case !pull.Open:
		return p.closed(pull), nil
	}
	text := fmt.Sprintf("PR #%d is open", pull.Number)
	if p.due != nil {
		text += p.due(v)
	}
	return p.wait(text, pull.URL), nil
}

func (p *proposal) wait(text, url string) Observation { return waiting(text, p.who, url) }

// merged proves that what was merged is what was proposed: the image of
// v0.0.5 was built before the edits were in.
func (p *proposal) merged(ctx context.Context, v *View, pull Pull) (Observation, error) {
	tree, err := p.tree(ctx, v, p.repo, pull.MergeCommit)
	if err != nil {
		return Observation{}, err
	}
	ok, err := p.settled(ctx, v, tree)
	if err != nil {
		return Observation{}, err
	}
	if !ok {
		o := conflict("PR #%d was merged as %.7s, which does not hold what was proposed", pull.Number, pull.MergeCommit).at(pull.URL)
		o.Who = p.who
		return o, nil
	}
	return done(fmt.Sprintf("PR #%d merged as %.7s", pull.Number, pull.MergeCommit), "commit", pull.MergeCommit, "number", fmt.Sprint(pull.Number)).at(pull.URL), nil
}

// undoPull closes a PR that is open.
func (p *proposal) undoPull(ctx context.Context, h *Hands, _ Observation) (string, error) {
	pull, err := p.pull(ctx, h.View)
	if err != nil || !pull.Open {
		return "", ignoreNotFound(err)
	}
	return "closed " + pull.URL, h.Forge.ClosePull(ctx, p.repo, pull.Number)
}

// undoBranch deletes the branch, unless it was merged.
func (p *proposal) undoBranch(ctx context.Context, h *Hands, _ Observation) (string, error) {
	pull, err := p.pull(ctx, h.View)
	if ignoreNotFound(err) != nil || pull.Merged {
		return "", ignoreNotFound(err)
	}
	heads, err := h.heads(ctx, p.push)
	if err != nil {
		return "", ignoreNotFound(err)
	}
	head := heads.Branches[p.train.work()]
	if head == "" {
		return "", nil
	}
	if _, err := p.tree(ctx, h.View, p.push, head); err != nil {
		return "", err
	}
	return "deleted branch " + p.train.work() + " of " + p.push, h.Git.Push(ctx, p.push, "", git.Update{Ref: "refs/heads/" + p.train.work(), Old: head, New: git.Zero})
}

func ignoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
