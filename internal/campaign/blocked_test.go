package campaign

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestRefusedPushIsTriedAgain has a rule refuse a push, the default branch move,
// and the rule go: the repository is blocked until then, counts as left, takes
// nothing of the budget, and is opened.
func TestRefusedPushIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.seed(2)
	w.rule("acme/r00", true)
	p := w.plan()
	for round := range 3 {
		w.work(p)
		w.run(p, func(o *Open) { o.Budget = Budget{1, 1} })
		st, err := Count(t.Context(), w.open())
		if err != nil || !st.Left || st.Counts["blocked"] != 1 || st.Counts["open"] != 1 || !strings.Contains(st.Rows[0].Text, "GH013") {
			t.Fatalf("round %d: %v, %v", round, st, err)
		}
		w.commit("acme/r00", "main", map[string]string{"b.yaml": oldManifest, "c.md": fmt.Sprint(round)})
	}
	w.work(p)
	w.rule("acme/r00", false)
	if n := w.run(p); n != 1 || w.stages()["acme/r00"] != Opened {
		t.Errorf("opened %d, %v", n, w.stages())
	}
}

// TestDeclinedMeansThatAPersonClosed runs random sequences of events. A repository
// is declined only if a pull request existed and a maintainer closed it or removed its
// branch; and when no one did, and nothing refuses any more, it is open or merged.
func TestDeclinedMeansThatAPersonClosed(t *testing.T) {
	for seed := range int64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t)
			w.seed(1)
			const name = "acme/r00"
			p := w.plan()
			random, log, closed, version := rand.New(rand.NewSource(seed)), []string{}, false, 1
			events := []struct {
				name string
				do   func()
			}{
				{"refuse", func() { w.rule(name, true) }},
				{"allow", func() { w.rule(name, false) }},
				{"move", func() { w.commit(name, "main", map[string]string{fmt.Sprintf("m%d.yaml", len(log)): oldManifest}) }},
				{"plan", func() {
					version++
					p = w.plan(func(p *Plan) { p.Version = fmt.Sprint("v", version) })
				}},
				{"work", func() { w.work(p) }},
				{"open", func() { w.run(p) }},
				{"conflict", func() {
					if pull := w.forge.Newest(name); pull != nil {
						pull.Conflicts = true
					}
				}},
				{"kill", func() { w.work(p); _ = w.killed(p, 1+random.Intn(6)) }},
				{"hide", func() { // the forge answers, and not about it
					pulls := w.forge.Pulls
					w.forge.Pulls = nil
					w.follow()
					w.forge.Pulls = pulls
				}},
				{"close", func() {
					if pull := w.forge.Newest(name); pull != nil && pull.State == "open" && random.Intn(3) == 0 {
						w.forge.Close(pull)
						closed = true
					}
				}},
			}
			for range 10 {
				e := events[random.Intn(len(events))]
				log = append(log, e.name)
				e.do()
				w.follow()
				if stage := w.stages()[name]; stage == Declined && !closed {
					t.Fatalf("%s after %v", stage, log)
				}
			}
			w.rule(name, false)
			w.work(p)
			w.run(p)
			w.follow()
			if stage := w.stages()[name]; closed != (stage == Declined) || !closed && stage != Opened {
				t.Errorf("%s in the end, closed: %v; after %v", stage, closed, log)
			}
			if len(w.forge.Pulls) != 1 {
				t.Errorf("%d pull requests after %v", len(w.forge.Pulls), log)
			}
		})
	}
}
