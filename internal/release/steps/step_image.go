package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Digest reads the digest of an image reference once per pass.
func (v *View) Digest(ctx context.Context, ref string) (string, error) {
	return Recall(v, "image "+ref, func() (string, error) { return v.Images.Digest(ctx, ref) })
}

// stepBuilt waits until the image of a component's version is there, and
// records its digest. nil when the component has
// none, or no one builds one.
func stepBuilt(t *Train, c *stack.Component, tag tagging) Building {
	ref := t.Image(c)
	if ref == "" {
		return Building{}
	}
	return newBuilding(&Step{
		Name: StepOf("built", c), Title: "image " + ref, Needs: []*Step{tag.Step}, Target: c.Image.Repository,
		Observe: func(ctx context.Context, v *View) (Observation, error) {
			digest, err := v.Digest(ctx, ref)
			if errors.Is(err, wire.ErrNotFound) {
				actions := strings.TrimSuffix(t.Recipe.Forge.Git, "/") + "/" + c.Repository + "/actions"
				o := waiting(ref+" is not there yet", "the build of "+c.Repository, actions)
				return t.imageRun(ctx, v, c.Repository, t.Tag(c), string(tag.commit.In(v)), o)
			}
			if err != nil {
				return Observation{}, err
			}
			return t.seen(ctx, v, c, string(tag.commit.In(v)), digest)
		},
	})
}

// seen evaluates an image that is there: one that says which commit it was built
// from must say the one that is tagged (v0.0.5 was built before its edits were
// in). What was evaluated before is not asked for again.
func (t *Train) seen(ctx context.Context, v *View, c *stack.Component, tagged, digest string) (Observation, error) {
	ref := t.Image(c)
	o := Done(fmt.Sprintf("%s is %.19s", tagPart(ref), digest), "digest", digest)
	last := v.Journal.Last(StepOf("built", c), RecDone)
	switch {
	case last != nil && last.Facts["digest"] != "" && last.Facts["digest"] != digest:
		return unmanaged(why.ImageAgain, fmt.Sprintf("%s is %.19s, and was %.19s on %s: it was pushed again", ref, digest, last.Facts["digest"], last.Time.UTC().Format(time.DateOnly)),
			"a maintainer: push the previous image again", "digest", digest), nil
	case tagged == "" || last != nil:
		return o, nil
	}
	revision, err := Recall(v, "revision "+ref+" "+digest, func() (string, error) { return v.Images.Revision(ctx, c.Image.Repository, digest) })
	if err != nil {
		return Observation{}, err
	}
	if len(revision) >= 7 && !strings.HasPrefix(tagged, revision) {
		return unmanaged(why.ImageRevision, fmt.Sprintf("%s says that it was built from %.7s, and %s is at %.7s", ref, revision, t.Tag(c), tagged),
			"a maintainer of "+c.Repository+": build it again from the tag", "digest", digest), nil
	}
	return o, nil
}

// tagPart is the tag of an image reference.
func tagPart(ref string) string { return ref[strings.LastIndexByte(ref, ':')+1:] }

// Stable is the reference of a component's stable image.
func (t *Train) Stable(c *stack.Component) string { return c.Image.Repository + ":" + t.Recipe.Stable }

// StepStable moves the stable tag of a component's image, by digest: ADR-0003,
// step 6, after the catalog has the release, and never to a lower version.
func StepStable(t *Train, c *stack.Component, built Building, needs []*Step) *Step {
	ref := t.Image(c)
	if ref == "" || t.Recipe.Stable == "-" {
		return nil
	}
	to := t.Stable(c)
	s := &Step{Name: StepOf("stable", c), Title: "move " + to, Target: to, Public: true, Group: StepOf("stable", c), Needs: append(there(built.Step), needs...)}
	s.Observe = func(ctx context.Context, v *View) (Observation, error) {
		want := string(built.digest.In(v))
		h, err := v.Heads(ctx, c.Repository)
		if err != nil {
			return Observation{}, err
		}
		have, err := v.Digest(ctx, to)
		if err != nil && !errors.Is(err, wire.ErrNotFound) {
			return Observation{}, err
		}
		if want != "" && have == want {
			return Done(fmt.Sprintf("%s is %.19s", tagPart(to), want), "digest", want), nil
		}
		top := matrix.Newest(c, h.Tags, "")
		images, err := Recall(v, "images "+c.Name, func() (*registry.View, error) { return v.Images.Look(ctx, c) })
		if err != nil {
			return Observation{}, err
		}
		if semver.Compare(top, t.Versions[c.Name]) <= 0 {
			top = images.Highest.Version
		}
		if semver.Compare(top, t.Versions[c.Name]) > 0 {
			return Done(fmt.Sprintf("%s is not moved: %s is newer than %s", to, top, t.Versions[c.Name]), train.Kept, top), nil
		}
		if have != "" && images.Stable.Version == "" {
			return unmanaged(why.StableUnmanaged, fmt.Sprintf("%s is %.19s, which is no release of %s", to, have, c.Name),
				"a maintainer: move it back, or to the highest release (cfctl release images "+c.Name+" --promote)", "digest", have), nil
		}
		o := missing(fmt.Sprintf("%s to %s", to, t.Versions[c.Name]))
		return o.With("digest", want, "before", have), nil
	}
	s.Act = func(ctx context.Context, h *Writer, seen Observation) error {
		_, err := h.Images.Promote(ctx, c, t.Versions[c.Name], seen.Facts["digest"])
		return err
	}
	return s
}
