package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
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
		there := err == nil
		switch {
		case ignoreNotFound(err) != nil:
			return Observation{}, err
		case there && !got.Draft && v.Past.Last(s.Name, recEffect, recDone) != nil:
			return published(got), nil
		}
		body, err := v.notes(ctx)
		switch {
		case err != nil:
			return Observation{}, err
		case there && !t.wrote(v.Past, got, body):
			return t.foreignRelease(got, body), nil
		case there && !got.Draft:
			return published(got), nil
		}
		o := missing("draft, read back, publish", draft, publish)
		if there {
			o = missing("publish the draft", publish)
		}
		o.Detail = body
		return o.with("draft", fmt.Sprint(got.ID), "notes", hash(body)), nil
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
		switch {
		case !got.Draft:
			return nil
		case seen.Facts["draft"] == "0" && !t.wrote(nil, got, want.Body):
			return fmt.Errorf("the draft of %s does not read back as it was written: %s", t.Version, difference("notes", []byte(got.Body), []byte(want.Body)))
		}
		want.ID, want.Draft = got.ID, false
		return h.Forge.EditRelease(ctx, root.Repository, want)
	}
	s.Undo = func(ctx context.Context, h *Hands) (*Undoing, error) {
		got, err := h.release(ctx, t)
		if err != nil || !got.Draft {
			return t.publishedStays(got, err)
		}
		body, err := h.notes(ctx)
		if inTransit(err) {
			return nil, err
		}
		if !t.wrote(h.Past, got, body) {
			return &Undoing{Text: "the draft " + got.Name + " of " + t.Version + " is not of this release", Stays: true}, nil
		}
		return &Undoing{Text: "deleted the draft of " + t.Version, Act: func(ctx context.Context) error {
			return h.Forge.DeleteRelease(ctx, root.Repository, got.ID)
		}}, nil
	}
	return s
}

func (t *Train) publishedStays(got Release, err error) (*Undoing, error) {
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	return &Undoing{Text: "GitHub release " + t.Version + ": published " + got.URL, Stays: true}, nil
}

func published(got Release) Observation {
	return done("published", "url", got.URL, "published", got.Published.UTC().Format(time.RFC3339),
		"notes", hash(got.Body), "name", got.Name).at(got.URL)
}

// wrote says whether a release on the forge has the text that this one has, or
// that the journal says it was drafted with.
func (t *Train) wrote(past Records, got Release, body string) bool {
	if got.Name == t.fill(t.Recipe.Release.Title) && hash(strings.TrimSpace(got.Body)) == hash(strings.TrimSpace(body)) {
		return true
	}
	return slices.ContainsFunc(past, func(r Record) bool {
		return r.Kind == recIntent && r.Step == releaseStep && r.Facts["notes"] == hash(got.Body)
	})
}

// foreignRelease is the observation of a release, drafted or published, that
// somebody else wrote. A published one can be taken as it is.
func (t *Train) foreignRelease(got Release, body string) Observation {
	text := fmt.Sprintf("%q is there for %s, and not of this release: %s", got.Name, got.Tag, difference("notes", []byte(got.Body), []byte(body)))
	if got.Draft {
		return foreign("a draft "+text, "whoever wrote it: publish it, or delete it where the notes of cfctl shall be published").at(got.URL)
	}
	o := foreign("a release "+text, "whoever published it").at(got.URL)
	o.Facts = published(got).Facts
	return o
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
