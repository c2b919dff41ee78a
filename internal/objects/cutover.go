package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// A Verdict says whether the source of truth may be switched.
type Verdict struct {
	Ready bool
	Since time.Time // of the first of the clean looks without a dirty one after it; zero = the last was not clean
	Looks int       // clean looks since then
	Why   []string  // what stands against it
	Drift *DriftResult
}

// Cutover looks once more and judges all looks of the ledger: the switch may
// be made when nothing differs now and nothing has for the given time.
func (r *Run) Cutover(ctx context.Context, clean time.Duration) (*Verdict, error) {
	d, err := r.Drift(ctx)
	if err != nil {
		return nil, err
	}
	v := &Verdict{Drift: d}
	for _, c := range Drifts {
		if n := d.Counts[c]; n > 0 && c.Alarming() {
			v.Why = append(v.Why, fmt.Sprintf("%d %s", n, c))
		}
	}
	if d.Objects == 0 {
		v.Why = append(v.Why, "the source is empty: nothing proves that it was read")
	}
	for _, o := range slices.Backward(r.Ledger.Observations()) {
		if !o.Clean {
			break
		}
		v.Since = o.Time
		v.Looks++
	}
	if len(v.Why) == 0 {
		if past := r.Now().Sub(v.Since); past < clean {
			v.Why = append(v.Why, fmt.Sprintf("clean for %s, %s are asked for", past.Round(time.Second), clean))
		}
	}
	v.Ready = len(v.Why) == 0
	return v, nil
}

// Rollback deletes what the ledger created and nobody changed since, newest
// first. What was changed or recreated is refused, what is gone is done.
func (r *Run) Rollback(ctx context.Context, dry bool) (*Result, error) {
	r.reset()
	if r.Now == nil {
		r.Now = time.Now
	}
	r.started = r.Now()
	entries := r.Ledger.Entries()
	for i, e := range slices.Backward(entries) {
		if e.State == Gone {
			continue
		}
		out, err := r.undo(ctx, e, dry)
		if err != nil {
			return r.result, err
		}
		r.open = append(r.open, &out)
		r.settle()
		if r.Progress != nil {
			r.Progress(Progress{len(entries) - i, float64(len(entries)-i) / float64(len(entries)), r.Now().Sub(r.started)})
		}
	}
	if dry {
		return r.result, nil
	}
	return r.result, r.Ledger.Sync()
}

// The statuses of a rollback.
const (
	StatusDeleted Status = "deleted"
	StatusGone    Status = "gone"   // it was not there any more
	StatusDelete  Status = "delete" // would be deleted
)

func (r *Run) undo(ctx context.Context, e *Entry, dry bool) (Outcome, error) {
	out := Outcome{Origin: e.Origin, Ref: e.New, Status: StatusDeleted}
	if bad := BadRef(e.New); bad != nil {
		out.Status, out.Reason, out.Message = StatusRefused, bad.Reason, bad.Message
		out.Hint = "the ledger names what no import creates: was it edited?"
		return out, nil
	}
	res := r.resource(e.New)
	o, err := r.Target.Get(ctx, res, e.New)
	if errors.Is(err, fs.ErrNotExist) {
		out.Status = StatusGone
		return out, r.gone(e, dry)
	}
	if err != nil {
		return out, err
	}
	s := StoredOf(o)
	if reason, message := r.foreign(e, &s); reason != "" {
		out.Status, out.Reason, out.Message = StatusRefused, reason, message
		out.Hint = "look at it, and delete it by hand if it is not needed"
		return out, nil
	}
	if dry {
		out.Status = StatusDelete
		return out, nil
	}
	switch err := r.Target.Delete(ctx, res, s); {
	case errors.Is(err, fs.ErrNotExist):
		out.Status = StatusGone
	case errors.Is(err, errChanged):
		out.Status, out.Reason, out.Message = StatusRefused, "changed", errChanged.Error()
		return out, nil
	case err != nil:
		return out, fmt.Errorf("%s: %w", e.New, err)
	}
	return out, r.gone(e, dry)
}

// foreign says why an object is not ours to delete.
func (r *Run) foreign(e *Entry, s *Stored) (reason, message string) {
	_, dir := r.Target.(*Dir)
	ours := s.Origin == e.Origin.ID && (dir || s.Ledger == r.Ledger.ID())
	switch {
	case e.State != Creating && e.State != Created:
		return "unknown-state", fmt.Sprintf("the ledger says %q of it, which this cfctl does not know", e.State)
	case !ours:
		return "not-ours", "somebody else created it"
	case e.State == Creating && s.Digest != e.Want:
		return "unproven", "the run that created it was killed before it read it back; apply again first"
	case e.State == Created && e.UID != s.UID:
		return "recreated", fmt.Sprintf("it is another object now: the ledger created %s, there is %s", e.UID, s.UID)
	case e.State == Created && e.Digest != s.Digest:
		return "changed", "somebody changed it since it was created"
	}
	return "", ""
}

func (r *Run) gone(e *Entry, dry bool) error {
	if dry {
		return nil
	}
	n := *e
	n.State, n.Fields = Gone, nil
	return r.Ledger.Record(n)
}
