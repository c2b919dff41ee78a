package schedule

import (
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/matrix"
)

// TestReleaseDue: on each day of a year exactly the release days are due, and
// each sprint is due once.
func TestReleaseDue(t *testing.T) {
	s := matrix.Sprint{Start: "2026-01-05", Weeks: 3}
	date := func(text string) time.Time {
		d, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	freezes := []Window{
		{From: date("2026-02-16"), Until: date("2026-02-21"), Reason: "the fair"},   // sprint 2 waits until the Monday after
		{From: date("2026-04-20"), Until: date("2026-04-25"), Reason: "one"},        // sprint 5, and
		{From: date("2026-04-25"), Until: date("2026-06-09"), Reason: "a long one"}, // what follows it: 6 and 7 come with it
	}
	due := map[int]string{}
	for d := date("2025-12-01"); d.Before(date("2026-12-31")); d = d.AddDate(0, 0, 1) {
		got, err := ReleaseDue(s, freezes, d.Add(13*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if got.Today != got.Day.Equal(d) || got.Day.Before(d) || got.Sprint < 1 {
			t.Fatalf("%s: %+v", d.Format(time.DateOnly), got)
		}
		if got.Today {
			if other := due[got.Sprint]; other != "" {
				t.Errorf("sprint %d is due on %s and %s", got.Sprint, other, got.Day)
			}
			due[got.Sprint] = got.Day.String()
		}
	}
	for sprint, want := range map[int]string{1: "2026-01-26", 2: "2026-02-23", 3: "2026-03-09", 4: "2026-03-30", 5: "", 6: "", 7: "2026-06-09", 8: "2026-06-22", 9: "2026-07-13"} {
		if due[sprint] != want {
			t.Errorf("sprint %d: due on %q, want %q", sprint, due[sprint], want)
		}
	}
	if _, err := ReleaseDue(matrix.Sprint{}, nil, date("2026-01-01")); err == nil {
		t.Error("no calendar, no error")
	}
}
