package train

import (
	"context"
	"errors"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// Plan observes every step, and acts on none. Steps that depend on others see
// what those would make, as far as it can be determined.
func (t *Train[V, H]) Plan(ctx context.Context, env *Env) (*Result, error) {
	if err := t.trusted(env); err != nil {
		return nil, err
	}
	if err := Check(t.Steps); err != nil {
		return nil, err
	}
	v := NewView(env)
	v.plan = true
	r := &Result{Steps: make([]StepResult, 0)}
	t.warm(ctx, v)
	for _, s := range t.Steps {
		o, err := t.Look(ctx, s, v)
		if err != nil {
			o.State, o.Text = Failed, err.Error()
		}
		if err == nil && o.State == Missing && s.Act != nil && t.World.Recorder != nil {
			if o.Effects, err = t.effects(ctx, s, o, v); err != nil {
				o.State, o.Text = Failed, err.Error()
			}
		}
		v.Learn(s.Name, o)
		r.Steps = append(r.Steps, StepResult{s.planned(), o, err})
	}
	if changed, ok := errors.AsType[*PlanChangedError](t.changedPlan(v.Journal)); ok {
		r.Findings = append(r.Findings, changed.Finding())
	}
	r.Findings = append(r.Findings, otherTool(t.Tool, v.Journal)...)
	if ctx.Err() != nil || t.World.Preflight == nil {
		return r, ctx.Err()
	}
	findings, err := t.World.Preflight(ctx, t.World.View(v))
	r.Findings = append(r.Findings, findings...)
	return r, err
}

// effects are the requests that a step would make: Act is asked to make them
// with hands that only keep a list.
func (t *Train[V, H]) effects(ctx context.Context, s *Step[V, H], o Observation, v *View) ([]wire.Effect, error) {
	w := v.of(s.Name, s.Behind())
	h, list := t.World.Recorder(w)
	for then := &o; then != nil; then = then.Then {
		var transit *wire.TransitError // look again: Then is what is seen
		if err := s.Act(ctx, h, *then); err != nil && !errors.As(err, &transit) {
			return list(), err
		}
	}
	return list(), w.reader.err()
}

func (t *Train[V, H]) warm(ctx context.Context, v *View) {
	if t.World.Warm != nil {
		t.World.Warm(ctx, t.World.View(v))
	}
}

// Refresh is the status of a release as the actual state shows it now.
func (t *Train[V, H]) Refresh(ctx context.Context, env *Env) (*Status, error) {
	r, err := t.Plan(ctx, env)
	if err != nil {
		return nil, err
	}
	var rs Records
	if env.Journal != nil {
		rs = env.Journal.Records()
	}
	fresh := rs.Last("", KindBegin) == nil
	if fresh {
		rs = append(Records{t.begin(env.Now(), "")}, rs...)
	}
	s, _ := ReadStatus(t.Command, t.Version, rs)
	if fresh {
		s.Began = time.Time{}
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if o := r.Of(st.Name); o != nil {
			if o.State != st.State {
				st.Since = env.Now()
			}
			st.Observation = o.Observation
			st.Effects, st.Detail = nil, ""
			if o.State == Missing || o.State == Waiting {
				st.State = Blocked
			}
		}
	}
	s.block()
	for i := range s.Steps {
		st := &s.Steps[i]
		if o := r.Of(st.Name); o != nil && st.State == Missing && o.State == Waiting {
			st.State, st.Text = Waiting, o.Text
		}
	}
	s.Next = ""
	s.summarise(rs)
	return s, nil
}
