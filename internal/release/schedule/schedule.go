// Package schedule knows the days of sprints and their releases, and the windows in which
// none may begin.
package schedule

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Days that ADR PCF-ADR-0003 names.
const (
	freezeDays     = 2 // working days before the end of a sprint
	downstreamDays = 7 // within a week of the release, step 8
)

// A Day is a calendar day, printed as YYYY-MM-DD.
type Day struct{ time.Time }

func (d Day) String() string { return d.Format(time.DateOnly) }

// MarshalJSON spells the day.
func (d Day) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// A SprintPlan is one sprint with the days of its release. Until and the ends
// of windows are last days, included.
type SprintPlan struct {
	Number      int `json:"number"` // 1 is the sprint that the calendar starts with
	From        Day `json:"from"`
	Until       Day `json:"until"`
	FreezeFrom  Day `json:"freezeFrom"` // only what the release needs is merged from here on
	FreezeUntil Day `json:"freezeUntil"`
	Release     Day `json:"release"`    // the first working day after the sprint
	Downstream  Day `json:"downstream"` // the downstream documents must name the release by then
}

// A Deadline is the day by which a new release of a component must be taken in.
type Deadline struct {
	Component string `json:"component"`
	Version   string `json:"version"`  // the new release
	Released  Day    `json:"released"` // the day of its tag
	Due       Day    `json:"due"`
	Supported string `json:"supported,omitempty"` // what the stack has now; empty = nothing
	Reason    string `json:"reason"`
}

// A Freeze is a declared period in which no release may begin.
type Freeze struct {
	From   Day    `json:"from"`
	Until  Day    `json:"until"` // the last day of it, included
	Reason string `json:"reason,omitempty"`
	Held   []int  `json:"held,omitempty"` // numbers of the sprints whose release falls into it
}

// A Window is a period of time.
type Window struct {
	From   time.Time `yaml:"from"`   // when it begins: a date, or a date with a time
	Until  time.Time `yaml:"until"`  // when it is over
	Reason string    `yaml:"reason"` // said when a release is refused
}

// Freezes are the windows of a recipe that touch the time of the sprints, from
// the first day of the first to the last release, as days of UTC.
func Freezes(windows []Window, sprints []SprintPlan) []Freeze {
	list := []Freeze{}
	for _, w := range windows {
		f := Freeze{From: dayOf(w.From), Until: dayOf(w.Until.Add(-time.Nanosecond)), Reason: w.Reason}
		if len(sprints) == 0 || f.Until.Before(sprints[0].From.Time) || f.From.After(sprints[len(sprints)-1].Release.Time) {
			continue
		}
		for _, s := range sprints {
			if !s.Release.Before(f.From.Time) && !s.Release.After(f.Until.Time) {
				f.Held = append(f.Held, s.Number)
			}
		}
		list = append(list, f)
	}
	return list
}

func dayOf(t time.Time) Day { return Day{t.UTC().Truncate(24 * time.Hour)} }

// Sprints lists n sprints of a calendar, the first being the one that day lies
// in. A calendar without length is an error.
func Sprints(s matrix.Sprint, day time.Time, n int) ([]SprintPlan, error) {
	if s.Weeks <= 0 {
		return nil, errors.New("no sprints are declared")
	}
	start, err := time.Parse(time.DateOnly, s.Start)
	if err != nil {
		return nil, fmt.Errorf("start of the sprints: %w", err)
	}
	var list []SprintPlan
	for i := range n {
		last, err := s.End(day, i)
		if err != nil {
			return nil, err
		}
		first := last.AddDate(0, 0, 1-7*s.Weeks)
		p := SprintPlan{From: Day{first}, Until: Day{last}, FreezeUntil: Day{workingDay(last, -1)}}
		p.Number = int(first.Sub(start).Hours()/24)/(7*s.Weeks) + 1
		p.FreezeFrom = p.FreezeUntil
		for range freezeDays - 1 {
			p.FreezeFrom = Day{workingDay(p.FreezeFrom.AddDate(0, 0, -1), -1)}
		}
		p.Release = Day{workingDay(last.AddDate(0, 0, 1), 1)}
		p.Downstream = Day{p.Release.AddDate(0, 0, downstreamDays)}
		list = append(list, p)
	}
	return list, nil
}

// workingDay is the day itself, or the next one in a direction that is neither
// Saturday nor Sunday.
func workingDay(day time.Time, direction int) time.Time {
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, direction)
	}
	return day
}

// lagDeadline is when a release of the component must be taken in: by the end
// of the n-th sprint after the one that it came in. ok is false when the stack
// has it, or a later one.
func lagDeadline(s matrix.Sprint, rule matrix.Rule, c *stack.Component, newest, supported string, released time.Time) (d Deadline, ok bool, err error) {
	if newest == "" || supported != "" && semver.Compare(newest, supported) <= 0 {
		return d, false, nil
	}
	due, err := s.End(released, rule.Sprints)
	return Deadline{Component: c.Name, Version: newest, Released: Day{released}, Due: Day{due}, Supported: supported, Reason: rule.Reason}, err == nil, err
}

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

// WriteICS writes the sprints, freezes and deadlines as an iCalendar file (RFC 5545) of
// whole-day events. It is the same for the same dates: nothing of it depends
// on when it is written.
func WriteICS(w io.Writer, name string, sprints []SprintPlan, freezes []Freeze, deadlines []Deadline) error {
	var c calendar
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.line("PRODID", "-//project-codeflare//cfctl//EN")
	c.line("CALSCALE", "GREGORIAN")
	c.line("X-WR-CALNAME", text(name+" releases"))
	for _, s := range sprints {
		title := fmt.Sprintf("%s: sprint %d", name, s.Number)
		c.event(fmt.Sprintf("sprint-%s", s.From), s.From, s.Until, title, "")
		c.event(fmt.Sprintf("freeze-%s", s.FreezeFrom), s.FreezeFrom, s.FreezeUntil, title+": code freeze", "only what the release needs is merged")
		c.event(fmt.Sprintf("release-%s", s.Release), s.Release, s.Release, title+": release", "")
		c.event(fmt.Sprintf("downstream-%s", s.Downstream), s.Downstream, s.Downstream, title+": downstream documents due", "a week after the release")
	}
	for _, f := range freezes {
		c.event(fmt.Sprintf("no-release-%s", f.From), f.From, f.Until, name+": no release", f.Reason)
	}
	for _, d := range deadlines {
		c.event(fmt.Sprintf("due-%s-%s", d.Component, d.Version), d.Due, d.Due, fmt.Sprintf("%s: take in %s %s", name, d.Component, d.Version), d.Reason)
	}
	c.line("END", "VCALENDAR")
	_, err := io.WriteString(w, c.String())
	return err
}

type calendar struct{ strings.Builder }

// event is one all-day event; until is its last day.
func (c *calendar) event(uid string, from, until Day, title, description string) {
	c.line("BEGIN", "VEVENT")
	c.line("UID", uid+"@cfctl.project-codeflare")
	c.line("DTSTAMP", from.UTC().Format("20060102")+"T000000Z")
	c.line("DTSTART;VALUE=DATE", from.Format("20060102"))
	c.line("DTEND;VALUE=DATE", until.AddDate(0, 0, 1).Format("20060102"))
	c.line("SUMMARY", text(title))
	if description != "" {
		c.line("DESCRIPTION", text(description))
	}
	c.line("TRANSP", "TRANSPARENT")
	c.line("END", "VEVENT")
}

// text escapes a value (RFC 5545, 3.3.11).
func text(s string) string {
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`).Replace(s)
}

// maxOctets is the length of a line without its end (RFC 5545, 3.1).
const maxOctets = 75

// line writes a property, folded between characters.
func (c *calendar) line(name, value string) {
	length := 0
	for _, r := range name + ":" + value {
		n := len(string(r))
		if length+n > maxOctets {
			c.WriteString("\r\n ")
			length = 1
		}
		c.WriteRune(r)
		length += n
	}
	c.WriteString("\r\n")
}
