package train

import (
	"context"
	"sync"
	"time"
)

// A View is what the driver knows, for the reading half of a world to embed:
// the journal, the clock, what the steps of this run have seen, and what was
// read already.
type View struct {
	Journal Records // since the release was aborted last: what was decided
	Past    Records // all of it: what was made
	Now     func() time.Time
	Opened  int // how many records there were when the run began: those after them are its own

	facts  *facts
	reader *reader // the step that looks; nil = the whole train
	memo   *memo
	since  uint64        // what was read before this mark of the memo is read again
	age    time.Duration // what is older is read again; 0 = no age is too old
	plan   bool          // steps are observed although those before them are not done
}

// NewView is a view in which nothing was read yet.
func NewView(env *Env) *View {
	v := &View{Now: env.Now, facts: newFacts(), memo: newMemo()}
	if env.Journal != nil {
		v.read(env.Journal.Records())
		v.Opened = len(v.Past)
	}
	return v
}

// read makes records the journal of the view.
func (v *View) read(rs Records) { v.Past, v.Journal = rs, rs.Epoch() }

// Planning says that earlier steps may not be done.
func (v *View) Planning() bool { return v.plan }

// Skipped says whether a maintainer has taken a step out of this release.
func (v *View) Skipped(step string) bool { return v.Journal.Last(step, KindSkip) != nil }

// madeNow says whether what a step shows as done was not done before an abort.
func (v *View) madeNow(step string) bool {
	return len(v.Past) == len(v.Journal) || v.Journal.Last(step, KindIntent) != nil
}

// of is the view of one step, which reads only what those behind it have seen.
func (v *View) of(step string, behind map[string]bool) *View {
	w := *v
	w.reader = &reader{step: step, behind: behind}
	return &w
}

// Base is the view itself, for what embeds it.
func (v *View) Base() *View { return v }

// fact is a piece of evidence of an earlier step; empty = it is not known (yet).
func (v *View) fact(step, key string) string {
	v.facts.mu.Lock()
	defer v.facts.mu.Unlock()
	return v.facts.of[step][key]
}

// reached says whether a step was seen done in this run.
func (v *View) reached(step string) bool {
	v.facts.mu.Lock()
	defer v.facts.mu.Unlock()
	return v.facts.state[step] == Done
}

// Learn keeps what a step has seen, for those after it.
func (v *View) Learn(step string, o Observation) {
	v.facts.mu.Lock()
	defer v.facts.mu.Unlock()
	v.facts.of[step], v.facts.state[step] = o.Facts, o.State
}

// facts are what the steps of one run have seen so far.
type facts struct {
	mu    sync.Mutex
	of    map[string]map[string]string
	state map[string]State
}

func newFacts() *facts {
	return &facts{of: map[string]map[string]string{}, state: map[string]State{}}
}

// An Attempt is what the writing half of a world embeds: one act, which can wait,
// and tell what only acting shows.
type Attempt struct {
	Sleep    func(ctx context.Context, d time.Duration) error
	evidence map[string]string
}

// Tell adds evidence that only acting gives to the record of the effect.
func (a *Attempt) Tell(key, value string) {
	if a.evidence == nil {
		a.evidence = map[string]string{}
	}
	a.evidence[key] = value
}
