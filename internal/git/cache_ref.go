package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

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
