package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Epoch are the records since the release was aborted last. What was decided,
// approved, asserted and skipped before that is void, and what was seen is no
// evidence any more. Whose a thing is, is looked up in all of the records.
func (rs Records) Epoch() Records {
	for i, r := range slices.Backward(rs) {
		if r.Kind == KindAbort && r.Step == "" {
			return rs[i+1:]
		}
	}
	return rs
}

// Aborted is the record of the abort that ended the release; nil = it was not
// aborted, or was begun again since. Only a run begins it again: what people decide
// beforehand does not.
func (rs Records) Aborted() *Record {
	for _, r := range rs.Epoch() {
		if !slices.Contains([]string{KindBegin, KindAbort, KindApprove, KindAssert, KindSkip}, r.Kind) {
			return nil
		}
	}
	return rs.Last("", KindAbort)
}

// current are the records that tell what the release has made: those since the last
// abort, or, where it was not begun again after that, those of the epoch before.
func (rs Records) current() Records {
	for rs.Aborted() != nil {
		rs = rs.Before()
		for len(rs) > 0 && rs[len(rs)-1].Kind == KindAbort {
			rs = rs[:len(rs)-1]
		}
	}
	return rs.Epoch()
}

// Before are the records of the epochs that were closed.
func (rs Records) Before() Records { return rs[:len(rs)-len(rs.Epoch())] }

// An Aborted says what Abort did.
type Aborted struct {
	Undone []string
	Stays  []string // what is published, and what is not ours
}

// Abort undoes what is not published yet and is ours: open PRs, branches,
// drafts. What is published stays, and so does what is not ours; both are
// listed. A step is undone after all that need it, and not when one of those
// could not be. The first thing it does is to end the epoch: a release that is run
// again decides, and asks for its approvals, anew.
func (t *Train[V, H]) Abort(ctx context.Context, env *Env, who string) (*Aborted, error) {
	d, err := t.driver(env, Choices{Who: who})
	if err != nil {
		return nil, err
	}
	out := &Aborted{}
	d.view.plan = true // steps are checked although those before them are not done
	undoings, views := make([]*Undoing, len(d.Steps)), make([]*View, len(d.Steps))
	for i, s := range d.Steps {
		o, oerr := t.Look(ctx, s, d.view)
		d.view.Learn(s.Name, o)
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case s.Undo != nil:
			views[i] = d.view.of(s.Name, s.Behind())
			undoings[i], err = s.Undo(ctx, t.World.Writer(views[i], &Attempt{Sleep: env.Sleep}))
			if err = cmp.Or(err, views[i].reader.err()); err != nil {
				return out, fmt.Errorf("%s: %w", s.Name, err)
			}
		case s.Act != nil && oerr == nil && o.State == Done:
			out.Stays = append(out.Stays, s.Title+": "+o.Text)
		}
	}
	if err := d.record(ctx, Record{Kind: KindAbort, Text: "begun", Who: who}); err != nil {
		return out, err
	}
	for i, u := range slices.Backward(undoings) {
		if err := d.undo(ctx, d.Steps[i], views[i], u, out); err != nil {
			return out, fmt.Errorf("%s: %w", d.Steps[i].Name, err)
		}
	}
	return out, d.record(ctx, Record{Kind: KindAbort, Text: fmt.Sprintf("%d undone", len(out.Undone)), Who: who})
}

// undo undoes one thing; the journal knows of it before it is gone.
func (d *driver[V, H]) undo(ctx context.Context, s *Step[V, H], v *View, u *Undoing, out *Aborted) error {
	if u == nil {
		return nil
	}
	if err := d.record(ctx, Record{Kind: KindAbort, Step: s.Name, Text: u.Text, Who: d.pick.Who, Facts: u.Facts}); err != nil {
		return err
	}
	if u.Act != nil {
		if err := cmp.Or(u.Act(ctx), v.reader.err()); err != nil {
			return err
		}
	}
	if u.Stays {
		out.Stays = append(out.Stays, u.Text)
	} else {
		out.Undone = append(out.Undone, u.Text)
	}
	return nil
}
