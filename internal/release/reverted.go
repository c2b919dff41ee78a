package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// reverted looks, directly before the root is tagged, whether its branch still has
// what the PR of this release has set: a PR that was reverted is not released. What
// a maintainer has approved since (release approve) is tagged all the same.
func (t *Train) reverted(ctx context.Context, v *View, head, want string) (o observation, stop bool, err error) {
	root := t.root()
	tree, err := v.tree(ctx, root.Repository, head, false)
	if err != nil {
		return observation{}, false, err
	}
	differences, err := t.referencesDiffer(ctx, v, tree.files)
	if err != nil || len(differences) == 0 {
		return observation{}, false, err
	}
	by, err := t.revertedBy(ctx, v, tree, want)
	if err != nil {
		return observation{}, false, err
	}
	commit := by.info.Hash
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
func (t *Train) revertedBy(ctx context.Context, v *View, head Snapshot, want string) (Snapshot, error) {
	const most = 50 // commits back
	by := head
	for range most {
		parents := by.info.Parents
		if len(parents) == 0 || parents[0] == want {
			return by, nil
		}
		before, err := v.tree(ctx, t.root().Repository, parents[0], false)
		if err != nil {
			return by, err
		}
		differences, err := t.referencesDiffer(ctx, v, before.files)
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
