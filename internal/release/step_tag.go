package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// heads reads the branches and tags of a repository once per pass. Of the tags
// only those are kept that the train can ever ask for: 200 repositories with
// 5,000 tags each are no small number.
func (v *View) heads(ctx context.Context, repo string) (git.Heads, error) {
	return recall(v, "heads "+repo, func() (git.Heads, error) {
		h, err := v.git.Heads(ctx, repo)
		if err != nil {
			return h, err
		}
		kept := git.Heads{Branches: map[string]string{}, Tags: map[string]git.Ref{}}
		for name, commit := range h.Branches {
			kept.Branches[strings.Clone(name)] = strings.Clone(commit)
		}
		for _, c := range v.train.stack.At(v.train.Version) {
			if c.Repository == repo {
				v.train.keepTags(kept.Tags, c, h.Tags)
			}
		}
		return kept, nil
	})
}

// manyTags is how many tags of a repository are kept without a choice.
const manyTags = 500

// keepTags copies the tags of a component that matter, where there are many:
// every spelling of its version, the highest, the highest below, and the
// highest on the same line.
func (t *Train) keepTags(kept map[string]git.Ref, c *stack.Component, tags map[string]git.Ref) {
	version, plain := t.Versions[c.Name], plainTag(t.tag(c))
	var top, below, line string
	for name, ref := range tags {
		if len(tags) <= manyTags || plainTag(name) == plain {
			keep(kept, ref)
		}
		v, ok := c.VersionOfTag(name)
		if !ok || semver.Prerelease(v) != "" {
			continue
		}
		if semver.Compare(v, top) > 0 {
			top = v
		}
		if semver.Compare(v, version) < 0 && semver.Compare(v, below) > 0 {
			below = v
		}
		if semver.MajorMinor(v) == semver.MajorMinor(version) && semver.Compare(v, line) > 0 {
			line = v
		}
	}
	for _, v := range compact(top, below, line) {
		keep(kept, tags[c.TagOf(v)])
	}
}

func keep(kept map[string]git.Ref, ref git.Ref) {
	ref = git.Ref{Name: strings.Clone(ref.Name), Object: strings.Clone(ref.Object), Commit: strings.Clone(ref.Commit)}
	kept[ref.Name] = ref
}

// stepTag releases a component: ADR-0003, step 1, "this will just be the new
// semantic version tag". Where a workflow makes the tag, it is dispatched, and
// the tag is awaited. pins are the PR with its pins, whose merge,
// pinned, is what is tagged; nil when it has none.
func stepTag(t *Train, c *stack.Component, tags map[string]tagging, pins *proposal, pinned *Step) tagging {
	s := &Step{Name: stepOf("tag", c), Title: "tag " + c.Name + " " + t.tag(c), Needs: append(t.before(c, tags), there(pinned)...), Public: true, Target: c.Repository}
	if t.build(c).By == "workflow" {
		s.Title = "release " + c.Name + " " + t.tag(c) + " by its workflow"
		s.Observe, s.Act = dispatched(t, c)
		return newTagging(s)
	}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		if o, other := t.otherwise(v, c); other {
			return o, nil
		}
		h, err := v.heads(ctx, c.Repository)
		if err != nil {
			return observation{}, err
		}
		if ref, ok := h.Tags[t.tag(c)]; ok {
			return t.owned(ctx, v, c, ref)
		}
		commit := h.Branches[t.branch(c)]
		if decided := t.decided(v, c, recIntent, recDone, recAssert); decided != "" {
			commit = decided // not what the branch is by now
		} else if merge := mergedPins(v, pins); merge != "" && commit != "" {
			if tip, on, err := v.has(ctx, c.Repository, t.branch(c), commit, merge); err != nil || !on {
				return lostMerge(t, c, tip, merge), err
			}
			commit = merge
		}
		if commit == "" {
			return v.branchless(ctx, c.Repository, t.branch(c)), nil
		}
		return missingTag(t, c, commit), nil
	}
	s.Act = actTag(t, c)
	return newTagging(s)
}

// mergedPins is the commit that the PR with a component's pins was merged as;
// empty when there is none, or nothing had to change.
func mergedPins(v *View, pins *proposal) string {
	if pins == nil || pins.nothing.In(v) != "" {
		return ""
	}
	return string(pins.merged.In(v))
}

// decided is the commit that this release has decided to tag a component at, or
// has found it tagged at, by its newest record of one of the kinds; empty = none.
func (t *Train) decided(v *View, c *stack.Component, kinds ...string) string {
	if r := v.Journal.Last(stepOf("tag", c), kinds...); r != nil {
		return r.Facts["commit"]
	}
	return ""
}

// otherwise stops a release that has tagged a component in another version than
// it is to have now: a user has changed the row of a release that is under way.
func (t *Train) otherwise(v *View, c *stack.Component) (observation, bool) {
	r := v.Journal.Last(stepOf("tag", c), recDone)
	if r == nil || r.Facts["tag"] == "" || r.Facts["tag"] == t.tag(c) {
		return observation{}, false
	}
	o := conflict(whyVersions, "this release has %s of %s, since %s, and is to have %s now", r.Facts["tag"], c.Name, r.Time.UTC().Format(time.DateOnly), t.tag(c))
	o.Who = "a maintainer: set the version to " + r.Facts["tag"] + " again (its row in matrix.releases, or --component); or you: cfctl release abort " + t.Version + ", then run it again"
	return o, true
}

// owned evaluates a tag that is there. It is done when it is at the commit that
// this release decided on; where the journal has no decision, on the branch that
// the component is released from. Any other tag is another user's.
func (t *Train) owned(ctx context.Context, v *View, c *stack.Component, ref git.Ref) (observation, error) {
	step := stepOf("tag", c)
	workflow := t.build(c).By == "workflow" // what it tags is its own decision
	decided := t.decided(v, c, recIntent, recDone)
	if workflow {
		decided = t.decided(v, c, recDone)
	}
	if want := decided; want != "" {
		if want != ref.Commit {
			return t.elsewhere(ctx, v, c, ref, fmt.Sprintf("this release decided on %.7s", want)), nil
		}
		return tagged(t, c, ref), nil
	}
	for _, r := range v.Past {
		if r.Step == step && (r.Kind == recDone && r.Facts["commit"] == ref.Commit || workflow && r.Kind == recEffect) {
			return tagged(t, c, ref), nil // made by this release
		}
	}
	branch := t.branch(c)
	h, err := v.heads(ctx, c.Repository)
	if err != nil {
		return observation{}, err
	}
	if h.Branches[branch] == "" {
		return t.elsewhere(ctx, v, c, ref, c.Repository+" has no branch "+branch), nil
	}
	on, err := v.contains(ctx, c.Repository, h.Branches[branch], ref.Commit)
	if err == nil && !on && workflow {
		on, err = t.ran(ctx, v, c, ref.Commit)
	}
	if err != nil || on {
		return tagged(t, c, ref), err
	}
	return t.elsewhere(ctx, v, c, ref, fmt.Sprintf("%s, which is at %.7s, does not have that commit", branch, h.Branches[branch])), nil
}

// ran says whether the component's workflow has run on the commit right before
// one: workflows tag a commit of their own.
func (t *Train) ran(ctx context.Context, v *View, c *stack.Component, commit string) (bool, error) {
	tree, err := v.tree(ctx, c.Repository, commit, true)
	if err != nil || len(tree.Info.Parents) == 0 {
		return false, err
	}
	runs, err := (&dispatch{t, c, t.build(c)}).runs(ctx, v)
	return slices.ContainsFunc(runs, func(r forge.WorkflowRun) bool {
		return r.Conclusion == "success" && r.Head == tree.Info.Parents[0]
	}), err
}

// elsewhere is the observation of a tag that is not ours.
func (t *Train) elsewhere(ctx context.Context, v *View, c *stack.Component, ref git.Ref, why string) observation {
	text := fmt.Sprintf("%s of %s is at %.7s", t.tag(c), c.Repository, ref.Commit)
	if tree, err := v.tree(ctx, c.Repository, ref.Commit, true); err == nil {
		text += ", a commit " + whose(tree)
	}
	return unmanaged(whyTagUnmanaged, text+": "+why, "a maintainer of "+c.Repository+": delete it if it is not in use yet, else take the next version; a published tag is never moved",
		"commit", ref.Commit, "object", ref.Object).At(treeURL(t, c))
}

// before are the tags that a component is built on: ADR-0003, "InstaScale is
// released after MCAD, which it depends on". tags are those of the components
// that come before it.
func (t *Train) before(c *stack.Component, tags map[string]tagging) []*Step {
	var needs []*Step
	for _, name := range c.Needs {
		if n, ok := t.stack.Component(name); ok && tags[n.Name].Step != nil {
			needs = append(needs, tags[n.Name].Step)
		}
	}
	return needs
}

// tagged is the commit that a component was tagged at, or will be; empty = not
// known, or not tagged in this train.
func (t *Train) tagged(c *stack.Component, v *View) commitID {
	return t.made().tags[c.Name].commit.In(v)
}

func tagged(t *Train, c *stack.Component, ref git.Ref) observation {
	return done(fmt.Sprintf("%s is at %.7s", t.tag(c), ref.Commit), "commit", ref.Commit, "object", ref.Object, "tag", ref.Name).At(treeURL(t, c))
}

func treeURL(t *Train, c *stack.Component) string {
	return strings.TrimSuffix(t.recipe.Forge.Git, "/") + "/" + c.Repository + "/tree/" + t.tag(c)
}

func missingTag(t *Train, c *stack.Component, commit string) observation {
	o := missing(fmt.Sprintf("%s at %.7s of %s", t.tag(c), commit, t.branch(c)))
	return o.With("commit", commit)
}

// signs says whether tags and commits of this release are signed.
func (v *View) signs(ctx context.Context) bool {
	return v.train.recipe.Sign == "always" || v.train.recipe.Sign == "auto" && v.hasKey(ctx)
}

// hasKey says whether git has a key for signatures.
func (v *View) hasKey(ctx context.Context) bool {
	has, _ := recall(v, "signing key", func() (bool, error) { return v.git.Signs(ctx), nil })
	return has
}

// signed is a commit as it is to be pushed: with a signature where tags have
// one. repo is the repository whose cache has it.
func (h *Writer) signed(ctx context.Context, repo, commit string) (string, error) {
	if !h.signs(ctx) {
		return commit, nil
	}
	made, err := h.git.Sign(ctx, repo, commit)
	if err == nil {
		h.Tell("commit", made)
	}
	return made, err
}

// actTag pushes the tag that the observation decided on.
func actTag(t *Train, c *stack.Component) func(context.Context, *Writer, observation) error {
	return func(ctx context.Context, h *Writer, seen observation) error {
		err := h.git.Tag(ctx, c.Repository, t.tag(c), seen.Facts["commit"], c.Title+" "+t.tag(c), h.signs(ctx))
		if errors.Is(err, git.ErrMoved) {
			return nil // a user was quicker: the next look says whether with the same commit
		}
		return err
	}
}

// stepTagRoot tags the merge commit that the train recorded, never "whatever
// main is" (v0.0.5 was tagged next to main, and redone as v0.0.6).
func stepTagRoot(t *Train, merged *Step, at train.Fact[commitID]) tagging {
	c := t.root()
	s := &Step{Name: stepOf("tag", c), Title: "tag " + c.Name + " " + t.tag(c), Needs: []*Step{merged}, Public: true, Target: c.Repository}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		h, err := v.heads(ctx, c.Repository)
		if err != nil {
			return observation{}, err
		}
		want := string(at.In(v))
		ref, ok := h.Tags[t.tag(c)]
		switch {
		case ok && want != "" && ref.Commit != want:
			return t.elsewhere(ctx, v, c, ref, fmt.Sprintf("the PR was merged as %.7s", want)), nil
		case ok:
			return tagged(t, c, ref), nil
		case want == "":
			o := missingTag(t, c, "")
			o.Text = t.tag(c) + " at the merge commit"
			return o, nil
		}
		if base := h.Branches[t.branch(c)]; base == "" {
			return v.branchless(ctx, c.Repository, t.branch(c)), nil
		} else if base != want {
			tip, on, err := v.has(ctx, c.Repository, t.branch(c), base, want)
			if err != nil || !on {
				return lostMerge(t, c, tip, want), err
			}
			base = tip
			if o, stop, err := t.reverted(ctx, v, base, want); err != nil || stop {
				return o, err
			}
		}
		return missingTag(t, c, want), nil
	}
	s.Act = actTag(t, c)
	return newTagging(s)
}

// has says whether a branch has a commit, and where it is. Its tip may have been read
// before the commit was merged: a branch without it is read again.
func (v *View) has(ctx context.Context, repo, branch, tip, commit string) (string, bool, error) {
	on, err := v.contains(ctx, repo, tip, commit)
	if err != nil || on {
		return tip, on, err
	}
	h, err := v.git.Heads(ctx, repo)
	if err != nil {
		return tip, false, err
	}
	now := h.Branches[branch]
	if now == "" || now == tip {
		return tip, false, nil
	}
	on, err = v.contains(ctx, repo, now, commit)
	return now, on, err
}

// lostMerge is the observation when the branch does not have the merge commit
// any more: what is not on it is not released.
func lostMerge(t *Train, c *stack.Component, base, want string) observation {
	return conflict(whyMergeLost, "the PR was merged as %.7s, and %s of %s, which is at %.7s, does not have that commit any more", want, t.branch(c), c.Repository, base).
		By("a maintainer: bring the commit back to " + t.branch(c) + "; or you: cfctl release abort " + t.Version + ", then run it again")
}

// reverted looks, directly before the root is tagged, whether its branch still has
// what the PR of this release has set: a PR that was reverted is not released. What
// a maintainer has approved since (release approve) is tagged all the same.
func (t *Train) reverted(ctx context.Context, v *View, head, want string) (o observation, stop bool, err error) {
	root := t.root()
	tree, err := v.tree(ctx, root.Repository, head, false)
	if err != nil {
		return observation{}, false, err
	}
	differences, err := t.referencesDiffer(ctx, v, tree.Files)
	if err != nil || len(differences) == 0 {
		return observation{}, false, err
	}
	by, err := t.revertedBy(ctx, v, tree, want)
	if err != nil {
		return observation{}, false, err
	}
	commit := by.Info.Hash
	if r := v.Journal.Last(stepOf("tag", root), recApprove); r != nil && r.Facts["changed"] == commit {
		return observation{}, false, nil
	}
	o = conflict(whyReverted, "the PR was merged as %.7s, and %s does not have what it set any more, since %.7s %s%s%s",
		want, t.branch(root), commit, whose(by), told(differences), t.approvedBefore(v))
	o.Who = "its author: set it again on " + t.branch(root) + "; or you, to tag " + want[:min(7, len(want))] + " all the same: cfctl release approve " + t.Version + " " + stepOf("tag", root) +
		"; or cfctl release abort " + t.Version + ", then run it again"
	o.Ask = true
	return o.With("changed", commit).Listing(differences), true, nil
}

// revertedBy is the commit of the branch with which what the PR has set is not there
// any more: the first one after the merge; the head, where that is too far away.
func (t *Train) revertedBy(ctx context.Context, v *View, head ports.Snapshot, want string) (ports.Snapshot, error) {
	const most = 50 // commits back
	by := head
	for range most {
		parents := by.Info.Parents
		if len(parents) == 0 || parents[0] == want {
			return by, nil
		}
		before, err := v.tree(ctx, t.root().Repository, parents[0], false)
		if err != nil {
			return by, err
		}
		differences, err := t.referencesDiffer(ctx, v, before.Files)
		if err != nil || len(differences) == 0 {
			return by, err
		}
		by = before
	}
	return head, nil
}

// approvedBefore says who has approved that the root is tagged, before that changed;
// empty = no one was asked.
func (t *Train) approvedBefore(v *View) string {
	for _, a := range t.recipe.Approvals {
		if r := v.Journal.Last(approvalStep(a), recApprove); r != nil && slices.Contains(a.Before, stepOf("tag", t.root())) {
			return fmt.Sprintf("; %s approved it on %s as it was", r.Who, r.Time.UTC().Format(time.DateOnly))
		}
	}
	return ""
}

// stops is the observation of a step whose act a server has refused by a rule: that
// is for display to decide. ok = it was.
func stops(target string, err error) (o observation, ok bool) {
	if missing, ok := errors.AsType[*BranchError](err); ok {
		return missing.stop(), true
	}
	text := strings.ToLower(err.Error())
	if failed, ok := errors.AsType[*git.CommandError](err); ok {
		text += strings.ToLower(failed.Stderr)
	}
	if errors.Is(err, wire.ErrNotFound) || !slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(text, s) }) {
		return observation{}, false
	}
	o = conflict(whyPushRefused, "%v", err)
	o.Who = "an administrator of " + target + ": allow it in its rules and hooks, or let the account of the token bypass it"
	return o, true
}

// refusals are what servers say when a rule or hook refuses a push.
var refusals = []string{"[remote rejected]", "hook declined", "rule violation", "protected branch"}
