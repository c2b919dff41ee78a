package train

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/report"
)

// without is a train without a step, whose needs those after it take over.
func without(tr *Train[*eye, *hand], name string) *Train[*eye, *hand] {
	i := slices.IndexFunc(tr.Steps, func(s *toy) bool { return s.Name == name })
	gone := tr.Steps[i]
	tr.Steps = slices.Delete(slices.Clone(tr.Steps), i, i+1)
	for _, s := range tr.Steps {
		if at := slices.Index(s.Needs, gone); at >= 0 {
			s.Needs = slices.Concat(s.Needs[:at], gone.Needs, s.Needs[at+1:])
		}
		s.Gates = slices.DeleteFunc(s.Gates, func(g *toy) bool { return g == gone })
	}
	return tr
}

// A release that has begun keeps its steps, its approvals and what they act on: a
// train that lacks one does nothing, until a user accepts that; what is new is no
// difference.
func TestPlanIsTheOneThatWasBegun(t *testing.T) {
	for says, change := range map[string]func(tr *Train[*eye, *hand]){
		"":                                  func(tr *Train[*eye, *hand]) { tr.Steps = append(tr.Steps, maker("five", "5", tr.Steps[2])) },
		"the approval approve:four is gone": func(tr *Train[*eye, *hand]) { without(tr, "approve:four") },
		"the step two is gone":              func(tr *Train[*eye, *hand]) { without(tr, "two") },
		"one acts on elsewhere, and began with here": func(tr *Train[*eye, *hand]) {
			tr.Steps[0].Target = "elsewhere"
		},
		"four does not wait for approve:four any more": func(tr *Train[*eye, *hand]) {
			four := tr.Steps[4]
			four.Needs = []*toy{tr.Steps[2]}
		},
	} {
		s, path := newShelf(), journalIn(t)
		made := func() *Train[*eye, *hand] {
			tr := toys(s)
			tr.Steps[0].Target = "here"
			return tr
		}
		env := s.env(t, path)
		if _, err := made().Run(context.Background(), env, Choices{}); err != nil {
			t.Fatal(err)
		}
		s.person("three", "3")
		before := s.written()
		other := func() *Train[*eye, *hand] {
			tr := made()
			change(tr)
			return tr
		}
		if says == "" {
			if r, err := other().Run(context.Background(), env, Choices{}); err != nil || len(r.Findings) > 0 || !strings.Contains(s.written(), "five=5") {
				t.Errorf("a new step: %v %v", err, r.Findings)
			}
			continue
		}
		r, err := other().Run(context.Background(), env, Choices{Yes: []string{"approve:four"}})
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != planChanged || !strings.Contains(r.Findings[0].Message, says) || s.written() != before {
			t.Fatalf("%s: %v %+v; written %s", says, err, r.Findings, s.written())
		}
		var changed *PlanChangedError
		_, err = other().Abort(context.Background(), env, "otto")
		if err2 := other().Approve(context.Background(), env, "four", "otto", false); !errors.As(err, &changed) || !errors.As(err2, &changed) {
			t.Errorf("%s: abort: %v; approve: %v", says, err, err2)
		}
		if p, err := other().Plan(context.Background(), env); err != nil || len(p.Findings) != 1 || p.Findings[0].Severity != report.Error {
			t.Errorf("%s: a plan finds %v, %v", says, p.Findings, err)
		}
		if r, err = made().Run(context.Background(), env, Choices{}); err != nil || len(r.Findings) > 0 {
			t.Errorf("%s: with the plan that it began with: %v %v", says, err, r.Findings)
		}
		if list, err := other().Replan(context.Background(), env, "rita"); err != nil || !slices.Contains(list, says) {
			t.Errorf("%s: accepted %q, %v", says, list, err)
		}
		if r := env.Journal.Records().Last(PlanStep, KindApprove); r == nil || r.Who != "rita" || !strings.Contains(r.Text, says) {
			t.Errorf("%s: recorded as %+v", says, r)
		}
		if r, err = other().Run(context.Background(), env, Choices{}); err != nil || len(r.Findings) > 0 {
			t.Errorf("%s: accepted, and %v %v", says, err, r.Findings)
		}
	}
}

// A release that is complete stays so under a later configuration, which is not
// applied to it; verify says what it does not look at.
func TestPlanOfACompleteRelease(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	env := s.env(t, path)
	r, err := without(toys(s), "two").Run(context.Background(), env, Choices{})
	if err != nil || !r.Complete() || len(r.Findings) != 1 || r.Findings[0].Severity != report.Note || len(r.Steps) != 5 {
		t.Fatalf("%v %+v", err, r)
	}
	found, err := without(toys(s), "two").Verify(context.Background(), env)
	if err != nil || len(found) != 1 || found[0].Severity != report.Note || !strings.Contains(found[0].Hint, "until:") {
		t.Errorf("%v %+v", err, found)
	}
}

// Another cfctl says that it is another one.
func TestOtherVersionIsSaid(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	env := s.env(t, path)
	for i, tool := range []string{"v1.0.0", "v1.0.0", "v1.1.0", ""} {
		tr := toys(s)
		tr.Tool = tool
		r, err := tr.Run(context.Background(), env, Choices{})
		if err != nil {
			t.Fatal(err)
		}
		if said := len(r.Findings) == 1 && strings.Contains(r.Findings[0].Message, "cfctl v1.0.0 so far, and this is v1.1.0"); said != (i == 2) {
			t.Errorf("%q: %+v", tool, r.Findings)
		}
	}
}

// An abort holds until a run begins the release again: what people decide beforehand
// does not, and what was approved before is asked again, also where the step that was
// approved is done.
func TestAbortHolds(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	env := s.env(t, path)
	if _, err := toys(s).Abort(context.Background(), env, "otto"); err != nil {
		t.Fatal(err)
	}
	held := func() bool { return env.Journal.Records().Aborted() != nil }
	if r := env.Journal.Records().Aborted(); r == nil || r.Who != "otto" {
		t.Fatalf("aborted: %+v", r)
	}
	if _, err := toys(s).Skip(context.Background(), env, "three", "so", "rita"); err != nil || !held() {
		t.Fatal("a skip begins it again", err)
	}
	r, err := toys(s).Run(context.Background(), env, Choices{})
	if err != nil || held() {
		t.Fatal("it is not begun again", err)
	}
	if o := r.Of("approve:four"); o.State != Waiting || !o.Ours {
		t.Errorf("approve:four is %s: %s", o.State, o.Text)
	}
	if err := toys(s).Approve(context.Background(), env, "approve:four", "otto", false); err != nil {
		t.Fatal(err)
	}
	if r, err := toys(s).Run(context.Background(), env, Choices{}); err != nil || !r.Complete() {
		t.Errorf("approved again, and it is %s, %v", states(r), err)
	}
}

// What an aborted release had seen is no evidence of the next one: a thing that was
// replaced in between is neither a difference, nor asks for an approval without end.
func TestEvidenceIsOfOneEpoch(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "old")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	env := s.env(t, path)
	if _, err := toys(s).Abort(context.Background(), env, "rita"); err != nil {
		t.Fatal(err)
	}
	s.person("three", "new")
	env.Journal.Close()
	r := s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	if r.Complete(); strings.Contains(r.Of("three").Text, "retagged") {
		t.Errorf("three: %s", r.Of("three").Text)
	}
	if r = s.run(t, path, Choices{}); !r.Complete() {
		s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	}
	for range 2 {
		if r = s.run(t, path, Choices{}); !r.Complete() {
			t.Fatalf("%s: %s", states(r), r.Of("approve:four").Text)
		}
	}
	env = s.env(t, path)
	if found, err := toys(s).Verify(context.Background(), env); err != nil || len(found) > 0 {
		t.Errorf("verify: %v %v", found, err)
	}
}

// What was published before an abort is taken as it is by a maintainer.
func TestLeftOverIsTaken(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.person("three", "3")
	s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	env := s.env(t, path)
	if err := toys(s).Approve(context.Background(), env, "four", "rita", true); err == nil {
		t.Error("what this release has made is asserted")
	}
	if _, err := toys(s).Abort(context.Background(), env, "rita"); err != nil {
		t.Fatal(err)
	}
	if err := toys(s).Approve(context.Background(), env, "four", "rita", true); err != nil || env.Journal.Records().Aborted() == nil {
		t.Errorf("%v", err)
	}
}

// A server's rule that refuses an act stops the step: people decide about it.
func TestRefusedActStops(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	s.broken = errors.New("the rule says no")
	tr := toys(s)
	tr.Steps[0].Target = "shelf"
	tr.World.Stops = func(target string, err error) (Observation, bool) {
		return Observation{State: Conflict, Reason: "refused", Text: target + ": " + err.Error(), Who: "the rule"}, strings.Contains(err.Error(), "rule")
	}
	env := s.env(t, path)
	r, err := tr.Run(context.Background(), env, Choices{})
	if o := r.Of("one"); err != nil || o.State != Conflict || o.Err != nil || o.Text != "shelf: the rule says no" {
		t.Fatalf("%v %+v", err, o)
	}
	if r := env.Journal.Records().Last("one"); r.Kind != KindConflict || r.Reason != "refused" {
		t.Errorf("recorded as %+v", r)
	}
	if r, err = tr.Run(context.Background(), env, Choices{}); err != nil || r.Of("one").State != Done {
		t.Errorf("allowed: %s, %v", states(r), err)
	}
}

// A step waits since it began to, whatever is said about it in between.
func TestSince(t *testing.T) {
	s := newShelf()
	rs := Records{}
	for _, kind := range []string{KindWait, KindWait, KindConflict, KindWait, KindWait} {
		rs = append(rs, Record{Step: "x", Kind: kind, Time: s.clock.Now()})
		s.clock.Pass(60e9)
	}
	if got := rs.Since("x"); got != rs[3].Time {
		t.Errorf("since %s", got)
	}
	if got := rs[:2].Since("x"); got != rs[0].Time || !rs.Since("y").IsZero() {
		t.Errorf("since %s", got)
	}
}
