package release

import (
	"context"

	"github.com/project-codeflare/cfctl/internal/git"
)

// Ref implements GitReader.
func (r *Remotes) Ref(ctx context.Context, repo, ref string) (string, error) {
	hash := ""
	err := r.read(ctx, func(ctx context.Context) (err error) {
		hash, err = git.RemoteRef(ctx, r.url(repo), ref)
		return err
	})
	return hash, err
}

// Clashes implements GitReader. It fetches the commits of both sides without
// their files, and then the files that both have changed.
func (r *Remotes) Clashes(ctx context.Context, repo, base, head string) ([]string, error) {
	var list []string
	err := r.with(ctx, repo+historyOf, "", true, func(local *git.Repo) error {
		if err := local.FetchHistory(ctx, base, head); err != nil {
			return gitError(err)
		}
		var err error
		list, err = local.Clashes(ctx, base, head)
		return err
	})
	return list, err
}
