package campaign

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestChecksAreWaitedFor opens two, and goes on when follow has seen that the
// checks of one are over.
func TestChecksAreWaitedFor(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	p := w.plan()
	w.work(p)
	two := func(o *Open) { o.MaxPending = 2 }
	if n := w.run(p, two); n != 2 {
		t.Errorf("opened %d", n)
	}
	w.follow()
	if n := w.run(p, two); n != 0 {
		t.Errorf("opened %d while two wait", n)
	}
	w.forge.Pulls[0].Checks = "FAILURE"
	w.follow()
	if n := w.run(p, two); n != 1 {
		t.Errorf("opened %d after the checks of one were over", n)
	}
}

// TestLimitIsObeyed has a forge that wants a pause after the second.
func TestLimitIsObeyed(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	w.forge.PerHour = 2
	p := w.plan()
	w.work(p)
	start := w.clock()
	if n := w.run(p); n != 3 || len(w.forge.Pulls) != 3 || w.forge.Counts["limited"] != 1 {
		t.Errorf("opened %d, refused %d times", n, w.forge.Counts["limited"])
	}
	if took := w.clock().Sub(start); took < limitPause {
		t.Errorf("went on after %v", took)
	}
	o := w.opens(func(o *Open) { o.For = time.Minute; o.Windows = []Window{{From: 0, To: 1}} })
	if n, err := o.Run(t.Context(), p); n != 0 || err != nil {
		t.Errorf("outside of the windows: %d, %v", n, err)
	}
}

// TestBudgetHoldsInEveryWindow opens at random for a day, with kills and clocks
// that differ: no minute and no hour has more than the budget.
func TestBudgetHoldsInEveryWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, b := range []Budget{{5, 200}, {80, 500}, {1, 1}, {7, 20}} {
		var s spent
		var acts []time.Time
		now := time.Unix(1_000_000, 0)
		for range 3000 {
			if wait := s.wait(now, b); wait > 0 {
				now = now.Add(wait)
				continue
			}
			s.intend(now, now.Add(leaseTime))
			now = now.Add(time.Duration(r.IntN(2000)) * time.Millisecond)
			acts = append(acts, now)
			if r.IntN(50) > 0 { // else it was killed before it could say when
				s.done(now)
			}
			now = now.Add(time.Duration(r.IntN(500)) * time.Millisecond)
		}
		for i, at := range acts {
			for _, x := range []struct {
				window time.Duration
				most   int
			}{{time.Minute, b.PerMinute}, {time.Hour, b.PerHour}} {
				if i >= x.most && at.Sub(acts[i-x.most]) < x.window {
					t.Fatalf("%v: more than %d in %v", b, x.most, at.Sub(acts[i-x.most]))
				}
			}
		}
	}
	var s spent
	s.limited(time.Unix(0, 0), &wire.RateError{Secondary: true})
	if s.wait(time.Unix(1, 0), Budget{5, 200}) < 59*time.Minute {
		t.Error("no pause after a secondary limit")
	}
	var far spent
	far.limited(time.Unix(0, 0), &wire.RateError{Secondary: true, Until: time.Unix(1<<32, 0)})
	if wait := far.wait(time.Unix(1, 0), Budget{5, 200}); wait > limitPause {
		t.Errorf("the forge asks for %v", wait)
	}
	after := time.Unix(0, 0).Add(time.Hour)
	for range 2 {
		s.intend(after, after)
	}
	if s.wait(after, Budget{5, 200}) == 0 || s.wait(after, Budget{10, 200}) > 0 {
		t.Error("a secondary limit halves the budget")
	}
	for _, b := range []Budget{{0, 1}, {81, 1}, {1, 0}, {1, 501}} {
		if b.Check() == nil {
			t.Errorf("%v", b)
		}
	}
}

// TestOpenStopsAtItsBounds has a bound of open ones, and a token without the
// scope for workflows.
func TestOpenStopsAtItsBounds(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	w.commit("acme/flow", "main", map[string]string{".github/workflows/x.yaml": "run: kubectl get appwrappers.mcad.ibm.com\n"})
	w.forge.Add("acme/flow").Size = 1000 // the first
	w.forge.Scopes = "repo"
	p := w.plan()
	w.work(p)
	w.run(p, func(o *Open) { o.MaxOpen, o.Workflows = 2, true })
	if got := w.stages(); len(w.forge.Pulls) != 2 || got["acme/flow"] != Blocked {
		t.Errorf("%v", got)
	}
	w.forge.Scopes = "repo, workflow"
	w.run(p, func(o *Open) { o.MaxOpen, o.Workflows = 4, true }) // what was blocked is tried after the others
	if got := w.stages(); len(w.forge.Pulls) != 4 || got["acme/flow"] != Opened {
		t.Errorf("with the scope: %v", got)
	}
	body := p.Body(&Result{Proven: 278, Files: 2, Review: 3, ToReview: []string{"a.go:1: ` @everyone <img>"}, Owners: []string{"@acme/platform"}})
	for _, want := range []string{"278 places", "@acme/platform", "<!-- cfctl-campaign groups " + p.Commit, "and 2 more"} {
		if !strings.Contains(body, want) {
			t.Errorf("the body lacks %q:\n%s", want, body)
		}
	}
}

// TestWindows reads times of the week.
func TestWindows(t *testing.T) {
	w, err := ParseWindow("Fri-Mon,Wed 09:00-17:30")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{"2026-11-02T09:00:00Z": true, "2026-11-02T08:59:59Z": false, "2026-11-02T17:30:00Z": false, "2026-11-03T12:00:00Z": false, "2026-11-04T12:00:00Z": true, "2026-11-08T12:00:00Z": true, "2026-11-02T18:00:00+02:00": true} {
		when, _ := time.Parse(time.RFC3339, at)
		if w.open(when) != want {
			t.Errorf("%s: %v", at, !want)
		}
	}
	for _, bad := range []string{"", "Mon", "Mon 9-5", "Mo 09:00-10:00", "Mon 10:00-09:00", "Mon 00:00-24:01", "Mon 00:60-02:00"} {
		if _, err := ParseWindow(bad); err == nil {
			t.Errorf("%q", bad)
		}
	}
}
