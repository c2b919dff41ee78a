package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// An own repository is a bare one that cfctl made to keep what it fetched from
// one remote. It is made in a folder next to its place and renamed when it is
// whole; it is changed under a lock (DIR.lock), so that a lock file of git's
// that is found under it belongs to a process that is dead; and who uses one
// holds another lock (DIR.use), so that it is thrown away only where no one
// does. The system frees both when a process ends.
type own struct {
	dir, url string
	lazy     bool // fetches leave the contents of files out, which come when they are read
	patience wire.Patience
	use      *flock.Flock
}

// wholeMark is the file that says what an own repository was made for.
const wholeMark = "cfctl"

// mark is the content of wholeMark. Its first word changes when the settings do.
func (o *own) mark() string { return "2 " + o.url + "\n" }

// openOwn opens the own repository for url at dir, and makes it when there is
// none. One that is not whole, that a killed process left locked, or that was
// made for another URL is thrown away and made again.
func openOwn(ctx context.Context, dir, url string, lazy bool) (*Repo, error) {
	o := &own{dir: dir, url: url, lazy: lazy}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	err := o.change(ctx, func() error {
		if err := o.discard(); err != nil {
			return err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			if err := o.make(); err != nil {
				return err
			}
		}
		o.use = flock.New(dir + ".use")
		_, err := o.use.TryRLock() // no one holds it alone but under the lock that is ours now
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Repo{Dir: dir, Bare: true, own: o, known: o.fetched()}, nil
}

// fetchedFile lists the commits that were fetched whole into an own repository,
// a line each, so that git is not asked for them again. A line that a killed
// process left unfinished is none.
const fetchedFile = "cfctl-fetched"

func (o *own) fetched() map[string]bool {
	data, err := os.ReadFile(filepath.Join(o.dir, fetchedFile))
	known := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if hash, whole := strings.CutSuffix(line, "\n"); err == nil && whole && fullHash.MatchString(hash) {
			known[hash] = true
		}
	}
	return known
}

// note adds commits to fetchedFile. Where that cannot be done they are looked
// for again.
func (o *own) note(commits []string) {
	f, err := os.OpenFile(filepath.Join(o.dir, fetchedFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	_, _ = f.WriteString("\n" + strings.Join(commits, "\n") + "\n")
	_ = f.Close()
}

// change runs f while no other process, and no other Repo of this one, changes
// the repository. It waits no longer than Timeout.
func (o *own) change(ctx context.Context, f func() error) error {
	bounded, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	lock := flock.New(o.dir + ".lock")
	ok, err := lock.TryLock()
	if err == nil && !ok {
		_, err = lock.TryLockContext(bounded, 50*time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), lock.Close())
	case bounded.Err() != nil:
		return errors.Join(fmt.Errorf("%s: another process has changed it for %v", o.dir, Timeout), lock.Close())
	case err != nil:
		return errors.Join(err, lock.Close())
	}
	return errors.Join(f(), lock.Unlock())
}

// discard throws away what is not whole. Where another process reads from it,
// only the locks of the dead are taken away. The caller is in change.
func (o *own) discard() error {
	data, err := os.ReadFile(filepath.Join(o.dir, wholeMark))
	left := o.locks()
	if err == nil && string(data) == o.mark() && len(left) == 0 {
		return nil
	}
	use := flock.New(o.dir + ".use")
	alone, err := use.TryLock()
	if err != nil {
		return err
	}
	if !alone {
		return errors.Join(removeAll(left), use.Close())
	}
	err = os.RemoveAll(o.dir + ".old")
	if err == nil {
		err = os.Rename(o.dir, o.dir+".old") // at once, whatever an orphan of git's still writes there
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.RemoveAll(o.dir + ".old") // if not now, then the next time
	return errors.Join(err, use.Unlock())
}

// locks are the lock files that git has in the repository.
func (o *own) locks() []string {
	var list []string
	_ = filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what is not there has no locks
		case d.IsDir() && d.Name() == "objects":
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(d.Name(), ".lock"):
			list = append(list, path)
		}
		return nil
	})
	return list
}

func removeAll(paths []string) error {
	var errs []error
	for _, p := range paths {
		if err := os.Remove(p); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// make makes the repository next to its place and puts it there when it is
// whole. The remote is a promisor from the beginning: a cat-file that runs
// already would not learn it from the first fetch that leaves files out.
func (o *own) make() error {
	fresh := o.dir + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	err := writeBare(fresh, "[remote \"origin\"]\n\turl = "+quoteConfig(o.url)+"\n\tpromisor = true\n\tpartialclonefilter = blob:none\n"+
		"[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
	if err == nil {
		err = os.WriteFile(filepath.Join(fresh, wholeMark), []byte(o.mark()), 0o644)
	}
	if err == nil {
		err = os.Rename(fresh, o.dir)
	}
	return err
}

// writeBare makes an empty folder a bare repository (gitrepository-layout(5)). HEAD, without
// which it is none, comes last.
func writeBare(dir, config string) error {
	return errors.Join(os.Mkdir(filepath.Join(dir, "objects"), 0o755), os.Mkdir(filepath.Join(dir, "refs"), 0o755),
		os.WriteFile(filepath.Join(dir, "config"), []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n"+config), 0o644),
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
}

// quoteConfig is a value as git-config(1) reads it.
func quoteConfig(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// What a fetch leaves out, for servers that can.
const (
	nothing  = "--no-filter" // the remote is a promisor: without it git would leave out what it left out before
	contents = "--filter=blob:none"
	trees    = "--filter=tree:0"
)

// without is what fetches of the repository leave out.
func (o *own) without() string {
	if o.lazy {
		return contents
	}
	return nothing
}

// errNotOwn is the error of a fetch into another user's repository.
var errNotOwn = errors.New("cfctl did not create this repository, and does not fetch into it")

// fetch brings revisions of the own repository's remote, all or none; args are
// further options.
func (r *Repo) fetch(ctx context.Context, without string, revs []string, args ...string) error {
	args = append([]string{"fetch", "--quiet", "--atomic", "--no-tags", "--no-write-fetch-head", without}, args...)
	args = append(append(args, "--", "origin"), revs...)
	return r.change(ctx, func() error {
		_, err := r.git(ctx, args...)
		return err
	})
}

// change runs f, which changes refs or the list of shallow commits. In an own
// repository no one else does meanwhile, and a lock that is in the way is of a
// dead process: it is taken away, once.
func (r *Repo) change(ctx context.Context, f func() error) error {
	if r.own == nil {
		return f()
	}
	return r.own.change(ctx, func() error {
		err := f()
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), ".lock': File exists") {
			return err
		}
		if err := removeAll(r.own.locks()); err != nil {
			return err
		}
		return f()
	})
}

// has says whether a commit and the top of its tree are here already. The
// remote is not asked: it would send all of the history.
func (r *Repo) has(ctx context.Context, commit string) bool {
	if r.knows(commit) {
		return true // what is in use is not thrown away
	}
	_, err := command{dir: r.Dir, in: r.owner(), more: r.settings, args: []string{"cat-file", "-e", commit + "^{tree}"}, env: []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}}.run(ctx)
	if err == nil {
		r.learn(commit)
	}
	return err == nil
}

// knows says whether a commit was fetched, or seen to be here.
func (r *Repo) knows(commit string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[commit]
}

// learn remembers that commits are here, for this process and for those after it.
// Names that are no full hashes are left out: they move.
func (r *Repo) learn(commits ...string) {
	commits = slices.DeleteFunc(slices.Clone(commits), func(rev string) bool { return !fullHash.MatchString(rev) })
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	for _, c := range commits {
		r.known[c] = true
	}
	if r.own != nil && len(commits) > 0 {
		r.own.note(commits)
	}
}

// joined joins commits of an own repository, which were fetched without their
// history, to their parents, where those are here by now; joined says whether there
// was one. git sends no commit that it takes for one without parents: what was
// pushed, fetched, and deleted on the remote could not be pushed again.
func (r *Repo) joined(ctx context.Context) (joined bool, err error) {
	if r.own == nil {
		return false, nil
	}
	path := filepath.Join(r.Dir, "shallow")
	err = r.change(ctx, func() error {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		list := strings.Fields(string(data))
		cut := slices.DeleteFunc(slices.Clone(list), func(commit string) bool { return err == nil && r.hasParents(ctx, commit) })
		if joined = err == nil && len(cut) < len(list); !joined {
			return err
		}
		return replace(path, cut)
	})
	return joined && err == nil, err
}

// hasParents says whether a commit has parents, and all of them are here.
func (r *Repo) hasParents(ctx context.Context, commit string) bool {
	raw, err := command{dir: r.Dir, in: r.owner(), more: r.settings, args: []string{"cat-file", "commit", commit}}.run(ctx)
	header, _, _ := bytes.Cut(raw, []byte("\n\n"))
	parents := 0
	for line := range strings.Lines(string(header)) {
		if parent, ok := strings.CutPrefix(strings.TrimSpace(line), "parent "); ok {
			if parents++; !r.has(ctx, parent) {
				return false
			}
		}
	}
	return err == nil && parents > 0
}

// replace writes the list of shallow commits, as git does: a new file takes the
// place of the old one.
func replace(path string, commits []string) error {
	if len(commits) == 0 {
		return os.Remove(path)
	}
	if err := os.WriteFile(path+".lock", []byte(strings.Join(commits, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".lock", path)
}
