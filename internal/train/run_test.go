package train

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// A run goes as far as it can, says what it waits for, and goes on from there;
// a finished one does nothing.
func TestRun(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	if got := states(s.run(t, path, Choices{})); got != "done done waiting blocked blocked" {
		t.Error(got)
	}
	s.person("three", "3")
	if got := states(s.run(t, path, Choices{})); got != "done done done waiting blocked" {
		t.Error(got)
	}
	r := s.run(t, path, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	if !r.Complete() || s.written() != "one=1 two=2 four=4" {
		t.Errorf("%s: %s", states(r), s.written())
	}
	rs, _ := ReadJournal(path)
	if effect := rs.Last("one", KindEffect); effect == nil || effect.Facts["by"] != "a hand" || rs.Last("one", KindIntent).Facts["commit"] != "1" {
		t.Errorf("the journal has not what was told: %+v", effect)
	}
	if r := s.run(t, path, Choices{}); !r.Complete() || s.written() != "one=1 two=2 four=4" {
		t.Errorf("a second run: %s: %s", states(r), s.written())
	}
	if st, ok := ReadStatus("toys", "v1.0.0", rs); !ok || !st.Complete() {
		t.Errorf("status %+v", st)
	}
}

// Only and Until bound what acts; what does not exist, and what asks for no
// approval, is refused.
func TestChoices(t *testing.T) {
	s, path := newShelf(), journalIn(t)
	if got := states(s.run(t, path, Choices{Until: "one"})); got != "done missing blocked blocked blocked" {
		t.Error(got)
	}
	if got := states(s.run(t, path, Choices{Only: "one"})); got != "done missing blocked blocked blocked" {
		t.Error(got)
	}
	for says, pick := range map[string]Choices{
		`no step "five"`: {Until: "five"}, "asks for no approval": {Yes: []string{"one"}}, `no step "six"`: {Yes: []string{"six"}},
	} {
		env := s.env(t, journalIn(t))
		if _, err := toys(s).Run(context.Background(), env, pick); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", pick, err)
		}
	}
}

// With Wait the run stays, and does what is missing after it has waited.
func TestWait(t *testing.T) {
	s := newShelf()
	looks, acted := 0, false
	step := &toy{Name: "x", Title: "x", Observe: func(context.Context, *eye) (Observation, error) {
		looks++
		switch {
		case acted:
			return Saw(Done, "done"), nil
		case looks == 3:
			return Observation{}, &wire.TransitError{Err: errors.New("cut")}
		case looks < 5:
			return Observation{State: Waiting, Text: "known in two minutes", Who: "the clock"}, nil
		}
		return Saw(Missing, "do it"), nil
	}, Act: func(context.Context, *hand, Observation) error { acted = true; return nil }}
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{step}, World: s.world()}
	if r, err := tr.Run(context.Background(), s.env(t, journalIn(t)), Choices{Wait: true}); err != nil || !r.Complete() {
		t.Error(states(r), err)
	}
}

// What broke on its way is checked, and done again only where it did not
// arrive; what the actual state never shows is an error, and so is what is refused.
func TestTransit(t *testing.T) {
	cut := &wire.TransitError{Err: errors.New("cut")}
	for _, arrive := range []bool{true, false} {
		s := newShelf()
		s.broken, s.arrive = cut, arrive
		if r := s.run(t, journalIn(t), Choices{Until: "one"}); r.Of("one").State != Done || s.written() != "one=1" {
			t.Errorf("arrived %v: %s, %s", arrive, states(r), s.written())
		}
	}
	s := newShelf()
	s.broken = errors.New("refused")
	if r := s.run(t, journalIn(t), Choices{}); r.Of("one").State != Failed || r.Trouble() == nil || s.written() != "" {
		t.Errorf("refused: %s, %s", states(r), s.written())
	}
	blind := maker("one", "1")
	blind.Act = func(context.Context, *hand, Observation) error { return nil }
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{blind}, World: s.world()}
	if r, err := tr.Run(context.Background(), s.env(t, journalIn(t)), Choices{}); err != nil || r.Trouble() == nil || !strings.Contains(r.Trouble().Error(), "its result is not visible") {
		t.Error(err, r.Trouble())
	}
}

// No thing is read twice in one pass, unless something was done since.
func TestMemo(t *testing.T) {
	s := newShelf()
	a := waiter("x")
	b := waiter("x", a)
	b.Name = "again"
	s.person("x", "1")
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{a, b}, World: s.world()}
	if _, err := tr.Plan(context.Background(), s.env(t, journalIn(t))); err != nil || s.reads["x"] != 1 {
		t.Errorf("read %d times, %v", s.reads["x"], err)
	}
	s.run(t, journalIn(t), Choices{Until: "one"})
	if s.reads["one"] != 2 {
		t.Errorf("what was written is read %d times, want before and after", s.reads["one"])
	}
	v := NewView(s.env(t, journalIn(t)))
	broken := 0
	for range 2 {
		_, _ = Keep(v, "k", func() (int, error) { broken++; return 0, errors.New("broken") })
	}
	if broken != 2 {
		t.Error("a read that failed is kept for ever")
	}
}

// What a server repeats of a secret is not kept.
func TestSecretOfAnError(t *testing.T) {
	s := newShelf()
	one := maker("one", "1")
	one.Act = func(context.Context, *hand, Observation) error {
		return errors.New("404 https://hooks.example.com/s3cret")
	}
	env := s.env(t, journalIn(t))
	env.Hide = func(text string) string { return strings.ReplaceAll(text, "s3cret", "***") }
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{one}, World: s.world()}
	r, err := tr.Run(context.Background(), env, Choices{})
	if last := env.Journal.Records().Last("one"); err != nil || last.Kind != KindFailed || strings.Contains(last.Text+r.Of("one").Text, "s3cret") {
		t.Errorf("%v: %+v, %+v", err, last, r.Of("one"))
	}
}

// A cutLog cannot be made to last once a step has acted.
type cutLog struct{ Log }

func (l cutLog) Sync(ctx context.Context) error {
	if l.Records().Last("one", KindEffect) != nil && l.Records().Last("one", KindFailed) == nil {
		return errors.New("the journal is gone")
	}
	return l.Log.Sync(ctx)
}

// What has acted and cannot be seen is not failed because its record is lost: it is not known
// whether it was done, and the next run asks.
func TestEffectWithoutRecord(t *testing.T) {
	for _, doubt := range []bool{true, false} {
		s := newShelf()
		one := maker("one", "1")
		one.Doubt = doubt
		one.Act = func(_ context.Context, h *hand, _ Observation) error { h.Tell("by", "a hand"); return nil }
		env := s.env(t, journalIn(t))
		env.Journal = cutLog{env.Journal}
		tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{one}, World: s.world()}
		if r, err := tr.Run(context.Background(), env, Choices{}); err != nil || r.Of("one").State != Failed {
			t.Errorf("%+v, %v", r, err)
		}
		if last := env.Journal.Records().Last("one"); last.Kind != KindFailed || (last.Facts["unsure"] != "") != doubt {
			t.Errorf("doubt %v: %+v", doubt, last)
		}
	}
}
