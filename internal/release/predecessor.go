package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// journalOf are the records of another release of the stack, none where no one
// knows them.
func (v *View) journalOf(ctx context.Context, version string) (train.Records, error) {
	if v.journals == nil {
		return nil, nil
	}
	return train.Keep(v.View, "journal "+version, func() (train.Records, error) { return v.journals(ctx, version) })
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

// absent says why the catalog does not have an earlier release. coming: it is still
// to get it.
func (v *View) absent(ctx context.Context, version string) (why string, coming bool, err error) {
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
	c := v.train.recipe.Catalog
	owner, _ := forge.Split(c.Repository)
	if c.Fork != "" {
		owner, _ = forge.Split(c.Fork)
	}
	pull, err := v.forge.Pull(ctx, c.Repository, owner+":"+v.train.recipe.Prefix+version, c.Branch)
	switch {
	case ignoreNotFound(err) != nil:
		return "", false, err
	case err == nil && pull.Open:
		return "its PR " + pull.URL + " is open", true, nil
	}
	return "and no PR brings it", false, nil
}

// replaced is the release that the bundle in the root's repository replaces: the
// highest below this one that the catalog is not known to lack.
func (v *View) replaced(ctx context.Context, tags map[string]git.Ref) (string, error) {
	root := v.train.root()
	last := matrix.Newest(root, tags, v.train.Version)
	for version := last; version != ""; version = matrix.Newest(root, tags, version) {
		rs, err := v.journalOf(ctx, version)
		if err != nil || v.train.recipe.Catalog == nil || unlisted(rs) == "" {
			return version, err
		}
	}
	return "", nil
}

// published is the highest release of the root below a version that users have: not
// aborted, and, where the forge has releases, published there. Empty = there is none.
func (v *View) published(ctx context.Context, tags map[string]git.Ref, below string) (string, error) {
	const most = 10 // releases back
	root, first := v.train.root(), ""
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
			made, err := train.Keep(v.View, "published "+root.TagOf(version), func() (forge.Release, error) { return v.forge.Release(ctx, root.Repository, root.TagOf(version)) })
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

// again is what is looked for when a release is begun again after an abort: what it
// had published is still there, and is decided about before anything else is done.
var again = report.Check[*preflight]{Rule: report.Rule{ID: "still-public", Severity: report.Error, Doc: "what was published before an abort is what the release is to have"}, Run: checkPublic}

// checkPublic shows the tags of before the abort that are still there. One that its
// branch has gone on from is an error: the release would not have what was fixed.
func checkPublic(ctx context.Context, p *preflight) error {
	for _, c := range p.train.released() {
		was := p.publicTag(c)
		if was == "" || p.decidedAgain(c) {
			continue
		}
		h, err := p.heads(ctx, c.Repository)
		if errors.Is(err, wire.ErrNotFound) {
			continue // the step that needs it says so
		}
		if err != nil {
			return err
		}
		ref, there := h.Tags[p.train.tag(c)]
		if !there || ref.Commit != was {
			if err := p.checkOutdated(ctx, c, there, was); err != nil {
				return err
			}
			continue
		}
		text := fmt.Sprintf("%s of %s at %.7s, which this release made before it was aborted, is still public", p.train.tag(c), c.Repository, was)
		more, err := p.since(ctx, c, h.Branches[p.train.branch(c)], was)
		switch {
		case err != nil:
			return err
		case more == 0:
			p.say(report.Note, c.Name, "", "%s, and is accepted", text)
		default:
			p.bad(c.Name, "to accept it: cfctl release approve "+p.train.Version+" "+stepOf("tag", c)+" --done; else take the next version; or delete the tag and its image if they are not in use yet",
				"%s, and %s has %s since then, which it does not have", text, p.train.branch(c), counted(more, "commit"))
		}
	}
	return nil
}

// publicTag is the commit that a release that was aborted has tagged a component at;
// empty = it has not.
func (v *View) publicTag(c *stack.Component) string {
	if r := v.Past.Before().Last(stepOf("tag", c), recDone, recAssert); r != nil && r.Facts["tag"] == v.train.tag(c) {
		return r.Facts["commit"]
	}
	return ""
}

// decidedAgain says whether the tag was approved as it is since the abort.
func (v *View) decidedAgain(c *stack.Component) bool {
	return v.Journal.Last(stepOf("tag", c), recAssert) != nil
}

// since counts the commits that a branch has since a commit was tagged. What a
// workflow tags is a commit of its own on top of the branch.
func (v *View) since(ctx context.Context, c *stack.Component, head, tagged string) (int, error) {
	if head == "" || head == tagged {
		return 0, nil
	}
	commits, err := recall(v, "since "+c.Repository+" "+tagged+" "+head, func() (int, error) {
		log, err := v.git.Log(ctx, c.Repository, tagged, head)
		return len(log), err
	})
	return commits, err
}

// checkOutdated finds the image of before the abort, where its tag is not what it was
// any more: it would be taken for the image of the new one.
func (p *preflight) checkOutdated(ctx context.Context, c *stack.Component, there bool, was string) error {
	r := p.Past.Before().Last(stepOf("built", c), recDone, recAssert)
	if fresh, err := untouched(ctx, p.View); r == nil || err != nil || fresh && !there {
		return err // the preflight finds images that are there before their tags
	}
	ref := p.train.image(c)
	digest, err := p.digest(ctx, ref)
	if err == nil && digest == r.Facts["digest"] {
		p.bad(c.Name, "delete the image, and have it built from the tag; or take the next version",
			"the image %s (%.19s) was built from %.7s before this release was aborted, and %s is not there any more", ref, digest, was, p.train.tag(c)+" at that commit")
	}
	return ignoreNotFound(err)
}
