package train

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Choices are what the user chose for one run.
type Choices struct {
	Wait    bool          // wait for external steps to complete; an approval ends the run all the same, since it needs the journal
	WaitFor time.Duration // with Wait: no longer than this, from the beginning of the run; 0 = without a limit
	Yes     []string      // approvals that are given now
	Until   string        // go no further than this step
	Only    string        // do no other step than this one
	Who     string        // who runs it, for approvals

	replan bool // another plan than the one it began with is accepted
}

// An Event is something that happened to a step, for progress.
type Event struct {
	Step  PlannedStep
	State State
	Doing bool // it is being acted on, or retried, right now
	Known bool // it is done, and was so before this run
	Text  string
	Who   string
	URL   string
	Took  time.Duration // since the step began to be checked
}

// A Result is how far a run came.
type Result struct {
	Steps    []StepResult // in the order of the train
	Findings []report.Finding
}

// A StepResult is a step and what was last seen of it.
type StepResult struct {
	PlannedStep
	Observation
	Err error `json:"-"` // why the answer is not known, or what broke
}

// Complete says whether every step is done.
func (r *Result) Complete() bool {
	return !slices.ContainsFunc(r.Steps, func(s StepResult) bool { return s.State != Done })
}

// Trouble is the first error of a step, nil when there was none.
func (r *Result) Trouble() error {
	for _, s := range r.Steps {
		if s.Err != nil {
			return fmt.Errorf("%s: %w", s.Name, s.Err)
		}
	}
	return nil
}

// Of is the result of one step.
func (r *Result) Of(name string) *StepResult {
	for i := range r.Steps {
		if r.Steps[i].Name == name {
			return &r.Steps[i]
		}
	}
	return nil
}

// A driver is one run of a train.
type driver[V, H any] struct {
	*Train[V, H]
	env   *Env
	pick  Choices
	view  *View
	start time.Time // of the run

	mu     sync.Mutex // for begun and events
	begun  bool
	result []StepResult
	ready  []chan struct{} // closed when the step has its result
	index  map[string]int
}

func (t *Train[V, H]) driver(env *Env, pick Choices) (*driver[V, H], error) {
	d := &driver[V, H]{Train: t, env: env, pick: pick, start: env.Now(), index: map[string]int{}}
	if err := Check(t.Steps); err != nil {
		return nil, err
	}
	for i, s := range t.Steps {
		d.index[s.Name] = i
		d.result = append(d.result, StepResult{PlannedStep: s.planned(), Observation: Observation{State: Blocked}})
		d.ready = append(d.ready, make(chan struct{}))
	}
	if err := t.trusted(env); err != nil {
		return nil, err
	}
	d.view = NewView(env)
	if err := t.changedPlan(d.view.Journal); err != nil && !pick.replan {
		return d, err
	}
	for _, name := range append([]string{pick.Until, pick.Only}, pick.Yes...) {
		if _, ok := d.index[name]; !ok && name != "" {
			return nil, t.noStep(name)
		}
	}
	for _, name := range pick.Yes {
		if name == "" || !t.Steps[d.index[name]].Approval() {
			return nil, fmt.Errorf("step %q asks for no approval", name)
		}
	}
	return d, nil
}

func (t *Train[V, H]) noStep(name string) error {
	return fmt.Errorf("release %s has no step %q (%s lists them)", t.Version, name, t.commandOf("plan", ""))
}

// Run drives the train as far as it goes. Before the first effect of a
// release everything that is known to go wrong is looked for; findings of
// severity error stop it there. The error is about the run as a whole; what
// happened to a step is in the Result.
func (t *Train[V, H]) Run(ctx context.Context, env *Env, pick Choices) (*Result, error) {
	d, err := t.driver(env, pick)
	if changed, ok := errors.AsType[*PlanChangedError](err); ok {
		return t.unchanged(d.view.Journal, changed), nil
	}
	if err != nil {
		return nil, err
	}
	findings, err := d.before(ctx)
	if wire.InTransit(err) && ctx.Err() == nil { // nothing was done yet: one look that broke is no reason to end the run
		if err = env.Sleep(ctx, time.Second); err == nil {
			d.view.memo.forget()
			findings, err = d.before(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Severity == report.Error }) {
		return &Result{Findings: findings}, nil
	}
	for _, name := range pick.Yes {
		if err := d.record(ctx, Record{Kind: KindApprove, Step: name, Who: pick.Who, Facts: t.terms(d.Steps[d.index[name]], d.view)}); err != nil {
			return nil, err
		}
	}
	var group sync.WaitGroup
	for i := range d.Steps {
		group.Go(func() {
			defer close(d.ready[i])
			d.drive(ctx, i)
		})
	}
	group.Wait()
	r := &Result{Steps: d.result, Findings: append(otherTool(t.Tool, d.view.Journal), findings...)}
	if r.Complete() && d.begun && ctx.Err() == nil {
		err = d.record(ctx, Record{Kind: KindEnd})
	}
	return r, errors.Join(ctx.Err(), err, d.leave(ctx))
}

// leave makes the records of a run last that nothing waited for, also of one
// that was interrupted.
func (d *driver[V, H]) leave(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return d.env.Journal.Sync(bounded)
}

// before is what the preflight finds, when nothing of the release was done yet, or
// what was done is not known to the journal.
func (d *driver[V, H]) before(ctx context.Context) ([]report.Finding, error) {
	if slices.ContainsFunc(d.view.Journal, func(r Record) bool { return r.Kind == KindIntent }) {
		return nil, nil
	}
	look := d.World.Preflight
	if fresh, err := d.untouched(ctx); err != nil {
		return nil, err
	} else if !fresh {
		look = d.World.Begun
	}
	var findings []report.Finding
	for _, look := range []func(context.Context, V) ([]report.Finding, error){d.again(), look} {
		if look == nil {
			continue
		}
		found, err := look(ctx, d.World.View(d.view))
		if findings = append(findings, found...); err != nil {
			return findings, err
		}
	}
	return findings, nil
}

// again is the look at what was published before an abort; nil = there was none.
func (d *driver[V, H]) again() func(context.Context, V) ([]report.Finding, error) {
	if len(d.view.Past.Before()) == 0 {
		return nil
	}
	return d.World.Again
}

// untouched says whether this release has had no effect that matters yet.
func (d *driver[V, H]) untouched(ctx context.Context) (bool, error) {
	if d.World.Untouched == nil {
		return true, nil
	}
	return d.World.Untouched(ctx, d.World.View(d.view))
}

// record appends to the journal; the first record of a run says what runs. When
// it returns, a record that nothing else can tell is there for good.
func (d *driver[V, H]) record(ctx context.Context, r Record) error {
	if err := d.add(ctx, r); err != nil || !d.lasting(r) {
		return err
	}
	return d.env.Journal.Sync(ctx)
}

// lasting says whether a record must not be lost: what is about to be done, what
// people have decided, and what was done and cannot be seen in the actual state. The
// others say what every reads the actual state says again.
func (d *driver[V, H]) lasting(r Record) bool {
	switch r.Kind {
	case KindIntent, KindApprove, KindAssert, KindSkip, KindAbort:
		return true
	case KindEffect:
		return len(r.Facts) > 0 || d.Steps[d.index[r.Step]].Doubt
	}
	return false
}

// add appends to the journal, one record at a time.
func (d *driver[V, H]) add(ctx context.Context, r Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.env.Journal == nil {
		return errors.New("a run needs a journal")
	}
	if !d.begun {
		r := d.begin(d.env.Now(), d.pick.Who)
		r.Run = rand.Text()
		if err := d.append(ctx, r); err != nil {
			return err
		}
		d.begun = true
	}
	r.Time = d.env.Now()
	return d.append(ctx, r)
}

func (d *driver[V, H]) append(ctx context.Context, r Record) error {
	return d.env.Journal.Append(ctx, r.sealed(d.env.Key, d.Version, d.env.Journal.Records()))
}

// trusted says whether the journal may decide.
func (t *Train[V, H]) trusted(env *Env) error {
	if env.Journal == nil {
		return nil
	}
	return CheckSeals(env.Journal.Records(), env.Key, t.Version)
}

func (t *Train[V, H]) begin(now time.Time, who string) Record {
	return Record{Kind: KindBegin, Time: now, Title: t.Title, Pins: t.Pins, Order: t.Order, Tool: t.Tool, Who: who, Plan: t.planned()}
}

// event tells the user.
func (d *driver[V, H]) event(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.env.Event != nil {
		d.env.Event(e)
	}
}

// drive brings one step to its result.
func (d *driver[V, H]) drive(ctx context.Context, i int) {
	s := d.Steps[i]
	for _, need := range s.Needs {
		n := d.index[need.Name]
		<-d.ready[n]
		if d.result[n].State != Done {
			d.result[i].Text = "after " + need.Name
			return
		}
	}
	began, before := d.env.Now(), d.env.Journal.Records().Epoch().Last(s.Name)
	o, err := d.settle(ctx, s, began)
	switch {
	case ctx.Err() != nil:
		o.State = Blocked
		err = nil
	case err != nil:
		o.State = Failed
		o.Text = err.Error()
		if d.env.Hide != nil {
			o.Text = d.env.Hide(o.Text)
		}
		if jerr := d.note(ctx, s, KindFailed, o, err); jerr != nil {
			err = jerr
		}
	}
	edited := d.edited(s, &o)
	d.result[i].Observation, d.result[i].Err = o, err
	d.view.Learn(s.Name, o)
	if o.State != Blocked {
		known := o.State == Done && !edited && before != nil && slices.Contains([]string{KindDone, KindAssert, KindApprove, KindSkip}, before.Kind)
		d.event(Event{Step: s.planned(), State: o.State, Known: known, Text: o.Text, Who: o.Who, URL: o.URL, Took: d.env.Now().Sub(began)})
	}
}

// edited says in the text of a step that is done what a user has changed since
// it was released.
func (d *driver[V, H]) edited(s *Step[V, H], o *Observation) bool {
	if o.State != Done {
		return false
	}
	findings := d.drifted(s.Name, *o, d.released(s, d.env.Journal.Records().Epoch()))
	for _, f := range findings {
		o.Text += "; " + f.Rule + strings.TrimPrefix(f.Message, s.Name)
	}
	return len(findings) > 0
}

// settle observes a step, acts while something is missing, and waits where it
// is told to; what was waited for in vain may be missing then.
func (d *driver[V, H]) settle(ctx context.Context, s *Step[V, H], began time.Time) (Observation, error) {
	o, err := d.observe(ctx, s, 0, d.poll())
	for try := 0; err == nil; {
		switch {
		case o.State == Missing && !d.picked(s):
			o.Text = "not done: " + o.Text
			return o, nil
		case o.State == Missing:
			d.event(Event{Step: s.planned(), State: Missing, Doing: true, Text: o.Text, Took: d.env.Now().Sub(began)})
			o, err = d.act(ctx, s, o, try)
			try++
		case o.State == Waiting && d.pick.Wait && !s.Approval() && !d.late():
			o, err = d.wait(ctx, s, o, began)
		default:
			return o, d.note(ctx, s, kindOf[o.State], o, nil)
		}
	}
	if d.World.Stops != nil && ctx.Err() == nil {
		if stop, ok := d.World.Stops(s.Target, err); ok {
			return stop, d.note(ctx, s, KindConflict, stop, nil)
		}
	}
	o.State = Failed
	return o, err
}

var kindOf = map[State]string{Done: KindDone, Waiting: KindWait, Conflict: KindConflict, Unmanaged: KindUnmanaged}

// picked says whether the user lets this step act.
func (d *driver[V, H]) picked(s *Step[V, H]) bool {
	switch {
	case d.pick.Only != "":
		return s.Name == d.pick.Only
	case d.pick.Until != "":
		return s.Name == d.pick.Until || d.Steps[d.index[d.pick.Until]].Behind()[s.Name]
	}
	return true
}

// observe reads the actual state: at what was read before since, or is older than
// age, afresh.
func (d *driver[V, H]) observe(ctx context.Context, s *Step[V, H], since uint64, age time.Duration) (Observation, error) {
	w := *d.view
	w.since, w.age = since, age
	w.read(d.env.Journal.Records())
	o, err := d.Look(ctx, s, &w)
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	return o, err
}

// note records a state, unless the journal says so already.
func (d *driver[V, H]) note(ctx context.Context, s *Step[V, H], kind string, o Observation, cause error) error {
	if kind == "" {
		return nil
	}
	facts := d.evident(s, o)
	if errors.Is(cause, ErrUnsure) {
		facts = map[string]string{"unsure": "true"}
	}
	last := d.env.Journal.Records().Epoch().Last(s.Name)
	if last != nil && last.Kind == KindSkip {
		return nil // says more than that it is done
	}
	if last != nil && last.Kind == kind && last.Text == o.Text && maps.Equal(last.Facts, facts) {
		return nil
	}
	if last != nil && last.Kind == KindDone && kind == KindDone && maps.Equal(last.Facts, facts) {
		return nil
	}
	return d.record(ctx, Record{Kind: kind, Step: s.Name, Text: o.Text, Who: o.Who, URL: o.URL, Reason: o.Reason, Ours: o.Ours, Facts: facts})
}

// evident are the facts of an observation for the journal: of a step that was done
// before, since the last abort, the evidence is not changed. Else the next run of a release would make
// good whatever a user has changed since.
func (d *driver[V, H]) evident(s *Step[V, H], o Observation) map[string]string {
	then := d.released(s, d.env.Journal.Records().Epoch())
	drift := d.drift(o, then)
	if o.State != Done || s.Moving || len(drift) == 0 {
		return o.Facts
	}
	facts := maps.Clone(o.Facts)
	for _, e := range drift {
		facts[e.Key] = then.Facts[e.Key]
	}
	return facts
}

// ErrUnsure is wrapped by an error of Act that leaves open whether it had an
// effect of which the actual state cannot be asked.
var ErrUnsure = errors.New("it is not known whether it was done")
