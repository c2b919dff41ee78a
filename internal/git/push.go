package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// Zero is the hash that represents "no such ref".
const Zero = "0000000000000000000000000000000000000000"

// ErrMoved is wrapped by the error of a push that was refused because a ref of
// the remote is not where the caller had seen it. Nothing was changed.
var ErrMoved = errors.New("the remote ref has moved")

// Heads are the branches and tags of a remote repository.
type Heads struct {
	Branches map[string]string // short name to commit
	Tags     map[string]Ref    // short name, peeled
}

// ListHeads asks a remote for its branches and tags with one `git ls-remote`.
// Every failure is a *RemoteError.
func ListHeads(ctx context.Context, url string) (Heads, error) {
	list, err := listHeads(ctx, url)
	if err != nil {
		return Heads{}, err
	}
	h := Heads{Branches: map[string]string{}, Tags: tagsOf(list)}
	for _, line := range list {
		if branch, ok := strings.CutPrefix(line.name, "refs/heads/"); ok {
			h.Branches[branch] = line.value
		}
	}
	return h, nil
}

// RemoteRef asks a remote for one ref by its full name; a ref that is not
// there is "".
func RemoteRef(ctx context.Context, url, ref string) (string, error) {
	refs, err := RemoteRefs(ctx, url, ref)
	return refs[ref], err
}

// remoteError says what git said of a remote. Nothing, that something is not
// there, and what was said already stay what they are.
func remoteError(url string, err error) error {
	var said *RemoteError
	if err == nil || errors.Is(err, ErrNotFound) || errors.As(err, &said) {
		return err
	}
	e := &RemoteError{URL: Redact(url), Err: err}
	if failed, ok := errors.AsType[*CommandError](err); ok {
		e.Gone = saysGone(failed.Stderr)
		e.Refused = !e.Gone && saysNo(failed.Stderr)
	}
	return e
}

// FetchCommits fetches commits (full hashes or refs) of the repository that a
// Mirror represents, without their history, and nothing when all of the hashes
// are there already.
func (r *Repo) FetchCommits(ctx context.Context, revs ...string) error {
	if r.own == nil {
		return errNotOwn
	}
	missing := slices.DeleteFunc(slices.Clone(revs), func(rev string) bool { return fullHash.MatchString(rev) && r.has(ctx, rev) })
	err := r.fetchThin(ctx, r.own.without(), missing...)
	if err == nil {
		r.learn(missing...)
	}
	return err
}

// fetchThin fetches commits without their history. One that the remote has not
// wraps ErrNotFound.
func (r *Repo) fetchThin(ctx context.Context, without string, revs ...string) error {
	err := r.fetchRevisions(ctx, without, revs, "--depth=1")
	if lacksRef(err) {
		return fmt.Errorf("%s: %s: %w", r.own.url, strings.Join(revs, " "), ErrNotFound)
	}
	return err
}

// fetchRevisions is fetch for names that a user may have typed; what fails is a
// *RemoteError.
func (r *Repo) fetchRevisions(ctx context.Context, without string, revs []string, args ...string) error {
	if r.own == nil {
		return errNotOwn
	}
	for _, rev := range revs {
		if err := CheckRevision(rev); err != nil {
			return err
		}
	}
	if len(revs) == 0 {
		return nil
	}
	return remoteError(r.own.url, r.fetch(ctx, without, revs, args...))
}

// An Update moves one ref of a remote. Old is where the caller saw it, Zero or
// empty when it must not exist yet; New is an object, Zero deletes the ref.
type Update struct {
	Ref, Old, New string
}

// Push moves refs of the repository at url, all or none of them, and only if
// each is still where the caller saw it; else the error wraps ErrMoved.
func (r *Repo) Push(ctx context.Context, url string, updates ...Update) error {
	return r.push(ctx, url, nil, nil, nil, updates...)
}

// push pushes with further options, settings and variables.
func (r *Repo) push(ctx context.Context, url string, more []string, settings []setting, env []string, updates ...Update) error {
	if err := CheckURL(url); err != nil {
		return err
	}
	args := append([]string{"push", "--atomic", "--no-verify", "--no-signed"}, more...)
	if isLocal(url) {
		args = append(args, "--receive-pack="+plainReceivePack())
	}
	var specs []string
	for _, u := range updates {
		if err := errors.Join(CheckRevision(u.Ref), CheckRevision(u.New)); err != nil {
			return err
		}
		if !strings.HasPrefix(u.Ref, "refs/") || strings.ContainsAny(u.Ref, ":*") {
			return fmt.Errorf("ref %q is not a full name", u.Ref)
		}
		old, spec := u.Old, u.New+":"+u.Ref
		if old == Zero {
			old = ""
		}
		if u.New == Zero {
			spec = ":" + u.Ref
		}
		args, specs = append(args, "--force-with-lease="+u.Ref+":"+old), append(specs, spec)
	}
	c := command{dir: r.Dir, in: r.owner(), more: slices.Concat(r.settings, settings), args: append(append(args, "--", url), specs...), env: env}
	_, err := c.run(ctx)
	if failed, ok := errors.AsType[*CommandError](err); ok && strings.Contains(failed.Stderr, "shallow update not allowed") {
		if joined, jerr := r.joined(ctx); joined || jerr != nil {
			if err = jerr; err == nil {
				_, err = c.run(ctx)
			}
		}
	}
	return pushError(url, err)
}

// isLocal says whether git reaches a repository through the file system: then
// the receiving git is a process of this machine, with all of its environment.
// Source: url_is_local_not_ssh of git's connect.c.
func isLocal(url string) bool {
	if scheme, _, ok := strings.Cut(url, "://"); ok {
		return strings.EqualFold(scheme, "file")
	}
	colon, slash := strings.IndexByte(url, ':'), strings.IndexAny(url, `/\`)
	return colon < 0 || slash >= 0 && slash < colon || filepath.VolumeName(url) != ""
}

// receiving are the settings of a git that receives a local push: of what the
// repository's configuration says, nothing starts a program. A folder that came
// with a tree could be that repository.
var receiving = []setting{
	{"core.hooksPath", os.DevNull},
	{"core.fsmonitor", "false"},
	{"core.alternateRefsCommand", "true"}, // a program that lists no refs
	{"receive.autogc", "false"},
	{"receive.denyCurrentBranch", "refuse"}, // a checkout would run filters
}

// plainReceivePack is git receive-pack with these settings. The variables of
// the pushing git do not reach it (git removes them), its options do.
func plainReceivePack() string {
	words := []string{"git"}
	for _, s := range receiving {
		words = append(words, "-c", s.key+"="+s.value)
	}
	return strings.Join(append(words, "receive-pack"), " ")
}

func pushError(url string, err error) error {
	var failed *CommandError
	if !errors.As(err, &failed) {
		return err
	}
	if says(failed.Stderr, "stale info", "[rejected]", "atomic push failed", "already exists", "cannot lock ref", "failed to update ref", "reference already exists") {
		return fmt.Errorf("git push %s: %w", Redact(url), ErrMoved)
	}
	return remoteError(url, err)
}

var plainTag = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+-]*(/[A-Za-z0-9][A-Za-z0-9._+-]*)*$`)

// CheckTag says whether a name can be a tag, as `git check-ref-format` does.
func CheckTag(ctx context.Context, name string) error {
	if err := CheckRevision(name); err != nil {
		return err
	}
	if plainTag.MatchString(name) && !strings.Contains(name, "..") && !strings.HasSuffix(name, ".") && !strings.Contains(name+"/", ".lock/") {
		return nil // no rule of git-check-ref-format(1) is about such a name
	}
	if _, err := (command{in: nobody, args: []string{"check-ref-format", "refs/tags/" + name}}).run(ctx); err != nil {
		return fmt.Errorf("%q cannot be the name of a tag", name)
	}
	return nil
}

// Sorted lists the names of a set of refs in order.
func Sorted[V any](refs map[string]V) []string { return slices.Sorted(maps.Keys(refs)) }

// FetchHistory fetches commits of the repository that a Mirror for History represents
// with all of their history and none of their files, and nothing when they were
// fetched before.
func (r *Repo) FetchHistory(ctx context.Context, revs ...string) error {
	missing := slices.DeleteFunc(slices.Clone(revs), r.knows)
	err := r.fetchRevisions(ctx, trees, missing)
	if err == nil {
		r.learn(missing...)
	}
	return err
}
