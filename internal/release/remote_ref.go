package release

import (
	"context"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// A seenRefs is where the refs of releases in a repository were at one time.
type seenRefs struct {
	at   time.Time
	refs map[string]string
}

// justNow is how old an answer about the refs of releases may be: journals are
// asked for one by one, and one answer of the server has all of them.
const justNow = 10 * time.Second

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
	err := r.read(ctx, func(ctx context.Context) (err error) {
		seen.refs, err = git.RemoteRefs(ctx, r.url(repo), gitRef(""))
		return err
	})
	if err != nil {
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
func (r *Remotes) Clashes(ctx context.Context, repo, base, head string) (list []string, err error) {
	err = r.withHistory(ctx, repo, func(local *git.Repo) (err error) {
		list, err = local.Clashes(ctx, base, head)
		return err
	}, base, head)
	return list, err
}
