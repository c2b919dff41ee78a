package release

import (
	"time"

	"github.com/project-codeflare/cfctl/internal/matrix"
)

// A Due is the release of a day, or the next one after it.
type Due struct {
	Today  bool   `json:"due"`
	Sprint int    `json:"sprint"`          // whose release it is
	Day    Day    `json:"day"`             // when it is released
	Held   string `json:"held,omitempty"`  // the reason of the freeze that moved it; empty with Moved = not said
	Moved  bool   `json:"moved,omitempty"` // by a freeze, from the first working day after the sprint
}

// longestHold is how far back a sprint is looked for whose release a freeze
// still holds.
const longestHold = 366

// ReleaseDue finds the release that is due on a day: that of the first working
// day after a sprint, or, where freezes hold it, the first working day after
// them. Of two that a freeze moved to one day the newer one is due.
func ReleaseDue(s matrix.Sprint, freezes []Window, day time.Time) (Due, error) {
	today := dayOf(day)
	n := 3
	if s.Weeks > 0 {
		n += longestHold / (7 * s.Weeks)
	}
	sprints, err := Sprints(s, today.AddDate(0, 0, -longestHold), n)
	if err != nil {
		return Due{}, err
	}
	var next Due
	for _, sprint := range sprints {
		d := thawed(sprint, freezes)
		switch {
		case sprint.Number < 1 || d.Day.Before(today.Time):
		case d.Day.Equal(today.Time):
			d.Today = true
			next = d
		case next.Sprint == 0:
			next = d
		}
	}
	if next.Sprint == 0 { // the calendar has not begun, or a freeze holds all
		first, err := Sprints(s, start(s), 1)
		if err != nil {
			return Due{}, err
		}
		next = thawed(first[0], freezes)
	}
	return next, nil
}

// start is the first day of a calendar that was checked.
func start(s matrix.Sprint) time.Time {
	t, _ := time.Parse(time.DateOnly, s.Start) // Sprints said so
	return t
}

// thawed is the release of a sprint, after the freezes that hold it.
func thawed(sprint SprintPlan, freezes []Window) Due {
	d := Due{Sprint: sprint.Number, Day: sprint.Release}
	for moved := true; moved; {
		moved = false
		for _, w := range freezes {
			last := dayOf(w.Until.Add(-time.Nanosecond))
			if !d.Day.Before(dayOf(w.From).Time) && !d.Day.After(last.Time) {
				d.Day, d.Held, d.Moved, moved = Day{workingDay(last.AddDate(0, 0, 1), 1)}, w.Reason, true, true
			}
		}
	}
	return d
}
