package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// queued returns a client of the API through a queue, and the queue's clock.
func queued(t *testing.T, url string) (*Client, *wire.Queue, *wiretest.Clock) {
	c := wiretest.NewClock()
	q := &wire.Queue{Now: c.Now, Sleep: c.Sleep, Distance: time.Second, Patience: 15 * time.Minute, Retries: 2}
	g, err := New(url, func() string { return "tok_secret" }, q)
	if err != nil {
		t.Fatal(err)
	}
	return g, q, c
}

func TestRateLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(http.ResponseWriter)
		pause  time.Duration
	}{
		{"429 with Retry-After", wiretest.Status(429, "slow down", "Retry-After", "7"), 7 * time.Second},
		{"403, today's text", wiretest.Status(403, "You have exceeded a secondary rate limit. Please wait."), time.Minute},
		{"403, the old text", wiretest.Status(403, "You have triggered an abuse detection mechanism."), time.Minute},
		{"403 with Retry-After", wiretest.Status(403, "wait", "Retry-After", "30"), 30 * time.Second},
		{"403, none remaining", wiretest.Status(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(time.Date(2026, 3, 2, 12, 5, 0, 0, time.UTC).Unix()), "Date", "Mon, 02 Mar 2026 12:00:00 GMT"), 5*time.Minute + time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := wiretest.NewAnswers(t, test.answer)
			g, _, c := queued(t, a.URL)
			began := c.Now()
			who, err := g.Account(context.Background())
			if err != nil || who.Login != "rita" {
				t.Fatal(who, err)
			}
			if got := c.Now().Sub(began); got != test.pause || a.Calls.Load() != 2 {
				t.Errorf("paused %v, want %v; %d calls", got, test.pause, a.Calls.Load())
			}
		})
	}
}

// A limit on a mutating request is waited for too: a refused request had no
// effect.
func TestRateLimitOnWrite(t *testing.T) {
	a := wiretest.NewAnswers(t, wiretest.Status(429, "slow", "Retry-After", "3"), sends(`{"number":1}`, 12))
	g, _, c := queued(t, a.URL)
	began := c.Now()
	if _, err := g.CreatePull(context.Background(), "o/r", "o:b", "main", "t", "b"); err != nil || c.Now().Sub(began) != 3*time.Second {
		t.Error(err, c.Now().Sub(began))
	}
}

func TestRateLimitBeyondPatience(t *testing.T) {
	a := wiretest.NewAnswers(t, wiretest.Status(429, "slow", "Retry-After", "7200"))
	g, _, _ := queued(t, a.URL)
	_, err := g.Account(context.Background())
	var rate *wire.RateError
	if !errors.As(err, &rate) || !strings.Contains(err.Error(), "again from 2026-03-02T14:00:00Z") {
		t.Error(err)
	}
}

// The clock of this machine jumps; waits do not.
func TestClockJumps(t *testing.T) {
	made := sends(`{"number":1}`, 12)
	a := wiretest.NewAnswers(t, made, made, made, made)
	g, _, c := queued(t, a.URL)
	for _, jump := range []time.Duration{0, -24 * time.Hour, 48 * time.Hour, -time.Second} {
		c.Pass(jump)
		before := c.Now()
		if _, err := g.CreatePull(context.Background(), "o/r", "o:b", "main", "t", "b"); err != nil {
			t.Fatal(err)
		}
		if slept := c.Now().Sub(before); slept > time.Second {
			t.Errorf("after a jump of %v: slept %v", jump, slept)
		}
	}
}

func TestServerErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer  func(http.ResponseWriter)
		is      error
		text    string
		transit bool
	}{
		"401":          {wiretest.Status(401, "Bad credentials"), nil, "401 Bad credentials", false},
		"403":          {wiretest.Status(403, "Resource not accessible by personal access token"), nil, "403 Resource not accessible", false},
		"404":          {wiretest.Status(404, "Not Found"), wire.ErrNotFound, "404", false},
		"409":          {wiretest.Status(409, "Conflict"), nil, "409 Conflict", false},
		"422":          {wiretest.Status(422, "Validation Failed"), nil, "422 Validation Failed", false},
		"502 on write": {wiretest.Status(502, "Bad Gateway"), nil, "502", true},
		"cut on write": {wiretest.Cut, nil, "EOF", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := wiretest.NewAnswers(t, test.answer)
			g, _, _ := queued(t, a.URL)
			_, err := g.CreatePull(context.Background(), "o/r", "o:b", "main", "t", "b")
			var transit *wire.TransitError
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.text) || errors.As(err, &transit) != test.transit {
				t.Errorf("%v (transit %v)", err, errors.As(err, &transit))
			}
			if strings.Contains(err.Error(), "tok_secret") {
				t.Error("the token is in the error")
			}
			if a.Calls.Load() != 1 {
				t.Errorf("a write was sent %d times", a.Calls.Load())
			}
		})
	}
}

// Reads that broke in transit are repeated.
func TestReadsAreRepeated(t *testing.T) {
	for name, broken := range map[string]func(http.ResponseWriter){"502": wiretest.Status(502, "x"), "cut": wiretest.Cut} {
		a := wiretest.NewAnswers(t, broken, broken)
		g, _, _ := queued(t, a.URL)
		if _, err := g.Account(context.Background()); err != nil || a.Calls.Load() != 3 {
			t.Errorf("%s: %v after %d calls", name, err, a.Calls.Load())
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	var full, unchanged int
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"v1"` {
			unchanged++
			w.WriteHeader(http.StatusNotModified)
			return
		}
		full++
		w.Header().Set("ETag", `"v1"`)
		io.WriteString(w, `{"login": "rita"}`)
	}))
	defer s.Close()
	g, _, _ := queued(t, s.URL)
	for range 3 {
		if who, err := g.Account(context.Background()); err != nil || who.Login != "rita" {
			t.Fatal(who, err)
		}
	}
	if full != 1 || unchanged != 2 {
		t.Errorf("%d full answers, %d unchanged", full, unchanged)
	}
}

// The token goes to its host only.
func TestTokenStaysHome(t *testing.T) {
	leaked := ""
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked = r.Header.Get("Authorization")
		io.WriteString(w, `{}`)
	}))
	defer elsewhere.Close()
	a := wiretest.NewAnswers(t, func(w http.ResponseWriter) {
		w.Header().Set("Location", strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1))
		w.WriteHeader(http.StatusFound)
	})
	g, _, _ := queued(t, a.URL)
	g.Account(context.Background())
	if leaked != "" {
		t.Error("the token went along with a redirect")
	}
}

// Requests that change something keep their distance, reads do not.
func TestDistance(t *testing.T) {
	a := wiretest.NewAnswers(t)
	g, _, c := queued(t, a.URL)
	began := c.Now()
	for range 3 {
		g.Account(context.Background())
	}
	if c.Now() != began {
		t.Error("reads wait")
	}
	for range 3 {
		g.CreatePull(context.Background(), "o/r", "o:b", "main", "t", "b")
	}
	if got := c.Now().Sub(began); got != 2*time.Second {
		t.Errorf("three writes in %v", got)
	}
}

// A pull request is had by its number, or is not there.
func TestPullNumbered(t *testing.T) {
	a := wiretest.NewAnswers(t, wiretest.Status(404, "Not Found"))
	g, _, _ := queued(t, a.URL)
	if _, err := g.PullNumbered(t.Context(), "o/r", 9); !errors.Is(err, wire.ErrNotFound) {
		t.Error(err)
	}
	f := forgetest.New(t, t.TempDir(), time.Now)
	f.Pulls = []*forgetest.Pull{{Number: 9, Repo: "o/other", State: "closed", Still: true}, {Number: 9, Repo: "o/r", State: "closed", Still: true}}
	g, _, _ = queued(t, f.URL)
	if p, err := g.PullNumbered(t.Context(), "o/r", 9); err != nil || p.Number != 9 || p.Open || !strings.Contains(p.URL, "o/r") {
		t.Error(p, err)
	}
}
