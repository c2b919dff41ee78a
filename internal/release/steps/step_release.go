package steps

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
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// ReleaseStep is the step of the release on the forge.
const ReleaseStep = "release"

// stepRelease publishes the release on the forge: ADR-0003, step 4. It is
// drafted with everything in it, read back, and published then: a published
// release may be immutable, and a wrong one burns its tag for ever.
func stepRelease(t *Train, tag tagging, needs []*Step) publishing {
	if t.Recipe.Release.Off {
		return publishing{}
	}
	root := t.Root()
	s := &Step{Name: ReleaseStep, Title: t.Recipe.Forge.Name() + " release " + t.Version, Needs: needs, Public: true, Target: t.Root().Repository}
	s.Observe = func(ctx context.Context, v *View) (Observation, error) {
		got, err := v.release(ctx, t)
		there := err == nil
		switch {
		case wire.IgnoreNotFound(err) != nil:
			return Observation{}, err
		case there && !got.Draft && v.Past.Last(s.Name, RecDone) != nil:
			return t.still(v, got), nil
		case there && !got.Draft && v.Past.Last(s.Name, RecEffect) != nil:
			return t.shown(ctx, v, got)
		}
		body, err := v.notes(ctx)
		switch {
		case err != nil:
			return Observation{}, err
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
		return o.With("draft", fmt.Sprint(got.ID), "notes", Hash(body)), nil
	}
	s.Act = func(ctx context.Context, h *Writer, seen Observation) error {
		latest, err := t.highest(ctx, h.View)
		if err != nil {
			return err
		}
		want := forge.Release{Pre: t.pre(), Latest: latest, Tag: t.Tag(root), Target: string(tag.commit.In(h)), Name: t.Fill(t.Recipe.Release.Title), Body: seen.Detail, Draft: true}
		if seen.Facts["draft"] == "0" {
			if _, err := h.Forge.CreateRelease(ctx, root.Repository, want); err != nil {
				return err
			}
		}
		got, err := h.View.Forge.Release(ctx, root.Repository, want.Tag)
		for look := 0; errors.Is(err, wire.ErrNotFound) && look < 4; look++ { // lists of a forge are late at times
			if err := h.Sleep(ctx, time.Second<<look); err != nil {
				return err
			}
			got, err = h.View.Forge.Release(ctx, root.Repository, want.Tag)
		}
		if err != nil {
			return err
		}
		switch {
		case !got.Draft:
			got.Pre, got.Latest = want.Pre, want.Latest
			return h.Forge.EditRelease(ctx, root.Repository, got)
		case seen.Facts["draft"] == "0" && !t.wrote(nil, got, want.Body):
			return fmt.Errorf("the draft of %s does not read back as it was written: %s", t.Version, bump.Difference("notes", []byte(got.Body), []byte(want.Body)))
		}
		want.ID, want.Draft = got.ID, false
		return h.Forge.EditRelease(ctx, root.Repository, want)
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
			return h.Forge.DeleteRelease(ctx, root.Repository, got.ID)
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
	h, err := v.Heads(ctx, t.Root().Repository)
	if err != nil {
		return false, err
	}
	return semver.Compare(matrix.Newest(t.Root(), h.Tags, ""), t.Version) <= 0, nil
}

// shown observes how a published release is shown: as a pre-release, as the
// latest, or as neither. Where the forge tells no latest, it cannot be wrong.
func (t *Train) shown(ctx context.Context, v *View, got forge.Release) (Observation, error) {
	latest, err := Recall(v, "latest release", func() (string, error) { return forge.LatestOf(ctx, v.Forge, t.Root().Repository) })
	if errors.Is(err, wire.ErrNotFound) {
		return t.marked(got, ""), nil
	}
	if err != nil {
		return Observation{}, err
	}
	want, err := t.highest(ctx, v)
	switch {
	case err != nil:
		return Observation{}, err
	case want && latest != got.Tag:
		return t.marked(got, "make it the latest release, which is "+latest+" now"), nil
	case !want && latest == got.Tag:
		return t.marked(got, "make it no longer the latest release: a higher one is there"), nil
	}
	return t.marked(got, ""), nil
}

// marked is the observation of a published release; wrong is what is wrong with
// the latest one.
func (t *Train) marked(got forge.Release, wrong string) Observation {
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
func (t *Train) still(v *View, got forge.Release) Observation {
	then := v.Past.Last(ReleaseStep, RecDone).Facts["pre"]
	if now := fmt.Sprint(got.Pre); then == now || then == "" && got.Pre == t.pre() {
		return published(got)
	}
	return t.marked(got, "")
}

func (t *Train) publishedStays(got forge.Release, err error) (*train.Undoing, error) {
	if err != nil {
		return nil, wire.IgnoreNotFound(err)
	}
	return &train.Undoing{Text: t.Recipe.Forge.Name() + " release " + t.Version + ": published " + got.URL, Stays: true}, nil
}

func published(got forge.Release) Observation {
	return Done("published", "url", got.URL, "published", got.Published.UTC().Format(time.RFC3339),
		"notes", Hash(got.Body), "name", got.Name, "pre", fmt.Sprint(got.Pre)).At(got.URL)
}

// wrote says whether a release on the forge has the text that this one has, or
// that the journal says it was drafted with.
func (t *Train) wrote(past train.Records, got forge.Release, body string) bool {
	if got.Name == t.Fill(t.Recipe.Release.Title) && Hash(strings.TrimSpace(got.Body)) == Hash(strings.TrimSpace(body)) {
		return true
	}
	return slices.ContainsFunc(past, func(r train.Record) bool {
		return r.Kind == RecIntent && r.Step == ReleaseStep && r.Facts["notes"] == Hash(got.Body)
	})
}

// unmanagedRelease is the observation of a release, drafted or published, that
// another user wrote. A published one can be taken as it is.
func (t *Train) unmanagedRelease(got forge.Release, body string) Observation {
	text := fmt.Sprintf("%q is there for %s, and not of this release: %s", got.Name, got.Tag, bump.Difference("notes", []byte(got.Body), []byte(body)))
	if got.Draft {
		return unmanaged(why.Draft, "a draft "+text, "its author: delete it, and cfctl publishes its own; or publish it, then accept it: cfctl release approve "+t.Version+" "+ReleaseStep+" --done").At(got.URL)
	}
	o := unmanaged(why.Release, "a release "+text, "its author: delete it").At(got.URL)
	o.Facts = published(got).Facts
	return o
}

// Drafted is the draft of a release that the tag of a component publishes: Gitea does so with
// any draft of a tag that is pushed. There is none where the tag publishes nothing.
func (v *View) Drafted(ctx context.Context, c *stack.Component) (draft forge.Release, there bool, err error) {
	if v.Train.Recipe.Forge.Kind != recipe.KindGitea {
		return draft, false, nil
	}
	tag := v.Train.Tag(c)
	draft, err = Recall(v, "draft "+c.Repository+" "+tag, func() (forge.Release, error) { return v.Forge.Release(ctx, c.Repository, tag) })
	return draft, err == nil && draft.Draft, wire.IgnoreNotFound(err)
}

// unlessDrafted is the observation of a tag that is to be made, where no draft is in its way.
func (t tagger) unlessDrafted(ctx context.Context, v *View, o Observation) (Observation, error) {
	draft, there, err := v.Drafted(ctx, t.c)
	if err != nil || !there || o.State != train.Missing {
		return o, err
	}
	return unmanaged(why.Draft, fmt.Sprintf("a draft %q is there for %s, which the tag would publish", draft.Name, draft.Tag), "its author: delete it").At(draft.URL), nil
}

func (v *View) release(ctx context.Context, t *Train) (forge.Release, error) {
	root := t.Root()
	return Recall(v, "release", func() (forge.Release, error) { return v.Forge.Release(ctx, root.Repository, t.Tag(root)) })
}

// Hash identifies a text in the journal.
func Hash(text string) string {
	h := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))
	return hex.EncodeToString(h[:])
}
