package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

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
	needs []*Step
	who   string // can merge it
	large bool   // fetch lazily

	// changes are the files to change on top of base; none = the base is
	// as it should be.
	changes func(ctx context.Context, v *View, base Snapshot) ([]git.Change, error)
	// differs says where a tree is not as the proposal wants it, whoever made
	// it: used on branches and merge commits that people have touched. None:
	// it is settled.
	differs func(ctx context.Context, v *View, tree Snapshot) ([]string, error)
	// standing says of a PR that was merged before the release was aborted
	// whether something published stands on it; nil: it is published itself.
	standing func(ctx context.Context, v *View, pull forge.Pull) (bool, error)
	// settled is a commit that needed no change when that was decided; may be nil.
	settled func(ctx context.Context, v *View, base string) (string, error)
	// stale says what the base has decided otherwise since a branch of ours was
	// made; may be nil. Empty: nothing.
	stale func(ctx context.Context, v *View, branch Snapshot) (string, error)
	pullFacts
	// group is skipped as one; empty: it cannot be.
	group string
	// due is added to the text while waiting; may be nil.
	due func(v *View) string
}

// pullFacts are the evidence of a proposal's steps.
type pullFacts struct {
	commit  train.Fact[commitID] // of the branch
	nothing train.Fact[commitID] // of the base, where that needs no change
	number  train.Fact[string]   // of the PR, where the branch saw that it is merged
	merged  train.Fact[commitID] // the merge commit, or nothing's
}

func (p *proposal) step(kind string) string { return p.name + "-" + kind }

func (p *proposal) steps() (branch, pull, merged *Step) {
	branch = &Step{Name: p.step("branch"), Group: p.group, Title: "branch " + p.train.work() + " in " + p.push, Needs: p.needs, Observe: p.observeBranch, Act: p.actBranch, Undo: p.undoBranch}
	pull = &Step{Name: p.step("pr"), Group: p.group, Title: "PR to " + p.repo + ": " + p.title, Needs: []*Step{branch}, Observe: p.observePull, Act: p.actPull, Undo: p.undoPull}
	merged = &Step{Name: p.step("merged"), Group: p.group, Title: "PR to " + p.repo + " merged", Needs: []*Step{pull}, Observe: p.observeMerged}
	p.pullFacts = pullFacts{
		train.FactOf[commitID](branch, "commit"), train.FactOf[commitID](branch, train.Nothing), train.FactOf[string](branch, "number"),
		train.FactOf[commitID](merged, "commit"),
	}
	return branch, pull, merged
}

// head is the branch as the forge names it across forks: OWNER:BRANCH.
func (p *proposal) head() string {
	owner, _ := forge.Split(p.push)
	return owner + ":" + p.train.work()
}

// newest is the newest PR from the branch to the base, whatever became of it.
func (p *proposal) newest(ctx context.Context, v *View) (forge.Pull, error) {
	return recall(v, "pull "+p.repo+" "+p.head(), func() (forge.Pull, error) { return v.Forge.Pull(ctx, p.repo, p.head(), p.base) })
}

// pull is the PR of this release. One that was closed or merged before the
// release was aborted is none, unless something published stands on it.
func (p *proposal) pull(ctx context.Context, v *View) (forge.Pull, error) {
	pull, err := p.newest(ctx, v)
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
func (p *proposal) void(v *View) int {
	highest := 0
	for _, r := range v.Past.Before() {
		if slices.Contains([]string{p.step("branch"), p.step("pr"), p.step("merged")}, r.Step) {
			n, _ := strconv.Atoi(r.Facts["number"])
			highest = max(highest, n)
		}
	}
	return highest
}

func (p *proposal) tree(ctx context.Context, v *View, repo, commit string) (Snapshot, error) {
	return v.tree(ctx, repo, commit, p.large)
}

func (p *proposal) observeBranch(ctx context.Context, v *View) (Observation, error) {
	pull, err := p.pull(ctx, v)
	switch {
	case errors.Is(err, wire.ErrNotFound):
	case err != nil:
		return Observation{}, err
	case pull.Merged:
		return done("PR merged", "number", fmt.Sprint(pull.Number)).At(pull.URL), nil
	case p.astray(pull):
		return p.strayed(pull), nil
	}
	heads, err := v.heads(ctx, p.push)
	if errors.Is(err, wire.ErrNotFound) && p.push != p.repo {
		return p.fork(ctx, v)
	}
	if err != nil {
		return Observation{}, err
	}
	if head := heads.Branches[p.train.work()]; head != "" {
		return p.compare(ctx, v, head)
	}
	return p.fresh(ctx, v, heads.Branches[p.base])
}

// fresh is the observation when there is no branch yet. The proposal is made
// on top of what the repository of the PR has, never of what a fork has: a
// fork that is behind would decide what is replaced. have is the base in the
// repository that gets the branch.
func (p *proposal) fresh(ctx context.Context, v *View, have string) (Observation, error) {
	heads, err := v.heads(ctx, p.repo)
	if err != nil {
		return Observation{}, err
	}
	base := heads.Branches[p.base]
	switch {
	case base == "":
		return conflict(whyNoBranch, "%s has no branch %s", p.repo, p.base), nil
	case have == "":
		return conflict(whyNoBranch, "%s has no branch %s", p.push, p.base), nil
	}
	if p.settled != nil {
		if commit, err := p.settled(ctx, v, base); err != nil {
			return Observation{}, err
		} else if commit != "" {
			return p.unchanged(commit), nil
		}
	}
	o, err := p.propose(ctx, v, base)
	if err != nil || have == base || o.State != Missing {
		return o, err
	}
	return p.behind(ctx, v, o, have, base)
}

// behind puts before a proposal that the fork's base is brought to where the
// base is: on it the new commit stands.
func (p *proposal) behind(ctx context.Context, v *View, o Observation, have, base string) (Observation, error) {
	ours, err := v.contains(ctx, p.repo, base, have)
	if err != nil {
		return Observation{}, err
	}
	if !ours {
		return foreign(whyForkAhead, fmt.Sprintf("%s of the fork %s is at %.7s, and has commits that %s does not have", p.base, p.push, have, p.repo),
			"whoever keeps "+p.push+": keep those commits on a branch of their own, and set "+p.base+" to the one of "+p.repo), nil
	}
	first := o.With("sync", base)
	first.Then = &o
	return first, nil
}

// elsewhere says whether somebody has given a PR another base.
func (p *proposal) elsewhere(pull forge.Pull) bool { return pull.Base != "" && pull.Base != p.base }

// astray says whether a PR does not lead to its base any more.
func (p *proposal) astray(pull forge.Pull) bool {
	return !pull.Merged && (!pull.Open || p.elsewhere(pull))
}

// strayed is the observation of a PR that was closed, or that goes elsewhere.
func (p *proposal) strayed(pull forge.Pull) Observation {
	number := fmt.Sprint(pull.Number)
	if p.elsewhere(pull) {
		o := conflict(whyPRElsewhere, "PR #%d goes to %s, and not to %s", pull.Number, pull.Base, p.base).At(pull.URL)
		o.Who = p.who + " (make " + p.base + " its base, or close it)"
		return o.With("number", number)
	}
	o := conflict(whyPRClosed, "PR #%d was closed without being merged", pull.Number).At(pull.URL)
	o.Who = p.who + " (reopen it), or you (cfctl release abort " + p.train.Version + ", then run it again)"
	return o.With("number", number)
}

// fork is the observation when there is no fork yet.
func (p *proposal) fork(ctx context.Context, v *View) (Observation, error) {
	heads, err := v.heads(ctx, p.repo)
	if err != nil {
		return Observation{}, err
	}
	o, err := p.propose(ctx, v, heads.Branches[p.base])
	first := o.With("fork", p.push)
	first.Then = &o
	return first, err
}

// propose writes the commit into the cache and shows what it changes.
func (p *proposal) propose(ctx context.Context, v *View, base string) (Observation, error) {
	snap, err := p.tree(ctx, v, p.repo, base)
	if err != nil {
		return Observation{}, err
	}
	made, err := p.write(ctx, v, p.repo, snap)
	var cannot *unfitError
	switch {
	case errors.Is(err, errUnknown):
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
func (p *proposal) unchanged(commit string) Observation {
	return done(fmt.Sprintf("%s of %s is as it should be at %.7s", p.base, p.repo, commit), "nothing", commit, "commit", commit)
}

// write makes the proposal's commit on top of a snapshot.
func (p *proposal) write(ctx context.Context, v *View, repo string, base Snapshot) (Proposal, error) {
	changes, err := p.changes(ctx, v, base)
	if err != nil {
		return Proposal{}, err
	}
	return v.Git.Commit(ctx, repo, base.Info.Hash, NewCommit{Changes: changes, Message: p.title, SignOff: true})
}

// compare judges a branch that is there. It is ours when it grows from a
// commit that this release made, or would make: then people may have added to
// it what leaves the release as it is. Anything else is theirs.
func (p *proposal) compare(ctx context.Context, v *View, head string) (Observation, error) {
	origin, err := p.origin(ctx, v, head)
	if err != nil {
		return Observation{}, err
	}
	if origin == head && p.stale != nil {
		tree, err := p.tree(ctx, v, p.push, head)
		if err != nil {
			return Observation{}, err
		}
		if why, err := p.stale(ctx, v, tree); err != nil || why != "" {
			o := conflict(whyBranchOutdated, "branch %s of %s is outdated: %s", p.train.work(), p.push, why)
			o.Who = "you: cfctl release abort " + p.train.Version + ", then run it again"
			return o, err
		}
	}
	if origin == head {
		return done(fmt.Sprintf("%s is at %.7s", p.train.work(), head), "commit", head), nil
	}
	have, err := p.tree(ctx, v, p.push, head)
	if err != nil {
		return Observation{}, err
	}
	differences, err := p.differs(ctx, v, have)
	unknown := errors.Is(err, errUnknown)
	switch {
	case err != nil && !unknown:
		differences = []string{err.Error()}
	case unknown && origin == "":
		differences = []string{"what this release makes there is not known yet"}
	case origin != "" && len(differences) == 0:
		return done(fmt.Sprintf("%s is at %.7s, with other commits on it", p.train.work(), head), "commit", head), nil
	}
	if origin == "" {
		return foreign(whyBranchForeign, fmt.Sprintf("branch %s of %s is at %.7s, %s, and is not of this release%s", p.train.work(), p.push, head, whose(have), told(differences)),
			"whoever made it: give it another name; or you: set release.prefix to another one", "commit", head).Listing(differences), nil
	}
	return foreign(whyBranchChanged, fmt.Sprintf("branch %s of %s is at %.7s, %s, on top of %.7s of ours%s", p.train.work(), p.push, head, whose(have), origin, told(differences)),
		"whoever changed it: take that back", "commit", head).Listing(differences), nil
}

// whose tells of a commit's author.
func whose(s Snapshot) string {
	return fmt.Sprintf("by %s on %s", s.Info.Author, s.Info.Time.UTC().Format(time.DateOnly))
}

// told appends differences to a sentence.
func told(differences []string) string {
	if len(differences) == 0 {
		return ""
	}
	return ": " + train.Few(differences)
}

// reach is how many commits back the one that this release made is looked for.
const reach = 8

// origin is the commit of this release that a branch grows from: one that the
// journal has, or one that changes its parent as this release would. Empty: the
// branch is somebody else's.
func (p *proposal) origin(ctx context.Context, v *View, head string) (string, error) {
	known := p.made(v)
	heads, err := v.heads(ctx, p.repo)
	if err != nil {
		return "", err
	}
	for commit, n := head, 0; n < reach && commit != heads.Branches[p.base]; n++ {
		if known[commit] {
			return commit, nil
		}
		have, err := p.tree(ctx, v, p.push, commit)
		if err != nil {
			return "", err
		}
		if len(have.Info.Parents) == 0 {
			return "", nil
		}
		base, err := p.tree(ctx, v, p.push, have.Info.Parents[0])
		if err != nil {
			return "", err
		}
		made, err := p.write(ctx, v, p.push, base)
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
func (p *proposal) made(v *View) map[string]bool {
	commits := map[string]bool{}
	for _, r := range v.Past {
		mine := r.Step == p.step("branch") || r.Step == p.step("module")
		if mine && (r.Kind == recIntent || r.Kind == recEffect) && r.Facts["commit"] != "" {
			commits[r.Facts["commit"]] = true
		}
	}
	return commits
}

func (p *proposal) actBranch(ctx context.Context, h *Hands, seen Observation) error {
	if seen.Facts["fork"] != "" {
		forks, err := forge.ForkerOf(h.Forge)
		if err != nil {
			return err
		}
		owner, _ := forge.Split(p.push)
		if err := forks.Fork(ctx, p.repo, owner); err != nil {
			return err
		}
		return &wire.TransitError{Err: fmt.Errorf("fork %s is being made", p.push)} // look again: it is made in the background
	}
	if seen.Facts["sync"] != "" {
		forks, err := forge.ForkerOf(h.Forge)
		if err != nil {
			return err
		}
		return forks.Sync(ctx, p.push, p.base) // the next look sees the fork as it is then
	}
	commit, err := h.signed(ctx, p.repo, seen.Facts["commit"])
	if err != nil {
		return err
	}
	err = h.Git.Push(ctx, p.push, p.repo, git.Update{Ref: "refs/heads/" + p.train.work(), New: commit})
	if errors.Is(err, git.ErrMoved) {
		return nil // the next look says what is there
	}
	return err
}

func (p *proposal) observePull(ctx context.Context, v *View) (Observation, error) {
	if p.nothing.In(v) != "" {
		return done("nothing to change"), nil
	}
	pull, err := p.pull(ctx, v)
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
	return done(fmt.Sprintf("PR #%d", pull.Number), "number", fmt.Sprint(pull.Number), "url", pull.URL).At(pull.URL), nil
}

func (p *proposal) actPull(ctx context.Context, h *Hands, _ Observation) error {
	_, err := h.Forge.CreatePull(ctx, p.repo, p.head(), p.base, p.title, p.body(h.View))
	if errors.Is(err, forge.ErrExists) {
		return nil
	}
	return err
}

func (p *proposal) observeMerged(ctx context.Context, v *View) (Observation, error) {
	if base := string(p.nothing.In(v)); base != "" {
		return done("nothing to change", "commit", base, "nothing", base), nil
	}
	pull, err := p.pull(ctx, v)
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

func (p *proposal) wait(text, url string) Observation { return waiting(text, p.who, url) }

// mergedAs proves that what was merged is what was proposed: the image of
// v0.0.5 was built before the edits were in.
func (p *proposal) mergedAs(ctx context.Context, v *View, pull forge.Pull) (Observation, error) {
	tree, err := p.tree(ctx, v, p.repo, pull.MergeCommit)
	if err != nil {
		return Observation{}, err
	}
	differences, err := p.differs(ctx, v, tree)
	if err != nil {
		return Observation{}, err
	}
	facts := []string{"commit", pull.MergeCommit, "number", fmt.Sprint(pull.Number)}
	if len(differences) > 0 {
		text := fmt.Sprintf("PR #%d was merged as %.7s, which does not hold what was proposed%s", pull.Number, pull.MergeCommit, told(differences))
		return foreign(whyMerged, text, "you: cfctl release abort "+p.train.Version+", then run it again: a new PR brings what is missing", facts...).Listing(differences).At(pull.URL), nil
	}
	return done(fmt.Sprintf("PR #%d merged as %.7s", pull.Number, pull.MergeCommit), facts...).At(pull.URL), nil
}

// undoPull closes a PR that is open, and gives up one that is not: a release
// that is run again makes another.
func (p *proposal) undoPull(ctx context.Context, h *Hands) (*train.Undoing, error) {
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
		return h.Forge.ClosePull(ctx, p.repo, pull.Number)
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
	heads, err := v.heads(ctx, p.push)
	if err != nil || heads.Branches[p.train.work()] == "" {
		return false, ignoreNotFound(err)
	}
	origin, err := p.origin(ctx, v, heads.Branches[p.train.work()])
	return origin != "", err
}

// undoBranch deletes the branch when all of it is ours, unless what it brought
// is published.
func (p *proposal) undoBranch(ctx context.Context, h *Hands) (*train.Undoing, error) {
	pull, err := p.newest(ctx, h.View)
	if ignoreNotFound(err) != nil {
		return nil, err
	}
	heads, err := h.heads(ctx, p.push)
	if errors.Is(err, wire.ErrNotFound) && len(p.made(h.View)) > 0 {
		text := "branch " + p.train.work() + " of " + p.push + ", where that still is: the repository is not there, or not for this token"
		return &train.Undoing{Text: text, Stays: true}, nil
	}
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	head := heads.Branches[p.train.work()]
	if head == "" || pull.Merged && p.standing == nil {
		return nil, nil //nolint:nilnil // nothing to undo is an answer
	}
	branch := p.train.work() + " of " + p.push
	switch origin, err := p.origin(ctx, h.View, head); {
	case err != nil:
		return nil, err
	case origin == "":
		return &train.Undoing{Text: "branch " + branch + " is not of this release", Stays: true}, nil
	case origin != head:
		return &train.Undoing{Text: "branch " + branch + " has commits of others", Stays: true}, nil
	}
	return &train.Undoing{Text: "deleted branch " + branch, Act: func(ctx context.Context) error {
		err := h.Git.Push(ctx, p.push, "", git.Update{Ref: "refs/heads/" + p.train.work(), Old: head, New: git.Zero})
		if errors.Is(err, git.ErrMoved) {
			return fmt.Errorf("%s moved meanwhile: %w", branch, err)
		}
		return err
	}}, nil
}

func ignoreNotFound(err error) error {
	if errors.Is(err, wire.ErrNotFound) {
		return nil
	}
	return err
}

// difference says how a file is not as it should be: at its first line that is
// another. A nil content means that there is none.
func difference(path string, have, want []byte) string {
	switch {
	case have == nil:
		return path + " is not there"
	case want == nil:
		return path + " is not of this release"
	}
	a, b := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("%s:%d: ends, before %q", path, i+1, clip(b[i]))
		case i >= len(b):
			return fmt.Sprintf("%s:%d: has %q, after the end", path, i+1, clip(a[i]))
		case a[i] != b[i]:
			return fmt.Sprintf("%s:%d: has %q, and this release %q", path, i+1, clip(a[i]), clip(b[i]))
		}
	}
	return path + " has other bytes"
}

// clip shortens a line for a message.
func clip(line string) string {
	const most = 100
	line = strings.TrimSpace(line)
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// differences are the files that changes would make another, with their places.
func differences(tree fs.FS, changes []git.Change) ([]string, error) {
	var list []string
	for _, c := range changes {
		have, err := fs.ReadFile(tree, c.Path)
		if ignoreMissing(err) != nil {
			return nil, err
		}
		list = append(list, difference(c.Path, have, c.Data))
	}
	return list, nil
}
