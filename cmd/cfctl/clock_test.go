package main

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// TestClock: what is waited for longest is said, and since when.
func TestClock(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
	w := waiting{"built:oven": at, "menu-merged": at.Add(5 * time.Minute)}
	if got := w.say(at.Add(2*time.Hour + 5*time.Minute)); got != "… waiting for built:oven since 12:30 (2 h 5 min) and for 1 more" {
		t.Errorf("%q", got)
	}
	if got := (waiting{}).say(at); got != "" {
		t.Errorf("%q", got)
	}
}

// TestLiveCount: files are counted on a terminal while they are read, and
// nowhere else.
func TestLiveCount(t *testing.T) {
	for _, live := range []bool{true, false} {
		var out bytes.Buffer
		term := newTerminal(nil, nil, &out, &out)
		term.live = live
		var n atomic.Int64
		n.Store(7)
		seen := make(chan bool, 1)
		stop := term.ticking(time.Millisecond, func() {
			term.status("reading: %s", report.Plural(int(n.Load()), "file"))
			select {
			case seen <- true:
			default:
			}
		})
		if live {
			<-seen
		}
		stop()
		if got := strings.Contains(out.String(), "reading: 7 files"); got != live {
			t.Errorf("live %v: %q", live, out.String())
		}
	}
}
