package matrix

import (
	"context"
	"io/fs"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
)

// RepoPast is the Past of a repository on this machine.
type RepoPast struct{ Repo *git.Repo }

// Tags lists the repository's tags.
func (p RepoPast) Tags(ctx context.Context) ([]string, error) {
	refs, err := p.Repo.Tags(ctx)
	return lists.Of(refs, func(r git.Ref) string { return r.Name }), err
}

// Tree is the tree of a tag.
func (p RepoPast) Tree(ctx context.Context, tag string) (fs.FS, error) {
	return p.Repo.Tree(ctx, "refs/tags/"+tag)
}
