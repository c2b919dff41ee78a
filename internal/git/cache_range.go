package git

import (
	"context"
	"errors"
	"fmt"
)

// Range lists the commits that the tag to of the repository at url has and the
// tag from has not, newest first. The history of both is fetched once, from servers
// that can without files, and it is kept: releases do not change. A tag that is not
// there wraps ErrNotFound; when the remote cannot be asked the error is a *RemoteError.
func (c *Cache) Range(ctx context.Context, url, from, to string) ([]Commit, error) {
	if err := errors.Join(CheckURL(url), CheckRevision(from), CheckRevision(to)); err != nil {
		return nil, err
	}
	var commits []Commit
	err := c.Use(ctx, url, History, true, func(r *Repo) (err error) {
		var missing []string
		for _, ref := range []string{"refs/tags/" + from, "refs/tags/" + to} {
			if _, err := r.Resolve(ctx, ref); errors.Is(err, ErrNotFound) {
				missing = append(missing, "+"+ref+":"+ref)
			}
		}
		if len(missing) > 0 {
			err = within(ctx, c.patience, c.timeout(), url, func(ctx context.Context) error {
				err := r.fetch(ctx, trees, missing)
				if lacksRef(err) {
					return fmt.Errorf("%s: tag %s or %s: %w", Redact(url), from, to, ErrNotFound)
				}
				return err
			})
		}
		if err == nil {
			commits, err = r.Log(ctx, "refs/tags/"+from, "refs/tags/"+to)
		}
		return err
	})
	return commits, err
}
