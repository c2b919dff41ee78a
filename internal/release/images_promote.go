package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Promotion is what Promote did.
type Promotion struct {
	Component string   `json:"component"`
	Before    ImageTag `json:"before"` // stable as it was; without a digest when there was none
	After     ImageTag `json:"after"`  // stable as it was seen at the end
	Moved     bool     `json:"moved"`  // false: it was right already
}

// Promote makes stable the highest release of a component, by digest. to names
// the release that the caller means ("v1.2.0"); empty = whichever is highest.
//
// Registries have no compare-and-swap, so: nothing is written when stable is
// right; the tags are looked at again right before the write, and a stable or
// a release that moved in between is an error; afterwards they are looked at
// again, and a release that appeared meanwhile is promoted too. A release that
// is not the highest is never promoted: that is an error when to names it.
func (g *Images) Promote(ctx context.Context, c *stack.Component, to string) (*Promotion, error) {
	v, err := g.Look(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := v.mayPromote(to); err != nil {
		return nil, err
	}
	p := &Promotion{Component: c.Name, Before: v.Stable}
	const rounds = 3 // releases that appear meanwhile, one after the other
	for range rounds {
		if v.Stable.Digest == v.Highest.Digest {
			p.After = v.Stable
			return p, nil
		}
		if err := g.move(ctx, v); err != nil {
			return nil, err
		}
		p.Moved = true
		moved := v.Highest
		if v, err = g.Look(ctx, c); err != nil {
			return nil, fmt.Errorf("%s was moved to %s, and could not be verified: %w", v.ref(), moved.Version, err)
		}
		if v.Stable.Digest != moved.Digest && v.Highest.Digest == moved.Digest {
			return nil, fmt.Errorf("%s was moved to %s and is %.19s now: somebody else moves it too", v.ref(), moved.Version, v.Stable.Digest)
		}
	}
	return nil, fmt.Errorf("%s: releases appear faster than it can be moved", v.ref())
}

// ref is the stable tag, for messages.
func (v *ImageView) ref() string {
	if v == nil {
		return StableTag
	}
	return v.Repository + ":" + StableTag
}

// mayPromote refuses what would move stable backwards, or to nothing.
func (v *ImageView) mayPromote(to string) error {
	switch {
	case v.Highest.Tag == "":
		return fmt.Errorf("%s has no release to promote", v.Repository)
	case to == "" || to == v.Highest.Version:
		return nil
	case !stack.IsVersion(to):
		return fmt.Errorf("version %q is not a semantic version", to)
	case semver.Compare(to, v.Highest.Version) < 0:
		return fmt.Errorf("%s: %s is lower than %s, which is released: %s is never moved to a lower version", v.Repository, to, v.Highest.Version, StableTag)
	}
	return fmt.Errorf("%s has no tag of %s; the highest release is %s", v.Repository, to, v.Highest.Version)
}

// move writes stable, after it has seen again what the decision rests on.
func (g *Images) move(ctx context.Context, v *ImageView) error {
	from, err := name.NewDigest(v.Repository + "@" + v.Highest.Digest)
	if err != nil {
		return err
	}
	to, err := name.NewTag(v.ref())
	if err != nil {
		return err
	}
	manifest, err := g.puller.Get(ctx, from)
	if err = registryError(from.String(), err); err != nil {
		return err
	}
	for _, seen := range []ImageTag{v.Highest, v.Stable} {
		now, err := g.head(ctx, v, seen.Tag)
		if err != nil {
			return err
		}
		if now.Digest != seen.Digest {
			return fmt.Errorf("%s:%s moved meanwhile, from %.19s to %.19s", v.Repository, seen.Tag, orNothing(seen.Digest), orNothing(now.Digest))
		}
	}
	return registryError(to.String(), g.pusher.Put(ctx, to, manifest))
}

func orNothing(digest string) string {
	if digest == "" {
		return "nothing"
	}
	return digest
}

// patient repeats requests that a registry answers with 429 or 5xx, as long as
// the registry says in Retry-After, or a second, then two. Manifests are
// written by their bytes, so a repeated PUT does no harm.
type patient struct {
	next  http.RoundTripper
	sleep func(context.Context, time.Duration) error // nil = wait for real
}

// The most that patient waits for one answer, and how often it asks again.
const (
	maxPatience = 30 * time.Second
	maxAgain    = 2
)

// RoundTrip implements http.RoundTripper.
func (p *patient) RoundTrip(q *http.Request) (*http.Response, error) {
	for again := 0; ; again++ {
		answer, err := p.next.RoundTrip(q)
		if err != nil || again == maxAgain || answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode < 500 {
			return answer, err
		}
		if q.Body != nil && q.GetBody == nil {
			return answer, nil
		}
		wait := patience(answer, again)
		if wait > maxPatience {
			return answer, nil
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection is used again
		if err := errors.Join(answer.Body.Close(), p.wait(q.Context(), wait)); err != nil {
			return nil, err
		}
		if q.GetBody != nil {
			if q.Body, err = q.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// patience is how long to wait before asking again.
func patience(answer *http.Response, again int) time.Duration {
	text := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return time.Second << again
}

func (p *patient) wait(ctx context.Context, d time.Duration) error {
	if p.sleep != nil {
		return p.sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
