package git

import (
	"context"
	"errors"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// Range lists the commits that the tag to of the repository at url has and the
// tag from has not, newest first. Only these commits are fetched, from servers
// that can without their files, and they are kept: releases do not change. A
// tag that is not there wraps ErrNotFound; when the remote cannot be asked the
// error is a *RemoteError.
func (c *Cache) Range(ctx context.Context, url, from, to string) ([]Commit, error) {
	if err := errors.Join(CheckURL(url), CheckRevision(from), CheckRevision(to)); err != nil {
		return nil, err
	}
	r, err := c.create(ctx, url, true, from, to)
	if err != nil {
		return nil, err
	}
	if _, err := r.Resolve(ctx, "refs/tags/"+to); errors.Is(err, ErrNotFound) {
		if err := c.fetchRange(ctx, r, url, from, to); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r.rangeLog(ctx, from, to)
}

// fetchRange fetches what to has and from has not. A server refuses that when
// there is no such commit, or when one of the tags is not there, and does not
// always say which: then the whole history of both is fetched, and tells.
func (c *Cache) fetchRange(ctx context.Context, r *Repo, url, from, to string) error {
	tags := []string{"+refs/tags/" + to + ":refs/tags/" + to}
	err := within(ctx, wire.Patience{Tries: 1}, c.timeout(), url, func(ctx context.Context) error {
		return r.fetch(ctx, trees, tags, "--shallow-exclude=refs/tags/"+from)
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	tags = append(tags, "+refs/tags/"+from+":refs/tags/"+from)
	return within(ctx, c.patience, c.timeout(), url, func(ctx context.Context) error {
		err := r.fetch(ctx, trees, tags)
		if lacksRef(err) {
			return fmt.Errorf("%s: tag %s or %s: %w", Redact(url), from, to, ErrNotFound)
		}
		return err
	})
}

// rangeLog lists the commits of a repository that holds a range alone, or both
// tags.
func (r *Repo) rangeLog(ctx context.Context, from, to string) ([]Commit, error) {
	since := "refs/tags/" + from
	if _, err := r.Resolve(ctx, since); errors.Is(err, ErrNotFound) {
		since = ""
	}
	commits, err := r.Log(ctx, since, "refs/tags/"+to)
	return commits, errors.Join(err, r.Close())
}
