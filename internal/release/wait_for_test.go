package release

import (
	"context"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/steps"
)

// A run that waits does so for no longer than it may, and says what it waits for;
// the next run goes on.
func TestWaitHasALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	began := w.clock.Now()
	r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Wait: true, WaitFor: 6 * time.Hour, Who: "rita"})
	if took := w.clock.Now().Sub(began); took < 6*time.Hour || took > 6*time.Hour+30*time.Minute {
		t.Errorf("a wait for 6 hours took %v", took)
	}
	if o := r.Of("built:picker"); o.State != Waiting || o.Who == "" {
		t.Errorf("built:picker is %s: %s", o.State, o.Text)
	}
	env, _ := w.env(journal)
	defer env.Journal.Close()
	if last := env.Journal.Records().Last("built:picker"); last == nil || last.Kind != steps.RecWait {
		t.Errorf("the journal says %+v", last)
	}
	w.play()
	if o, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{}); err != nil || o.Of("built:picker").State != Done {
		t.Error("the next run does not go on", err)
	}
}
