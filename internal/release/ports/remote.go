// Package ports is what a release reaches outside of cfctl: git repositories, clones,
// journals.
package ports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A GitReader reads repositories, and writes objects that no one else sees
// into its own cache. Repositories are OWNER/NAME, or URLs.
type GitReader interface {
	// Heads are the branches and tags: one `git ls-remote`.
	Heads(ctx context.Context, repo string) (git.Heads, error)
	// Tree is the content of a commit. Large repositories are fetched
	// without contents, which then come one by one.
	Tree(ctx context.Context, repo, commit string, large bool) (Snapshot, error)
	// Log lists the commits that to has and from does not, newest first.
	Log(ctx context.Context, repo, from, to string) ([]git.Commit, error)
	// Contains says whether the history of tip has a commit.
	Contains(ctx context.Context, repo, tip, commit string) (bool, error)
	// DefaultBranch is the branch that the repository's HEAD is; empty = it does not
	// say.
	DefaultBranch(ctx context.Context, repo string) (string, error)
	// Clashes are the files that a merge of two commits of the repository cannot
	// decide.
	Clashes(ctx context.Context, repo, base, head string) ([]string, error)
	// Commit writes a commit on top of base into the cache.
	Commit(ctx context.Context, repo, base string, c NewCommit) (Proposal, error)
	// Target is the address that a push to ref of the repository goes to.
	Target(repo, ref string) string
	// Identity is who commits and signs; an error when git has none.
	Identity(ctx context.Context) (git.Identity, error)
	// Signs says whether git has a key for signatures.
	Signs(ctx context.Context) bool
}

// A GitWriter pushes.
type GitWriter interface {
	// Push moves refs of the repository, all or none, each only from where it
	// was seen. objects is the repository whose cache has them (a fork's
	// upstream); empty = the repository itself.
	Push(ctx context.Context, repo, objects string, updates ...git.Update) error
	// Sign writes a commit of the repository's cache again, with a signature.
	Sign(ctx context.Context, repo, commit string) (string, error)
	// Tag writes a tag object for a commit and pushes it as a new tag.
	Tag(ctx context.Context, repo, tag, commit, message string, sign bool) error
}

// A GitPort is both halves.
type GitPort interface {
	GitReader
	GitWriter
}

// A Snapshot is a commit and its files.
type Snapshot struct {
	Files fs.FS
	Info  git.CommitInfo
}

// A NewCommit is a change to propose.
type NewCommit struct {
	Changes []git.Change
	Message string
	SignOff bool
}

// A Proposal is a commit that was written into the cache.
type Proposal struct {
	Commit, Tree string
	Diff         string // against base
}

// Remotes is git through the git command.
type Remotes struct {
	Base  string     // "https://github.com"
	Cache *git.Cache // of what is fetched, and of what is written to be pushed
	Queue *wire.Queue
	Local *Clones // that are read instead; nil = the remotes are

	mu   sync.Mutex
	seen map[string]seenRefs // by repository, until cfctl pushes to it
	who  git.Identity        // that git has; zero = not asked yet
}

// url is the address of a repository.
func (r *Remotes) url(repo string) string {
	if r.Local != nil {
		return "file://" + r.Local.Of(repo)
	}
	return r.remote(repo)
}

// remote is the address of a repository on its server.
func (r *Remotes) remote(repo string) string {
	if full := stack.RepositoryURL(repo); full == repo {
		return repo
	}
	return strings.TrimSuffix(r.Base, "/") + "/" + repo + ".git"
}

// Target implements GitReader.
func (r *Remotes) Target(repo, ref string) string { return git.Redact(r.remote(repo)) + " " + ref }

// Heads implements GitReader.
func (r *Remotes) Heads(ctx context.Context, repo string) (git.Heads, error) {
	if r.Local != nil {
		return r.Local.heads(ctx, repo)
	}
	return readOf(ctx, r, func(ctx context.Context) (git.Heads, error) { return git.ListHeads(ctx, r.url(repo)) })
}

// DefaultBranch implements GitReader.
func (r *Remotes) DefaultBranch(ctx context.Context, repo string) (name string, err error) {
	if r.Local != nil {
		return r.Local.defaultBranch(ctx, repo)
	}
	err = r.read(ctx, func(ctx context.Context) (err error) {
		name, _, err = git.RemoteHead(ctx, r.url(repo))
		return err
	})
	return name, err
}

// read asks a remote, again when the answer broke on the way, for two minutes
// at most.
func (r *Remotes) read(ctx context.Context, f func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, git.Timeout)
	defer cancel()
	p := wire.Patience{Tries: 1 + r.Queue.Retries, Sleep: r.Queue.Sleep}
	return gitError(git.Read(bounded, p, func() error { return f(bounded) }))
}

// readOf asks a remote for something, as read does.
func readOf[T any](ctx context.Context, r *Remotes, f func(context.Context) (T, error)) (v T, err error) {
	err = r.read(ctx, func(ctx context.Context) (err error) {
		v, err = f(ctx)
		return err
	})
	return v, err
}

// gitError makes a remote that could not be asked a TransitError, and one that
// is not there ErrNotFound. What a remote refuses stays an error like others:
// it is not tried again.
func gitError(err error) error {
	var remote *git.RemoteError
	switch {
	case !errors.As(err, &remote):
		return err
	case remote.Gone:
		return fmt.Errorf("%w: %w", wire.ErrNotFound, err)
	case remote.Refused:
		return err
	}
	return &wire.TransitError{Err: err}
}

// with runs f on the cache of a repository, which has commit then.
func (r *Remotes) with(ctx context.Context, repo, commit string, large bool, f func(*git.Repo) error) error {
	return r.Cache.Use(ctx, r.url(repo), git.Commits, large, func(local *git.Repo) error {
		if commit != "" {
			if err := r.read(ctx, func(ctx context.Context) error { return local.FetchCommits(ctx, commit) }); err != nil {
				return err
			}
		}
		return f(local)
	})
}

// historyOf asks the cache of a repository's history, which has that of commits then,
// without their files.
func historyOf[T any](ctx context.Context, r *Remotes, repo string, f func(*git.Repo) (T, error), commits ...string) (v T, err error) {
	err = r.Cache.Use(ctx, r.url(repo), git.History, true, func(local *git.Repo) (err error) {
		if err = r.read(ctx, func(ctx context.Context) error { return local.FetchHistory(ctx, commits...) }); err == nil {
			v, err = f(local)
		}
		return err
	})
	return v, err
}

// Tree implements GitReader.
func (r *Remotes) Tree(ctx context.Context, repo, commit string, large bool) (Snapshot, error) {
	var s Snapshot
	err := r.with(ctx, repo, commit, large, func(local *git.Repo) error {
		tree, err := local.Tree(ctx, commit)
		if err != nil {
			return err
		}
		s.Files = tree
		s.Info, err = local.CommitInfo(ctx, commit)
		return err
	})
	return s, err
}

// Contains implements GitReader.
func (r *Remotes) Contains(ctx context.Context, repo, tip, commit string) (bool, error) {
	return historyOf(ctx, r, repo, func(local *git.Repo) (bool, error) { return local.Contains(ctx, tip, commit) }, tip)
}

// Commit implements GitReader. The time of the commit is the one of its base,
// so that the same change on the same base is the same commit, whenever and
// wherever it is written.
func (r *Remotes) Commit(ctx context.Context, repo, base string, c NewCommit) (Proposal, error) {
	who, err := r.Identity(ctx)
	if err != nil {
		return Proposal{}, err
	}
	var p Proposal
	err = r.with(ctx, repo, base, false, func(local *git.Repo) error {
		info, err := local.CommitInfo(ctx, base)
		if err != nil {
			return err
		}
		if p.Tree, err = local.WriteTree(ctx, base, c.Changes); err != nil {
			return err
		}
		paths := lists.Of(c.Changes, func(ch git.Change) string { return ch.Path })
		if p.Diff, err = local.DiffTrees(ctx, info.Tree, p.Tree, paths...); err != nil {
			return err
		}
		p.Commit, err = local.CommitTree(ctx, git.NewCommit{
			Tree: p.Tree, Parents: []string{base}, Message: c.Message, Author: who, Time: info.Time.Add(time.Second), SignOff: c.SignOff})
		return err
	})
	return p, err
}

// Identity implements GitReader.
func (r *Remotes) Identity(ctx context.Context) (git.Identity, error) {
	r.mu.Lock()
	who := r.who
	r.mu.Unlock()
	if who != (git.Identity{}) {
		return who, nil
	}
	who, err := git.Committer(ctx)
	r.mu.Lock()
	r.who = who // none is asked for again
	r.mu.Unlock()
	return who, err
}

// Signs implements GitReader.
func (r *Remotes) Signs(ctx context.Context) bool { return git.SigningKey(ctx) }

// Push implements GitWriter.
func (r *Remotes) Push(ctx context.Context, repo, objects string, updates ...git.Update) error {
	objects = cmp.Or(objects, repo)
	return r.with(ctx, objects, "", false, func(local *git.Repo) error {
		return r.push(ctx, local, repo, updates...)
	})
}

func (r *Remotes) push(ctx context.Context, local *git.Repo, repo string, updates ...git.Update) error {
	to := r.url(repo)
	refs := lists.Of(updates, func(u git.Update) string { return u.Ref })
	end, err := r.Queue.Turn(ctx, hostOf(to), wire.Effect{Method: "PUSH", Target: r.Target(repo, strings.Join(refs, " "))})
	if err != nil {
		return err
	}
	defer end()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.seen, repo)
	}()
	return gitError(local.Push(ctx, to, updates...))
}

// Sign implements GitWriter.
func (r *Remotes) Sign(ctx context.Context, repo, commit string) (string, error) {
	made := ""
	err := r.with(ctx, repo, "", false, func(local *git.Repo) (err error) {
		made, err = local.SignCommit(ctx, commit)
		return err
	})
	return made, err
}

// Tag implements GitWriter.
func (r *Remotes) Tag(ctx context.Context, repo, tag, commit, message string, sign bool) error {
	return r.with(ctx, repo, commit, false, func(local *git.Repo) error {
		object, err := local.MakeTag(ctx, tag, commit, message, sign)
		if err != nil {
			return err
		}
		return r.push(ctx, local, repo, git.Update{Ref: "refs/tags/" + tag, New: object})
	})
}

// Close ends the helper processes of the cache.
func (r *Remotes) Close() error { return r.Cache.Close() }

// hostOf is the host of a URL, or the whole of what is none.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// Files are the files of a commit of a repository.
func (r *Remotes) Files(ctx context.Context, repo, commit string) (*git.Tree, error) {
	var tree *git.Tree
	err := r.with(ctx, repo, commit, false, func(local *git.Repo) (err error) {
		tree, err = local.Tree(ctx, commit)
		return err
	})
	return tree, err
}

// A seenRefs is where the refs of releases in a repository were at one time.
type seenRefs struct {
	at   time.Time
	refs map[string]string
}

// justNow is how old an answer about the refs of releases may be: journals are
// asked for one by one, and one answer of the server has all of them.
const justNow = 10 * time.Second

// releaseRefs are the refs of all releases in a repository.
func (r *Remotes) releaseRefs(ctx context.Context, repo string) (map[string]string, error) {
	return readOf(ctx, r, func(ctx context.Context) (map[string]string, error) {
		return git.RemoteRefs(ctx, r.url(repo), gitRef(""))
	})
}

// releaseRef is where the ref of a release is, by an answer of at most an age; empty = it is
// not there.
func (r *Remotes) releaseRef(ctx context.Context, repo, ref string, age time.Duration) (string, error) {
	r.mu.Lock()
	seen, ok := r.seen[repo]
	r.mu.Unlock()
	if ok && time.Since(seen.at) < age {
		return seen.refs[ref], nil
	}
	seen.at = time.Now()
	var err error
	if seen.refs, err = r.releaseRefs(ctx, repo); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = map[string]seenRefs{}
	}
	r.seen[repo] = seen
	return seen.refs[ref], nil
}

// Clashes implements GitReader. Of the commits of both sides, git fetches the files that
// both have changed.
func (r *Remotes) Clashes(ctx context.Context, repo, base, head string) ([]string, error) {
	return historyOf(ctx, r, repo, func(local *git.Repo) ([]string, error) { return local.Clashes(ctx, base, head) }, base, head)
}

// Log implements GitReader.
func (r *Remotes) Log(ctx context.Context, repo, from, to string) ([]git.Commit, error) {
	return historyOf(ctx, r, repo, func(local *git.Repo) ([]git.Commit, error) { return local.Log(ctx, from, to) }, from, to)
}
