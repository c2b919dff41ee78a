package release

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// digest reads the digest of an image reference once per pass.
func (v *View) digest(ctx context.Context, ref string) (string, error) {
	return recall(v, "image "+ref, func() (string, error) { return v.images.Digest(ctx, ref) })
}

// stepBuilt waits until the image of a component's version is there, and
// records its digest. nil when the component has
// none, or no one builds one.
func stepBuilt(t *Train, c *stack.Component, tag tagging) building {
	ref := t.image(c)
	if ref == "" {
		return building{}
	}
	return newBuilding(&Step{
		Name: stepOf("built", c), Title: "image " + ref, Needs: []*Step{tag.Step}, Target: c.Image.Repository,
		Observe: func(ctx context.Context, v *View) (observation, error) {
			digest, err := v.digest(ctx, ref)
			if errors.Is(err, wire.ErrNotFound) {
				actions := strings.TrimSuffix(t.recipe.Forge.Git, "/") + "/" + c.Repository + "/actions"
				o := waiting(ref+" is not there yet", "the build of "+c.Repository, actions)
				return t.imageRun(ctx, v, c.Repository, t.tag(c), string(tag.commit.In(v)), o)
			}
			if err != nil {
				return observation{}, err
			}
			return t.seen(ctx, v, c, string(tag.commit.In(v)), digest)
		},
	})
}

// seen evaluates an image that is there: one that says which commit it was built
// from must say the one that is tagged (v0.0.5 was built before its edits were
// in). What was evaluated before is not asked for again.
func (t *Train) seen(ctx context.Context, v *View, c *stack.Component, tagged, digest string) (observation, error) {
	ref := t.image(c)
	o := done(fmt.Sprintf("%s is %.19s", tagPart(ref), digest), "digest", digest)
	last := v.Journal.Last(stepOf("built", c), recDone)
	switch {
	case last != nil && last.Facts["digest"] != "" && last.Facts["digest"] != digest:
		return unmanaged(whyImageAgain, fmt.Sprintf("%s is %.19s, and was %.19s on %s: it was pushed again", ref, digest, last.Facts["digest"], last.Time.UTC().Format(time.DateOnly)),
			"a maintainer: push the previous image again", "digest", digest), nil
	case tagged == "" || last != nil:
		return o, nil
	}
	revision, err := recall(v, "revision "+ref+" "+digest, func() (string, error) { return v.images.Revision(ctx, c.Image.Repository, digest) })
	if err != nil {
		return observation{}, err
	}
	if len(revision) >= 7 && !strings.HasPrefix(tagged, revision) {
		return unmanaged(whyImageRevision, fmt.Sprintf("%s says that it was built from %.7s, and %s is at %.7s", ref, revision, t.tag(c), tagged),
			"a maintainer of "+c.Repository+": build it again from the tag", "digest", digest), nil
	}
	return o, nil
}

// look is what the registry has of a component's image, also of what has an image and no tag of git.
func (v *View) look(ctx context.Context, c *stack.Component) (*registry.View, error) {
	return recall(v, "images "+c.Name, func() (*registry.View, error) { return v.images.Look(ctx, c) })
}

// tagPart is the tag of an image reference.
func tagPart(ref string) string { return ref[strings.LastIndexByte(ref, ':')+1:] }

// stable is the reference of a component's stable image.
func (t *Train) stable(c *stack.Component) string { return c.Image.Repository + ":" + t.recipe.Stable }

// stepStable moves the stable tag of a component's image, by digest: ADR-0003,
// step 6, after the catalog has the release, and never to a lower version.
func stepStable(t *Train, c *stack.Component, built building, needs []*Step) *Step {
	ref := t.image(c)
	if ref == "" || t.recipe.Stable == "-" {
		return nil
	}
	to := t.stable(c)
	s := &Step{Name: stepOf("stable", c), Title: "move " + to, Target: to, Public: true, Group: stepOf("stable", c), Needs: append(there(built.Step), needs...)}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		want := string(built.digest.In(v))
		h, err := v.heads(ctx, c.Repository)
		if err != nil {
			return observation{}, err
		}
		have, err := v.digest(ctx, to)
		if err != nil && !errors.Is(err, wire.ErrNotFound) {
			return observation{}, err
		}
		if want != "" && have == want {
			return done(fmt.Sprintf("%s is %.19s", tagPart(to), want), "digest", want), nil
		}
		top := matrix.Newest(c, h.Tags, "")
		images, err := v.look(ctx, c)
		if err != nil {
			return observation{}, err
		}
		if semver.Compare(top, t.Versions[c.Name]) <= 0 {
			top = images.Highest.Version
		}
		if semver.Compare(top, t.Versions[c.Name]) > 0 {
			return done(fmt.Sprintf("%s is not moved: %s is newer than %s", to, top, t.Versions[c.Name]), train.Kept, top), nil
		}
		if have != "" && images.Stable.Version == "" {
			return unmanaged(whyStableUnmanaged, fmt.Sprintf("%s is %.19s, which is no release of %s", to, have, c.Name),
				"a maintainer: move it back, or to the highest release (cfctl release images "+c.Name+" --promote)", "digest", have), nil
		}
		o := missing(fmt.Sprintf("%s to %s", to, t.Versions[c.Name]))
		return o.With("digest", want, "before", have), nil
	}
	s.Act = func(ctx context.Context, h *Writer, seen observation) error {
		_, err := h.images.Promote(ctx, c, t.Versions[c.Name], seen.Facts["digest"])
		return err
	}
	return s
}
