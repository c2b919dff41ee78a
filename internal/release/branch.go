package release

import (
	"cmp"
	"context"
	"fmt"
)

// A BranchError says that a repository does not have a branch that a release starts
// from or goes to.
type BranchError struct {
	Repository, Branch string
	Default            string // branch of the repository; empty = it does not say
	Flag               string // of the command that names the branch; empty = the configuration does
}

func (e *BranchError) Error() string {
	text := fmt.Sprintf("%s has no branch %s", e.Repository, e.Branch)
	if e.Default != "" {
		text += ": its default branch is " + e.Default
	}
	return text
}

// Hint is what to do about it.
func (e *BranchError) Hint() string {
	if e.Flag != "" {
		return "push the branch; or name another one: " + e.Flag + " " + cmp.Or(e.Default, "BRANCH")
	}
	if e.Default != "" {
		return "push the branch; or set branch: " + e.Default + " where " + configFile + " names " + e.Branch + " of " + e.Repository + " (release.components, catalog or downstream)"
	}
	return "push the branch; or set the branch in " + configFile + " (release.components, catalog or downstream)"
}

// noBranch is the error of a repository without a branch, with the one that it has by
// default. What cannot be asked is left out.
func (v *View) noBranch(ctx context.Context, repo, branch string) *BranchError {
	e := &BranchError{Repository: repo, Branch: branch}
	if name, err := v.git.DefaultBranch(ctx, repo); err == nil && name != branch {
		e.Default = name
	}
	return e
}

// branchless is the observation of a step whose branch is not there.
func (v *View) branchless(ctx context.Context, repo, branch string) observation {
	return v.noBranch(ctx, repo, branch).stop()
}

func (e *BranchError) stop() observation {
	return conflict(whyNoBranch, "%s", e.Error()).By("a maintainer of " + e.Repository + ", or you: " + e.Hint())
}
