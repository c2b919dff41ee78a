package migrate

import (
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/racetest"
)

// TestNextGrowth: with the new core, too, the work on four times as much is about four
// times the work.
func TestNextGrowth(t *testing.T) {
	racetest.OneGoroutine(t)
	if testing.Short() {
		t.Skip("work is measured")
	}
	m := fuzzMigration(t)
	next := *m
	next.opts.Next = true
	for _, g := range growing {
		const most = 9.0 // four is linear, sixteen quadratic
		base := 8 << 10
		if work(&next, g.file, g.text(base/4), 1) > 16*time.Millisecond {
			base /= 4
		}
		ratio := most
		for runs := 1; runs < 7 && ratio >= most; runs++ {
			ratio = float64(work(&next, g.file, g.text(4*base), runs)) / float64(work(&next, g.file, g.text(base), runs+1))
		}
		if ratio >= most {
			t.Errorf("%s: four times the input is %.1f times the work", g.file, ratio)
		}
	}
}
