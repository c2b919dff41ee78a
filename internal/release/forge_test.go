package release

import (
	"context"
	"errors"
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// A plainForge has pull requests and releases, and nothing more: it hides what
// the forge inside can do beside that.
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
		r, err := Run(context.Background(), train, env, w.yes(journal))
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
