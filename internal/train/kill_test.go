package train

import (
	"context"
	"testing"
)

// killed runs toys to the end, with a kill at one chance (before and after every
// write and every record), and gives how many chances there were.
func killed(t *testing.T, at int) (s *shelf, chances int) {
	t.Helper()
	s = newShelf()
	path := journalIn(t)
	for range 8 {
		ctx, cancel := context.WithCancelCause(context.Background())
		chance := func() {
			chances++
			if chances == at {
				cancel(errKilled)
			}
			if ctx.Err() != nil {
				panic(errKilled)
			}
		}
		r := s.life(ctx, t, path, chance)
		cancel(nil)
		if r != nil && r.Complete() {
			return s, chances
		}
		s.person("three", "3")
	}
	t.Fatalf("killed at %d: it never arrives: %s", at, s.written())
	return nil, 0
}

// life is one process: nil when it was killed.
func (s *shelf) life(ctx context.Context, t *testing.T, path string, chance func()) (r *Result) {
	env := s.env(t, path)
	file := env.Journal
	defer file.Close()
	train, dead := toys(s), false
	for _, step := range train.Steps {
		if act := step.Act; act != nil {
			step.Act = func(ctx context.Context, h *hand, seen Observation) (err error) {
				defer func() {
					if p := recover(); p != nil {
						dead, err = true, errKilled
					}
				}()
				return act(ctx, h, seen)
			}
		}
	}
	s.chance = chance
	defer func() { s.chance = func() {} }()
	env.Journal = &mortal{file, chance, &dead}
	r, err := train.Run(ctx, env, Choices{Yes: []string{"approve:four"}, Who: "rita"})
	if dead || err != nil {
		return nil
	}
	return r
}

// A mortal journal dies before or after a record.
type mortal struct {
	Log
	chance func()
	dead   *bool
}

func (m *mortal) Append(ctx context.Context, r Record) (err error) {
	defer func() {
		if p := recover(); p != nil {
			*m.dead, err = true, errKilled
		}
	}()
	m.chance()
	err = m.Log.Append(ctx, r)
	m.chance()
	return err
}

// A kill before or after any record and any write ends in the same world, with
// each thing written once.
func TestKillAnywhere(t *testing.T) {
	_, chances := killed(t, 0)
	if chances < 20 {
		t.Fatalf("only %d chances", chances)
	}
	for at := 1; at <= chances; at++ {
		if s, _ := killed(t, at); s.written() != "one=1 two=2 four=4" {
			t.Errorf("killed at %d: %s", at, s.written())
		}
	}
}
