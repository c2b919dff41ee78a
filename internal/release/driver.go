package release

import (
	"context"
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
	Wait    bool          // stay until all that others have to do is done; an approval ends the run all the same, since it needs the journal
	WaitFor time.Duration // with Wait: no longer than this, from the beginning of the run; 0 = without a limit
	Yes     []string      // approvals that are given now
	Until   string        // go no further than this step
	Only    string        // do no other step than this one
	Who     string        // who runs it, for approvals
}

// An Event is something that happened to a step, for progress.
type Event struct {
	Step  *Step
	State State
	Doing bool // it is being acted on, or retried, right now
	Known bool // it is done, and was so before this run
	Text  string
	Who   string
	URL   string
	Took  time.Duration // since the step began to be looked at
}

// A Result is how far a run came.
type Result struct {
	Steps    []StepResult // in the order of the train
	Findings []report.Finding
}

// A StepResult is a step and what was last seen of it.
type StepResult struct {
	*Step
	Observation
	Err error // why the answer is not known, or what broke
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
type driver struct {
	train *Train
	env   *Env
	pick  Choices
	steps []*Step
	view  *View
	hands *Hands
	start time.Time // of the run

	mu     sync.Mutex // for begun and events
	begun  bool
	result []StepResult
	ready  []chan struct{} // closed when the step has its result
	index  map[string]int
}

func newDriver(t *Train, env *Env, pick Choices) (*driver, error) {
	d := &driver{train: t, env: env, pick: pick, steps: t.Steps(), start: env.Now(), index: map[string]int{}}
	for i, s := range d.steps {
		d.index[s.Name] = i
		d.result = append(d.result, StepResult{Step: s, Observation: Observation{State: Blocked}})
		d.ready = append(d.ready, make(chan struct{}))
	}
	for _, name := range append(compact(pick.Until, pick.Only), pick.Yes...) {
		if _, ok := d.index[name]; !ok {
			return nil, fmt.Errorf("release %s has no step %q (cfctl release plan %s lists them)", t.Version, name, t.Version)
		}
	}
	for _, name := range pick.Yes {
		if !d.steps[d.index[name]].Approval {
			return nil, fmt.Errorf("step %q asks for no approval", name)
		}
	}
	if err := trusted(t, env); err != nil {
		return nil, err
	}
	d.view = newView(t, env)
	d.hands = &Hands{View: d.view, Git: env.Git, Forge: env.Forge, Images: env.Images, Mail: env.Mail, Chat: env.Chat, sleep: env.Sleep}
	return d, nil
}

func newView(t *Train, env *Env) *View {
	v := &View{Train: t, Git: env.Git, Forge: env.Forge, Images: env.Images, Now: env.Now, facts: newFacts(), memo: newMemo()}
	v.mute = t.Recipe.Announce.Slack && env.Chat == nil || t.Recipe.Announce.SMTP != "" && env.Mail == nil
	if env.Journal != nil {
		v.read(env.Journal.Records())
	}
	return v
}

// Run drives the train as far as it goes. Before the first effect of a
// release everything that is known to go wrong is looked for; findings of
// severity error stop it there. The error is about the run as a whole; what
// happened to a step is in the Result.
func Run(ctx context.Context, t *Train, env *Env, pick Choices) (*Result, error) {
	d, err := newDriver(t, env, pick)
	if err != nil {
		return nil, err
	}
	findings, err := d.before(ctx)
	if wire.InTransit(err) && ctx.Err() == nil { // nothing was done yet: one look that broke is no reason to end the run
		if err = env.Sleep(ctx, time.Second); err == nil {
			d.view.forget()
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
		if err := d.record(ctx, Record{Kind: recApprove, Step: name, Who: pick.Who, Facts: t.plan(d.steps[d.index[name]], d.view)}); err != nil {
			return nil, err
		}
	}
	var group sync.WaitGroup
	for i := range d.steps {
		group.Go(func() {
			defer close(d.ready[i])
			d.drive(ctx, i)
		})
	}
	group.Wait()
	r := &Result{Steps: d.result, Findings: findings}
	if r.Complete() && d.begun && ctx.Err() == nil {
		err = d.record(ctx, Record{Kind: recEnd})
	}
	return r, errors.Join(ctx.Err(), err, d.leave(ctx))
}

// leave makes the records of a run last that nothing waited for, also of one
// that was interrupted.
func (d *driver) leave(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return d.env.Journal.Sync(bounded)
}

// before is what the preflight finds, when nothing of the release was done yet.
func (d *driver) before(ctx context.Context) ([]report.Finding, error) {
	fresh, err := d.untouched(ctx)
	if err != nil || !fresh {
		return nil, err
	}
	return Preflight(ctx, d.view)
}

// untouched says whether this release has had no effect that matters yet:
// nothing in the journal, and no merged PR to the root, nor a tag that needed none.
func (d *driver) untouched(ctx context.Context) (bool, error) {
	for _, r := range d.view.Journal {
		if r.Kind == recIntent {
			return false, nil
		}
	}
	h, err := d.view.heads(ctx, d.train.root().Repository)
	if err != nil {
		return false, err
	}
	merged, err := d.view.rootMerged(ctx, h)
	return !merged, err
}

// record appends to the journal; the first record of a run says what runs. When
// it returns, a record that nothing else can tell is there for good.
func (d *driver) record(ctx context.Context, r Record) error {
	if err := d.add(ctx, r); err != nil || !d.lasting(r) {
		return err
	}
	return d.env.Journal.Sync(ctx)
}

// lasting says whether a record must not be lost: what is about to be done, what
// people have decided, and what was done and cannot be seen in the world. The
// others say what every look at the world says again.
func (d *driver) lasting(r Record) bool {
	switch r.Kind {
	case recIntent, recApprove, recAssert, recSkip, recAbort:
		return true
	case recEffect:
		return len(r.Facts) > 0 || d.steps[d.index[r.Step]].Doubt
	}
	return false
}

// add appends to the journal, one record at a time.
func (d *driver) add(ctx context.Context, r Record) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.env.Journal == nil {
		return errors.New("a run needs a journal")
	}
	if !d.begun {
		if err := d.append(ctx, d.beginning()); err != nil {
			return err
		}
		d.begun = true
	}
	r.Time = d.env.Now()
	return d.append(ctx, r)
}

func (d *driver) append(ctx context.Context, r Record) error {
	return d.env.Journal.Append(ctx, r.sealed(d.env.Key, d.train.Version, d.env.Journal.Records()))
}

// trusted says whether the journal may decide.
func trusted(t *Train, env *Env) error {
	if env.Journal == nil {
		return nil
	}
	return CheckSeals(env.Journal.Records(), env.Key, t.Version)
}

func (d *driver) beginning() Record {
	return beginRecord(d.train, d.steps, d.env.Now(), d.pick.Who)
}

func beginRecord(t *Train, steps []*Step, now time.Time, who string) Record {
	r := Record{Kind: recBegin, Time: now, Title: t.Title(), Pins: t.pins(), Hot: t.Hotfix, Who: who}
	for _, s := range steps {
		r.Plan = append(r.Plan, PlannedStep{s.Name, s.Title, s.After(), s.Approval, s.Phase})
	}
	return r
}

// event tells the user.
func (d *driver) event(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.env.Event != nil {
		d.env.Event(e)
	}
}

// drive brings one step to its result.
func (d *driver) drive(ctx context.Context, i int) {
	s := d.steps[i]
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
		if jerr := d.note(ctx, s, recFailed, o, err); jerr != nil {
			err = jerr
		}
	}
	d.result[i].Observation, d.result[i].Err = o, err
	d.view.facts.put(s.Name, o)
	if o.State != Blocked {
		known := o.State == Done && before != nil && slices.Contains([]string{recDone, recAssert, recApprove, recSkip}, before.Kind)
		d.event(Event{Step: s, State: o.State, Known: known, Text: o.Text, Who: o.Who, URL: o.URL, Took: d.env.Now().Sub(began)})
	}
}

// settle observes a step, acts while something is missing, and waits where it
// is told to; what was waited for in vain may be missing then.
func (d *driver) settle(ctx context.Context, s *Step, began time.Time) (Observation, error) {
	o, err := d.observe(ctx, s, 0, d.poll())
	for try := 0; err == nil; {
		switch {
		case o.State == Missing && !d.picked(s):
			o.Text = "not done: " + o.Text
			return o, nil
		case o.State == Missing:
			d.event(Event{Step: s, State: Missing, Doing: true, Text: o.Text, Took: d.env.Now().Sub(began)})
			o, err = d.act(ctx, s, o, try)
			try++
		case o.State == Waiting && d.pick.Wait && !s.Approval && !d.late():
			o, err = d.wait(ctx, s, o, began)
		default:
			return o, d.note(ctx, s, kindOf(o.State), o, nil)
		}
	}
	o.State = Failed
	return o, err
}

func kindOf(s State) string {
	return map[State]string{Done: recDone, Waiting: recWait, Conflict: recConflict, Foreign: recForeign}[s]
}

// picked says whether the user lets this step act.
func (d *driver) picked(s *Step) bool {
	switch {
	case d.pick.Only != "":
		return s.Name == d.pick.Only
	case d.pick.Until != "":
		return s.Name == d.pick.Until || reaches(s.Name, d.steps[d.index[d.pick.Until]])
	}
	return true
}

// reaches says whether a step is needed by another, directly or not.
func reaches(name string, by *Step) bool {
	return slices.ContainsFunc(by.Needs, func(n *Step) bool { return n.Name == name || reaches(name, n) })
}

// observe looks at the world: at what was read before since, or is older than
// age, afresh.
func (d *driver) observe(ctx context.Context, s *Step, since uint64, age time.Duration) (Observation, error) {
	w := *d.view
	w.since, w.age = since, age
	w.read(d.env.Journal.Records())
	o, err := s.Observe(ctx, &w)
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	return o, err
}

// act does what is missing and proves it by looking again. What broke in
// transit is looked at again too, and tried once more if it did not arrive.
func (d *driver) act(ctx context.Context, s *Step, seen Observation, try int) (Observation, error) {
	if err := d.record(ctx, Record{Kind: recIntent, Step: s.Name, Text: seen.Text, Facts: seen.Facts}); err != nil {
		return seen, err
	}
	h, view := *d.hands, *d.view
	view.read(d.env.Journal.Records())
	h.View = &view
	err := s.Act(ctx, &h, seen)
	if ctx.Err() != nil {
		return seen, ctx.Err()
	}
	var transit *wire.TransitError
	if err != nil && (!errors.As(err, &transit) || try >= d.retries()) {
		return seen, err
	}
	if err == nil {
		if err := d.record(ctx, Record{Kind: recEffect, Step: s.Name, Text: seen.Text, Facts: h.evidence}); err != nil {
			return seen, err
		}
	} else {
		d.event(Event{Step: s, State: Missing, Doing: true, Text: "again, after: " + err.Error()})
		if err := d.env.Sleep(ctx, time.Second<<try); err != nil {
			return seen, err
		}
	}
	after, oerr := d.observe(ctx, s, d.view.memo.next(), d.poll())
	// A server may show late what was done there. It is not done again for that.
	for look := 0; err == nil && oerr == nil && after.same(seen); look++ {
		if look == d.retries() {
			return after, fmt.Errorf("acted, and the world does not show it: %s", after.Text)
		}
		if err := d.env.Sleep(ctx, time.Second<<look); err != nil {
			return seen, err
		}
		after, oerr = d.observe(ctx, s, d.view.memo.next(), d.poll())
	}
	if oerr == nil && after.State == Missing && err == nil && try >= d.retries() {
		return after, fmt.Errorf("acted, and the world does not show it: %s", after.Text)
	}
	return after, oerr
}

func (d *driver) retries() int {
	if d.env.Retry == 0 {
		return 3
	}
	return d.env.Retry
}

// poll is the time between two looks at the same object.
func (d *driver) poll() time.Duration {
	if d.env.Poll == 0 {
		return time.Minute
	}
	return d.env.Poll
}

// late says whether the run has waited for as long as it may.
func (d *driver) late() bool {
	return d.pick.WaitFor > 0 && d.env.Now().Sub(d.start) >= d.pick.WaitFor
}

// wait looks again, at most once per Poll, until there is nothing to wait for,
// or it has waited for as long as it may.
func (d *driver) wait(ctx context.Context, s *Step, o Observation, began time.Time) (Observation, error) {
	if err := errors.Join(d.note(ctx, s, recWait, o, nil), d.env.Journal.Sync(ctx)); err != nil {
		return o, err
	}
	d.event(Event{Step: s, State: Waiting, Text: o.Text, Who: o.Who, URL: o.URL, Took: d.env.Now().Sub(began)})
	first := true
	err := await(ctx, d.env, d.poll(), func() (bool, error) {
		if first {
			first = false
			return false, nil
		}
		if d.late() {
			return true, nil
		}
		next, err := d.observe(ctx, s, 0, d.poll())
		if wire.InTransit(err) {
			return false, nil // the next look may get through
		}
		if err == nil && next.Text != o.Text && next.State == Waiting {
			d.event(Event{Step: s, State: Waiting, Text: next.Text, Who: next.Who, URL: next.URL, Took: d.env.Now().Sub(began)})
		}
		o = next
		return o.State != Waiting, err
	})
	return o, err
}

// note records a state, unless the journal says so already.
func (d *driver) note(ctx context.Context, s *Step, kind string, o Observation, cause error) error {
	if kind == "" {
		return nil
	}
	facts := o.Facts
	if errors.Is(cause, errUnsure) {
		facts = map[string]string{"unsure": "true"}
	}
	last := d.env.Journal.Records().Epoch().Last(s.Name)
	if last != nil && last.Kind == recSkip {
		return nil // says more than that it is done
	}
	if last != nil && last.Kind == kind && last.Text == o.Text && maps.Equal(last.Facts, facts) {
		return nil
	}
	if last != nil && last.Kind == recDone && kind == recDone && maps.Equal(last.Facts, facts) {
		return nil
	}
	if kind == recConflict && s.Name == "announce:slack" {
		return nil // the intent stays the last word about the message
	}
	return d.record(ctx, Record{Kind: kind, Step: s.Name, Text: o.Text, Who: o.Who, URL: o.URL, Reason: o.Reason, Facts: facts})
}

// Plan observes every step, and acts on none. Steps that depend on others see
// what those would make, as far as it can be told.
func Plan(ctx context.Context, t *Train, env *Env) (*Result, error) {
	if err := trusted(t, env); err != nil {
		return nil, err
	}
	v := newView(t, env)
	v.plan = true
	r := &Result{Steps: make([]StepResult, 0)}
	warm(ctx, v)
	for _, s := range t.Steps() {
		o, err := s.Observe(ctx, v)
		if err != nil {
			o.State, o.Text = Failed, err.Error()
		}
		if o.State == Waiting && strings.HasPrefix(o.Text, "PR") && len(o.Effects) == 0 && o.URL == "" {
			o.State = Blocked
		}
		v.facts.put(s.Name, o)
		r.Steps = append(r.Steps, StepResult{s, o, err})
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	findings, err := Preflight(ctx, v)
	r.Findings = findings
	return r, err
}

// warm asks all repositories for their refs at the same time.
func warm(ctx context.Context, v *View) {
	slots := make(chan struct{}, 16)
	var group sync.WaitGroup
	for _, c := range v.Train.released() {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, _ = v.heads(ctx, c.Repository) // the step that needs it gets the same error
		})
	}
	group.Wait()
}
