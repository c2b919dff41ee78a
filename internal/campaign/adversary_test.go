package campaign

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// What happens to campaigns, one case each. After each the state is right, and nothing is
// done twice.
func TestAdversaries(t *testing.T) {
	for name, play := range map[string]func(t *testing.T, w *world){
		"main moves between work and open": func(t *testing.T, w *world) {
			p := w.plan()
			w.work(p)
			worked := w.result(p, "acme/r00")
			w.commit("acme/r00", "main", map[string]string{"more.md": "work goes on\n"})
			w.git(w.bare("acme/r01"), "update-ref", "refs/heads/main", w.git(w.bare("acme/r01"), "commit-tree", "main^{tree}", "-m", "Begin anew"))
			within := func(o *Open) { o.Budget = Budget{3, 3} }
			began := w.clock()
			if n := w.run(p, within); n != 3 || w.clock().Sub(began) >= time.Hour {
				t.Errorf("opened %d in %s: a repository that is not opened takes from the budget", n, w.clock().Sub(began))
			}
			if pull := w.forge.Newest("acme/r00"); pull == nil || pull.SHA != worked.Commit || w.stages()["acme/r00"] != Opened {
				t.Errorf("a branch that went on: %+v", pull)
			}
			st, err := Count(t.Context(), w.open())
			if err != nil || w.stages()["acme/r01"] != Stale || !st.Left || w.forge.Newest("acme/r01") != nil {
				t.Errorf("a history that was rewritten: %v, %v", w.stages(), err)
			}
			if i := slices.IndexFunc(st.Rows, func(r Row) bool { return r.Name == "acme/r01" }); i < 0 || !strings.Contains(st.Rows[i].Text, "the default branch no longer has the commit that work read") {
				t.Errorf("the status says %+v", st.Rows)
			}
			w.pass(time.Hour)
			w.work(p)
			if n := w.run(p, within); n != 1 || w.stages()["acme/r01"] != Opened {
				t.Errorf("after the next work: opened %d, %v", n, w.stages())
			}
		},
		"interrupted at each pause and run again": func(t *testing.T, w *world) {
			p := w.plan()
			w.work(p)
			for {
				ctx, cancel := context.WithCancel(t.Context())
				n, err := w.opens(func(o *Open) {
					o.Sleep = func(context.Context, time.Duration) error {
						cancel()
						w.pass(time.Hour)
						return ctx.Err()
					}
					o.Budget = Budget{1, 1}
				}).Run(ctx, p)
				cancel()
				if err == nil && n == 0 {
					break
				}
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			if len(w.forge.Pulls) != 4 {
				t.Errorf("%d pull requests in 4 repositories", len(w.forge.Pulls))
			}
			for name, stage := range w.stages() {
				if stage != Opened {
					t.Errorf("%s is %s", name, stage)
				}
			}
		},
		"an empty repository": func(t *testing.T, w *world) {
			w.git(w.bare("acme/r02"), "update-ref", "-d", "refs/heads/main")
			p := w.plan()
			w.work(p)
			if n := w.run(p); n != 3 {
				t.Errorf("opened %d", n)
			}
			if st, err := Count(t.Context(), w.open()); err != nil || st.Counts["empty"] != 1 {
				t.Errorf("%+v, %v", st.Counts, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.seed(4)
			play(t, w)
		})
	}
}
