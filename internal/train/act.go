package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// act does what is missing and proves it by looking again. What broke in
// transit is checked again too, and tried again if it did not arrive.
func (d *driver[V, H]) act(ctx context.Context, s *Step[V, H], seen Observation, try int) (Observation, error) {
	if err := d.record(ctx, Record{Kind: KindIntent, Step: s.Name, Text: seen.Text, Facts: seen.Facts}); err != nil {
		return seen, err
	}
	view, attempt := d.view.of(s.Name, s.Behind()), &Attempt{Sleep: d.env.Sleep}
	view.read(d.env.Journal.Records())
	err := s.Act(ctx, d.World.Writer(view, attempt), seen)
	if ctx.Err() != nil {
		return seen, ctx.Err()
	}
	var transit *wire.TransitError
	if err != nil && (!errors.As(err, &transit) || try >= d.retries()) {
		return seen, err
	}
	if err == nil {
		if err := d.record(ctx, Record{Kind: KindEffect, Step: s.Name, Text: seen.Text, Facts: attempt.evidence}); err != nil {
			if s.Doubt { // it has acted, and the journal may never say so
				err = fmt.Errorf("%w: %w", ErrUnsure, err)
			}
			return seen, err
		}
		if err := view.reader.err(); err != nil {
			return seen, err
		}
	} else {
		d.event(Event{Step: s.planned(), State: Missing, Doing: true, Text: "again, after: " + err.Error()})
		if err := d.env.Sleep(ctx, time.Second<<try); err != nil {
			return seen, err
		}
	}
	after, oerr := d.observe(ctx, s, d.view.memo.next(), d.poll())
	// A server may show late what was done there. It is not done again for that.
	for look := 0; err == nil && oerr == nil && after.same(seen); look++ {
		if look == d.retries() {
			return after, fmt.Errorf("the step ran, but its result is not visible: %s", after.Text)
		}
		if err := d.env.Sleep(ctx, time.Second<<look); err != nil {
			return seen, err
		}
		after, oerr = d.observe(ctx, s, d.view.memo.next(), d.poll())
	}
	if oerr == nil && after.State == Missing && err == nil && try >= d.retries() {
		return after, fmt.Errorf("the step ran, but its result is not visible: %s", after.Text)
	}
	return after, oerr
}

func (d *driver[V, H]) retries() int {
	return cmp.Or(d.env.retry, 3)
}

// poll is the time between two looks at the same object.
func (d *driver[V, H]) poll() time.Duration {
	return cmp.Or(d.env.Poll, time.Minute)
}

// late says whether the run has waited for as long as it may.
func (d *driver[V, H]) late() bool {
	return d.pick.WaitFor > 0 && d.env.Now().Sub(d.start) >= d.pick.WaitFor
}

// wait looks again, at most once per Poll, until there is nothing to wait for,
// or it has waited for as long as it may.
func (d *driver[V, H]) wait(ctx context.Context, s *Step[V, H], o Observation, began time.Time) (Observation, error) {
	if err := errors.Join(d.note(ctx, s, KindWait, o, nil), d.env.Journal.Sync(ctx)); err != nil {
		return o, err
	}
	d.event(Event{Step: s.planned(), State: Waiting, Text: o.Text, Who: o.Who, URL: o.URL, Took: d.env.Now().Sub(began)})
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
			d.event(Event{Step: s.planned(), State: Waiting, Text: next.Text, Who: next.Who, URL: next.URL, Took: d.env.Now().Sub(began)})
		}
		o = next
		return o.State != Waiting, err
	})
	return o, err
}
