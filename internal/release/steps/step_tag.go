package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Heads reads the branches and tags of a repository once per pass. Of the tags
// only those are kept that the train can ever ask for: 200 repositories with
// 5,000 tags each are no small number.
func (v *View) Heads(ctx context.Context, repo string) (git.Heads, error) {
	return Recall(v, "heads "+repo, func() (git.Heads, error) {
		h, err := v.Git.Heads(ctx, repo)
		if err != nil {
			return h, err
		}
		kept := git.Heads{Branches: map[string]string{}, Tags: map[string]git.Ref{}}
		for name, commit := range h.Branches {
			kept.Branches[strings.Clone(name)] = strings.Clone(commit)
		}
		for _, c := range v.Train.Stack.At(v.Train.Version) {
			if c.Repository == repo {
				v.Train.keepTags(kept.Tags, c, h.Tags)
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
	version, plain := t.Versions[c.Name], PlainTag(t.Tag(c))
	var top, below, line string
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if len(tags) <= manyTags || PlainTag(name) == plain || name == (tagger{t, c}).moduleTag() {
			keep(kept, tags[name])
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
	for _, v := range train.Compact(top, below, line) {
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
func stepTag(of *Train, c *stack.Component, tags map[string]tagging, pins *Proposal, pinned *Step) tagging {
	t := tagger{of, c}
	s := &Step{Name: t.step(), Title: "tag " + c.Name + " " + t.Tag(c), Needs: append(t.before(c, tags), there(pinned)...), Public: true, Target: c.Repository}
	if t.Build(c).By == "workflow" {
		s.Title = "release " + c.Name + " " + t.Tag(c) + " by its workflow"
		d := &dispatch{t, t.Build(c)}
		s.Observe, s.Act = d.observe, d.act
		return newTagging(s)
	}
	s.Observe = func(ctx context.Context, v *View) (Observation, error) {
		if o, other := t.otherwise(v); other {
			return o, nil
		}
		h, err := v.Heads(ctx, c.Repository)
		if err != nil {
			return Observation{}, err
		}
		if ref, ok := h.Tags[t.Tag(c)]; ok {
			o, err := t.owned(ctx, v, ref)
			return t.withModule(ctx, v, h, o), err
		}
		commit := h.Branches[t.Branch(c)]
		if decided := t.decided(v, RecIntent, RecDone, RecAssert); decided != "" {
			commit = decided // not what the branch is by now
		} else if merge := mergedPins(v, pins); merge != "" && commit != "" {
			if tip, on, err := v.has(ctx, c.Repository, t.Branch(c), commit, merge); err != nil || !on {
				return t.lostMerge(tip, merge), err
			}
			commit = merge
		}
		if commit == "" {
			return v.branchless(ctx, c.Repository, t.Branch(c)), nil
		}
		return t.unlessDrafted(ctx, v, t.withModule(ctx, v, h, t.missing(commit)))
	}
	s.Act = t.act
	return newTagging(s)
}

// A tagger decides about the tags of a component.
type tagger struct {
	*Train
	c *stack.Component
}

func (t tagger) step() string { return StepOf("tag", t.c) }

// moduleTag is the tag at which Go looks for the module of a component that this
// release tags; empty = it is the component's own, or a workflow makes it.
func (t tagger) moduleTag() string {
	if b := t.Build(t.c); b == nil || b.By == "workflow" || t.c.Module.Path == "" || t.c.Module.Tag == t.c.Tag {
		return ""
	}
	return t.c.ModuleTagOf(t.Versions[t.c.Name])
}

// withModule is the observation of a component's tag, which is done with that of its
// module, and not to be made where that one is at another commit.
func (t tagger) withModule(ctx context.Context, v *View, h git.Heads, o Observation) Observation {
	tag, commit := t.moduleTag(), o.Facts["commit"]
	ref, there := h.Tags[tag]
	switch {
	case tag == "" || commit == "" || there && ref.Commit == commit || o.State != train.Done && o.State != train.Missing:
		return o
	case there:
		return t.elsewhere(ctx, v, ref, fmt.Sprintf("%s is to be at %.7s", t.Tag(t.c), commit))
	case o.State == train.Done:
		return missing(fmt.Sprintf("%s at %.7s, as %s", tag, commit, t.Tag(t.c))).With("commit", commit)
	}
	return o
}

// mergedPins is the commit that the PR with a component's pins was merged as;
// empty when there is none, or nothing had to change.
func mergedPins(v *View, pins *Proposal) string {
	if pins == nil || pins.nothing.In(v) != "" {
		return ""
	}
	return string(pins.merged.In(v))
}

// decided is the commit that this release has decided to tag a component at, or
// has found it tagged at, by its newest record of one of the kinds; empty = none.
func (t tagger) decided(v *View, kinds ...string) string {
	if r := v.Journal.Last(t.step(), kinds...); r != nil {
		return r.Facts["commit"]
	}
	return ""
}

// otherwise stops a release that has tagged a component in another version than
// it is to have now: a user has changed the row of a release that is under way.
func (t tagger) otherwise(v *View) (Observation, bool) {
	r := v.Journal.Last(t.step(), RecDone)
	if r == nil || r.Facts["tag"] == "" || r.Facts["tag"] == t.Tag(t.c) {
		return Observation{}, false
	}
	o := conflict(why.Versions, "this release has %s of %s, since %s, and is to have %s now", r.Facts["tag"], t.c.Name, r.Time.UTC().Format(time.DateOnly), t.Tag(t.c))
	o.Who = "a maintainer: set the version to " + r.Facts["tag"] + " again (its row in matrix.releases, or --component); or you: cfctl release abort " + t.Version + ", then run it again"
	return o, true
}

// owned evaluates a tag that is there. It is done when it is at the commit that
// this release decided on; where the journal has no decision, on the branch that
// the component is released from. Any other tag is another user's.
func (t tagger) owned(ctx context.Context, v *View, ref git.Ref) (Observation, error) {
	workflow := t.Build(t.c).By == "workflow" // what it tags is its own decision
	decided := t.decided(v, RecIntent, RecDone)
	if workflow {
		decided = t.decided(v, RecDone)
	}
	if want := decided; want != "" {
		if want != ref.Commit {
			return t.elsewhere(ctx, v, ref, fmt.Sprintf("this release decided on %.7s", want)), nil
		}
		return t.at(ref), nil
	}
	for _, r := range v.Past {
		if r.Step == t.step() && (r.Kind == RecDone && r.Facts["commit"] == ref.Commit || workflow && r.Kind == RecEffect) {
			return t.at(ref), nil // made by this release
		}
	}
	branch := t.Branch(t.c)
	h, err := v.Heads(ctx, t.c.Repository)
	if err != nil {
		return Observation{}, err
	}
	if h.Branches[branch] == "" {
		return t.elsewhere(ctx, v, ref, t.c.Repository+" has no branch "+branch), nil
	}
	on, err := v.Contains(ctx, t.c.Repository, h.Branches[branch], ref.Commit)
	if err == nil && !on && workflow {
		on, err = t.ran(ctx, v, ref.Commit)
	}
	if err != nil || on {
		return t.at(ref), err
	}
	return t.elsewhere(ctx, v, ref, fmt.Sprintf("%s, which is at %.7s, does not have that commit", branch, h.Branches[branch])), nil
}

// ran says whether the component's workflow has run on the commit right before
// one: workflows tag a commit of their own.
func (t tagger) ran(ctx context.Context, v *View, commit string) (bool, error) {
	tree, err := v.Tree(ctx, t.c.Repository, commit, true)
	if err != nil || len(tree.Info.Parents) == 0 {
		return false, err
	}
	runs, err := (&dispatch{t, t.Build(t.c)}).runs(ctx, v)
	return slices.ContainsFunc(runs, func(r forge.WorkflowRun) bool {
		return r.Conclusion == "success" && r.Head == tree.Info.Parents[0]
	}), err
}

// elsewhere is the observation of a tag that is not ours.
func (t tagger) elsewhere(ctx context.Context, v *View, ref git.Ref, because string) Observation {
	text := fmt.Sprintf("%s of %s is at %.7s", ref.Name, t.c.Repository, ref.Commit)
	if tree, err := v.Tree(ctx, t.c.Repository, ref.Commit, true); err == nil {
		text += ", a commit " + whose(tree)
	}
	return unmanaged(why.TagUnmanaged, text+": "+because, "a maintainer of "+t.c.Repository+": delete it if it is not in use yet, else take the next version; a published tag is never moved",
		"commit", ref.Commit, "object", ref.Object).At(t.treeURL())
}

// before are the tags that a component is built on: ADR-0003, "InstaScale is
// released after MCAD, which it depends on". tags are those of the components
// that come before it.
func (t *Train) before(c *stack.Component, tags map[string]tagging) []*Step {
	var needs []*Step
	for _, name := range c.Needs {
		if n, ok := t.Stack.Component(name); ok && tags[n.Name].Step != nil {
			needs = append(needs, tags[n.Name].Step)
		}
	}
	return needs
}

// Tagged is the commit that a component was tagged at, or will be; empty = not
// known, or not tagged in this train.
func (t *Train) Tagged(c *stack.Component, v *View) CommitID {
	return t.Made().tags[c.Name].commit.In(v)
}

func (t tagger) at(ref git.Ref) Observation {
	return Done(fmt.Sprintf("%s is at %.7s", t.Tag(t.c), ref.Commit), "commit", ref.Commit, "object", ref.Object, "tag", ref.Name).At(t.treeURL())
}

func (t tagger) treeURL() string {
	return strings.TrimSuffix(t.Recipe.Forge.Git, "/") + "/" + t.c.Repository + "/tree/" + t.Tag(t.c)
}

func (t tagger) missing(commit string) Observation {
	o := missing(fmt.Sprintf("%s at %.7s of %s", t.Tag(t.c), commit, t.Branch(t.c)))
	return o.With("commit", commit)
}

// Signs says whether tags and commits of this release are signed.
func (v *View) Signs(ctx context.Context) bool {
	return v.Train.Recipe.Sign == "always" || v.Train.Recipe.Sign == "auto" && v.HasKey(ctx)
}

// HasKey says whether git has a key for signatures.
func (v *View) HasKey(ctx context.Context) bool {
	has, _ := Recall(v, "signing key", func() (bool, error) { return v.Git.Signs(ctx), nil })
	return has
}

// signed is a commit as it is to be pushed: with a signature where tags have
// one. repo is the repository whose cache has it.
func (h *Writer) signed(ctx context.Context, repo, commit string) (string, error) {
	if !h.Signs(ctx) {
		return commit, nil
	}
	made, err := h.Git.Sign(ctx, repo, commit)
	if err == nil {
		h.Tell("commit", made)
	}
	return made, err
}

// act pushes the tags that the observation decided on.
func (t tagger) act(ctx context.Context, h *Writer, seen Observation) error {
	heads, err := h.Heads(ctx, t.c.Repository)
	for _, tag := range []string{t.moduleTag(), t.Tag(t.c)} {
		if _, there := heads.Tags[tag]; err == nil && tag != "" && !there {
			err = h.Git.Tag(ctx, t.c.Repository, tag, seen.Facts["commit"], t.c.Title+" "+tag, h.Signs(ctx))
		}
		if errors.Is(err, git.ErrMoved) {
			err = nil // a user was quicker: the next look says whether with the same commit
		}
	}
	return err
}

// stepTagRoot tags the merge commit that the train recorded, never "whatever
// main is" (v0.0.5 was tagged next to main, and redone as v0.0.6).
func stepTagRoot(of *Train, merged *Step, at train.Fact[CommitID]) tagging {
	c := of.Root()
	t := tagger{of, c}
	s := &Step{Name: t.step(), Title: "tag " + c.Name + " " + t.Tag(c), Needs: []*Step{merged}, Public: true, Target: c.Repository}
	s.Observe = func(ctx context.Context, v *View) (Observation, error) {
		h, err := v.Heads(ctx, c.Repository)
		if err != nil {
			return Observation{}, err
		}
		want := string(at.In(v))
		ref, ok := h.Tags[t.Tag(c)]
		switch {
		case ok && want != "" && ref.Commit != want:
			return t.elsewhere(ctx, v, ref, fmt.Sprintf("the PR was merged as %.7s", want)), nil
		case ok:
			return t.withModule(ctx, v, h, t.at(ref)), nil
		case want == "":
			o := t.missing("")
			o.Text = t.Tag(c) + " at the merge commit"
			return o, nil
		}
		if base := h.Branches[t.Branch(c)]; base == "" {
			return v.branchless(ctx, c.Repository, t.Branch(c)), nil
		} else if base != want {
			tip, on, err := v.has(ctx, c.Repository, t.Branch(c), base, want)
			if err != nil || !on {
				return t.lostMerge(tip, want), err
			}
			base = tip
			if o, stop, err := t.reverted(ctx, v, base, want); err != nil || stop {
				return o, err
			}
		}
		return t.unlessDrafted(ctx, v, t.withModule(ctx, v, h, t.missing(want)))
	}
	s.Act = t.act
	return newTagging(s)
}

// has says whether a branch has a commit, and where it is. Its tip may have been read
// before the commit was merged: a branch without it is read again.
func (v *View) has(ctx context.Context, repo, branch, tip, commit string) (string, bool, error) {
	on, err := v.Contains(ctx, repo, tip, commit)
	if err != nil || on {
		return tip, on, err
	}
	h, err := v.Git.Heads(ctx, repo)
	if err != nil {
		return tip, false, err
	}
	now := h.Branches[branch]
	if now == "" || now == tip {
		return tip, false, nil
	}
	on, err = v.Contains(ctx, repo, now, commit)
	return now, on, err
}

// lostMerge is the observation when the branch does not have the merge commit
// any more: what is not on it is not released.
func (t tagger) lostMerge(base, want string) Observation {
	return conflict(why.MergeLost, "the PR was merged as %.7s, and %s of %s, which is at %.7s, does not have that commit any more", want, t.Branch(t.c), t.c.Repository, base).
		By("a maintainer: bring the commit back to " + t.Branch(t.c) + "; or you: cfctl release abort " + t.Version + ", then run it again")
}

// reverted looks, directly before the root is tagged, whether its branch still has
// what the PR of this release has set: a PR that was reverted is not released. What
// a maintainer has approved since (release approve) is tagged all the same.
func (t tagger) reverted(ctx context.Context, v *View, head, want string) (o Observation, stop bool, err error) {
	tree, err := v.Tree(ctx, t.c.Repository, head, false)
	if err != nil {
		return Observation{}, false, err
	}
	differences, err := t.ReferencesDiffer(ctx, v, tree.Files)
	if err != nil || len(differences) == 0 {
		return Observation{}, false, err
	}
	by, err := t.revertedBy(ctx, v, tree, want)
	if err != nil {
		return Observation{}, false, err
	}
	commit := by.Info.Hash
	if r := v.Journal.Last(t.step(), RecApprove); r != nil && r.Facts["changed"] == commit {
		return Observation{}, false, nil
	}
	o = conflict(why.Reverted, "the PR was merged as %.7s, and %s does not have what it set any more, since %.7s %s%s%s",
		want, t.Branch(t.c), commit, whose(by), Told(differences), t.approvedBefore(v))
	o.Who = "its author: set it again on " + t.Branch(t.c) + "; or you, to tag " + want[:min(7, len(want))] + " all the same: cfctl release approve " + t.Version + " " + t.step() +
		"; or cfctl release abort " + t.Version + ", then run it again"
	o.Ask = true
	return o.With("changed", commit).Listing(differences), true, nil
}

// revertedBy is the commit of the branch with which what the PR has set is not there
// any more: the first one after the merge; the head, where that is too far away.
func (t tagger) revertedBy(ctx context.Context, v *View, head ports.Snapshot, want string) (ports.Snapshot, error) {
	const most = 50 // commits back
	by := head
	for range most {
		parents := by.Info.Parents
		if len(parents) == 0 || parents[0] == want {
			return by, nil
		}
		before, err := v.Tree(ctx, t.c.Repository, parents[0], false)
		if err != nil {
			return by, err
		}
		differences, err := t.ReferencesDiffer(ctx, v, before.Files)
		if err != nil || len(differences) == 0 {
			return by, err
		}
		by = before
	}
	return head, nil
}

// approvedBefore says who has approved that the root is tagged, before that changed;
// empty = no one was asked.
func (t tagger) approvedBefore(v *View) string {
	for _, a := range t.Recipe.Approvals {
		if r := v.Journal.Last(approvalStep(a), RecApprove); r != nil && slices.Contains(a.Before, t.step()) {
			return fmt.Sprintf("; %s approved it on %s as it was", r.Who, r.Time.UTC().Format(time.DateOnly))
		}
	}
	return ""
}

// Stops is the observation of a step whose act a server has refused by a rule: that
// is for display to decide. ok = it was.
func Stops(target string, err error) (o Observation, ok bool) {
	if missing, ok := errors.AsType[*recipe.BranchError](err); ok {
		return branchStop(missing), true
	}
	text := strings.ToLower(err.Error())
	if failed, ok := errors.AsType[*git.CommandError](err); ok {
		text += strings.ToLower(failed.Stderr)
	}
	if errors.Is(err, wire.ErrNotFound) || !slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(text, s) }) {
		return Observation{}, false
	}
	o = conflict(why.PushRefused, "%v", err)
	o.Who = "an administrator of " + target + ": allow it in its rules and hooks, or let the account of the token bypass it"
	return o, true
}

// refusals are what servers say when a rule or hook refuses a push.
var refusals = []string{"[remote rejected]", "hook declined", "rule violation", "protected branch"}
