package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// again is what is looked for when a release is begun again after an abort: what it
// had published is still there, and is decided about before anything else is done.
var again = report.Check[*preflight]{Rule: report.Rule{ID: "still-public", Severity: report.Error, Doc: "what was published before an abort is what the release is to have"}, Run: checkPublic}

// checkPublic shows the tags of before the abort that are still there. One that its
// branch has gone on from is an error: the release would not have what was fixed.
func checkPublic(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Released() {
		was := p.publicTag(c)
		if was == "" || p.Journal.Last(steps.StepOf("tag", c), steps.RecAssert) != nil {
			continue
		}
		h, err := p.Heads(ctx, c.Repository)
		if errors.Is(err, wire.ErrNotFound) {
			continue // the step that needs it says so
		}
		if err != nil {
			return err
		}
		ref, there := h.Tags[p.Train.Tag(c)]
		if !there || ref.Commit != was {
			if err := p.checkOutdated(ctx, c, there, was); err != nil {
				return err
			}
			continue
		}
		text := fmt.Sprintf("%s of %s at %.7s, which this release made before it was aborted, is still public", p.Train.Tag(c), c.Repository, was)
		more, err := p.since(ctx, c, h.Branches[p.Train.Branch(c)], was)
		switch {
		case err != nil:
			return err
		case more == 0:
			p.say(report.Note, c.Name, "", "%s, and is accepted", text)
		default:
			p.bad(c.Name, "to accept it: cfctl release approve "+p.Train.Version+" "+steps.StepOf("tag", c)+" --done; else take the next version; or delete the tag and its image if they are not in use yet",
				"%s, and %s has %s since then, which it does not have", text, p.Train.Branch(c), report.Plural(more, "commit"))
		}
	}
	return nil
}

// publicTag is the commit that a release that was aborted has tagged a component at;
// empty = it has not.
func (p *preflight) publicTag(c *stack.Component) string {
	if r := p.Past.Before().Last(steps.StepOf("tag", c), steps.RecDone, steps.RecAssert); r != nil && r.Facts["tag"] == p.Train.Tag(c) {
		return r.Facts["commit"]
	}
	return ""
}

// since counts the commits that a branch has since a commit was tagged. What a
// workflow tags is a commit of its own on top of the branch.
func (p *preflight) since(ctx context.Context, c *stack.Component, head, tagged string) (int, error) {
	if head == "" || head == tagged {
		return 0, nil
	}
	commits, err := steps.Recall(p.View, "since "+c.Repository+" "+tagged+" "+head, func() (int, error) {
		log, err := p.Git.Log(ctx, c.Repository, tagged, head)
		return len(log), err
	})
	return commits, err
}

// checkOutdated finds the image of before the abort, where its tag is not what it was
// any more: it would be taken for the image of the new one.
func (p *preflight) checkOutdated(ctx context.Context, c *stack.Component, there bool, was string) error {
	r := p.Past.Before().Last(steps.StepOf("built", c), steps.RecDone, steps.RecAssert)
	if fresh, err := steps.Untouched(ctx, p.View); r == nil || err != nil || fresh && !there {
		return err // the preflight finds images that are there before their tags
	}
	ref := p.Train.Image(c)
	digest, err := p.Digest(ctx, ref)
	if err == nil && digest == r.Facts["digest"] {
		p.bad(c.Name, "delete the image, and have it built from the tag; or take the next version",
			"the image %s (%.19s) was built from %.7s before this release was aborted, and %s is not there any more", ref, digest, was, p.Train.Tag(c)+" at that commit")
	}
	return wire.IgnoreNotFound(err)
}
