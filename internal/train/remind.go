package train

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Reminder tells people of steps that wait for long.
type Reminder struct {
	After time.Duration // that a step waits, and between two reminders of it
	Send  func(ctx context.Context, text string) error
}

// stepFact is the fact of a reminder that names its step: the newest record of the
// step itself is still what it waits for.
const stepFact = "step"

// reminded is when a reminder of a step was sent last; zero = never.
func (rs Records) reminded(step string) time.Time {
	for _, r := range slices.Backward(rs) {
		if r.Kind == KindRemind && r.Facts[stepFact] == step {
			return r.Time
		}
	}
	return time.Time{}
}

// remind sends a reminder of a step that has waited for long since it began to, or
// since the last one. The record is made before: what breaks in between is a
// reminder less, never one more. The text says why it was not sent, and the error that
// the journal could not be written.
func (d *driver[V, H]) remind(ctx context.Context, s *Step[V, H], o Observation) (unsent string, err error) {
	m := d.env.Remind
	if m == nil || o.State != Waiting {
		return "", nil
	}
	rs, now := d.env.Journal.Records().Epoch(), d.env.Now()
	since := rs.Since(s.Name)
	last := since
	if at := rs.reminded(s.Name); at.After(since) {
		last = at
	}
	if since.IsZero() || now.Sub(last) < m.After {
		return "", nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s has been waiting for %s: %s", d.Title, s.Name, Span(now.Sub(since)), o.Text)
	for _, line := range said(prefixed("unblocks: ", o.Who), o.URL, "status: "+d.commandOf("status", "")) {
		text.WriteString("\n" + line)
	}
	if err := d.record(ctx, Record{Kind: KindRemind, Text: text.String(), URL: o.URL, Facts: map[string]string{stepFact: s.Name}}); err != nil {
		return "", err
	}
	if failed := m.Send(ctx, text.String()); failed != nil {
		unsent = "; the reminder was not sent: " + failed.Error()
	}
	return unsent, nil
}
