package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"testing"
	"time"
)

// A clocked target is one with a clock of its own, that keeps nothing.
type clocked struct {
	ahead      time.Duration
	created    atomic.Int64
	created2nd func() // after the second creation
}

func (c *clocked) Name() string                                             { return "a server" }
func (c *clocked) List(context.Context, Resource, func(Object) error) error { return nil }
func (c *clocked) Delete(context.Context, Resource, Stored) error           { return nil }
func (c *clocked) Get(context.Context, Resource, Ref) (Object, error)       { return nil, fs.ErrNotExist }

func (c *clocked) Create(ctx context.Context, _ Resource, o Object) (Object, error) {
	n := c.created.Add(1)
	if n == 2 && c.created2nd != nil {
		c.created2nd()
	}
	made := Copy(o)
	meta := Map(made, "metadata")
	meta["uid"], meta["creationTimestamp"] = fmt.Sprint(n), time.Now().Add(c.ahead).UTC().Format(time.RFC3339)
	return made, ctx.Err()
}

// phased is copies, in phases: the first object, then the others.
type phased struct {
	copies
	each func(n int) // called before each object is emitted
}

func (k phased) Items(ctx context.Context, emit func(*Item) error) error {
	n := 0
	return k.copies.Items(ctx, func(it *Item) error {
		n++
		if it.Phase = min(n, 2); k.each != nil {
			it.Phase = 0
			k.each(n)
		}
		return emit(it)
	})
}

// TestPhasesAreASecondApart: the next phase begins a whole second after the
// server created the last object, whatever its clock says.
func TestPhasesAreASecondApart(t *testing.T) {
	for _, ahead := range []time.Duration{0, -5 * time.Second, -time.Hour, 5 * time.Second, time.Hour} {
		r := newRun(t, t.TempDir(), list(2), true)
		r.Kind, r.Target = phased{r.Kind.(copies), nil}, &clocked{ahead: ahead}
		var slept time.Duration
		begun := time.Now()
		r.Sleep = func(_ context.Context, d time.Duration) error {
			slept += d
			return nil
		}
		if _, err := r.Apply(context.Background()); err != nil {
			t.Fatal(err)
		}
		if slept > 1100*time.Millisecond || slept+time.Since(begun) < time.Second {
			t.Errorf("clock %v ahead: slept %v", ahead, slept)
		}
	}
}

// TestInterruptedApply: nothing is created after an interrupt, and what was
// begun before it is in the ledger.
func TestInterruptedApply(t *testing.T) {
	t.Run("while the source is read", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		r, target := newRun(t, t.TempDir(), list(10), true), &clocked{}
		r.Target, r.Kind = target, phased{r.Kind.(copies), func(n int) {
			if n == 10 {
				cancel()
			}
		}}
		if _, err := r.Apply(ctx); !errors.Is(err, context.Canceled) || target.created.Load() > 0 {
			t.Errorf("%d created, %v", target.created.Load(), err)
		}
	})
	t.Run("while objects are created", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		r, target := newRun(t, t.TempDir(), list(10), true), &clocked{created2nd: cancel}
		r.Target, r.Kind = target, phased{r.Kind.(copies), nil} // one after another
		_, err := r.Apply(ctx)
		ends := 0
		for _, e := range r.Ledger.Entries() {
			if e.State == Created {
				ends++
			}
		}
		if !errors.Is(err, context.Canceled) || target.created.Load() != 2 || ends != 2 {
			t.Errorf("%d created, %d of them in the ledger, %v", target.created.Load(), ends, err)
		}
	})
}
