package release

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// The fork of the catalog is made when there is none, and waited for: it takes
// its time.
func TestForkIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.RemoveAll(w.bare("orchard/community-operators")); err != nil {
		t.Fatal(err)
	}
	f := w.forge.(*fakeForge)
	train := w.train("v0.2.0")
	env, q := w.env(journalIn(t))
	r, err := On(train, env).Plan(context.Background(), &env.Env)
	if err != nil || len(r.Of("catalog-branch").Effects) != 2 || r.Of("catalog-branch").Effects[0].Target != w.api+"/repos/eco/community-operators/forks" {
		t.Fatalf("%v: the plan does not fork: %v", err, r.Of("catalog-branch").Effects)
	}
	env.Journal.Close()
	w.clock.On = f.makeForks // while cfctl sleeps
	_ = q
	journal := journalIn(t)
	for range 12 {
		r, _ := once(t, w, train, journal, yes)
		if r.Complete() {
			break
		}
		w.play()
	}
	if want := []string{"eco/community-operators orchard/community-operators"}; !slices.Equal(f.Forks, want) {
		t.Errorf("forks %q", f.Forks)
	}
	if n := len(f.Pulls); n != 4 {
		t.Errorf("%d PRs", n)
	}
}

// status --refresh observes the actual state: it tells of what the journal does not know
// yet, and works without a journal.
func TestRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	train := w.train("v0.2.0")
	for range 2 { // the pins of the sorter, then its tag
		once(t, w, train, journal, Choices{})
		w.play()
	}
	look := func(path string) *Status {
		env, q := w.env(path)
		defer env.Journal.Close()
		var seen requests
		seen.watch(q)
		s, err := On(train, env).Refresh(context.Background(), &env.Env)
		if err != nil {
			t.Fatal(err)
		}
		if len(seen.effects) > 0 {
			t.Errorf("a refresh wrote: %v", seen.effects)
		}
		return s
	}
	states := func(s *Status) map[string]State {
		m := map[string]State{}
		for _, st := range s.Steps {
			m[st.Name] = st.State
		}
		return m
	}
	old, _ := ReadStatus("v0.2.0", mustRead(t, journal))
	if got := states(old); got["built:sorter"] != Waiting || got["operator-branch"] != Blocked {
		t.Errorf("the journal says %v", got)
	}
	for _, path := range []string{journal, journalIn(t)} {
		s := look(path)
		got := states(s)
		if got["tag:picker"] != Done || got["built:sorter"] != Done || got["tag:sdk"] != Done || got["operator-branch"] != Missing || got["operator-pr"] != Blocked || s.Next != "cfctl release run v0.2.0" {
			t.Errorf("the world says %v, next %s", got, s.Next)
		}
		if s.Updated.IsZero() || s.Updated.After(w.clock.Now().Add(time.Second)) {
			t.Errorf("updated %v", s.Updated)
		}
	}
}

func mustRead(t *testing.T, path string) Records {
	t.Helper()
	rs, err := ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// A PR that the forge does not know by its branches any more is the one that the
// journal has, as long as it is a PR to the same repository.
func TestPullThatTheJournalKnows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	train := w.train("v0.2.0")
	const repo = "eco/community-operators"
	w.forge.(*fakeForge).Pulls = []*forgetest.Pull{{Number: 4, Repo: repo, Head: "renamed:x", Branch: "x", Base: "main", State: "closed", Still: true}}
	for name, test := range map[string]struct {
		number, url string
		want        int
	}{
		"the one":               {"4", "https://forge.invalid/" + repo + "/pull/4", 4},
		"one that is gone":      {"5", "https://forge.invalid/" + repo + "/pull/5", 0},
		"one to another":        {"4", "https://forge.invalid/eco/catalog/pull/4", 0},
		"nothing of the number": {"", "https://forge.invalid/" + repo + "/pull/4", 0},
	} {
		env, _ := w.env(journalIn(t))
		written(t, env, Record{Kind: steps.RecDone, Step: "catalog-pr", URL: test.url, Facts: map[string]string{"number": test.number}})
		pull, err := steps.CatalogProposal(train, nil).Newest(t.Context(), newView(train, env))
		if pull.Number != test.want || (test.want == 0) != errors.Is(err, wire.ErrNotFound) {
			t.Errorf("%s: #%d %v", name, pull.Number, err)
		}
		env.Journal.Close()
	}
}
