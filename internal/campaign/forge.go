package campaign

import (
	"context"
	"errors"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// A Forge is what a campaign needs of GitHub, or of what speaks like it. What is
// not there is ErrAbsent; every other error says that the answer is not known.
type Forge interface {
	// List are the repositories of an organisation or a user.
	List(ctx context.Context, owner string) ([]RepositoryInfo, error)
	// Named looks up one repository by OWNER/NAME, ByID by the forge's number.
	Named(ctx context.Context, name string) (RepositoryInfo, error)
	ByID(ctx context.Context, id int64) (RepositoryInfo, error)
	// Pulls are the pull requests of a branch of the repository itself, in any
	// state, newest first.
	Pulls(ctx context.Context, name, branch string) ([]Pull, error)
	// Contains says whether the history of head has base.
	Contains(ctx context.Context, name, base, head string) (bool, error)
	// Create opens a pull request; where there is one of that head already the
	// error wraps ErrExists.
	Create(ctx context.Context, name string, p NewPull) (Pull, error)
	// Commit makes a commit on a branch, which must be at its base, and returns its
	// hash: the forge signs what it makes.
	Commit(ctx context.Context, name string, c NewCommit) (string, error)
	// Look reads pull requests by their node ids, at most 100; those that are
	// gone are left out.
	Look(ctx context.Context, nodes []string) ([]Pull, error)
	// Scopes are what the token may do; nil = it does not say.
	Scopes(ctx context.Context) ([]string, error)
}

// The errors of a Forge that have a meaning here.
var (
	ErrAbsent = errors.New("not found")
	ErrExists = errors.New("there is a pull request of that branch already")
)

// A RefusedError says that the forge understood a request and said no to it.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return e.Text }

// A LimitError says that the forge wants a pause from whoever makes content (a
// secondary limit), or from everybody.
type LimitError struct {
	Secondary bool
	After     time.Duration // 0 = it does not say
}

func (e *LimitError) Error() string {
	if e.Secondary {
		return "the forge's secondary rate limit is reached"
	}
	return "the forge's rate limit is reached"
}

// A RepositoryInfo is what a forge says of a repository.
type RepositoryInfo struct {
	ID       int64
	Name     string // OWNER/NAME
	Branch   string // the default one
	Size     int64  // KB
	Archived bool
	Disabled bool
	Fork     bool
	Template bool
	Mirror   bool
	Topics   []string
}

// A Pull is a pull request.
type Pull struct {
	Number int
	Node   string // id for Look
	URL    string
	Head   string // commit
	State  string // open, closed, merged
	// Checks and Conflicts are known of pulls that Look returns.
	Checks    string // success, failure, pending; empty = there are none
	Conflicts bool
	Review    string // approved, changes_requested, review_required; empty = none is asked for
}

// A NewPull is a pull request to open.
type NewPull struct {
	Title, Body, Branch, Base string
}

// A NewCommit is a commit that the forge makes of whole files.
type NewCommit struct {
	Branch, Base, Message string
	Add                   []git.Change // files with their new content
	Delete                []string
}
