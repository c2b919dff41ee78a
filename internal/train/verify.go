package train

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/project-codeflare/cfctl/internal/report"
)

// ErrUnknown is wrapped by an observation's error when it depends on what an
// earlier step has not made yet, or is not as it was. Only plan, verify and
// abort meet it.
var ErrUnknown = errors.New("not known yet")

// Rules lists what Verify finds of the steps; evidence has rules of its own.
func Rules() []report.Rule {
	return []report.Rule{
		{ID: "not-done", Doc: "a step of the release is not done", Severity: report.Error},
		{ID: "unmanaged", Doc: "what is there is not what the release made", Severity: report.Error},
		{ID: "skipped", Doc: "a step was skipped, and why", Severity: report.Note},
		{ID: planChanged, Doc: "the configuration lacks what the release was made by", Severity: report.Note},
	}
}

// Verify observes every effect of a release again and compares it with the
// evidence in the journal.
func (t *Train[V, H]) Verify(ctx context.Context, env *Env) ([]report.Finding, error) {
	if err := t.trusted(env); err != nil {
		return nil, err
	}
	v := NewView(env)
	t.warm(ctx, v)
	var findings []report.Finding
	for _, s := range t.Steps {
		if s.Approval() {
			continue
		}
		o, err := t.Look(ctx, s, v)
		if errors.Is(err, ErrUnknown) { // since a step before it is not as it was
			o, err = Observation{State: Blocked, Text: err.Error()}, nil
		}
		if err != nil {
			return findings, fmt.Errorf("%s: %w", s.Name, err)
		}
		v.Learn(s.Name, o)
		findings = append(findings, t.compare(s.Name, o, t.released(s, v.Past.current()))...)
	}
	if changed, ok := errors.AsType[*PlanChangedError](t.changedPlan(v.Past.current())); ok {
		for _, text := range changed.differences {
			findings = append(findings, report.Finding{Rule: planChanged, Severity: report.Note, Message: text + ": that is not verified",
				Hint: "what a later release has no more is kept in the configuration with until: VERSION, the first release without it"})
		}
	}
	if t.World.Audit == nil {
		return findings, nil
	}
	more, err := t.World.Audit(ctx, t.World.View(v))
	return append(findings, more...), err
}

// compare compares what a step sees with what it saw when it was done.
func (t *Train[V, H]) compare(step string, o Observation, then *Record) []report.Finding {
	if o.Facts[skipped] != "" {
		return []report.Finding{{Rule: "skipped", Severity: report.Note, Message: step + " was " + o.Text}}
	}
	findings := t.drifted(step, o, then)
	if o.State != Done && len(findings) == 0 {
		rule := "not-done"
		if o.State == Unmanaged {
			rule = "unmanaged"
		}
		return []report.Finding{{Rule: rule, Severity: report.Error, Message: step + " is " + string(o.State) + ": " + o.Text, URL: o.URL, Hint: o.Who}}
	}
	return findings
}

// released is what a step was seen done as, with its evidence: the first time
// since it was made, or since a maintainer took it as it is. The records are those of
// one epoch: what an aborted release made proves nothing of the next one. A later look adds what no look had told yet, and changes nothing: what
// the actual state shows afterwards is what the evidence is for. nil: it never was done.
func (t *Train[V, H]) released(s *Step[V, H], rs Records) *Record {
	if s.Moving {
		return rs.Last(s.Name, KindDone)
	}
	var first *Record
	for _, r := range rs {
		switch {
		case r.Step != s.Name:
		case r.Kind == KindIntent && r.Facts[Righted] == "":
			first = nil
		case r.Kind == KindAssert, r.Kind == KindDone && (first == nil || idle(first.Facts)):
			r.Facts = maps.Clone(r.Facts)
			first = &r
		case r.Kind == KindDone:
			t.complete(first, r.Facts)
		}
	}
	return first
}

// idle says whether a step was done without anything that it made.
func idle(facts map[string]string) bool { return facts[Kept] != "" || facts[Nothing] != "" }

// complete adds the evidence that a record lacks.
func (t *Train[V, H]) complete(r *Record, facts map[string]string) {
	for _, e := range t.World.Evidence {
		if r.Facts[e.Key] == "" && facts[e.Key] != "" {
			if r.Facts == nil {
				r.Facts = map[string]string{}
			}
			r.Facts[e.Key] = facts[e.Key]
		}
	}
}

// drift is the evidence that is not as it was released.
func (t *Train[V, H]) drift(o Observation, then *Record) []Evidence {
	if then == nil || idle(then.Facts) || o.Facts[Kept] != "" || o.State != Done && o.State != Unmanaged {
		return nil
	}
	var list []Evidence
	for _, e := range t.World.Evidence {
		if want, have := then.Facts[e.Key], o.Facts[e.Key]; want != "" && have != "" && want != have {
			list = append(list, e)
		}
	}
	return list
}

// drifted are the findings about the evidence that is not as it was released.
func (t *Train[V, H]) drifted(step string, o Observation, then *Record) []report.Finding {
	var findings []report.Finding
	for _, e := range t.drift(o, then) {
		want, have := then.Facts[e.Key], o.Facts[e.Key]
		findings = append(findings, report.Finding{
			Rule: e.Rule.ID, Severity: report.Error, Expected: want, Actual: have, URL: o.URL,
			Message: fmt.Sprintf("%s: %s is %.19s, and was released as %.19s on %s", step, e.Key, have, want, then.Time.Format("2006-01-02")),
			Hint:    "restore it; or, to accept it: " + t.commandOf("approve", step) + " --done"})
	}
	return findings
}
