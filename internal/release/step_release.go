package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

const releaseStep = "release"

// stepRelease publishes the release on the forge: ADR-0003, step 4. It is
// drafted with everything in it, read back, and published then: a published
// release may be immutable, and a wrong one burns its tag for ever.
func stepRelease(t *Train, tag tagging, needs []*Step) publishing {
	if t.recipe.Release.Off {
		return publishing{}
	}
	root := t.root()
	s := &Step{Name: releaseStep, Title: t.recipe.Forge.name() + " release " + t.Version, Needs: needs, Public: true, Target: t.root().Repository}
	s.Observe = func(ctx context.Context, v *View) (observation, error) {
		got, err := v.release(ctx, t)
		there := err == nil
		switch {
		case ignoreNotFound(err) != nil:
			return observation{}, err
		case there && !got.Draft && v.Past.Last(s.Name, recDone) != nil:
			return t.still(v, got), nil
		case there && !got.Draft && v.Past.Last(s.Name, recEffect) != nil:
			return t.shown(ctx, v, got)
		}
		body, err := v.notes(ctx)
		switch {
		case err != nil:
			return observation{}, err
		case there && !t.wrote(v.Past, got, body):
			return t.unmanagedRelease(got, body), nil
		case there && !got.Draft:
			return t.shown(ctx, v, got)
		}
		o := missing("draft, read back, publish")
		if there {
			o = missing("publish the draft")
		}
		o.Detail = body
		return o.With("draft", fmt.Sprint(got.ID), "notes", hash(body)), nil
	}
	s.Act = func(ctx context.Context, h *Writer, seen observation) error {
		latest, err := t.highest(ctx, h.View)
		if err != nil {
			return err
		}
		want := forge.Release{Pre: t.pre(), Latest: latest, Tag: t.tag(root), Target: string(tag.commit.In(h)), Name: t.fill(t.recipe.Release.Title), Body: seen.Detail, Draft: true}
		if seen.Facts["draft"] == "0" {
			if _, err := h.forge.CreateRelease(ctx, root.Repository, want); err != nil {
				return err
			}
		}
		got, err := h.View.forge.Release(ctx, root.Repository, want.Tag)
		for look := 0; errors.Is(err, wire.ErrNotFound) && look < 4; look++ { // lists of a forge are late at times
			if err := h.Sleep(ctx, time.Second<<look); err != nil {
				return err
			}
			got, err = h.View.forge.Release(ctx, root.Repository, want.Tag)
		}
		if err != nil {
			return err
		}
		switch {
		case !got.Draft:
			got.Pre, got.Latest = want.Pre, want.Latest
			return h.forge.EditRelease(ctx, root.Repository, got)
		case seen.Facts["draft"] == "0" && !t.wrote(nil, got, want.Body):
			return fmt.Errorf("the draft of %s does not read back as it was written: %s", t.Version, difference("notes", []byte(got.Body), []byte(want.Body)))
		}
		want.ID, want.Draft = got.ID, false
		return h.forge.EditRelease(ctx, root.Repository, want)
	}
	s.Undo = func(ctx context.Context, h *Writer) (*train.Undoing, error) {
		got, err := h.release(ctx, t)
		if err != nil || !got.Draft {
			return t.publishedStays(got, err)
		}
		body, err := h.notes(ctx)
		if wire.InTransit(err) {
			return nil, err
		}
		if !t.wrote(h.Past, got, body) {
			return &train.Undoing{Text: "the draft " + got.Name + " of " + t.Version + " is not of this release", Stays: true}, nil
		}
		return &train.Undoing{Text: "deleted the draft of " + t.Version, Act: func(ctx context.Context) error {
			return h.forge.DeleteRelease(ctx, root.Repository, got.ID)
		}}, nil
	}
	return newPublishing(s)
}

// pre says whether the release is a pre-release: v1.2.0-rc.1.
func (t *Train) pre() bool { return semver.Prerelease(t.Version) != "" }

// highest says whether the release is the one to be shown as the latest: no
// pre-release, and no tag of the root is of a higher version that is none.
func (t *Train) highest(ctx context.Context, v *View) (bool, error) {
	if t.pre() {
		return false, nil
	}
	h, err := v.heads(ctx, t.root().Repository)
	if err != nil {
		return false, err
	}
	return semver.Compare(matrix.Newest(t.root(), h.Tags, ""), t.Version) <= 0, nil
}

// shown observes how a published release is shown: as a pre-release, as the
// latest, or as neither. Where the forge tells no latest, it cannot be wrong.
func (t *Train) shown(ctx context.Context, v *View, got forge.Release) (observation, error) {
	latest, err := v.latest(ctx)
	if errors.Is(err, wire.ErrNotFound) {
		return t.marked(got, ""), nil
	}
	if err != nil {
		return observation{}, err
	}
	want, err := t.highest(ctx, v)
	switch {
	case err != nil:
		return observation{}, err
	case want && latest != got.Tag:
		return t.marked(got, "make it the latest release, which is "+latest+" now"), nil
	case !want && latest == got.Tag:
		return t.marked(got, "make it no longer the latest release: a higher one is there"), nil
	}
	return t.marked(got, ""), nil
}

// latest is the tag of the release of the root that the forge shows as the latest.
func (v *View) latest(ctx context.Context) (string, error) {
	return recall(v, "latest release", func() (string, error) { return forge.LatestOf(ctx, v.forge, v.train.root().Repository) })
}

// marked is the observation of a published release; wrong is what is wrong with
// the latest one.
func (t *Train) marked(got forge.Release, wrong string) observation {
	if got.Pre != t.pre() {
		wrong = "show it as " + map[bool]string{true: "a pre-release", false: "a full release"}[t.pre()]
	}
	if wrong == "" {
		return published(got)
	}
	o := missing(wrong)
	o.Detail = got.Body
	return o.With("draft", fmt.Sprint(got.ID), train.Righted, wrong)
}

// still is the observation of what was published before. What is changed about it
// afterwards is for verify to say, but for one thing: a pre-release is not for
// everyone, and the step that makes one of a release takes it back.
func (t *Train) still(v *View, got forge.Release) observation {
	then := v.Past.Last(releaseStep, recDone).Facts["pre"]
	if now := fmt.Sprint(got.Pre); then == now || then == "" && got.Pre == t.pre() {
		return published(got)
	}
	return t.marked(got, "")
}

func (t *Train) publishedStays(got forge.Release, err error) (*train.Undoing, error) {
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	return &train.Undoing{Text: t.recipe.Forge.name() + " release " + t.Version + ": published " + got.URL, Stays: true}, nil
}

func published(got forge.Release) observation {
	return done("published", "url", got.URL, "published", got.Published.UTC().Format(time.RFC3339),
		"notes", hash(got.Body), "name", got.Name, "pre", fmt.Sprint(got.Pre)).At(got.URL)
}

// wrote says whether a release on the forge has the text that this one has, or
// that the journal says it was drafted with.
func (t *Train) wrote(past train.Records, got forge.Release, body string) bool {
	if got.Name == t.fill(t.recipe.Release.Title) && hash(strings.TrimSpace(got.Body)) == hash(strings.TrimSpace(body)) {
		return true
	}
	return slices.ContainsFunc(past, func(r train.Record) bool {
		return r.Kind == recIntent && r.Step == releaseStep && r.Facts["notes"] == hash(got.Body)
	})
}

// unmanagedRelease is the observation of a release, drafted or published, that
// another user wrote. A published one can be taken as it is.
func (t *Train) unmanagedRelease(got forge.Release, body string) observation {
	text := fmt.Sprintf("%q is there for %s, and not of this release: %s", got.Name, got.Tag, difference("notes", []byte(got.Body), []byte(body)))
	if got.Draft {
		return unmanaged(whyDraft, "a draft "+text, "its author: delete it, and cfctl publishes its own; or publish it, then accept it: cfctl release approve "+t.Version+" "+releaseStep+" --done").At(got.URL)
	}
	o := unmanaged(whyRelease, "a release "+text, "its author: delete it").At(got.URL)
	o.Facts = published(got).Facts
	return o
}

func (v *View) release(ctx context.Context, t *Train) (forge.Release, error) {
	root := t.root()
	return recall(v, "release", func() (forge.Release, error) { return v.forge.Release(ctx, root.Repository, t.tag(root)) })
}

// hash identifies a text in the journal.
func hash(text string) string {
	h := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return hex.EncodeToString(h[:])
}
