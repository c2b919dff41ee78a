package recipe

import (
	"cmp"
	"context"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/release/ports"
)

// File is where a repository declares its recipe and its matrix.
const File = ".cfctl.yaml"

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
		return "push the branch; or set branch: " + e.Default + " for " + e.Repository + " in " + File + " (release.components, catalog or downstream; default main)"
	}
	return "push the branch; or set the branch in " + File + " (release.components, catalog or downstream)"
}

// NoBranch is the error of a repository without a branch, with the one that it has by
// default. What cannot be asked is left out.
func NoBranch(ctx context.Context, from ports.GitReader, repo, branch string) *BranchError {
	e := &BranchError{Repository: repo, Branch: branch}
	if name, err := from.DefaultBranch(ctx, repo); err == nil && name != branch {
		e.Default = name
	}
	return e
}
