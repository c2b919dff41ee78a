package source

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each calls do for 0 to n-1 from several workers at once. The first error, or
// the end of ctx, stops the others and is returned.
func Each(ctx context.Context, n, workers int, do func(i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	work := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := do(i); err != nil {
				cancel(err)
			}
		}
	}
	for range min(n, workers) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return context.Cause(ctx)
}
