package release

import (
	"errors"
	"fmt"
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

// LagDeadline is when a release of the component must be taken in: by the end
// of the n-th sprint after the one that it came in. ok is false when the stack
// has it, or a later one.
func LagDeadline(s matrix.Sprint, rule matrix.Rule, c *stack.Component, newest, supported string, released time.Time) (d Deadline, ok bool, err error) {
	if newest == "" || supported != "" && semver.Compare(newest, supported) <= 0 {
		return d, false, nil
	}
	due, err := s.End(released, rule.Sprints)
	return Deadline{Component: c.Name, Version: newest, Released: Day{released}, Due: Day{due}, Supported: supported, Reason: rule.Reason}, err == nil, err
}
