package project

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Compared are the release that notes are of, with bumps over its versions, and the
// release before it: since, or the highest lower tag; nil = there is none.
func (v *View) Compared(ctx context.Context, version, since string, bumps []matrix.Bump) (now, before *matrix.Release, err error) {
	versions := map[string]string{}
	for _, b := range bumps {
		versions[b.Component.Name] = b.Version
	}
	base, err := v.released(ctx, version, v.Tree)
	if err != nil {
		return nil, nil, err
	}
	now = matrix.With(base, v.Stack, version, versions)
	if since == "" {
		tags, err := v.Repo.Tags(ctx)
		if err != nil {
			return nil, nil, err
		}
		named := map[string]git.Ref{}
		for _, tag := range tags {
			named[tag.Name] = tag
		}
		if since = matrix.Newest(v.Stack.RootComponent(), named, version); since == "" {
			return now, nil, nil
		}
	}
	before, err = v.released(ctx, "v"+strings.TrimPrefix(since, "v"), nil)
	return now, before, err
}

// released is a release as the table of its tag says, else as it is declared, else as
// the table of another tree says; nil = without its tag there is none.
func (v *View) released(ctx context.Context, version string, tree fs.FS) (*matrix.Release, error) {
	tagged, err := v.Repo.Tree(ctx, "refs/tags/"+v.Stack.RootComponent().TagOf(version))
	switch {
	case err != nil && tree == nil:
		return nil, source.Hinted(err, "name a release that has a tag with --since")
	case err != nil && !errors.Is(err, git.ErrNotFound):
		return nil, err
	case err == nil:
		if r, err := matrix.ReleaseOf(v.Stack, tagged); err == nil {
			return r, nil
		}
		if tree == nil {
			tree = tagged
		}
	}
	if r, ok := v.Config.Release(version); ok {
		return r, nil
	}
	return matrix.ReleaseOf(v.Stack, tree)
}
