// Package forge says what a forge is to cfctl: repositories with pull requests
// and releases, and whatever more one of them can do.
//
// A forge is one folder below this one, with a client that has the methods of
// Forge, and those of each capability that it has; what uses a capability asks
// for it by its type (goreleaser's clients do so). There are github and gitea.
package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Reader is the reading half of what every forge has. Repositories are
// OWNER/NAME.
type Reader interface {
	// Account is who the token belongs to.
	Account(ctx context.Context) (Account, error)
	Repository(ctx context.Context, repo string) (Repository, error)
	// Pull is the newest pull request from head ("OWNER:BRANCH") to base,
	// whatever its state; where there is none, an open one from head to another
	// base; or wire.ErrNotFound.
	Pull(ctx context.Context, repo, head, base string) (Pull, error)
	// PullNumbered is one pull request, or wire.ErrNotFound.
	PullNumbered(ctx context.Context, repo string, number int) (Pull, error)
	// Release is the release of a tag, draft or not, or wire.ErrNotFound.
	Release(ctx context.Context, repo, tag string) (Release, error)
	// Protection of a branch, by branch protection and rulesets; a branch
	// without any is the zero value.
	Protection(ctx context.Context, repo, branch string) (Protection, error)
	// Checks are all checks of a commit, in the order of their names. A forge
	// that does not show them to the token refuses (403), or has none (404).
	Checks(ctx context.Context, repo, commit string) ([]Check, error)
	// Merge is what keeps a pull request from being merged.
	Merge(ctx context.Context, repo string, number int) (Merge, error)
}

// A Writer is the writing half.
type Writer interface {
	CreatePull(ctx context.Context, repo, head, base, title, body string) (Pull, error)
	ClosePull(ctx context.Context, repo string, number int) error
	CreateRelease(ctx context.Context, repo string, r Release) (Release, error)
	EditRelease(ctx context.Context, repo string, r Release) error
	DeleteRelease(ctx context.Context, repo string, id int64) error
	Fork(ctx context.Context, repo, owner string) error
	// Sync brings a branch of a fork to where it is upstream.
	Sync(ctx context.Context, fork, branch string) error
}

// A Forge is both halves. What else a forge can do it says by having the
// methods of LatestReader, RunReader, Dispatcher or JobTokenReader; As asks
// for them.
type Forge interface {
	Reader
	Writer
}

// A LatestReader is a forge that shows one release as the latest.
type LatestReader interface {
	// LatestRelease is the tag of that release, or wire.ErrNotFound.
	LatestRelease(ctx context.Context, repo string) (string, error)
}

// LatestOf is the tag of the release that a forge shows as the latest, or
// wire.ErrNotFound, also where it shows none as that.
func LatestOf(ctx context.Context, f Reader, repo string) (string, error) {
	if latest, ok := f.(LatestReader); ok {
		return latest.LatestRelease(ctx, repo)
	}
	return "", fmt.Errorf("latest release of %s: %w", repo, wire.ErrNotFound)
}

// A LabelReader is a forge whose pull requests have labels.
type LabelReader interface {
	// PullLabels are the labels of the closed pull requests that changed since
	// a time, by number; those without any are left out.
	PullLabels(ctx context.Context, repo string, since time.Time) (map[string][]string, error)
}

// A RunReader is a forge that runs workflows.
type RunReader interface {
	// Runs are the runs of a workflow that were dispatched, newest first.
	Runs(ctx context.Context, repo, workflow string) ([]WorkflowRun, error)
	// Run is one run, or wire.ErrNotFound.
	Run(ctx context.Context, repo string, id int64) (WorkflowRun, error)
	// RunsOn are the runs on a commit, whatever started them, newest first.
	RunsOn(ctx context.Context, repo, commit string) ([]WorkflowRun, error)
}

// A Dispatcher is a forge that starts workflows.
type Dispatcher interface {
	// Dispatch starts a workflow. The run's id is 0 where the server does not
	// tell it.
	Dispatch(ctx context.Context, repo, workflow, ref string, inputs map[string]string) (run int64, err error)
}

// A JobTokenReader is a forge that runs jobs with tokens of their own.
type JobTokenReader interface {
	// JobToken says whether the token is the one that a job was given by
	// itself; it is asked where there is no Account of a user. One that
	// cannot be determined is not.
	JobToken(ctx context.Context) (bool, error)
}

// As is a forge as one that has a capability, or ErrLacks, which says what for.
func As[C any](f any, what string) (C, error) {
	capable, ok := f.(C)
	if !ok {
		return capable, fmt.Errorf("%w: %s", ErrLacks, what)
	}
	return capable, nil
}

// ErrLacks is wrapped by the errors of what a forge cannot do.
var ErrLacks = errors.New("this forge lacks what the step needs")

// ErrExists is wrapped by the errors of what cannot be made since it is there.
var ErrExists = errors.New("it is there already")

// An Account is the user behind a token.
type Account struct {
	Login  string
	Scopes []string // of a classic token; nil = the token has none to show (fine-grained, app)
}

// A Repository is what the forge says of one.
type Repository struct {
	ID       int64  // which no rename changes; 0 = the forge does not say
	Name     string // OWNER/NAME by now; empty = the forge does not say
	Default  string // branch
	Size     int64  // KB; 0 = empty, or the forge does not say
	Push     bool   // the token may push, or the forge does not say
	Archived bool
	Disabled bool
	Fork     bool
	Template bool
	Mirror   bool
	Topics   []string
}

// A Protection is what a branch demands of changes.
type Protection struct {
	Protected  bool // by branch protection
	Reviews    int
	Checks     []string        // names of the required checks
	Required   []RequiredCheck // the same, and whose they are
	Owners     bool            // a code owner has to approve
	Strict     bool            // what is merged has to be up to date with the branch
	Queue      bool            // what is merged goes through a merge queue
	Signatures bool
	Creation   bool // no one may make it who cannot bypass the ruleset
	Hidden     bool // it is protected, and the token may not see how
}

// A Pull is a pull request.
type Pull struct {
	Number      int
	Node        string // id for Standings; empty = the forge has none
	URL         string
	Head        string // commit
	Base        string // branch; empty = the forge does not say
	Open        bool
	Merged      bool
	MergeCommit string // when merged
}

// Made is the answer to the creation of a pull request: without a number, whether
// there is one is for the next observation to say (*wire.TransitError).
func Made(p Pull, err error) (Pull, error) {
	if err == nil && p.Number <= 0 {
		err = &wire.TransitError{Err: errors.New("the forge accepts a pull request, and answers none")}
	}
	return p, err
}

// A Release is a release of the forge.
type Release struct {
	ID        int64
	Tag       string
	Target    string // commit
	Name      string
	Body      string
	Draft     bool
	Pre       bool // a pre-release
	Latest    bool // to be shown as the latest; it is written, and read by the forge's LatestRelease
	URL       string
	Published time.Time
}

// A WorkflowRun is a run of a workflow.
type WorkflowRun struct {
	ID         int64
	Workflow   string // its name; empty = the server does not say
	Status     string // queued, in_progress, completed
	Conclusion string // success, failure, ...
	URL        string
	Title      string
	Actor      string
	Branch     string // or tag that it was dispatched on; empty = the server does not say
	Head       string // commit
}

// A Error is an answer that is no success.
type Error struct {
	Op     string // "GET /repos/o/r/pulls"
	Status int
	Text   string
	Err    error
}

func (e *Error) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %d %s", e.Op, e.Status, e.Text), " ")
}
func (e *Error) Unwrap() error { return e.Err }

// Refused says whether the server understood and said no with that status.
func Refused(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// Unseen says whether an answer means that there is no such thing, or none to be seen.
func Unseen(err error) bool {
	return errors.Is(err, wire.ErrNotFound) || Refused(err, http.StatusForbidden)
}

// Split is a repository's OWNER and NAME.
func Split(repo string) (owner, name string) {
	owner, name, _ = strings.Cut(repo, "/")
	return owner, name
}

// MatchesRef matches a filter pattern: * is anything but a slash, ** anything,
// ? and + repeat what is before them, [] is a set.
func MatchesRef(pattern, ref string) bool {
	var re strings.Builder
	set := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case set:
			set = c != ']'
			re.WriteByte(c)
		case c == '[':
			set = true
			re.WriteByte(c)
		case c == '*' && strings.HasPrefix(pattern[i:], "**"):
			re.WriteString(".*")
			i++
		case c == '*':
			re.WriteString("[^/]*")
		case c == '?' || c == '+':
			re.WriteByte(c)
		case c == '\\' && i+1 < len(pattern):
			i++
			re.WriteString(regexp.QuoteMeta(string(pattern[i])))
		default:
			re.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	matcher, err := regexp.Compile("^(?:" + re.String() + ")$")
	return err == nil && matcher.MatchString(ref)
}
