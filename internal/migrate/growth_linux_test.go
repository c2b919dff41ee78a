package migrate

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/racetest"
	"github.com/project-codeflare/cfctl/internal/source"
)

func TestEveryFormatGrows(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range growing {
		seen[syntax.FormatOf(g.file, []byte(g.text(1000)))] = true
	}
	for _, name := range Formats() {
		if !seen[name] {
			t.Errorf("no row of growing is a file of the format %s", name)
		}
	}
}

func TestGrowth(t *testing.T) {
	racetest.OneGoroutine(t)
	if testing.Short() {
		t.Skip("work is measured")
	}
	m := fuzzMigration(t)
	dual := *m
	dual.opts.Dual = true
	for _, g := range growing {
		for _, m := range []*Migration{m, &dual} {
			if m.opts.Dual && !strings.HasSuffix(g.file, ".yaml") {
				continue
			}
			const most = 9.0 // four is linear, sixteen quadratic
			base := 8 << 10
			if work(m, g.file, g.text(base/4), 1) > 16*time.Millisecond {
				base /= 4 // what looks far around each name is told by less of it
			}
			ratio := most
			for runs := 1; runs < 7 && ratio >= most; runs++ { // what is linear is so at once, mostly
				ratio = float64(work(m, g.file, g.text(4*base), runs)) / float64(work(m, g.file, g.text(base), runs+1))
			}
			if ratio >= most {
				t.Errorf("%s (dual %v): four times the input is %.1f times the work", g.file, m.opts.Dual, ratio)
			}
		}
	}
}

// work is the time that the processor works on a text, whatever else it does:
// the least of some runs, at least what the clock can tell.
func work(m *Migration, name, text string, runs int) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Hour
	for range runs {
		before := processorTime()
		if f := fileOf(m, name, []byte(text)); f != nil && f.Skip == nil {
			if _, err := source.Apply([]byte(text), f.Edits([]byte(text))); err != nil {
				panic(err)
			}
		}
		least = min(least, processorTime()-before)
	}
	return max(least, 2*time.Millisecond)
}

func processorTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var r syscall.Rusage
	if err := syscall.Getrusage(thread, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
