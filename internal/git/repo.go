package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Repo is a git repository on this machine, bare or with a work tree. It is
// safe for concurrent use. Close ends its helper process.
type Repo struct {
	Dir  string // where git commands run: the top of the work tree, or the bare repository
	Bare bool

	own      *own      // nil: another user's repository
	settings []setting // that make the configuration of another user's harmless

	mu    sync.Mutex
	batch *batch
	known map[string]bool // commits that an own repository was seen to have, or was given
}

// owner is whose repository it is.
func (r *Repo) owner() owner {
	if r.own != nil {
		return ours
	}
	return theirs
}

// noRepository is the error for a folder, named, that is in no git repository. It
// is ErrNotFound.
type noRepository string

func (dir noRepository) Error() string {
	if dir == "." {
		return "this folder is not in a git repository"
	}
	return string(dir) + " is not in a git repository"
}

func (noRepository) Is(target error) bool { return target == ErrNotFound }

// Open finds the repository that dir lies in: a work tree (any folder of it)
// or a bare repository. A folder outside of any is an error that wraps
// ErrNotFound.
//
// It is taken for an untrusted author's: no program that its configuration names is
// run, nothing is fetched in it, and a folder of a work tree that only looks
// like a repository is an error.
func Open(ctx context.Context, dir string) (*Repo, error) {
	dir = cmp.Or(dir, ".")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such folder", filepath.ToSlash(dir))
	}
	abs, settings, err := lay(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(dir), err)
	}
	out, err := command{dir: abs, more: settings, args: []string{"rev-parse", "--is-bare-repository", "--absolute-git-dir", "--show-cdup"}}.run(ctx)
	if err != nil {
		if failed, ok := errors.AsType[*CommandError](err); ok && strings.Contains(failed.Stderr, "not a git repository") {
			return nil, noRepository(filepath.ToSlash(dir))
		}
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(dir), err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	r := &Repo{Bare: lines[0] == "true", settings: settings}
	switch {
	case len(lines) < 2:
		return nil, fmt.Errorf("%s: git rev-parse answered %q", filepath.ToSlash(dir), out)
	case r.Bare || len(lines) < 3 && filepath.Base(lines[1]) != ".git":
		r.Dir = lines[1]
	case len(lines) < 3:
		r.Dir = filepath.Dir(lines[1])
	default:
		r.Dir = filepath.Join(abs, filepath.FromSlash(lines[2]))
	}
	if err := r.defuse(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.ToSlash(dir), err)
	}
	return r, nil
}

// Close ends the use of the repository. The Repo may be used again by its
// holder; a repository of cfctl's own may be thrown away by others from then on.
func (r *Repo) Close() error {
	r.mu.Lock()
	err := r.batch.close()
	r.batch, r.known = nil, nil
	r.mu.Unlock()
	if r.own != nil && r.own.use != nil {
		err = errors.Join(err, r.own.use.Unlock())
	}
	return err
}

// git runs one git command in the repository.
func (r *Repo) git(ctx context.Context, args ...string) (string, error) {
	out, err := command{dir: r.Dir, in: r.owner(), more: r.settings, args: args}.run(ctx)
	return string(out), err
}

// matchTime is how long git may match names with the patterns of a tree: a few of many stars keep it
// busy for ever.
var matchTime = 2 * time.Minute

// matching runs a command that matches names with the patterns of .gitignore.
func (r *Repo) matching(ctx context.Context, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, matchTime)
	defer cancel()
	out, err := r.git(limited, args...)
	if limited.Err() != nil && ctx.Err() == nil {
		return "", fmt.Errorf("git %s took longer than %s: simplify the patterns of .gitignore", args[0], matchTime)
	}
	return out, err
}

// Resolve returns the full hash of the commit that rev names; tags are peeled.
// A revision that is not there is an error that wraps ErrNotFound. A branch of a
// remote ("origin/main") is an error where a tag or branch here of that name, which
// git takes before it, is another commit.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if err := CheckRevision(rev); err != nil {
		return "", err
	}
	o, err := r.object(ctx, rev+"^{commit}")
	if errors.Is(err, ErrNotFound) {
		return "", fmt.Errorf("revision %s: %w", rev, ErrNotFound)
	}
	if err == nil && strings.Contains(rev, "/") {
		remote, err := r.object(ctx, "refs/remotes/"+rev+"^{commit}")
		if err == nil && remote.hash != o.hash {
			return "", fmt.Errorf("revision %s is a branch of a remote, and a tag or branch here: name one of them, as in refs/remotes/%s", rev, rev)
		}
	}
	return o.hash, err
}

// IsTag says whether name is a tag of the repository. A name that no tag can
// have is an error.
func (r *Repo) IsTag(ctx context.Context, name string) (bool, error) {
	if err := CheckRevision(name); err != nil {
		return false, err
	}
	_, err := r.object(ctx, "refs/tags/"+name)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// A Ref is a name and the objects behind it.
type Ref struct {
	Name   string // short: "v1.2.0", "main"
	Object string // hash that the ref holds; an annotated tag's own
	Commit string // the commit, with tags peeled
	Day    string // YYYY-MM-DD that a tag of a local repository was made on; empty for remote ones
}

// Tags lists the tags of the repository, sorted by name as git does. A
// repository without tags is an empty list and no error.
func (r *Repo) Tags(ctx context.Context) ([]Ref, error) {
	out, err := r.git(ctx, "for-each-ref", "--format=%(refname:lstrip=2) %(creatordate:short) %(objectname) %(*objectname)", "refs/tags")
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue // a tag of something without a date, which is no commit
		}
		refs = append(refs, Ref{Name: f[0], Day: f[1], Object: f[2], Commit: f[len(f)-1]})
	}
	return refs, nil
}

// RemoteHead is the default branch of the remote origin, as of the last clone or "git
// remote set-head"; empty when it is not known.
func (r *Repo) RemoteHead(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
	if failed, ok := errors.AsType[*CommandError](err); ok && failed.code == 1 {
		return "", nil // it is no symbolic ref
	}
	return strings.TrimPrefix(strings.TrimSpace(out), "origin/"), err
}

// Status lists the files of the work tree that differ from HEAD or are
// untracked and not ignored, slash-separated and relative to the top. Empty
// means clean. What is changed inside of a submodule is its own affair: git
// would start another git there.
func (r *Repo) Status(ctx context.Context) ([]string, error) {
	out, err := r.matching(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range splitZ(out) {
		if len(e) > 3 {
			paths = append(paths, e[3:])
		}
	}
	return paths, nil
}

// Ignores says whether .gitignore and the like keep git from adding a file, named from
// the top of the work tree. A file that git tracks is not ignored.
func (r *Repo) Ignores(ctx context.Context, name string) (bool, error) {
	_, err := r.matching(ctx, "check-ignore", "--quiet", "--", name)
	if failed, ok := errors.AsType[*CommandError](err); ok && failed.code == 1 {
		return false, nil
	}
	return err == nil, err
}

// tracked says whether git tracks anything at a path of the work tree
// (slash-separated, relative to the top), below it, or a link or submodule that
// the path leads through. Letters match in either case, as some file systems do.
func (r *Repo) tracked(ctx context.Context, name string) (bool, error) {
	first, _, _ := strings.Cut(name, "/")
	out, err := r.git(ctx, "ls-files", "-z", "--full-name", "--", ":(top,icase,literal)"+first)
	if err != nil {
		return false, err
	}
	name = strings.ToLower(name) + "/"
	for _, entry := range splitZ(out) {
		entry = strings.ToLower(entry) + "/"
		if strings.HasPrefix(entry, name) || strings.HasPrefix(name, entry) {
			return true, nil
		}
	}
	return false, nil
}

// CameWithTree says whether a folder, which need not be there, is tracked by the
// git work tree that holds it: who wrote the tree wrote what is in it. A folder
// outside of any work tree came with none.
func CameWithTree(ctx context.Context, dir string) (bool, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	for top := filepath.Dir(dir); ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			r, err := Open(ctx, top)
			if err != nil {
				return false, err
			}
			defer r.Close() //nolint:errcheck // was only read
			rel, err := filepath.Rel(top, dir)
			if err != nil {
				return false, err
			}
			return r.tracked(ctx, filepath.ToSlash(rel))
		}
		if top == filepath.Dir(top) {
			return false, nil
		}
	}
}

// Changed lists the files that differ between the commit base and head,
// slash-separated and sorted. An empty head means the work tree, untracked
// files included. A renamed file is under both of its names.
func (r *Repo) Changed(ctx context.Context, base, head string) ([]string, error) {
	args, err := r.between(ctx, base, head, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	paths := splitZ(out)
	if head == "" {
		more, err := r.matching(ctx, "ls-files", "-z", "--others", "--exclude-standard")
		if err != nil {
			return nil, err
		}
		paths = append(paths, splitZ(more)...)
	}
	return paths, nil
}

// Moved maps the files of the commit base that are under another name in
// head, by git's detection of renames, to that name.
func (r *Repo) Moved(ctx context.Context, base, head string) (map[string]string, error) {
	args, err := r.between(ctx, base, head, "diff", "--name-status", "-z", "--find-renames", "--diff-filter=R", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	moved := map[string]string{}
	for list := splitZ(out); len(list) >= 3; list = list[3:] { // R087, old, new
		moved[list[1]] = list[2]
	}
	return moved, nil
}

// between adds the two commits of a diff to its arguments; an empty head is
// for the work tree and adds none.
func (r *Repo) between(ctx context.Context, base, head string, args ...string) ([]string, error) {
	revs := []string{base, head}
	if head == "" {
		revs = revs[:1]
	}
	for _, rev := range revs {
		hash, err := r.Resolve(ctx, rev)
		if err != nil {
			return nil, err
		}
		args = append(args, hash)
	}
	return append(args, "--"), nil
}

// MergeBase is the best common ancestor of two revisions; without one it is an
// error that wraps ErrNotFound.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	ha, err := r.Resolve(ctx, a)
	if err != nil {
		return "", err
	}
	hb, err := r.Resolve(ctx, b)
	if err != nil {
		return "", err
	}
	out, err := r.git(ctx, "merge-base", ha, hb)
	if failed, ok := errors.AsType[*CommandError](err); ok && failed.code == 1 {
		return "", fmt.Errorf("common ancestor of %s and %s: %w", a, b, ErrNotFound)
	}
	return strings.TrimSpace(out), err
}

// Shallow says whether the history of the repository is cut off (git clone
// --depth): then commits, tags and common ancestors may be missing. A
// repository that cannot be asked counts as whole.
func (r *Repo) Shallow(ctx context.Context) bool {
	out, err := r.git(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(out) == "true"
}

// Date is when the commit that rev names was committed.
func (r *Repo) Date(ctx context.Context, rev string) (time.Time, error) {
	hash, err := r.Resolve(ctx, rev)
	if err != nil {
		return time.Time{}, err
	}
	out, err := r.git(ctx, "show", "--no-patch", "--no-show-signature", "--format=%cI", hash, "--")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(out))
}

// A Commit is what `git log` says of one.
type Commit struct {
	Hash    string
	Parents []string
	Author  string // name
	Email   string
	Date    string // committer's date, RFC 3339
	Subject string
	Body    string // without the subject; may be empty
}

// Log lists the commits that are in to and not in from, newest first; an
// empty from means from the beginning. Only commits that touch one of paths
// are listed when there are any.
func (r *Repo) Log(ctx context.Context, from, to string, paths ...string) ([]Commit, error) {
	hash, err := r.Resolve(ctx, to)
	if err != nil {
		return nil, err
	}
	args := []string{"log", "-z", "--no-show-signature", "--format=%H%x1f%P%x1f%an%x1f%ae%x1f%cI%x1f%s%x1f%b", hash}
	if from != "" {
		old, err := r.Resolve(ctx, from)
		if err != nil {
			return nil, err
		}
		args = append(args, "^"+old)
	}
	out, err := r.git(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	var commits []Commit
	for _, e := range splitZ(out) {
		f := strings.SplitN(e, "\x1f", 7)
		if len(f) < 7 {
			return nil, fmt.Errorf("git log answered %q", e)
		}
		commits = append(commits, Commit{f[0], strings.Fields(f[1]), f[2], f[3], f[4], f[5], strings.TrimSpace(f[6])})
	}
	return commits, nil
}

// Contains says whether the history of tip has a commit, which need not be in
// the repository: nothing is fetched for it.
func (r *Repo) Contains(ctx context.Context, tip, commit string) (bool, error) {
	if err := errors.Join(CheckRevision(tip), CheckRevision(commit)); err != nil {
		return false, err
	}
	out, err := r.git(ctx, "rev-list", "--end-of-options", tip)
	return strings.Contains("\n"+out, "\n"+commit+"\n"), err
}

// RemoteURL is the URL of the remote origin, without credentials; empty when there
// is no such remote.
func (r *Repo) RemoteURL(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "config", "--get", "remote.origin.url")
	if failed, ok := errors.AsType[*CommandError](err); ok && failed.code == 1 {
		return "", nil
	}
	return Redact(strings.TrimSpace(out)), err
}

// splitZ splits a NUL-terminated list.
func splitZ(s string) []string {
	s = strings.TrimSuffix(s, "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}

// Clashes are the files in which a merge of two commits (full hashes, whose
// histories were fetched) has changes of both sides at the same place; nil: it
// has none.
func (r *Repo) Clashes(ctx context.Context, ours, theirs string) ([]string, error) {
	if err := errors.Join(CheckRevision(ours), CheckRevision(theirs)); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
	if failed, ok := errors.AsType[*CommandError](err); ok && failed.code == 1 {
		if list := splitZ(out); len(list) > 1 {
			return list[1:], nil // the first is the tree
		}
	}
	return nil, err
}
