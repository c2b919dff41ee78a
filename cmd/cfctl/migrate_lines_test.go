package main

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

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
