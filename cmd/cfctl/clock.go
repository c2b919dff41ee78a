package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

// ticking calls show now and then until stop is called, which waits for the
// last call. Where there is no live line it does nothing.
func (t *terminal) ticking(every time.Duration, show func()) (stop func()) {
	if t.quiet || !t.live {
		return func() {}
	}
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				show()
			}
		}
	})
	return func() {
		close(end)
		done.Wait()
	}
}

// counting keeps a live count of files while they are read.
func (t *terminal) counting(files *atomic.Int64) (stop func()) {
	return t.ticking(100*time.Millisecond, func() { t.status("reading: %s", report.Plural(int(files.Load()), "file")) })
}

// waiting is what a run waits for, by step, and since when.
type waiting map[string]time.Time

// say is the live line of what is waited for: the longest first.
func (w waiting) say(now time.Time) string {
	names := slices.SortedFunc(maps.Keys(w), func(a, b string) int { return cmp.Or(w[a].Compare(w[b]), cmp.Compare(a, b)) })
	if len(names) == 0 {
		return ""
	}
	since := w[names[0]]
	line := fmt.Sprintf("%s waiting for %s since %s (%s)", train.Marks[train.Waiting], names[0], since.Format("15:04"), train.Span(now.Sub(since)))
	if len(names) > 1 {
		line += fmt.Sprintf(" and for %d more", len(names)-1)
	}
	return line
}
