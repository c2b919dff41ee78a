package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// An answers server gives its answers one after the other, and 200 then.
type answers struct {
	*httptest.Server
	calls atomic.Int32
}

func newAnswers(t *testing.T, list ...func(w http.ResponseWriter)) *answers {
	a := &answers{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(a.calls.Add(1))
		if n <= len(list) {
			list[n-1](w)
			return
		}
		io.WriteString(w, `{"login": "rita"}`)
	}))
	t.Cleanup(a.Close)
	return a
}

func status(code int, body string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"message": %q}`, body)
	}
}

func cut(w http.ResponseWriter) {
	conn, _, _ := w.(http.Hijacker).Hijack()
	conn.Close()
}

// queued returns a client of the API through a queue, and the queue's clock.
func queued(t *testing.T, url string) (*GitHub, *wire.Queue, *clock) {
	c := &clock{now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	q := &wire.Queue{Now: c.Now, Sleep: c.Sleep, Distance: time.Second, Patience: 15 * time.Minute, Retries: 2}
	g, err := NewGitHub(url, "tok_secret", q)
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
		{"429 with Retry-After", status(429, "slow down", "Retry-After", "7"), 7 * time.Second},
		{"403, today's text", status(403, "You have exceeded a secondary rate limit. Please wait."), time.Minute},
		{"403, the old text", status(403, "You have triggered an abuse detection mechanism."), time.Minute},
		{"403 with Retry-After", status(403, "wait", "Retry-After", "30"), 30 * time.Second},
		{"403, none remaining", status(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", fmt.Sprint(time.Date(2026, 3, 2, 12, 5, 0, 0, time.UTC).Unix()), "Date", "Mon, 02 Mar 2026 12:00:00 GMT"), 5*time.Minute + time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAnswers(t, test.answer)
			g, _, c := queued(t, a.URL)
			began := c.Now()
			who, err := g.Account(context.Background())
			if err != nil || who.Login != "rita" {
				t.Fatal(who, err)
			}
			if got := c.Now().Sub(began); got != test.pause || a.calls.Load() != 2 {
				t.Errorf("paused %v, want %v; %d calls", got, test.pause, a.calls.Load())
			}
		})
	}
}

// A limit on a mutating request is waited for too: a refused request had no
// effect.
func TestRateLimitOnWrite(t *testing.T) {
	a := newAnswers(t, status(429, "slow", "Retry-After", "3"), status(201, "made"))
	g, _, c := queued(t, a.URL)
	began := c.Now()
	if _, err := g.CreatePull(context.Background(), "o/r", "o:b", "main", "t", "b"); err != nil || c.Now().Sub(began) != 3*time.Second {
		t.Error(err, c.Now().Sub(began))
	}
}

func TestRateLimitBeyondPatience(t *testing.T) {
	a := newAnswers(t, status(429, "slow", "Retry-After", "7200"))
	g, _, _ := queued(t, a.URL)
	_, err := g.Account(context.Background())
	var rate *wire.RateError
	if !errors.As(err, &rate) || !strings.Contains(err.Error(), "again from 2026-03-02T14:00:00Z") {
		t.Error(err)
	}
}

// The clock of this machine jumps; waits do not.
func TestClockJumps(t *testing.T) {
	a := newAnswers(t)
	g, _, c := queued(t, a.URL)
	for _, jump := range []time.Duration{0, -24 * time.Hour, 48 * time.Hour, -time.Second} {
		c.mu.Lock()
		c.now = c.now.Add(jump)
		before := c.now
		c.mu.Unlock()
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
		"401":          {status(401, "Bad credentials"), nil, "401 Bad credentials", false},
		"403":          {status(403, "Resource not accessible by personal access token"), nil, "403 Resource not accessible", false},
		"404":          {status(404, "Not Found"), wire.ErrNotFound, "404", false},
		"409":          {status(409, "Conflict"), nil, "409 Conflict", false},
		"422":          {status(422, "Validation Failed"), nil, "422 Validation Failed", false},
		"502 on write": {status(502, "Bad Gateway"), nil, "502", true},
		"cut on write": {cut, nil, "EOF", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAnswers(t, test.answer)
			g, _, _ := queued(t, a.URL)
			_, err := g.CreatePull(context.Background(), "o/r", "o:b", "main", "t", "b")
			var transit *wire.TransitError
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.text) || errors.As(err, &transit) != test.transit {
				t.Errorf("%v (transit %v)", err, errors.As(err, &transit))
			}
			if strings.Contains(err.Error(), "tok_secret") {
				t.Error("the token is in the error")
			}
			if a.calls.Load() != 1 {
				t.Errorf("a write was sent %d times", a.calls.Load())
			}
		})
	}
}

// Reads that broke in transit are repeated.
func TestReadsAreRepeated(t *testing.T) {
	for name, broken := range map[string]func(http.ResponseWriter){"502": status(502, "x"), "cut": cut} {
		a := newAnswers(t, broken, broken)
		g, _, _ := queued(t, a.URL)
		if _, err := g.Account(context.Background()); err != nil || a.calls.Load() != 3 {
			t.Errorf("%s: %v after %d calls", name, err, a.calls.Load())
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
	a := newAnswers(t, func(w http.ResponseWriter) {
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
	a := newAnswers(t)
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

// A train meets faults on every tenth request and arrives all the same.
func TestTrainOverABadLine(t *testing.T) {
	t.Parallel()
	want := newWorld(t)
	arrive(t, want, sprint(want), journalIn(t))
	for name, fault := range map[string]func(http.ResponseWriter){
		"502": status(502, "Bad Gateway"), "cut": cut, "429": status(429, "slow", "Retry-After", "1"),
		"403": status(403, "You have exceeded a secondary rate limit"),
	} {
		w := newWorld(t)
		f, n := w.forge.(*fakeForge), 0
		f.faults = func(w http.ResponseWriter, _ *http.Request) bool {
			n++
			if n%10 == 0 {
				fault(w)
			}
			return n%10 == 0
		}
		arrive(t, w, sprint(w), journalIn(t))
		if got := w.state(); got != want.state() {
			t.Errorf("%s: another world:\n%s", name, got)
		}
	}
}

// What was carried out although the answer was lost is seen by the next look.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	want := newWorld(t)
	arrive(t, want, sprint(want), journalIn(t))
	w := newWorld(t)
	journal := journalIn(t)
	for range 12 {
		env, q := w.env(journal)
		q.Base = lossy{}
		r, err := Run(context.Background(), w.train("v0.2.0"), env, yes)
		env.Journal.Close()
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Of("announce:slack"); o.State == Conflict || o.State == Failed {
			env, _ := w.env(journal)
			if err := Approve(context.Background(), w.train("v0.2.0"), env, "announce:slack", "rita", true); err != nil {
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
	if got := w.state(); got != want.state() {
		t.Errorf("another world:\n%s\nwant\n%s", got, want.state())
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
