package train

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A reminder is sent once in each period, by any driver: it is in the journal before
// it is sent.
func TestRemind(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	var sent []string
	var broken error
	run := func(pick Choices) *Result {
		env := s.env(t, path)
		defer env.Journal.Close()
		env.Remind = &Reminder{After: 24 * time.Hour, Send: func(_ context.Context, text string) error {
			rs, err := ReadJournal(path)
			if err != nil || len(rs) == 0 || rs[len(rs)-1].Kind != KindRemind {
				t.Errorf("it is sent before it is recorded: %v", err)
			}
			if broken == nil {
				sent = append(sent, text)
			}
			return broken
		}}
		r, err := toys(s).Run(context.Background(), env, pick)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const hour = time.Hour
	for i, step := range []struct {
		pass   time.Duration
		broken error
		sent   int
		text   string // of the step that waits
	}{
		{0, nil, 0, "three is awaited"},
		{23 * hour, nil, 0, "three is awaited"},
		{hour, nil, 1, "three is awaited"},
		{hour, nil, 1, "three is awaited"}, // the next driver, after a kill too
		{22 * hour, nil, 1, "three is awaited"},
		{2 * hour, errors.New("the webhook answers 500"), 1, "three is awaited; the reminder was not sent: the webhook answers 500"},
		{hour, nil, 1, "three is awaited"}, // at most once in a period
		{24 * hour, nil, 2, "three is awaited"},
	} {
		s.clock.Pass(step.pass)
		broken = step.broken
		r := run(Choices{})
		if len(sent) != step.sent || r.Steps[2].Text != step.text || states(r) != "done done waiting blocked blocked" {
			t.Errorf("run %d: %q, %q", i, sent, r.Steps[2].Text)
		}
	}
	want := "Toys v1.0.0: three has been waiting for 24 h 0 min: three is awaited\nunblocks: somebody\nstatus: toys status v1.0.0"
	if sent[0] != want {
		t.Errorf("%q, want %q", sent[0], want)
	}

	// Another wait begins anew; a run that stays reminds too.
	s.person("three", "3")
	if run(Choices{}); len(sent) != 2 {
		t.Errorf("%q", sent)
	}
	s.clock.Pass(25 * hour)
	if run(Choices{}); len(sent) != 3 || !strings.Contains(sent[2], "approve:four has been waiting for 25 h") {
		t.Errorf("%q", sent)
	}
	rs, _ := ReadJournal(path)
	if st, ok := ReadStatus("toys", "v1.0.0", rs); !ok || st.State != "waiting" {
		t.Errorf("%+v", st)
	}
}

// A run that stays for what it waits for reminds while it waits.
func TestRemindWhileWaiting(t *testing.T) {
	s := newShelf()
	env := s.env(t, journalIn(t))
	n := 0
	env.Remind = &Reminder{After: time.Hour, Send: func(context.Context, string) error { n++; return nil }}
	r, err := toys(s).Run(context.Background(), env, Choices{Wait: true, WaitFor: 3*time.Hour + time.Minute})
	if err != nil || n != 3 {
		t.Errorf("%d reminders, %s, %v", n, states(r), err)
	}
}
