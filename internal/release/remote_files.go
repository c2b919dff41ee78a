package release

import (
	"context"

	"github.com/project-codeflare/cfctl/internal/git"
)

// Files are the files of a commit of a repository.
func (r *Remotes) Files(ctx context.Context, repo, commit string) (*git.Tree, error) {
	var tree *git.Tree
	err := r.with(ctx, repo, commit, false, func(local *git.Repo) (err error) {
		tree, err = local.Tree(ctx, commit)
		return err
	})
	return tree, err
}
