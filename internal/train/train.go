// Package train drives a list of steps that can be stopped at any moment and
// run again. It knows no step.
//
// The flow: a Train is a version and its Steps, in order. Every step first
// observes the actual state (done, missing, waiting, unmanaged, conflict) and acts only
// on what is missing: the intent is written to the Journal, the step acts, the
// effect is written, and the step is observed again, which proves it. The actual state
// is the state; the journal is the evidence. Observing gets the reading half of
// the actual state, by type; acting gets both. Plan observes every step; Run also
// acts; Verify compares the actual state with the evidence; Abort undoes what is
// not published and ends the epoch; Status reads the journal alone.
package train

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Train is one release.
type Train[V, H any] struct {
	Command string // that people go on with, as they type it, without its verb: "cfctl release"
	Version string
	Title   string          // for display: "CodeFlare Stack v1.2.0"
	Pins    []string        // what is in it: "mcad v1.33.0"
	Order   json.RawMessage // what narrows it, for the journal; empty = nothing
	Tool    string          // version of the cfctl that drives it, for the journal; empty = not known
	Steps   []*Step[V, H]   // each after those that it needs
	World   World[V, H]
}

// A World is what the steps work on, and what a release has in addition to its steps.
type World[V, H any] struct {
	View   func(v *View) V             // the reading half
	Writer func(v *View, d *Attempt) H // both halves
	// Recorder is a writing half that sends nothing and keeps a list of what it
	// was asked for: Plan has no other. nil: plans tell of no effects.
	Recorder func(v *View) (H, func() []wire.Effect)

	// Untouched says whether the release has had no effect that matters yet,
	// where the journal knows of none. nil: then it has not.
	Untouched func(ctx context.Context, v V) (bool, error)
	// Preflight looks for what would stop the release half-way, before its first
	// effect. nil: nothing would.
	Preflight func(ctx context.Context, v V) ([]report.Finding, error)
	// Begun looks for what would stop a release that has had effects of which the
	// journal knows nothing, before what it does first. nil: nothing would.
	Begun func(ctx context.Context, v V) ([]report.Finding, error)
	// Again looks for what an aborted release has published, before the first effect
	// after the abort. nil: nothing was.
	Again func(ctx context.Context, v V) ([]report.Finding, error)
	// Stops says of an error of a step's act, by the step's target, that people have to
	// decide about it. nil: of none.
	Stops func(target string, err error) (Observation, bool)
	// Warm reads at one time what most steps will read. nil: nothing.
	Warm func(ctx context.Context, v V)
	// Audit is what Verify finds in addition to the steps. nil: nothing.
	Audit func(ctx context.Context, v V) ([]report.Finding, error)
	// Terms are what an approval is given to in addition to the steps and their
	// evidence, by name. nil: nothing.
	Terms func() map[string]string
	// Evidence lists the facts that prove effects.
	Evidence []Evidence
}

// Evidence is a fact that proves an effect, and means the same in every step.
type Evidence struct {
	Key  string
	Rule report.Rule // what Verify finds when it is another than it was
	Of   string      // "commit of ": how an approval that is bound to it names it; empty = none is
}

// An Env is what a train is driven with.
type Env struct {
	Journal Log
	Key     []byte // that the journal is sealed with; nil = anyone who can write it may release (a ref of the root's repository)

	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
	Event func(Event)              // progress; called from one goroutine at a time
	Hide  func(text string) string // takes secrets out of what is kept of an error, which a server may repeat; nil = none are known

	Poll  time.Duration // between two looks at the same object while waiting; default 1 min
	retry int           // how often a step that failed in transit is tried again; default 3
}

// await looks until there is nothing to wait for any more. It is the only
// place that waits for the actual state.
func await(ctx context.Context, env *Env, every time.Duration, done func() (bool, error)) error {
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if err := env.Sleep(ctx, every); err != nil {
			return err
		}
	}
}

// commandOf is how people go on with a release.
func (t *Train[V, H]) commandOf(verb, step string) string {
	return strings.TrimSuffix(t.Command+" "+verb+" "+t.Version+" "+step, " ")
}
