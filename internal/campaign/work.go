package campaign

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Work evaluates the repositories of shards of a campaign. It reads from them, and
// writes nothing but the store.
type Work struct {
	Store *Store
	Jobs  int                                       // repositories at a time; at least 1
	Read  func(config []byte) (Acknowledged, error) // reads .cfctl.yaml of a repository; nil = it has no say
	Told  func(r *Result)                           // of each new result; may be nil
	// Evaluate evaluates one repository, such as Apart; nil = in this process.
	Evaluate func(ctx context.Context, o *Order) (*Result, error)
}

// Worked counts what a run of work did.
type Worked struct {
	Repositories int // of the shard
	Held         int // whose result still holds
	Changed      int
	Nothing      int
	Trouble      int
}

// Shard evaluates one shard of a plan. A result that still holds is kept: a run
// that was killed goes on where its last lot ended.
func (w *Work) Shard(ctx context.Context, p *Plan, index, of int) (Worked, error) {
	repos, err := p.Shard(index, of)
	if err != nil {
		return Worked{}, err
	}
	done := Worked{Repositories: len(repos)}
	evaluate := w.Evaluate
	if evaluate == nil {
		evaluate = func(ctx context.Context, o *Order) (*Result, error) { return o.Evaluate(ctx, w.Read) }
	}
	if _, err := p.migration(nil); err != nil {
		return done, err // no repository could be evaluated
	}
	old, err := w.Store.Results(ctx, p.Digest())
	if err != nil {
		return done, err
	}
	at, err := w.Store.ref(ctx, fmt.Sprintf("shards/%04d", index))
	if err != nil {
		return done, err
	}
	out := &writer{ref: at, plan: p.Commit, last: w.Store.Now()}
	var held, changed, nothing, trouble atomic.Int64
	err = source.Each(ctx, len(repos), max(w.Jobs, 1), func(i int) error {
		r, err := evaluate(ctx, &Order{Plan: p, Repository: repos[i], Old: old[repos[i].Key]})
		if err != nil {
			return err
		}
		last := old[repos[i].Key]
		if r == nil {
			held.Add(1)
			return nil
		}
		switch r.State {
		case Changed:
			changed.Add(1)
		case Trouble:
			trouble.Add(1)
		default:
			nothing.Add(1)
		}
		if r.same(last) {
			return nil // the same trouble: the store has it
		}
		r.Written = stamp(w.Store.Now())
		if w.Told != nil {
			w.Told(r)
		}
		return out.add(ctx, r)
	})
	done.Held, done.Changed, done.Nothing, done.Trouble = int(held.Load()), int(changed.Load()), int(nothing.Load()), int(trouble.Load())
	if ctx.Err() != nil { // what was evaluated is kept
		ctx = context.WithoutCancel(ctx)
	}
	if ferr := out.flush(ctx); err == nil {
		err = ferr
	}
	return done, err
}

// same says whether two results differ in nothing but when they were written.
func (r *Result) same(old *Result) bool {
	if old == nil {
		return false
	}
	a, b := *r, *old
	a.Written, b.Written = "", ""
	return reflect.DeepEqual(a, b)
}
