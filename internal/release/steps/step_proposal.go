package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Proposal is a pull request that the train makes: three steps, NAME-branch,
// NAME-pr and NAME-merged. Its branch is one commit on top of the base.
type Proposal struct {
	train *Train
	name  string
	repo  string // that gets the PR
	push  string // that gets the branch: repo, or a fork of it
	base  string // branch
	title string
	body  func(v *View) string
	needs []*Step
	who   string // can merge it
	large bool   // fetch lazily

	// changes are the files to change on top of base; none = the base is
	// as it should be.
	changes func(ctx context.Context, v *View, base ports.Snapshot) ([]git.Change, error)
	// differs says where a tree is not as the proposal wants it, whoever made
	// it: used on branches and merge commits that people have touched. None:
	// it is settled.
	differs func(ctx context.Context, v *View, tree ports.Snapshot) ([]string, error)
	// standing says of a PR that was merged before the release was aborted
	// whether something published is on it; nil: it is published itself.
	standing func(ctx context.Context, v *View, pull forge.Pull) (bool, error)
	// settled is a commit that needed no change when that was decided; may be nil.
	settled func(ctx context.Context, v *View, base string) (string, error)
	// stale says what the base has decided otherwise since a branch of ours was
	// made; may be nil. Empty: nothing.
	stale func(ctx context.Context, v *View, branch ports.Snapshot) (string, error)
	pullFacts
	// group is skipped as one; empty: it cannot be.
	group string
	// due is added to the text while waiting; may be nil.
	due func(v *View) string
}

// pullFacts are the evidence of a proposal's steps.
type pullFacts struct {
	commit  train.Fact[CommitID] // of the branch
	nothing train.Fact[CommitID] // of the base, where that needs no change
	number  train.Fact[string]   // of the PR, where the branch saw that it is merged
	merged  train.Fact[CommitID] // the merge commit, or nothing's
}

func (p *Proposal) step(kind string) string { return p.name + "-" + kind }

func (p *Proposal) steps() (branch, pull, merged *Step) {
	branch = &Step{Name: p.step("branch"), Group: p.group, Title: "work branch for " + p.repo, Needs: p.needs, Observe: p.observeBranch, Act: p.actBranch, Undo: p.undoBranch, Moving: true}
	pull = &Step{Name: p.step("pr"), Group: p.group, Title: "PR to " + p.repo + ": " + p.title, Needs: []*Step{branch}, Observe: p.observePull, Act: p.actPull, Undo: p.undoPull}
	merged = &Step{Name: p.step("merged"), Group: p.group, Title: "PR to " + p.repo + " merged", Needs: []*Step{pull}, Observe: p.observeMerged}
	branch.Target, pull.Target, merged.Target = p.repo, p.repo, p.repo
	p.pullFacts = pullFacts{
		train.FactOf[CommitID](branch, "commit"), train.FactOf[CommitID](branch, train.Nothing), train.FactOf[string](branch, "number"),
		train.FactOf[CommitID](merged, "commit"),
	}
	return branch, pull, merged
}

// work is the branch of the proposal.
func (p *Proposal) work(v *View) string { return cmp.Or(p.first(v, "branch"), p.train.Work()) }

// pushed is the repository that the branch is in.
func (p *Proposal) pushed(v *View) string { return cmp.Or(p.first(v, "pushed"), p.push) }

// first is where the branch of this release was made, by a fact of its step; empty
// = it was not made. It stays there: whoever names another prefix or fork in the
// recipe (release.prefix, catalog.fork) means later releases.
func (p *Proposal) first(v *View, fact string) string {
	if r := p.valid(v).Last(p.step("branch"), RecDone, RecAssert); r != nil {
		return r.Facts[fact]
	}
	return ""
}

// valid are the records that tell of the branch and the PR: those since the last
// abort, and all where the PR was merged.
func (p *Proposal) valid(v *View) train.Records {
	if r := v.Past.Last(p.step("merged"), RecDone); r != nil && r.Facts["number"] != "" {
		return v.Past
	}
	return v.Journal
}

// head is the branch as the forge names it across forks: OWNER:BRANCH.
func (p *Proposal) head(v *View) string {
	owner, _ := forge.Split(p.pushed(v))
	return owner + ":" + p.work(v)
}

// Newest is the newest PR from the branch to the base, whatever became of it. Where
// the forge knows of none between these two, it is the one that the journal has the
// number of: forks are renamed, and a recipe gets another base.
func (p *Proposal) Newest(ctx context.Context, v *View) (forge.Pull, error) {
	head := p.head(v)
	return Recall(v, "pull "+p.repo+" "+head, func() (forge.Pull, error) {
		pull, err := v.Forge.Pull(ctx, p.repo, head, p.base)
		number, url := p.known(v)
		if number == 0 || !errors.Is(err, wire.ErrNotFound) {
			return pull, err
		}
		have, herr := v.Forge.PullNumbered(ctx, p.repo, number)
		if herr == nil && have.URL != url || errors.Is(herr, wire.ErrNotFound) {
			return pull, err // it was a PR to another repository
		}
		return have, herr
	})
}

// known are the number and the address of the PR that the journal tells of; 0 =
// it tells of none.
func (p *Proposal) known(v *View) (number int, url string) {
	for _, r := range p.valid(v) {
		mine := r.Step == p.step("pr") || r.Step == p.step("merged")
		if n, err := strconv.Atoi(r.Facts["number"]); mine && r.Kind == RecDone && err == nil && r.URL != "" {
			number, url = n, r.URL
		}
	}
	return number, url
}

// Pull is the PR of this release. One that was closed or merged before the
// release was aborted is none, unless something published is on it.
func (p *Proposal) Pull(ctx context.Context, v *View) (forge.Pull, error) {
	pull, err := p.Newest(ctx, v)
	if err != nil || pull.Open || pull.Number > p.void(v) {
		return pull, err
	}
	stands := pull.Merged
	if stands && p.standing != nil {
		if stands, err = p.standing(ctx, v, pull); err != nil {
			return forge.Pull{}, err
		}
	}
	if !stands {
		return forge.Pull{}, fmt.Errorf("PR #%d was given up with the abort: %w", pull.Number, wire.ErrNotFound)
	}
	return pull, nil
}

// void is the highest number of a PR of before the abort; 0 = there is none.
func (p *Proposal) void(v *View) int {
	highest := 0
	for _, r := range v.Past.Before() {
		if slices.Contains([]string{p.step("branch"), p.step("pr"), p.step("merged")}, r.Step) {
			n, _ := strconv.Atoi(r.Facts["number"])
			highest = max(highest, n)
		}
	}
	return highest
}

func (p *Proposal) tree(ctx context.Context, v *View, repo, commit string) (ports.Snapshot, error) {
	return v.Tree(ctx, repo, commit, p.large)
}

// An unfitError says that the branch that a proposal starts from does not let it
// be made: a maintainer has to change something there.
type unfitError struct {
	reason string
	err    error
}

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// unfit marks an error about what is in a tree, where it is one of those.
func unfit(reason string, err error) error {
	if err == nil || reason == why.Place && !errors.Is(err, stack.ErrNoMatch) {
		return err
	}
	return &unfitError{reason, err}
}

// stop is the observation of a branch that does not let a proposal be made.
func (e *unfitError) stop(p *Proposal, base string) Observation {
	o := conflict(e.reason, "%s of %s at %.7s: %v", p.base, p.repo, base, e.err)
	r, _ := why.Of(e.reason)
	who := "a maintainer of " + p.repo
	if e.reason == why.Bundle {
		who = "you"
	}
	o.Who = who + ": " + r.Way(p.train.Version, p.step("branch"))
	return o
}
