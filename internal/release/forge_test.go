package release

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/release/why"
)

// A plainForge has pull requests and releases, and nothing more: it hides what
// the forge inside can do next to that.
type plainForge struct{ forge.Forge }

// A train needs of a forge what its recipe uses: without workflows, rules, a
// latest release and forks of its making it arrives all the same; a component
// that a workflow releases is said to need one.
func TestForgeThatCanDoLittle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := func(journal, by string) *Result {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		env.Forge = plainForge{env.Forge}
		train := w.train("v0.2.0")
		for i := range train.Recipe.Components {
			if b := &train.Recipe.Components[i]; b.Name == "sdk" {
				b.By = by
			}
		}
		r, err := On(train, env).Run(context.Background(), &env.Env, w.yes(journal))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if o := run(journalIn(t), "workflow").Of("tag:sdk"); o == nil || !errors.Is(o.Err, forge.ErrLacks) {
		t.Errorf("a workflow on a forge that has none: %+v", o)
	}
	journal := journalIn(t)
	for range 12 {
		r := run(journal, "tag")
		if err := r.Trouble(); err != nil {
			t.Fatal(err)
		}
		if r.Complete() {
			return
		}
		w.play()
	}
	t.Error("the train does not arrive")
}

// A vagueForge says that a PR cannot be merged, and not why.
type vagueForge struct{ plainForge }

func (vagueForge) Merge(context.Context, string, int) (forge.Merge, error) {
	return forge.Merge{Unclear: true}, nil
}

// Where the forge does not tell a conflict from a look that has not ended, git
// does: the train waits for the one, and stops at the other.
func TestConflictThatTheForgeDoesNotName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	look := func() *StepResult {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		env.Forge = vagueForge{plainForge{env.Forge}}
		train := w.train("v0.2.0")
		for i := range train.Recipe.Components {
			train.Recipe.Components[i].By = "tag"
		}
		r, err := On(train, env).Run(context.Background(), &env.Env, Choices{Until: "operator-merged"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Of("operator-merged")
	}
	var o *StepResult
	for range 8 {
		if o = look(); o.State == Waiting {
			break
		}
		w.play()
	}
	if o.State != Waiting || !strings.Contains(o.Text, "PR #") {
		t.Fatalf("%s %s", o.State, o.Text)
	}
	w.commit("orchard/operator", "Makefile", "PICKER_VERSION ?= v1.0.7\nSORTER_VERSION ?= v0.3.0\nSDK_VERSION ?= 2.0.0\n")
	if o = look(); o.Reason != why.PRConflict || !strings.Contains(o.Text, "conflicts with main in Makefile") {
		t.Errorf("%s %s: %s", o.State, o.Reason, o.Text)
	}
}
