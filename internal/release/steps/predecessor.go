package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// journalOf are the records of another release of the stack, none where no one
// knows them.
func (v *View) journalOf(ctx context.Context, version string) (train.Records, error) {
	if v.Journals == nil {
		return nil, nil
	}
	return train.Keep(v.View, "journal "+version, func() (train.Records, error) { return v.Journals(ctx, version) })
}

// unlisted says why a release is not in the catalog and will not be, by its journal;
// empty = that does not say so.
func unlisted(rs train.Records) string {
	if r := rs.Aborted(); r != nil {
		return fmt.Sprintf("it was aborted by %s on %s", r.Who, r.Time.UTC().Format(time.DateOnly))
	}
	if r := rs.Epoch().Last("catalog-merged", recSkip); r != nil {
		return fmt.Sprintf("the catalog was skipped by %s: %s", r.Who, r.Text)
	}
	return ""
}

// Absent says why the catalog does not have an earlier release. coming: it is still
// to get it.
func (v *View) Absent(ctx context.Context, version string) (why string, coming bool, err error) {
	rs, err := v.journalOf(ctx, version)
	if err != nil {
		return "", false, err
	}
	if why := unlisted(rs); why != "" {
		return why, false, nil
	}
	if len(rs) > 0 && rs.Epoch().Last("", train.KindEnd) == nil {
		return "its release is not complete", true, nil
	}
	c := v.Train.Recipe.Catalog
	owner, _ := forge.Split(c.Repository)
	if c.Fork != "" {
		owner, _ = forge.Split(c.Fork)
	}
	pull, err := v.Forge.Pull(ctx, c.Repository, owner+":"+v.Train.Recipe.Prefix+version, c.Branch)
	switch {
	case wire.IgnoreNotFound(err) != nil:
		return "", false, err
	case err == nil && pull.Open:
		return "its PR " + pull.URL + " is open", true, nil
	}
	return "and no PR brings it", false, nil
}

// replaced is the release that the bundle in the root's repository replaces: the
// highest below this one that the catalog is not known to lack.
func (v *View) replaced(ctx context.Context, tags map[string]git.Ref) (string, error) {
	root := v.Train.Root()
	last := matrix.Newest(root, tags, v.Train.Version)
	for version := last; version != ""; version = matrix.Newest(root, tags, version) {
		rs, err := v.journalOf(ctx, version)
		if err != nil || v.Train.Recipe.Catalog == nil || unlisted(rs) == "" {
			return version, err
		}
	}
	return "", nil
}

// published is the highest release of the root below a version that users have: not
// aborted, and, where the forge has releases, published there. Empty = there is none.
func (v *View) published(ctx context.Context, tags map[string]git.Ref, below string) (string, error) {
	const most = 10 // releases back
	root, first := v.Train.Root(), ""
	version := matrix.Newest(root, tags, below)
	for n := 0; version != "" && n < most; n++ {
		rs, err := v.journalOf(ctx, version)
		if err != nil {
			return "", err
		}
		if rs.Aborted() == nil {
			first = cmp.Or(first, version)
			if matrix.Newest(root, tags, version) == "" {
				return first, nil // there is no other one
			}
			made, err := train.Keep(v.View, "published "+root.TagOf(version), func() (forge.Release, error) { return v.Forge.Release(ctx, root.Repository, root.TagOf(version)) })
			if err == nil && !made.Draft {
				return version, nil
			}
			if err != nil && !errors.Is(err, wire.ErrNotFound) {
				return "", err
			}
		}
		version = matrix.Newest(root, tags, version)
	}
	return first, nil
}
