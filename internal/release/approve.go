package release

import (
	"context"
	"fmt"
)

// Approve records that a person said yes to a step: one that asks for an
// approval, or a message of which it is not known whether it was sent. With
// asserted the person says that the step is done already.
func Approve(ctx context.Context, t *Train, env *Env, step, who string, asserted bool) error {
	d, err := newDriver(t, env, Choices{Until: step, Who: who})
	if err != nil {
		return err
	}
	s := d.steps[d.index[step]]
	kind := recApprove
	if asserted {
		kind = recAssert
	}
	switch {
	case s.Approval && asserted:
		return fmt.Errorf("%s is an approval: it cannot be done already", step)
	case !s.Approval && s.Act == nil:
		return fmt.Errorf("%s waits for the world, not for an approval", step)
	case !s.Approval && !s.Doubt:
		return fmt.Errorf("%s asks for no approval", step)
	}
	return d.record(ctx, Record{Kind: kind, Step: step, Who: who})
}

// ReadOnly is a journal that cannot be written: for commands that only look.
func ReadOnly(rs Records) Log { return readOnly(rs) }

type readOnly Records

func (r readOnly) Append(context.Context, Record) error {
	return fmt.Errorf("this journal is only read")
}
func (r readOnly) Records() Records { return Records(r) }
func (r readOnly) Close() error     { return nil }
