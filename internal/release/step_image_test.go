package release

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/project-codeflare/cfctl/internal/registry"
)

// built pushes an image, or an index of it, that says what it was built from.
func (w *world) built(repo, tag, revision string, index bool) {
	image, err := random.Image(64, 1)
	if err == nil {
		image, err = mutate.Config(image, v1.Config{Labels: map[string]string{registry.RevisionLabel: revision}})
	}
	ref, rerr := name.NewTag(w.store + "/" + repo + ":" + tag)
	if err != nil || rerr != nil {
		w.t.Fatal(err, rerr)
	}
	if index {
		err = remote.WriteIndex(ref, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: image}))
	} else {
		err = remote.Write(ref, image)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// The stable tag is on a release where its image is one of a version, be it tagged
// in git or not: release images says so too.
func TestStableOnAnImageWithoutATag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	env, _ := w.env(journalIn(t))
	train := w.train("v0.2.0")
	step := stepNamed(t, train, "stable:picker")
	for tag, want := range map[string]State{"v1.0.9": Missing, "ottos": Unmanaged} {
		w.image("orchard/picker", tag, "stable")
		if o, err := look(train, env, step, newView(train, env)); err != nil || o.State != want {
			t.Errorf("%s: %s %s, %v", tag, o.State, o.Text, err)
		}
	}
}

// An image that was built from another commit than the tagged one stops the
// train; one that says nothing, or the right one, does not.
func TestImageOfAnotherCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	once(t, w, w.train("v0.2.0"), journal, Choices{Until: "tag:picker"})
	head := w.run(w.bare("orchard/picker"), "git", "rev-parse", "v1.1.0^{commit}")
	look := func() StepResult {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Until: "built:picker"})
		if err != nil {
			t.Fatal(err)
		}
		return *r.Of("built:picker")
	}
	for _, index := range []bool{false, true} {
		w.built("orchard/picker", "v1.1.0", strings.Repeat("5", 40), index)
		if s := look(); s.State != Unmanaged || !strings.Contains(s.Text, "built from 5555555, and v1.1.0 is at "+head[:7]) {
			t.Errorf("index %v: %s: %s %v", index, s.State, s.Text, s.Err)
		}
	}
	w.built("orchard/picker", "v1.1.0", head, true)
	if s := look(); s.State != Done {
		t.Errorf("%s: %s %v", s.State, s.Text, s.Err)
	}
}
