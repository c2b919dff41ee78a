package release

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A train whose every request fails at the first try, each in another way, arrives
// all the same.
func TestTrainOverABadLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kinds := []func(http.ResponseWriter){
		wiretest.Status(502, "Bad Gateway"), wiretest.Cut, wiretest.Status(429, "slow", "Retry-After", "1"),
		wiretest.Status(403, "You have exceeded a secondary rate limit"),
	}
	n, tries := 0, map[string]int{}
	w.forge.(*fakeForge).Fault = func(w http.ResponseWriter, r *http.Request) bool {
		asked := r.Method + " " + r.URL.String()
		tries[asked]++
		if tries[asked]%2 == 0 {
			return false
		}
		kinds[n%len(kinds)](w)
		n++
		return true
	}
	arrive(t, w, sprint(w), journalIn(t))
	if got, want := w.state(), undisturbed.of(t, newWorld); got != want {
		t.Errorf("another world:\n%s\nwant\n%s", got, want)
	}
	t.Logf("%d faults at %d requests", n, len(tries))
}

// What was carried out although the answer was lost is seen by the next look.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	for range 12 {
		env, q := w.env(journal)
		q.Base = lossy{}
		r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, yes)
		env.Journal.Close()
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Of("announce:slack"); o.State == Conflict || o.State == Failed {
			env, _ := w.env(journal)
			if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, "announce:slack", "rita", true); err != nil {
				t.Fatal(err)
			}
			env.Journal.Close()
		} else if err := r.Trouble(); err != nil {
			t.Fatal(err)
		}
		if r.Complete() {
			break
		}
		w.play()
	}
	if got, want := w.state(), undisturbed.of(t, newWorld); got != want {
		t.Errorf("another world:\n%s\nwant\n%s", got, want)
	}
}

// lossy loses the answer to every mutating request.
type lossy struct{}

func (lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
		res.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return res, err
}

// queuedTo returns a client of the API through a queue, and the queue's clock.
func queuedTo(t *testing.T, url string) (*github.Client, *wire.Queue, *wiretest.Clock) {
	c := wiretest.NewClock()
	q := &wire.Queue{Now: c.Now, Sleep: c.Sleep, Distance: time.Second, Patience: 15 * time.Minute, Retries: 2}
	g, err := github.New(url, func() string { return "tok_secret" }, q)
	if err != nil {
		t.Fatal(err)
	}
	return g, q, c
}
