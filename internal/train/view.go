package train

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
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
	v := &View{Now: env.Now, facts: &facts{of: map[string]map[string]string{}, state: map[string]State{}}, memo: &memo{calls: map[string]*call{}}}
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

// A memo remembers what was read, so that no object is read twice in one pass,
// and so that steps which wait for the same object share one look at it.
type memo struct {
	mu    sync.Mutex
	mark  uint64 // grows with every act
	calls map[string]*call
}

type call struct {
	once sync.Once
	mark uint64    // of the memo when it was begun
	at   time.Time // when it was begun
	val  any
	err  error
}

// next is a mark: what was read before it does not know what happened since.
func (m *memo) next() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark++
	return m.mark
}

// call is the call for a key: one that was made already, unless it is stale for
// the view.
func (m *memo) call(v *View, key string) *call {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := v.Now()
	c := m.calls[key]
	// A clock that jumped back makes everything stale, which costs a request.
	if c == nil || c.mark < v.since || v.age > 0 && (now.Before(c.at) || now.Sub(c.at) >= v.age) {
		c = &call{mark: m.mark, at: now}
		m.calls[key] = c
	}
	return c
}

// forget makes the next reads observe the actual state again.
func (m *memo) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = map[string]*call{}
}

// Recall answers from the view's memo, or reads once. Steps that run at the
// same time share the one read.
func Recall[T any](v *View, key string, read func() (T, error)) (T, error) {
	c := v.memo.call(v, key)
	c.once.Do(func() { c.val, c.err = read() })
	val, _ := c.val.(T)
	return val, c.err
}

// Keep is Recall of what is the same for ever, as the content of a commit: it
// is read once, unless reading failed.
func Keep[T any](v *View, key string, read func() (T, error)) (T, error) {
	w := *v
	w.since, w.age = 0, 0
	val, err := Recall(&w, key, read)
	if err != nil {
		v.memo.mu.Lock()
		delete(v.memo.calls, key)
		v.memo.mu.Unlock()
	}
	return val, err
}

// A Fact is a piece of evidence of a step that others read: the commit of a
// merge, the digest of an image. Whoever reads it got it from that step, so that
// there is no edge with a misspelt end. The zero Fact is of a step that the
// train does not have, and never known.
type Fact[T ~string] struct{ step, key string }

// FactOf is what a step says under a key of its observation.
func FactOf[T ~string, V, H any](s *Step[V, H], key string) Fact[T] {
	if s == nil {
		return Fact[T]{}
	}
	return Fact[T]{s.Name, key}
}

// In is the fact as the step of this run has seen it; empty = not known (yet).
// v is the view of a step, which must need that step, or of the whole train.
func (f Fact[T]) In(v interface{ Base() *View }) T {
	if f.step == "" {
		return ""
	}
	b := v.Base()
	b.reader.reads(f.step)
	return T(b.fact(f.step, f.key))
}

// Reached says whether the step was seen done in this run.
func (f Fact[T]) Reached(v interface{ Base() *View }) bool {
	if f.step == "" {
		return false
	}
	b := v.Base()
	b.reader.reads(f.step)
	return b.reached(f.step)
}

// A reader is a step that looks or acts, and what it may read.
type reader struct {
	step   string
	behind map[string]bool
	astray atomic.Pointer[string] // a step that it read of and does not need
}

// reads notes that the reader reads what a step has seen. No reader is the whole
// train, which reads all.
func (r *reader) reads(step string) {
	if r != nil && step != r.step && !r.behind[step] {
		r.astray.Store(&step)
	}
}

// err says which need is missing.
func (r *reader) err() error {
	if step := r.astray.Load(); step != nil {
		return fmt.Errorf("step %s reads what %s has seen, and does not need it", r.step, *step)
	}
	return nil
}
