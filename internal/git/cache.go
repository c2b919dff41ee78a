package git

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Cache is where all that is fetched is kept: a folder of bare repositories,
// one for each remote and use. Of its own it has copies of single tags: no
// history, and from servers that can, only the files that are read. A tag is
// fetched once; it stays for later runs, since releases do not change. It is
// safe for concurrent use.
type Cache struct {
	Dir      string        // created when needed
	Timeout  time.Duration // of one fetch and its repetitions; zero = 2 minutes
	patience wire.Patience

	mu    sync.Mutex
	repos map[string]*cached
}

// A cached repository is used by one fetch at a time.
type cached struct {
	mu    sync.Mutex
	repo  *Repo
	local bool // the URL is of a repository on this machine: it is read where it is
}

// At returns the tree of a tag of the repository at url, and the date of its
// commit. A tag that is not there is an error that wraps ErrNotFound; when the
// remote cannot be asked it is a *RemoteError.
func (c *Cache) At(ctx context.Context, url, tag string) (fs.FS, time.Time, error) {
	if err := CheckRevision(tag); err != nil {
		return nil, time.Time{}, err
	}
	tree, err := c.ref(ctx, url, tags+tag, tags+tag)
	if err != nil {
		return nil, time.Time{}, err
	}
	date, err := tree.repo.Date(ctx, tree.Commit)
	return tree, date, err
}

// Close ends the processes of the repositories in use.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, url := range slices.Sorted(maps.Keys(c.repos)) {
		if entry := c.repos[url]; entry.repo != nil {
			errs = append(errs, entry.repo.Close())
		}
	}
	c.repos = nil
	return errors.Join(errs...)
}

func (c *Cache) entry(url string) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.repos == nil {
		c.repos = map[string]*cached{}
	}
	if c.repos[url] == nil {
		c.repos[url] = &cached{}
	}
	return c.repos[url]
}

// open finds or makes the repository of a URL on first use. One that git's own
// configuration (url.*.insteadOf) finds on this machine is read where it is.
func (c *Cache) open(ctx context.Context, entry *cached, url string) error {
	out, err := command{in: nobody, args: []string{"ls-remote", "--get-url", "--", url}}.run(ctx)
	if err != nil {
		return err
	}
	at := strings.TrimPrefix(strings.TrimSpace(string(out)), "file://")
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		entry.repo, err = Open(ctx, at)
		entry.local = true
		return err
	}
	entry.repo, err = c.create(ctx, url, true)
	return err
}

// create opens the own repository of a URL and a use, and makes it when there is
// none.
func (c *Cache) create(ctx context.Context, url string, lazy bool, use ...string) (*Repo, error) {
	r, err := openOwn(ctx, c.Place(url, use...), Redact(url), lazy)
	if err == nil {
		r.own.patience = c.patience
	}
	return r, err
}

// Place is where the repository of a URL and a use is kept. Its name is a
// digest: a URL may hold what a file name may not. Uses are apart, since where
// single commits are fetched the history of others is cut.
func (c *Cache) Place(url string, use ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{Redact(url)}, use...), "\n")))
	return filepath.Join(c.Dir, hex.EncodeToString(sum[:12])+".git")
}

// Uses of a Mirror.
const (
	Commits = "commits" // single commits, and what is written on top of them
	History = "history" // commits with all before them
)

// Mirror opens the repository that keeps what was fetched from url for a use,
// and makes it when there is none. With lazy, contents of files are fetched
// only when they are read (a partial clone): for repositories that are large.
// Several processes may have the same one open; who opens it closes it.
func (c *Cache) Mirror(ctx context.Context, url, use string, lazy bool) (*Repo, error) {
	if err := CheckURL(url); err != nil {
		return nil, err
	}
	return c.create(ctx, url, lazy, use)
}

// Use runs f on the Mirror of a URL and a use, which stays open until Close. It has it
// alone among those who use this Cache.
func (c *Cache) Use(ctx context.Context, url, use string, lazy bool, f func(*Repo) error) error {
	entry := c.entry(url + "\n" + use)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.repo == nil {
		var err error
		if entry.repo, err = c.Mirror(ctx, url, use, lazy); err != nil {
			return err
		}
	}
	return f(entry.repo)
}

func (c *Cache) timeout() time.Duration {
	return cmp.Or(c.Timeout, 2*time.Minute)
}

// fetch brings what the remote calls from; a hash is kept under no name.
func (c *Cache) fetch(ctx context.Context, repo *Repo, url, from, to string) error {
	spec := "+" + from + ":" + to
	if from == to && fullHash.MatchString(from) {
		spec = from
	}
	return within(ctx, c.patience, c.timeout(), url, func(ctx context.Context) error {
		err := repo.fetch(ctx, contents, []string{spec}, "--depth=1")
		if lacksRef(err) {
			return fmt.Errorf("%s: tag %s: %w", Redact(url), strings.TrimPrefix(from, "refs/tags/"), ErrNotFound)
		}
		return err
	})
}

// lacksRef says whether a fetch failed because the remote has no such ref, or
// no such commit.
func lacksRef(err error) bool {
	var failed *CommandError
	return errors.As(err, &failed) && (strings.Contains(failed.Stderr, "couldn't find remote ref") || strings.Contains(failed.Stderr, "not our ref"))
}

var fullHash = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// Ref returns the tree of a tag, a branch, a full hash, or HEAD for the default
// branch, of the repository at url. Tags and hashes are fetched once; a branch
// each time, and it is taken from the cache when the remote cannot be asked. A
// tag goes before a branch of the same name. Errors are those of At.
func (c *Cache) Ref(ctx context.Context, url, ref string) (fs.FS, error) {
	if fullHash.MatchString(ref) {
		return orNone(c.ref(ctx, url, ref, ref))
	}
	tree, _, err := c.At(ctx, url, ref)
	if err == nil {
		return tree, nil
	}
	branch := "refs/heads/" + ref
	if ref == "HEAD" {
		branch = ref
	}
	head, berr := c.ref(ctx, url, branch, "refs/heads/"+ref)
	switch {
	case berr == nil:
		return head, nil
	case errors.Is(berr, ErrNotFound):
		return nil, fmt.Errorf("%s: tag or branch %s: %w", Redact(url), ref, ErrNotFound)
	case errors.Is(err, ErrNotFound):
		return nil, berr
	}
	return nil, err
}

// orNone keeps a nil *Tree from becoming an fs.FS that is not nil.
func orNone(tree *Tree, err error) (fs.FS, error) {
	if err != nil {
		return nil, err
	}
	return tree, nil
}

// tags is where tags are. One is fetched once.
const tags = "refs/tags/"

// ref fetches what the remote calls from, and reads it as what is kept here as to.
func (c *Cache) ref(ctx context.Context, url, from, to string) (*Tree, error) {
	if err := errors.Join(CheckURL(url), CheckRevision(from)); err != nil {
		return nil, err
	}
	entry := c.entry(url)
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.repo == nil {
		if err := c.open(ctx, entry, url); err != nil {
			return nil, err
		}
	}
	notThere := fmt.Errorf("%s: %s: %w", Redact(url), strings.Replace(from, tags, "tag ", 1), ErrNotFound)
	if entry.local {
		tree, err := entry.repo.Tree(ctx, from)
		if errors.Is(err, ErrNotFound) {
			err = notThere
		}
		return tree, err
	}
	hash := fullHash.MatchString(to)
	if hash && entry.repo.has(ctx, to) || strings.HasPrefix(to, tags) { // it is what it is
		if tree, err := entry.repo.Tree(ctx, to); err == nil || !hash && !errors.Is(err, ErrNotFound) {
			return tree, err
		}
	}
	err := c.fetch(ctx, entry.repo, url, from, to)
	here := !hash || entry.repo.has(ctx, to) // what is not is not looked for: the remote would send its history
	if here && !errors.Is(err, ErrNotFound) {
		if tree, terr := entry.repo.Tree(ctx, to); terr == nil || err == nil && !errors.Is(terr, ErrNotFound) {
			return tree, terr
		}
	}
	return nil, cmp.Or(err, notThere)
}

// Head returns the tree of the default branch of the repository at url, with the
// contents of its files: for who reads most of them.
func (c *Cache) Head(ctx context.Context, url string) (tree fs.FS, err error) {
	err = c.Use(ctx, url, Commits, false, func(r *Repo) error {
		bounded, cancel := context.WithTimeout(ctx, c.timeout())
		defer cancel()
		commit := ""
		err := Read(bounded, c.patience, func() (err error) {
			if _, commit, err = RemoteHead(bounded, url); err != nil || commit == "" {
				return err
			}
			return r.FetchCommits(bounded, commit)
		})
		if err == nil && commit == "" {
			err = fmt.Errorf("%s has no commits: %w", Redact(url), ErrNotFound)
		}
		if err == nil {
			tree, err = orNone(r.Tree(ctx, commit))
		}
		return err
	})
	return tree, err
}
