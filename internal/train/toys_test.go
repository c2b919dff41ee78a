package train

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
	"github.com/project-codeflare/cfctl/internal/wire/wiretest"
)

// A shelf is the world of the toys: things by name, and who put them there.
type shelf struct {
	mu     sync.Mutex
	things map[string]string
	log    []string // every write, in order
	reads  map[string]int
	chance func() // called before and after every write
	broken error  // what the next write fails with, after it was done or not
	arrive bool
	clock  *wiretest.Clock
}

func newShelf() *shelf {
	return &shelf{things: map[string]string{}, reads: map[string]int{}, chance: func() {}, clock: wiretest.NewClock()}
}

// person is what others put there while cfctl is not looking.
func (s *shelf) person(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.things[name] = value
}

// An eye is the reading half of the toys' world.
type eye struct {
	*View
	shelf *shelf
}

func (e *eye) thing(name string) (string, error) {
	return Recall(e.View, name, func() (string, error) {
		e.shelf.mu.Lock()
		defer e.shelf.mu.Unlock()
		e.shelf.reads[name]++
		return e.shelf.things[name], nil
	})
}

// A hand is both halves.
type hand struct {
	*eye
	*Deed
}

var errKilled = errors.New("killed")

func (h *hand) put(name, value string) error {
	h.shelf.chance()
	h.shelf.mu.Lock()
	err := h.shelf.broken
	h.shelf.broken = nil
	if err == nil || h.shelf.arrive {
		h.shelf.things[name] = value
		h.shelf.log = append(h.shelf.log, name+"="+value)
	}
	h.shelf.mu.Unlock()
	h.shelf.chance()
	return err
}

type toy = Step[*eye, *hand]

// maker is a toy that puts a thing on the shelf.
func maker(name, value string, needs ...*toy) *toy {
	s := &toy{Name: name, Title: "put " + name, Needs: needs, Phase: "Toys"}
	s.Observe = func(_ context.Context, e *eye) (Observation, error) {
		have, err := e.thing(name)
		switch {
		case err != nil:
			return Observation{}, err
		case have == value:
			return Saw(Done, name+" is there", "commit", have), nil
		case have != "":
			o := Saw(Foreign, name+" is "+have+", of somebody else", "commit", have)
			o.Who = "whoever put it there"
			return o, nil
		}
		return Saw(Missing, "put "+name, "commit", value), nil
	}
	s.Act = func(_ context.Context, h *hand, seen Observation) error {
		h.Tell("by", "a hand")
		return h.put(name, seen.Facts["commit"])
	}
	return s
}

// waiter is a toy that somebody else has to do something for.
func waiter(name string, needs ...*toy) *toy {
	return &toy{Name: name, Title: name, Needs: needs, Group: "some", Observe: func(_ context.Context, e *eye) (Observation, error) {
		if have, err := e.thing(name); err != nil || have != "" {
			return Saw(Done, name+" came", "digest", have), err
		}
		return Observation{State: Waiting, Text: name + " is awaited", Who: "somebody"}, nil
	}}
}

// toys are five steps: one, two after it, the wait for three, a gate, and four,
// which is public, and of which one can be taken back until then.
func toys(s *shelf) *Train[*eye, *hand] {
	one := maker("one", "1")
	two := maker("two", "2", one)
	three := waiter("three", two)
	four := maker("four", "4", three)
	four.Public = true
	gate := &toy{Name: "approve:four", Title: "four?", Gates: []*toy{four}, Needs: []*toy{three}}
	four.Needs = append(four.Needs, gate)
	two.Undo = func(_ context.Context, h *hand) (*Undoing, error) {
		switch have, err := h.thing("two"); {
		case err != nil || have == "":
			return nil, err
		case have != "2":
			return &Undoing{Text: "two is not ours", Stays: true}, nil
		}
		return &Undoing{Text: "took two", Act: func(context.Context) error { return h.put("two", "") }}, nil
	}
	return &Train[*eye, *hand]{Version: "v1.0.0", Title: "Toys v1.0.0", Pins: []string{"one v1.0.0"}, Steps: []*toy{one, two, three, gate, four}, World: s.world()}
}

func (s *shelf) world() World[*eye, *hand] {
	return World[*eye, *hand]{
		View:  func(v *View) *eye { return &eye{v, s} },
		Hands: func(v *View, d *Deed) *hand { return &hand{&eye{v, s}, d} },
		Terms: func() map[string]string { return map[string]string{"version of one": "v1.0.0"} },
		Evidence: []Evidence{
			{Key: "commit", Of: "commit of ", Rule: report.Rule{ID: "moved"}},
			{Key: "digest", Of: "digest of ", Rule: report.Rule{ID: "retagged"}},
		},
	}
}

// env drives toys with the journal at path.
func (s *shelf) env(t testing.TB, path string) *Env {
	t.Helper()
	j, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return &Env{Journal: j, Now: s.clock.Now, Sleep: s.clock.Sleep, Poll: time.Minute}
}

func journalIn(t testing.TB) string { return filepath.Join(t.TempDir(), "v1.0.0.jsonl") }

// run runs toys once, with a journal of its own opening.
func (s *shelf) run(t testing.TB, path string, pick Choices) *Result {
	t.Helper()
	env := s.env(t, path)
	defer env.Journal.Close()
	r, err := toys(s).Run(context.Background(), env, pick)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// states are the states of a result's steps.
func states(r *Result) string {
	var list []string
	for _, s := range r.Steps {
		list = append(list, string(s.State))
	}
	return strings.Join(list, " ")
}

// written is the log of the writes.
func (s *shelf) written() string { return strings.Join(s.log, " ") }

// A run goes as far as it can, says what it waits for, and goes on from there;
// a finished one does nothing.
func TestRun(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	if got := states(s.run(t, path, Choices{})); got != "done done waiting blocked blocked" {
		t.Error(got)
	}
	s.person("three", "3")
	if got := states(s.run(t, path, Choices{})); got != "done done done waiting blocked" {
		t.Error(got)
	}
	r := s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	if !r.Complete() || s.written() != "one=1 two=2 four=4" {
		t.Errorf("%s: %s", states(r), s.written())
	}
	rs, _ := ReadJournal(path)
	if effect := rs.Last("one", KindEffect); effect == nil || effect.Facts["by"] != "a hand" || rs.Last("one", KindIntent).Facts["commit"] != "1" {
		t.Errorf("the journal has not what was told: %+v", effect)
	}
	if r := s.run(t, path, Choices{}); !r.Complete() || s.written() != "one=1 two=2 four=4" {
		t.Errorf("a second run: %s: %s", states(r), s.written())
	}
	if st, ok := ReadStatus("v1.0.0", rs); !ok || !st.Complete() {
		t.Errorf("status %+v", st)
	}
}

// Only and Until bound what acts; what does not exist, and what asks for no
// approval, is refused.
func TestChoices(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	if got := states(s.run(t, path, Choices{Until: "one"})); got != "done missing blocked blocked blocked" {
		t.Error(got)
	}
	if got := states(s.run(t, path, Choices{Only: "one"})); got != "done missing blocked blocked blocked" {
		t.Error(got)
	}
	for says, pick := range map[string]Choices{
		`no step "five"`: {Until: "five"}, "asks for no approval": {Yes: []string{"one"}}, `no step "six"`: {Yes: []string{"six"}},
	} {
		env := s.env(t, journalIn(t))
		if _, err := toys(s).Run(context.Background(), env, pick); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", pick, err)
		}
	}
}

// killed runs toys to the end, with a kill at one chance (before and after every
// write and every record), and gives how many chances there were.
func killed(t *testing.T, at int) (s *shelf, chances int) {
	t.Helper()
	s = newShelf()
	path := journalIn(t)
	for range 8 {
		ctx, cancel := context.WithCancelCause(context.Background())
		chance := func() {
			chances++
			if chances == at {
				cancel(errKilled)
			}
			if ctx.Err() != nil {
				panic(errKilled)
			}
		}
		r := s.life(t, ctx, path, chance)
		cancel(nil)
		if r != nil && r.Complete() {
			return s, chances
		}
		s.person("three", "3")
	}
	t.Fatalf("killed at %d: it never arrives: %s", at, s.written())
	return nil, 0
}

// life is one process: nil when it was killed.
func (s *shelf) life(t *testing.T, ctx context.Context, path string, chance func()) (r *Result) {
	env := s.env(t, path)
	file := env.Journal
	defer file.Close()
	train, dead := toys(s), false
	for _, step := range train.Steps {
		if act := step.Act; act != nil {
			step.Act = func(ctx context.Context, h *hand, seen Observation) (err error) {
				defer func() {
					if p := recover(); p != nil {
						dead, err = true, errKilled
					}
				}()
				return act(ctx, h, seen)
			}
		}
	}
	s.chance = chance
	defer func() { s.chance = func() {} }()
	env.Journal = &mortal{file, chance, &dead}
	r, err := train.Run(ctx, env, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	if dead || err != nil {
		return nil
	}
	return r
}

// A mortal journal dies before or after a record.
type mortal struct {
	Log
	chance func()
	dead   *bool
}

func (m *mortal) Append(ctx context.Context, r Record) (err error) {
	defer func() {
		if p := recover(); p != nil {
			*m.dead, err = true, errKilled
		}
	}()
	m.chance()
	err = m.Log.Append(ctx, r)
	m.chance()
	return err
}

// A kill before or after any record and any write ends in the same world, with
// each thing written once.
func TestKillAnywhere(t *testing.T) {
	_, chances := killed(t, 0)
	if chances < 20 {
		t.Fatalf("only %d chances", chances)
	}
	for at := 1; at <= chances; at++ {
		if s, _ := killed(t, at); s.written() != "one=1 two=2 four=4" {
			t.Errorf("killed at %d: %s", at, s.written())
		}
	}
}

// What is there and is not what the step would make is foreign: nothing is
// done, until a person takes it as it is; that holds for this very thing.
func TestForeign(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("two", "other")
	r := s.run(t, path, Choices{})
	if o := r.Of("two"); states(r) != "done foreign blocked blocked blocked" || !strings.Contains(o.Who, "cfctl release approve v1.0.0 two --done") || s.written() != "one=1" {
		t.Fatalf("%s: %s %s: %s", states(r), o.Text, o.Who, s.written())
	}
	env := s.env(t, path)
	err := toys(s).Approve(context.Background(), env, "two", "rita", true)
	if also := toys(s).Approve(context.Background(), env, "one", "rita", true); err != nil || also == nil {
		t.Fatal(err, also)
	}
	env.Journal.Close()
	if o := s.run(t, path, Choices{}).Of("two"); o.State != Done || !strings.Contains(o.Text, "taken as it is by rita") {
		t.Errorf("%s: %s", o.State, o.Text)
	}
	s.person("two", "a third")
	if o := s.run(t, path, Choices{}).Of("two"); o.State != Foreign {
		t.Errorf("another one is taken too: %s: %s", o.State, o.Text)
	}
}

// What was published and is gone is made again only when a person says so.
func TestTakenBack(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	s.person("four", "")
	if o := s.run(t, path, Choices{}).Of("four"); o.State != Conflict || !strings.Contains(o.Text, "somebody has taken it back") {
		t.Fatalf("%s: %s", o.State, o.Text)
	}
	env := s.env(t, path)
	if err := toys(s).Approve(context.Background(), env, "four", "rita", false); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	if r := s.run(t, path, Choices{}); !r.Complete() {
		t.Error(states(r))
	}
}

// An approval is of one plan: another version, step or commit asks again; what
// was not known when it was given is no change.
func TestApprovalIsOfOnePlan(t *testing.T) {
	for says, change := range map[string]func(*shelf, *Train[*eye, *hand]){
		"": func(*shelf, *Train[*eye, *hand]) {},
		"version of one was v1.0.0": func(_ *shelf, tr *Train[*eye, *hand]) {
			tr.World.Terms = func() map[string]string { return map[string]string{"version of one": "v2"} }
		},
		"step five is new":               func(_ *shelf, tr *Train[*eye, *hand]) { tr.Steps = append(tr.Steps, maker("five", "5", tr.Steps[2])) },
		"digest of three was 3, is else": func(s *shelf, _ *Train[*eye, *hand]) { s.person("three", "else") },
	} {
		s, path := newShelf(), journalIn(t)
		s.person("three", "3")
		s.run(t, path, Choices{})
		env := s.env(t, path)
		if err := toys(s).Approve(context.Background(), env, "approve:four", "rita", false); err != nil {
			t.Fatal(err)
		}
		tr := toys(s)
		change(s, tr)
		r, err := tr.Run(context.Background(), env, Choices{})
		if err != nil {
			t.Fatal(err)
		}
		o := r.Of("approve:four")
		if asked := strings.Contains(o.Text, "rita approved another plan ("+says); (o.State == Done) != (says == "") || asked != (says != "") {
			t.Errorf("%q: %s: %s", says, o.State, o.Text)
		}
	}
}

// An abort takes back what is ours, lists what stays, and ends the epoch: what
// was approved and skipped before is void.
func TestAbort(t *testing.T) {
	for _, two := range []string{"2", "other"} {
		s, path := newShelf(), journalIn(t)
		s.run(t, path, Choices{})
		env := s.env(t, path)
		names, err := toys(s).Skip(context.Background(), env, "three", "so", "rita")
		if err != nil || !slices.Equal(names, []string{"three"}) {
			t.Fatal(names, err)
		}
		if err := toys(s).Approve(context.Background(), env, "approve:four", "rita", false); err != nil {
			t.Fatal(err)
		}
		s.person("two", two)
		a, err := toys(s).Abort(context.Background(), env, "rita")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(a.Undone, len(a.Stays)), map[string]string{"2": "[took two] 1", "other": "[] 2"}[two]; got != want {
			t.Errorf("%s: %s, want %s (%v)", two, got, want, a.Stays)
		}
		if st, _ := ReadStatus("v1.0.0", env.Journal.Records()); st.State != "aborted" {
			t.Errorf("it is %s", st.State)
		}
		env.Journal.Close()
		s.person("two", "2")
		if got := states(s.run(t, path, Choices{})); got != "done done waiting blocked blocked" {
			t.Errorf("after the abort: %s", got)
		}
		s.person("three", "3")
		if got := states(s.run(t, path, Choices{})); got != "done done done waiting blocked" {
			t.Errorf("the approval of before counts: %s", got)
		}
	}
}

// With Wait the run stays, and does what is missing after it has waited.
func TestWait(t *testing.T) {
	s := newShelf()
	looks, acted := 0, false
	step := &toy{Name: "x", Title: "x", Observe: func(context.Context, *eye) (Observation, error) {
		looks++
		switch {
		case acted:
			return Saw(Done, "done"), nil
		case looks == 3:
			return Observation{}, &wire.TransitError{Err: errors.New("cut")}
		case looks < 5:
			return Observation{State: Waiting, Text: "known in two minutes", Who: "the clock"}, nil
		}
		return Saw(Missing, "do it"), nil
	}, Act: func(context.Context, *hand, Observation) error { acted = true; return nil }}
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{step}, World: s.world()}
	if r, err := tr.Run(context.Background(), s.env(t, journalIn(t)), Choices{Wait: true}); err != nil || !r.Complete() {
		t.Error(states(r), err)
	}
}

// What broke on its way is looked at, and done again only where it did not
// arrive; what the world never shows is an error, and so is what is refused.
func TestTransit(t *testing.T) {
	cut := &wire.TransitError{Err: errors.New("cut")}
	for _, arrive := range []bool{true, false} {
		s := newShelf()
		s.broken, s.arrive = cut, arrive
		if r := s.run(t, journalIn(t), Choices{Until: "one"}); r.Of("one").State != Done || s.written() != "one=1" {
			t.Errorf("arrived %v: %s, %s", arrive, states(r), s.written())
		}
	}
	s := newShelf()
	s.broken = errors.New("refused")
	if r := s.run(t, journalIn(t), Choices{}); r.Of("one").State != Failed || r.Trouble() == nil || s.written() != "" {
		t.Errorf("refused: %s, %s", states(r), s.written())
	}
	blind := maker("one", "1")
	blind.Act = func(context.Context, *hand, Observation) error { return nil }
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{blind}, World: s.world()}
	if r, err := tr.Run(context.Background(), s.env(t, journalIn(t)), Choices{}); err != nil || r.Trouble() == nil || !strings.Contains(r.Trouble().Error(), "the world does not show it") {
		t.Error(err, r.Trouble())
	}
}

// No thing is read twice in one pass, unless something was done since.
func TestMemo(t *testing.T) {
	s := newShelf()
	a := waiter("x")
	b := waiter("x", a)
	b.Name = "again"
	s.person("x", "1")
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{a, b}, World: s.world()}
	if _, err := tr.Plan(context.Background(), s.env(t, journalIn(t))); err != nil || s.reads["x"] != 1 {
		t.Errorf("read %d times, %v", s.reads["x"], err)
	}
	s.run(t, journalIn(t), Choices{Until: "one"})
	if s.reads["one"] != 2 {
		t.Errorf("what was written is read %d times, want before and after", s.reads["one"])
	}
	v := NewView(s.env(t, journalIn(t)))
	broken := 0
	for range 2 {
		_, _ = Keep(v, "k", func() (int, error) { broken++; return 0, errors.New("broken") })
	}
	if broken != 2 {
		t.Error("a read that failed is kept for ever")
	}
}

// Verify says what is not as it was made.
func TestVerify(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	verify := func() string {
		env := s.env(t, path)
		defer env.Journal.Close()
		fs, err := toys(s).Verify(context.Background(), env)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, f := range fs {
			rules = append(rules, f.Rule)
		}
		return strings.Join(rules, " ")
	}
	if got := verify(); got != "" {
		t.Errorf("fresh: %s", got)
	}
	for thing, want := range map[string]string{"one": "moved", "three": "retagged"} {
		s.person(thing, "other")
		if got := verify(); got != want {
			t.Errorf("%s: %s", thing, got)
		}
		s.person(thing, map[string]string{"one": "1", "three": "3"}[thing])
	}
	s.person("two", "")
	if got := verify(); got != "not-done" {
		t.Error(got)
	}
}

// Findings stop a release that has done nothing yet, and no other.
func TestPreflight(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	run := func() *Result {
		tr := toys(s)
		tr.World.Preflight = func(context.Context, *eye) ([]report.Finding, error) {
			return []report.Finding{{Rule: "no", Severity: report.Error}}, nil
		}
		env := s.env(t, path)
		defer env.Journal.Close()
		r, err := tr.Run(context.Background(), env, Choices{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := run(); len(r.Findings) != 1 || s.written() != "" {
		t.Errorf("%v %s", r.Findings, s.written())
	}
	s.run(t, path, Choices{Until: "one"})
	if r := run(); len(r.Findings) != 0 || s.written() != "one=1 two=2" {
		t.Errorf("%v %s", r.Findings, s.written())
	}
}

// A list of steps that cannot be driven is an error, not a panic.
func TestOrder(t *testing.T) {
	a, b := maker("a", "1"), maker("b", "1")
	b.Needs = []*toy{a}
	twin := maker("a", "1")
	for name, steps := range map[string][]*toy{"twice": {a, twin}, "before its need": {b, a}, "a need that is no step": {b}, "nil": {{Name: "x", Needs: []*toy{nil}}}} {
		tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: steps, World: newShelf().world()}
		env := newShelf().env(t, journalIn(t))
		if _, err := tr.Run(context.Background(), env, Choices{}); err == nil {
			t.Errorf("%s: run takes it", name)
		}
		if _, err := tr.Plan(context.Background(), env); err == nil {
			t.Errorf("%s: plan takes it", name)
		}
	}
}

// A plan does nothing, and tells of the requests that Act makes of its hands,
// also of those that come after the world has changed.
func TestPlan(t *testing.T) {
	s := newShelf()
	tr := toys(s)
	tr.World.Recorder = func(v *View) (*hand, func() []wire.Effect) {
		copied := newShelf()
		h := &hand{&eye{v, copied}, &Deed{}}
		return h, func() (list []wire.Effect) {
			for _, line := range copied.log {
				list = append(list, wire.Effect{Method: "PUT", Target: line})
			}
			return list
		}
	}
	one := tr.Steps[0].Observe
	tr.Steps[0].Observe = func(ctx context.Context, e *eye) (Observation, error) {
		o, err := one(ctx, e)
		o.Then = &Observation{State: Missing, Facts: Pairs("commit", "again")}
		return o, err
	}
	refuses := maker("refused", "1", tr.Steps[0])
	refuses.Act = func(context.Context, *hand, Observation) error { return errors.New("this world lacks it") }
	tr.Steps = append(tr.Steps, refuses)
	r, err := tr.Plan(context.Background(), s.env(t, journalIn(t)))
	if err != nil || s.written() != "" {
		t.Fatal(err, s.written())
	}
	if got := states(r); got != "missing missing waiting waiting missing failed" {
		t.Error(got)
	}
	if got := fmt.Sprint(r.Of("one").Effects, r.Of("four").Effects); got != "[PUT one=1 PUT one=again] [PUT four=4]" {
		t.Error(got)
	}
}
