package train

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Approve records that a maintainer approved a step: one that asks for an
// approval, or a message of which it is not known whether it was sent. With
// asserted, the maintainer records that the step is done already; where it stops
// before something unmanaged, or sees that a user has changed what was released,
// that this very thing is to be taken as it is.
func (t *Train[V, H]) Approve(ctx context.Context, env *Env, step, who string, asserted bool) error {
	d, err := t.driver(env, Choices{Until: step, Who: who})
	if err != nil {
		return err
	}
	s := d.Steps[d.index[step]]
	r := Record{Kind: KindApprove, Step: step, Who: who}
	switch {
	case s.Approval() && asserted:
		return fmt.Errorf("%s is an approval: it cannot be done already", step)
	case s.Approval():
		r.Facts = t.terms(s, d.view)
	case asserted && s.Doubt:
		r.Kind = KindAssert
	case asserted:
		r.Kind = KindAssert
		if r.Facts, r.Text, err = d.unmanagedAt(ctx, s); err != nil {
			return err
		}
	case s.Act == nil:
		return fmt.Errorf("%s waits for an external step, not for an approval", step)
	case !s.Doubt && !s.Public:
		return fmt.Errorf("%s asks for no approval", step)
	case !s.Doubt:
		if o, err := d.seen(ctx, s); err != nil {
			return err
		} else if o.Ask {
			r.Facts = o.Facts
		} else if o.Reason != TakenBack {
			return fmt.Errorf("%s is %s: it was not withdrawn, so there is nothing to redo", step, o.State)
		}
	}
	return d.record(ctx, r)
}

// unmanagedAt is what a step that stopped at something unmanaged sees of it, or one
// that is done and sees something else than what was released.
func (d *driver[V, H]) unmanagedAt(ctx context.Context, s *Step[V, H]) (facts map[string]string, text string, err error) {
	o, err := d.seen(ctx, s)
	switch {
	case err != nil:
		return nil, "", err
	case o.State == Done && len(d.drift(o, d.released(s, d.view.Past.current()))) > 0:
	case o.State == Done && d.leftover(s):
	case o.State != Unmanaged || len(o.Facts) == 0:
		return nil, "", fmt.Errorf("%s is %s: there is nothing unmanaged to accept", s.Name, o.State)
	}
	return o.Facts, o.Text, nil
}

// leftover says whether what a step made was made before an abort, and no one has
// decided since whether it is to be taken.
func (d *driver[V, H]) leftover(s *Step[V, H]) bool {
	return d.released(s, d.view.Past.Before()) != nil && d.view.Journal.Last(s.Name, KindIntent, KindDone) == nil
}

// seen is what a step sees now; those before it are checked for what it needs of
// them, and what broke there is told by a run.
func (d *driver[V, H]) seen(ctx context.Context, s *Step[V, H]) (Observation, error) {
	for _, before := range d.Steps {
		o, err := d.Look(ctx, before, d.view)
		d.view.Learn(before.Name, o)
		if before.Name == s.Name {
			return o, err
		}
	}
	return Observation{}, d.noStep(s.Name)
}

// Skip records that a step is not to be done, and why: the actual state has made it
// pointless. step is the name of a step or of a group ("catalog"); the others of
// its group are skipped with it. It returns the names of the skipped steps.
func (t *Train[V, H]) Skip(ctx context.Context, env *Env, step, reason, who string) ([]string, error) {
	d, err := t.driver(env, Choices{Who: who})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(reason) == "" {
		return nil, errors.New("a step is skipped with a reason only")
	}
	group := step
	if i, ok := d.index[step]; ok {
		if group = d.Steps[i].Group; group == "" {
			return nil, fmt.Errorf("%s cannot be skipped: what comes after it needs what it makes", step)
		}
	}
	var names []string
	for _, s := range d.Steps {
		if s.Group == group {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil, t.noStep(step)
	}
	for _, name := range names {
		if err := d.record(ctx, Record{Kind: KindSkip, Step: name, Text: reason, Who: who}); err != nil {
			return nil, err
		}
	}
	return names, nil
}
