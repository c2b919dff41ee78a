package objects

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
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
		"a look becomes old": {strings.Replace(strings.Join(lines, ""), "2026-11-08", "2026-11-07", 1), "key", 0, false},
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

// TestLooksOfWrongClocks: a clean look counts from no earlier than what is in front of it, and one of
// the future is none.
func TestLooksOfWrongClocks(t *testing.T) {
	day := time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "l")
	at := func(now time.Time, f func(*Ledger)) {
		t.Helper()
		l, err := OpenLedger(path, "jobs", true, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		f(l)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	at(day, func(l *Ledger) {
		if err := l.record(Entry{State: Created, Origin: Origin{ID: "a"}}); err != nil {
			t.Fatal(err)
		}
	})
	for _, x := range []struct {
		look  time.Time
		looks int // that count on that day
	}{{day.AddDate(0, 0, -10), 1}, {day, 2}, {day.AddDate(100, 0, 0), 0}, {day, 1}} {
		at(x.look, func(l *Ledger) {
			if err := l.observe(observation{Clean: true}); err != nil {
				t.Fatal(err)
			}
		})
		at(day, func(l *Ledger) {
			if since, looks, _ := l.cleanSince(); looks != x.looks || looks > 0 && !since.Equal(day) {
				t.Errorf("after a look at %v: %d looks since %v", x.look, looks, since)
			}
		})
	}
}

// TestNothingIsNotClean: a look at an empty source, which may be one that did not
// answer, is none that a switch can count on.
func TestNothingIsNotClean(t *testing.T) {
	r := newRun(t, t.TempDir(), "", true)
	if _, err := r.Drift(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.Ledger.seen) != 1 || r.Ledger.seen[0].Clean {
		t.Errorf("observed: %+v", r.Ledger.seen)
	}
}

// TestEmptiedSourceIsNotVerified: a source that had objects and has none, as when the
// cluster does not serve their kind any more, verifies nothing.
func TestEmptiedSourceIsNotVerified(t *testing.T) {
	dir := t.TempDir()
	if r, err := newRun(t, dir, list(2), true).Apply(t.Context()); err != nil || r.Counts[StatusCreated] != 2 {
		t.Fatal(r, err)
	}
	r, err := newRun(t, dir, "", false).Verify(t.Context())
	if err != nil || len(r.Notes) != 1 || r.Notes[0].Rule != "source-empty" || r.Notes[0].Severity != report.Error {
		t.Errorf("%+v, %v", r.Notes, err)
	}
}
