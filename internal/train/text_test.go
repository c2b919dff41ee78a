package train

import (
	"testing"
	"time"
)

// TestClock: what is waited for longest is said, and since when.
func TestClock(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
	w := Waits{"built:oven": at, "menu-merged": at.Add(5 * time.Minute)}
	if got := w.Say(at.Add(2*time.Hour + 5*time.Minute)); got != "… waiting for built:oven since 12:30 (2 h 5 min) and for 1 more" {
		t.Errorf("%q", got)
	}
	if got := (Waits{}).Say(at); got != "" {
		t.Errorf("%q", got)
	}
}
