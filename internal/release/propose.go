package release

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/propose"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Proposer works out the next release of a stack from its repositories.
type Proposer struct {
	Stack  *stack.Stack
	Recipe *recipe.Recipe
	Matrix *matrix.Config
	Git    propose.History
	Forge  forge.Reader // its labels; nil = not known

	// Unwanted says whether a release was aborted: none follows it. nil: none was.
	Unwanted func(ctx context.Context, version string) (bool, error)
}

// Propose works out the next release. It follows the highest full release that
// is tagged, whatever the matrix declares beyond that.
func (p *Proposer) Propose(ctx context.Context, r propose.Request) (*propose.Plan, error) {
	root := p.Stack.RootComponent()
	heads, err := p.Git.Heads(ctx, root.Repository)
	if err != nil {
		return nil, err
	}
	last := matrix.Newest(root, heads.Tags, "")
	for last != "" && p.Unwanted != nil {
		unwanted, err := p.Unwanted(ctx, last)
		if err != nil {
			return nil, err
		}
		if !unwanted {
			break
		}
		last = matrix.Newest(root, heads.Tags, last)
	}
	r.Stack, r.Last = p.Stack, last
	r.Row, err = p.row(ctx, last, heads.Tags[root.TagOf(last)].Commit)
	if err != nil {
		return nil, err
	}
	if pre := candidate(root, heads.Tags, last); pre != "" && r.Pre != "" {
		if r.Candidate, err = p.row(ctx, pre, heads.Tags[root.TagOf(pre)].Commit); err != nil {
			return nil, err
		}
	}
	r.Branch = func(c *stack.Component) string {
		if b := p.Recipe.Build(c.Name, last); b != nil {
			return b.Branch
		}
		return ""
	}
	plan, err := propose.ForStack(ctx, p.Git, p.labels(), r)
	if err != nil {
		return nil, err
	}
	for i := range plan.Components {
		if m := &plan.Components[i]; m.Branch != "" {
			e := &recipe.BranchError{Repository: p.repositoryOf(m.Name), Branch: m.Branch, Default: m.Default}
			m.Version, m.Problem, m.Fix = "", e.Error(), e.Hint()
		}
	}
	return plan, nil
}

func (p *Proposer) repositoryOf(name string) string {
	if c, ok := p.Stack.Component(name); ok {
		return c.Repository
	}
	return name
}

// candidate is the highest pre-release of a component above a version; empty = none.
func candidate(c *stack.Component, tags map[string]git.Ref, last string) string {
	best := last
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if v, ok := c.VersionOfTag(name); ok && versions.IsVersion(v) && semver.Prerelease(v) != "" && semver.Compare(v, best) > 0 {
			best = v
		}
	}
	if best == last {
		return ""
	}
	return best
}

// row is what a release consists of: as the matrix declares it, else as the
// table of its tag says; nothing where neither does.
func (p *Proposer) row(ctx context.Context, version, commit string) (map[string]string, error) {
	versions := map[string]string{}
	if version == "" {
		return versions, nil
	}
	r, ok := p.Matrix.Release(version)
	if !ok {
		tree, err := p.Git.Files(ctx, p.Stack.RootComponent().Repository, commit)
		if err != nil {
			return nil, err
		}
		if r, err = matrix.ReleaseOf(p.Stack, tree); err != nil {
			return versions, nil //nolint:nilerr // a root without a table
		}
	}
	for _, pin := range r.Components {
		versions[pin.Name] = pin.Version
	}
	return versions, nil
}

// labels asks the forge, where it has labels. A repository that it does not
// have has none.
func (p *Proposer) labels() propose.Labels {
	reader, ok := p.Forge.(forge.LabelReader)
	if !ok {
		return nil
	}
	return func(ctx context.Context, repo string, since time.Time) (map[string][]string, error) {
		labels, err := reader.PullLabels(ctx, repo, since)
		if errors.Is(err, wire.ErrNotFound) {
			return nil, nil
		}
		return labels, err
	}
}
