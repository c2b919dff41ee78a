package forge

import (
	"context"
	"strings"
)

// A Fleet is a forge that one change can be taken through many repositories of:
// what it lists, it can also find again by number, and read the pull requests of.
// What it cannot find wraps wire.ErrNotFound, and only if the forge itself says so:
// a proxy's page is a wire.TransitError.
type Fleet interface {
	Forge
	// Repositories are those of an organisation, or of a user.
	Repositories(ctx context.Context, owner string) ([]Repository, error)
	// Named is the repository of a name, which may be one that it had before.
	Named(ctx context.Context, repo string) (Repository, error)
	// ByID is the repository of a number, whatever it is called by now.
	ByID(ctx context.Context, id int64) (Repository, error)
	// Pulls are the pull requests of a branch of the repository itself, in any
	// state, newest first.
	Pulls(ctx context.Context, repo, branch string) ([]Pull, error)
	// Standings are how pull requests stand, by their Node, 100 at most; those
	// that are gone are left out.
	Standings(ctx context.Context, nodes []string) ([]Standing, error)
	EditPull(ctx context.Context, repo string, number int, title, body string) error
	// Contains says whether the history of head has base. Where one of them is
	// gone it has not.
	Contains(ctx context.Context, repo, base, head string) (bool, error)
	// Scopes are those of the token, also of apps and jobs, which have no Account;
	// nil = it does not say.
	Scopes(ctx context.Context) ([]string, error)
	// Commit makes a commit on a branch, which must be at its base, and is its
	// hash. The forge signs it.
	Commit(ctx context.Context, repo string, c NewCommit) (string, error)
	// Comments are all comments on a pull request, oldest first.
	Comments(ctx context.Context, repo string, number int) ([]Comment, error)
	Comment(ctx context.Context, repo string, number int, body string) (Comment, error)
}

// A Standing is how a pull request stands.
type Standing struct {
	Pull
	Checks    CheckState // of all its checks: queued, passed or failed; empty = there are none
	Conflicts bool       // it cannot be merged: both have changed the same lines
	Review    string     // approved, changes_requested, review_required; empty = none is asked for
}

// A NewCommit is a commit that a forge makes of whole files, none of them a program.
type NewCommit struct {
	Branch, Base, Message string
	Add                   []File // with their new content
	Delete                []string
}

// A File is a file of a commit.
type File struct {
	Path string
	Data []byte
}

// ValidRepository says whether a name can be that of a repository: OWNER/NAME.
func ValidRepository(name string) bool {
	owner, repo, ok := strings.Cut(name, "/")
	return ok && ValidName(owner) && ValidName(repo)
}

// ValidName says whether a name can be that of a user, an organisation or a
// repository in one: it leads nowhere else in an address or a path.
func ValidName(s string) bool {
	return s != "" && s != "." && s != ".." && s[0] != '-' && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}
