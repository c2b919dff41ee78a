package train

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

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

// Findings stop a release that has done nothing yet, and no other; one whose
// effects the journal does not know is checked in another way.
func TestPreflight(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	touched := false
	run := func() *Result {
		tr := toys(s)
		tr.World.Untouched = func(context.Context, *eye) (bool, error) { return !touched, nil }
		tr.World.Begun = func(context.Context, *eye) ([]report.Finding, error) {
			return []report.Finding{{Rule: "begun", Severity: report.Error}}, nil
		}
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
	touched = true
	if r := run(); len(r.Findings) != 1 || r.Findings[0].Rule != "begun" || s.written() != "" {
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
// also of those that come after the actual state has changed.
func TestPlan(t *testing.T) {
	s := newShelf()
	tr := toys(s)
	tr.World.Recorder = func(v *View) (*hand, func() []wire.Effect) {
		copied := newShelf()
		h := &hand{&eye{v, copied}, &Attempt{}}
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
