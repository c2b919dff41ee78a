package campaign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// What GitHub asks of everyone: no more content in a minute and in an hour.
// Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
const (
	maxPerMinute = 80
	maxPerHour   = 500
)

// A Budget is how many pull requests an opener makes.
type Budget struct {
	PerMinute, PerHour int
}

// Check refuses a budget above what the forge permits.
func (b Budget) Check() error {
	switch {
	case b.PerMinute < 1 || b.PerMinute > maxPerMinute:
		return fmt.Errorf("%d a minute: 1 to %d, as GitHub permits", b.PerMinute, maxPerMinute)
	case b.PerHour < 1 || b.PerHour > maxPerHour:
		return fmt.Errorf("%d an hour: 1 to %d, as GitHub permits", b.PerHour, maxPerHour)
	}
	return nil
}

// spent is what was taken from the budget. It is in the store, so that no
// restart forgets it.
type spent struct {
	Times []int64 `json:"times"` // seconds of Unix, of the last hour; of an act under way, the latest at which it can happen
	// Limits are the times at which the forge wanted a pause. Each of the last
	// six hours halves the budget.
	Limits []int64 `json:"limits,omitempty"`
	Until  int64   `json:"until,omitempty"` // nothing is opened before
}

// limitPause is how long nothing is opened after a secondary limit, at least.
const limitPause = time.Hour

// longestPause is what a forge may ask for.
const longestPause = 24 * time.Hour

// halved is how long a secondary limit halves the budget.
const halved = 6 * time.Hour

// correct replaces what only a wrong clock can have noted.
func (s *spent) correct(now time.Time) {
	far := now.Add(leaseTime + clockError).Unix()
	for _, list := range [][]int64{s.Times, s.Limits} {
		for i := range list {
			if list[i] > far {
				list[i] = now.Unix()
			}
		}
	}
	if s.Until > now.Add(longestPause).Unix() {
		s.Until = now.Add(limitPause).Unix()
	}
}

// wait is how long the next act must wait.
func (s *spent) wait(now time.Time, b Budget) time.Duration {
	wait := time.Unix(s.Until, 0).Sub(now)
	for _, l := range s.Limits {
		if now.Sub(time.Unix(l, 0)) < halved {
			b = Budget{max(1, b.PerMinute/2), max(1, b.PerHour/2)}
		}
	}
	return max(0, wait, s.room(now, time.Minute, b.PerMinute), s.room(now, time.Hour, b.PerHour))
}

// room is when fewer than most acts lie within a window that ends then. A time
// that is yet to come counts: another machine's clock may be ahead. An act at a
// whole second counts until the second after the window's end.
func (s *spent) room(now time.Time, window time.Duration, most int) time.Duration {
	var ends []time.Duration
	for _, t := range s.Times {
		if end := time.Unix(t+1, 0).Add(window).Sub(now); end > 0 {
			ends = append(ends, end)
		}
	}
	if len(ends) < most {
		return 0
	}
	slices.Sort(ends)
	return ends[len(ends)-most]
}

// intend notes an act that happens before a time, and forgets what is long ago.
func (s *spent) intend(now, before time.Time) {
	s.Times = slices.DeleteFunc(s.Times, func(t int64) bool { return now.Sub(time.Unix(t, 0)) >= 2*time.Hour })
	s.Times = append(s.Times, before.Unix())
}

// done says when the act that was intended last has happened.
func (s *spent) done(now time.Time) { s.Times[len(s.Times)-1] = now.Unix() }

// forget removes the act that was intended last: it was refused, and nothing was made.
func (s *spent) forget() { s.Times = s.Times[:len(s.Times)-1] }

// limited notes that the forge wants a pause.
func (s *spent) limited(now time.Time, e *wire.RateError) {
	pause := e.Until.Sub(now) // much less than none, where it does not say
	if e.Secondary {
		s.Limits = append(s.Limits, now.Unix())
		pause = max(pause, limitPause)
	}
	s.Until = now.Add(max(pause, time.Minute)).Unix()
	s.correct(now)
}

// A Window is a time of the week in which pull requests are opened, in UTC.
type Window struct {
	Days     [7]bool // from Sunday
	From, To int     // minutes of the day; To is after From
}

// ParseWindow reads "Mon-Fri 09:00-17:00" or "Sat,Sun 00:00-24:00". Times are UTC.
func ParseWindow(text string) (Window, error) {
	bad := fmt.Errorf("window %q: want DAYS HH:MM-HH:MM in UTC, as in \"Mon-Fri 09:00-17:00\"", text)
	days, times, ok := strings.Cut(strings.TrimSpace(text), " ")
	from, to, ok2 := strings.Cut(strings.TrimSpace(times), "-")
	if !ok || !ok2 {
		return Window{}, bad
	}
	w := Window{}
	for part := range strings.SplitSeq(days, ",") {
		first, last, several := strings.Cut(part, "-")
		if !several {
			last = first
		}
		a, b := dayOf(first), dayOf(last)
		if a < 0 || b < 0 {
			return Window{}, bad
		}
		for d := a; ; d = (d + 1) % 7 {
			w.Days[d] = true
			if d == b {
				break
			}
		}
	}
	if w.From, ok = minutesOf(from); !ok {
		return Window{}, bad
	}
	if w.To, ok = minutesOf(to); !ok || w.To <= w.From {
		return Window{}, bad
	}
	return w, nil
}

func dayOf(name string) int {
	for d := range 7 {
		if strings.EqualFold(time.Weekday(d).String()[:3], name) {
			return d
		}
	}
	return -1
}

func minutesOf(text string) (int, bool) {
	var h, m int
	if n, err := fmt.Sscanf(text, "%d:%d", &h, &m); n != 2 || err != nil || h < 0 || m < 0 || m > 59 || h*60+m > 24*60 {
		return 0, false
	}
	return h*60 + m, true
}

// open says whether a time is in the window.
func (w Window) open(t time.Time) bool {
	t = t.UTC()
	m := t.Hour()*60 + t.Minute()
	return w.Days[t.Weekday()] && m >= w.From && m < w.To
}
