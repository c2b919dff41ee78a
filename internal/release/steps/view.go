package steps

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Tip is what a branch of a repository has; one that is not there is a *BranchError.
func (v *View) Tip(ctx context.Context, repo, branch string, large bool) (ports.Snapshot, error) {
	h, err := v.Heads(ctx, repo)
	if err != nil {
		return ports.Snapshot{}, err
	}
	if h.Branches[branch] == "" {
		return ports.Snapshot{}, recipe.NoBranch(ctx, v.Git, repo, branch)
	}
	return v.Tree(ctx, repo, h.Branches[branch], large)
}

// RootMain is the root as it is on the branch that it is released from.
func (v *View) RootMain(ctx context.Context) (ports.Snapshot, error) {
	root := v.Train.Root()
	return v.Tip(ctx, root.Repository, v.Train.Branch(root), false)
}

// CatalogMain is the catalog as it is upstream.
func (v *View) CatalogMain(ctx context.Context) (ports.Snapshot, error) {
	c := v.Train.Recipe.Catalog
	return v.Tip(ctx, c.Repository, c.Branch, true)
}

// RootMerged says whether the changes to the root are merged, or there were none
// to make where its tag is.
func (v *View) RootMerged(ctx context.Context, h git.Heads) (bool, error) {
	o := OperatorProposal(v.Train, nil)
	pull, err := o.Pull(ctx, v)
	if pull.Merged || wire.IgnoreNotFound(err) != nil {
		return pull.Merged, wire.IgnoreNotFound(err)
	}
	if _, tagged := h.Tags[v.Train.Tag(v.Train.Root())]; !tagged {
		return false, nil
	}
	if h.Branches[o.base] == "" {
		return false, recipe.NoBranch(ctx, v.Git, v.Train.Root().Repository, o.base)
	}
	commit, err := o.settled(ctx, v, h.Branches[o.base])
	return commit != "", err
}

// PlainTag drops what people put around a version in a tag.
func PlainTag(tag string) string {
	return strings.TrimLeft(strings.ToLower(tag), "v.")
}

// Untouched says whether nothing of this release is to be seen: no merged PR to
// the root, nor a tag that needed none.
func Untouched(ctx context.Context, v *View) (bool, error) {
	h, err := v.Heads(ctx, v.Train.Root().Repository)
	if err != nil {
		return false, err
	}
	merged, err := v.RootMerged(ctx, h)
	return !merged, err
}

// whose tells of a commit's author.
func whose(s ports.Snapshot) string {
	return fmt.Sprintf("by %s on %s", s.Info.Author, s.Info.Time.UTC().Format(time.DateOnly))
}

// Told appends differences to a sentence.
func Told(differences []string) string {
	if len(differences) == 0 {
		return ""
	}
	return ": " + report.Few(differences, "; ")
}
