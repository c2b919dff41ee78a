package objects

import (
	"os"
	"strings"
	"testing"
	"time"
)

// What was seen counts with the seal of the user's key alone: not a line that someone adds, not
// the lines around one that was removed, and not the lines of another ledger or key.
func TestSealedObservations(t *testing.T) {
	clock := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { clock = clock.Add(24 * time.Hour); return clock }
	open := func(path, key string) *Ledger {
		t.Helper()
		l, err := OpenLedger(path, "copies", true, now)
		if err != nil {
			t.Fatal(err)
		}
		l.SealWith([]byte(key))
		return l
	}
	path := writeLedger(t, firstLine)
	l := open(path, "key")
	for _, clean := range []bool{true, true, false, true, true, true} {
		if err := l.observe(observation{Counters: map[string]int{"in-sync": 1}, Clean: clean}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(readText(t, path), "\n")
	forged := `{"observed":{"time":"2026-11-01T00:00:00Z","counters":{"in-sync":1},"clean":true}}` + "\n"
	for name, x := range map[string]struct {
		text, key string
		looks     int
		sealed    bool
	}{
		"as it is":           {strings.Join(lines, ""), "key", 3, true},
		"without a key":      {strings.Join(lines, ""), "", 0, false},
		"of another key":     {strings.Join(lines, ""), "other", 0, false},
		"a line is added":    {strings.Join(lines, "") + forged, "key", 0, false},
		"one is taken out":   {strings.Join(lines[:3], "") + strings.Join(lines[4:], ""), "key", 2, false},
		"of another ledger":  {strings.Replace(strings.Join(lines, ""), `{"ledger":"`, `{"ledger":"0`, 1), "key", 0, false},
		"a look becomes old": {strings.Replace(strings.Join(lines, ""), "2026-11-07", "2026-11-06", 1), "key", 0, false},
	} {
		if err := os.WriteFile(path, []byte(x.text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(path, x.key)
		if since, looks, sealed := l.cleanSince(); looks != x.looks || sealed != x.sealed || since.IsZero() != (looks == 0) {
			t.Errorf("%s: %d looks since %v, sealed %v", name, looks, since, sealed)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
