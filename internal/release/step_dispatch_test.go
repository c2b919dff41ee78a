package release

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
)

// A dispatching test drives the one step that dispatches.
func dispatching(t *testing.T) (*world, *fakeForge, func(want State, says string) StepResult) {
	w := newWorld(t)
	journal := journalIn(t)
	once(t, w, w.train("v0.2.0"), journal, Choices{Until: "tag:picker"})
	return w, w.forge.(*fakeForge), func(want State, says string) StepResult {
		t.Helper()
		env, _ := w.env(journal)
		defer env.Journal.Close()
		r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Until: "tag:sdk"})
		if err != nil {
			t.Fatal(err)
		}
		s := r.Of("tag:sdk")
		if s.State != want || !strings.Contains(s.Text, says) {
			t.Fatalf("%s: %s, %v; want %s: %s", s.State, s.Text, s.Err, want, says)
		}
		return *s
	}
}

// end ends one run.
func (f *fakeForge) end(w *world, i int, result string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	complete(w, f.Runs[i], result)
}

// The run that the server names is awaited, and no other, whoever began it.
func TestDispatchAwaitsTheRunThatItIsTold(t *testing.T) {
	w, f, look := dispatching(t)
	f.Tells, f.Others = true, 2
	look(Waiting, "run 100 is queued")
	f.Runs[2].Actor = "orchard"
	f.end(w, 1, "failure")
	look(Waiting, "run 100 is queued")
	f.end(w, 0, "failure")
	look(Conflict, "run 100 ended with failure")
	f.Mu.Lock()
	f.Runs[0].Status, f.Runs[0].Result = "in_progress", "" // re-run by a person: the id stays
	f.Mu.Unlock()
	look(Waiting, "run 100 is in progress")
	f.end(w, 0, "success")
	look(Done, "v2.1.0")
	if len(f.Runs) != 3 {
		t.Errorf("%d runs", len(f.Runs))
	}
}

// Another driver dispatches between the look and the act of this one: one run
// makes the tag, the other fails on it, and the release goes on, whichever of them
// this driver was told of or cannot tell from the other.
func TestDispatchedByTwoAtOnce(t *testing.T) {
	for _, tells := range []bool{true, false} {
		w, f, look := dispatching(t)
		f.Tells = tells
		f.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				f.Begin("orchard/sdk", "release.yml", f.Git(f.Bare("orchard/sdk"), "rev-parse", "main")).Version = "2.1.0"
			}
			return false
		}
		if tells {
			look(Waiting, "run 101 is queued")
		} else {
			look(Conflict, "2 runs of release.yml may be the one")
		}
		f.Fault = nil
		f.finish(w)
		look(Done, "v2.1.0")
		if len(f.Runs) != 2 || f.Runs[0].Result != "success" || f.Runs[1].Result != "failure" {
			t.Errorf("runs: %+v, %+v", f.Runs[0], f.Runs[1])
		}
	}
}

// Where the server names none, the run is the one of the same account and
// branch that began after all that were there before.
func TestDispatchFindsItsRun(t *testing.T) {
	_, f, look := dispatching(t)
	f.Mu.Lock()
	f.Begin("orchard/sdk", "release.yml", "0000000000000000000000000000000000000000").Status = "completed"
	f.Mu.Unlock()
	f.Others = 2
	look(Waiting, "run 101 is queued")
	f.Mu.Lock()
	f.Runs[2].Actor = "orchard" // the same account began another one
	f.Mu.Unlock()
	s := look(Conflict, "2 runs of release.yml may be the one")
	if !strings.Contains(s.Text, "101") || !strings.Contains(s.Text, "102") || s.Who == "" {
		t.Errorf("%s, %s", s.Text, s.Who)
	}
	f.Mu.Lock()
	f.Runs[1].Title = "Release v2.1.0"
	f.Mu.Unlock()
	look(Waiting, "run 101 is queued")
	if len(f.Runs) != 4 {
		t.Errorf("%d runs", len(f.Runs))
	}
}

// A run shows up late, or the request never arrived: nothing is dispatched
// twice, and nothing is forgotten.
func TestDispatchIsPatient(t *testing.T) {
	w, f, look := dispatching(t)
	hidden := []*forgetest.Run{}
	hide := func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			return false
		}
		if len(f.Runs) > 0 {
			hidden, f.Runs = append(hidden, f.Runs...), nil
		}
		return false
	}
	f.Fault = hide
	look(Waiting, "was dispatched, and its run is not there yet")
	w.clock.Pass(time.Minute)
	look(Waiting, "not there yet")
	if len(hidden) != 1 {
		t.Fatalf("%d dispatches", len(hidden))
	}
	f.Fault, f.Runs = nil, hidden
	look(Waiting, "run 100 is queued")

	w, f, look = dispatching(t)
	asked := 0
	f.Fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			asked++
			wiretest.Status(502, "Bad Gateway")(rw)
		}
		return r.Method == http.MethodPost
	}
	look(Waiting, "whether release.yml was dispatched is known in two minutes")
	w.clock.Pass(time.Minute)
	look(Waiting, "in two minutes")
	w.clock.Pass(2 * time.Minute)
	f.Fault = nil
	look(Waiting, "run 100 is queued")
	if asked != 1 || len(f.Runs) != 1 {
		t.Errorf("asked %d times, %d runs", asked, len(f.Runs))
	}
}

// TestDispatchByAnotherClock goes on where the clock is behind the one that the
// journal was written by: nothing is dispatched twice, and no one waits until
// the clock has caught up.
func TestDispatchByAnotherClock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		behind time.Duration
		want   State
	}{{time.Minute, Waiting}, {time.Hour, Conflict}} {
		w := newWorld(t)
		f := w.forge.(*fakeForge)
		f.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost {
				f.Runs = nil // the run does not show
			}
			return false
		}
		env, _ := w.env(journalIn(t))
		for range 2 {
			r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Until: "tag:sdk"})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Of("tag:sdk")
			if w.clock.Now().Hour() < 12 && got.State != test.want {
				t.Errorf("behind by %v: %s %s", test.behind, got.State, got.Text)
			}
			w.clock.Pass(-test.behind)
		}
		posts := slices.DeleteFunc(slices.Clone(f.Log), func(s string) bool { return !strings.HasPrefix(s, "POST ") })
		if len(posts) != 1 {
			t.Errorf("behind by %v: %v", test.behind, posts)
		}
	}
}

// Without a journal, a run under way on the very commit is taken; one that has
// ended, on the same commit, is not.
func TestDispatchWithoutJournal(t *testing.T) {
	w, f, look := dispatching(t)
	head := w.run(w.bare("orchard/sdk"), "git", "rev-parse", "main")
	f.Mu.Lock()
	f.Begin("orchard/sdk", "release.yml", head).Status = "completed"
	f.Begin("orchard/sdk", "release.yml", head).Status = "in_progress"
	f.Mu.Unlock()
	look(Waiting, "run 101 is in progress")
	f.end(w, 1, "cancelled")
	look(Waiting, "run 102 is queued")
}

// A server that knows nothing of return_run_details is asked without.
func TestDispatchOnOlderServers(t *testing.T) {
	var bodies []map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		data, _ := io.ReadAll(r.Body)
		json.Unmarshal(data, &body)
		bodies = append(bodies, body)
		if body["return_run_details"] != nil {
			wiretest.Status(422, "Invalid request. \"return_run_details\" is not a permitted key.")(w)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	g, _, _ := queuedTo(t, s.URL)
	id, err := g.Dispatch(context.Background(), "o/r", "w.yml", "main", map[string]string{"a": "1"})
	if err != nil || id != 0 || len(bodies) != 2 || bodies[1]["ref"] != "main" {
		t.Errorf("%d, %v, %v", id, err, bodies)
	}
}

func TestNamesTag(t *testing.T) {
	for title, want := range map[string]bool{
		"Release v2.1.0": true, "release 2.1.0 (stable)": true, "v2.1.0": true, "Release v2.1.0-rc.1": false, "Release v12.1.0": false, "release": false, "Release v2.1.01": false,
	} {
		if steps.NamesTag(title, "v2.1.0") != want {
			t.Errorf("%q: %v", title, !want)
		}
	}
}
