package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Promotion is what Promote did.
type Promotion struct {
	Component string `json:"component"`
	Before    Tag    `json:"before"` // stable as it was; without a digest when there was none
	After     Tag    `json:"after"`  // stable as it was seen at the end
	Moved     bool   `json:"moved"`  // false: it was right already
}

// Promote makes stable the highest release of a component, by digest. version
// and digest name the release that the caller means; empty = whichever is
// highest, and whatever it represents.
//
// Registries have no compare-and-swap, so: nothing is written when stable is
// right; the tags are checked again right before the write, and a stable or
// a release that moved in between is an error; afterwards they are checked
// again, and a release that appeared meanwhile is promoted too, as a write is
// repeated that did not arrive. A release that is not the highest, or is
// another image than digest, is never promoted: that is an error.
func (g *Images) Promote(ctx context.Context, c *stack.Component, version, digest string) (*Promotion, error) {
	if g.stableTag() == "" {
		return nil, errors.New("the release has no stable tag: stable is \"-\"")
	}
	v, err := g.Look(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := v.mayPromote(version, digest); err != nil {
		return nil, err
	}
	p := &Promotion{Component: c.Name, Before: v.Stable}
	const rounds = 3 // releases that appear meanwhile, or writes that do not arrive, one after the other
	var broken error
	for range rounds {
		if v.Stable.Digest == v.Highest.Digest {
			p.After = v.Stable
			return p, nil
		}
		if broken = g.move(ctx, v, v.stable, v.Highest.Digest, v.Highest, v.Stable); broken != nil && !wire.InTransit(broken) {
			return nil, broken
		}
		p.Moved = true
		moved, was := v.Highest, v.Stable.Digest
		if v, err = g.Look(ctx, c); err != nil {
			return nil, fmt.Errorf("%s was moved to %s, and could not be verified: %w", v.ref(), moved.Version, err)
		}
		if broken == nil && v.Stable.Digest != moved.Digest && v.Highest.Digest == moved.Digest {
			if v.Stable.Digest == was {
				return nil, fmt.Errorf("%s is unchanged, although the registry accepted the move to %s: the registry did not store it", v.ref(), moved.Version)
			}
			return nil, fmt.Errorf("%s was moved to %s and is %.19s now: something else moves it too", v.ref(), moved.Version, v.Stable.Digest)
		}
	}
	if v.Stable.Digest == v.Highest.Digest {
		p.After = v.Stable
		return p, nil
	}
	if broken != nil {
		return nil, broken
	}
	return nil, fmt.Errorf("%s: releases appear faster than it can be moved", v.ref())
}

// ref is the stable tag, for messages.
func (v *View) ref() string {
	if v == nil {
		return "the tag"
	}
	return v.Repository + ":" + v.stable
}

// mayPromote refuses what would move stable backwards, to nothing, or to an
// image that is not the one that was released.
func (v *View) mayPromote(version, digest string) error {
	switch {
	case v.Highest.Tag == "":
		return fmt.Errorf("%s has no release to promote", v.Repository)
	case version == "" || version == v.Highest.Version:
		if digest != "" && digest != v.Highest.Digest {
			return fmt.Errorf("%s:%s is %.19s, and was released as %.19s: it was pushed again", v.Repository, v.Highest.Tag, v.Highest.Digest, digest)
		}
		return nil
	case !versions.IsVersion(version):
		return fmt.Errorf("version %q is not a semantic version", version)
	case semver.Compare(version, v.Highest.Version) < 0:
		return fmt.Errorf("%s: %s is lower than %s, which is released: %s is never moved to a lower version", v.Repository, version, v.Highest.Version, v.stable)
	}
	return fmt.Errorf("%s has no tag of %s; the highest release is %s", v.Repository, version, v.Highest.Version)
}

// move writes a tag, after it has seen again what the decision rests on.
func (g *Images) move(ctx context.Context, v *View, tag, digest string, rests ...Tag) error {
	from, err := name.NewDigest(v.Repository + "@" + digest)
	if err != nil {
		return err
	}
	to, err := name.NewTag(v.Repository + ":" + tag)
	if err != nil {
		return err
	}
	manifest, err := g.get(ctx, from)
	if err != nil {
		return err
	}
	for _, seen := range rests {
		now, err := g.tag(ctx, v, seen.Tag)
		if err != nil {
			return err
		}
		if now.Digest != seen.Digest {
			return fmt.Errorf("%s:%s moved meanwhile, from %.19s to %.19s", v.Repository, seen.Tag, cmp.Or(seen.Digest, "nothing"), cmp.Or(now.Digest, "nothing"))
		}
	}
	return g.put(ctx, to, manifest)
}
