package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

const releaseStep = "release"

// stepRelease publishes the release on the forge: ADR-0003, step 4. It is
// drafted with everything in it, read back, and published then: a published
// release may be immutable, and a wrong one burns its tag for ever.
func stepRelease(t *Train) *Step {
	if t.Recipe.Release.Off {
		return nil
	}
	root := t.root()
	s := &Step{Name: releaseStep, Title: "GitHub release " + t.Version, Needs: []string{stepOf("tag", root)}}
	if t.image(root) != "" {
		s.Needs = append(s.Needs, stepOf("built", root))
	}
	list := strings.TrimSuffix(t.Recipe.Forge.API, "/") + "/repos/" + root.Repository + "/releases"
	draft := Effect{Method: "POST", Target: list, Text: "draft"}
	publish := Effect{Method: "PATCH", Target: list + "/{id}", Text: "publish"}
	s.Observe = func(ctx context.Context, v *View) (Observation, error) {
		got, err := v.release(ctx, t)
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			return Observation{}, err
		case err == nil && !got.Draft:
			return done("published", "url", got.URL, "published", got.Published.UTC().Format(time.RFC3339),
				"notes", hash(got.Body), "name", got.Name).at(got.URL), nil
		}
		body, nerr := v.notes(ctx)
		if nerr != nil {
			return Observation{}, nerr
		}
		o := missing("draft, read back, publish", draft, publish)
		if err == nil {
			o = missing("publish the draft", publish)
		}
		o.Detail = body
		return o.with("draft", fmt.Sprint(got.ID)), nil
	}
	s.Act = func(ctx context.Context, h *Hands, seen Observation) error {
		want := Release{Tag: t.tag(root), Target: h.Fact(stepOf("tag", root), "commit"), Name: t.fill(t.Recipe.Release.Title), Body: seen.Detail, Draft: true}
		if seen.Facts["draft"] == "0" {
			if _, err := h.Forge.CreateRelease(ctx, root.Repository, want); err != nil {
				return err
			}
		}
		got, err := h.View.Forge.Release(ctx, root.Repository, want.Tag)
		if err != nil {
			return err
		}
		if !got.Draft {
			return nil
		}
		want.ID, want.Draft = got.ID, false
		return h.Forge.EditRelease(ctx, root.Repository, want)
	}
	s.Undo = func(ctx context.Context, h *Hands, _ Observation) (string, error) {
		got, err := h.release(ctx, t)
		if err != nil || !got.Draft {
			return "", ignoreNotFound(err)
		}
		return "deleted the draft of " + t.Version, h.Forge.DeleteRelease(ctx, root.Repository, got.ID)
	}
	return s
}

func (v *View) release(ctx context.Context, t *Train) (Release, error) {
	root := t.root()
	return recall(v, "release", func() (Release, error) { return v.Forge.Release(ctx, root.Repository, t.tag(root)) })
}

// hash identifies a text in the journal.
func hash(text string) string {
	h := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return hex.EncodeToString(h[:])
}
