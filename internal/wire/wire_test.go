package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// send sends one request through a queue, to a server with these answers.
func send(t *testing.T, q *wire.Queue, method string, answers ...func(http.ResponseWriter)) (code int, calls int32, err error) {
	t.Helper()
	a := wiretest.NewAnswers(t, answers...)
	req, _ := http.NewRequestWithContext(t.Context(), method, a.URL+"/x", http.NoBody)
	res, err := q.RoundTrip(req)
	if err == nil {
		code = res.StatusCode
		_ = res.Body.Close()
	}
	return code, a.Calls.Load(), err
}

func queue() (*wire.Queue, *wiretest.Clock) {
	c := wiretest.NewClock()
	return &wire.Queue{Now: c.Now, Sleep: c.Sleep, Distance: time.Second, Patience: 15 * time.Minute, Retries: 2}, c
}

// What broke on the way is read again, and never written again; a limit is
// waited for in both, as long as it says; what is refused is an answer.
func TestWhatIsSentAgain(t *testing.T) {
	limit := wiretest.Status(429, "slow", "Retry-After", "7")
	for name, test := range map[string]struct {
		method string
		answer func(http.ResponseWriter)
		calls  int32
		waited time.Duration
		code   int
	}{
		"read, 502":      {http.MethodGet, wiretest.Status(502, "x"), 2, time.Second, 200},
		"read, cut":      {http.MethodGet, wiretest.Cut, 2, time.Second, 200},
		"read, limited":  {http.MethodGet, limit, 2, 7 * time.Second, 200},
		"read, refused":  {http.MethodGet, wiretest.Status(403, "no"), 1, 0, 403},
		"write, 502":     {http.MethodPost, wiretest.Status(502, "x"), 1, 0, 502},
		"write, cut":     {http.MethodPost, wiretest.Cut, 1, 0, 0},
		"write, limited": {http.MethodPost, limit, 2, 7 * time.Second, 200},
		"write, refused": {http.MethodPost, wiretest.Status(422, "no"), 1, 0, 422},
	} {
		q, c := queue()
		began := c.Now()
		code, calls, err := send(t, q, test.method, test.answer)
		if code != test.code || calls != test.calls || c.Now().Sub(began) != test.waited || (err != nil) != (test.code == 0) {
			t.Errorf("%s: %d after %d requests in %v, %v", name, code, calls, c.Now().Sub(began), err)
		}
	}
}

// A server that asks for more patience than there is gets none.
func TestPatienceEnds(t *testing.T) {
	q, _ := queue()
	_, calls, err := send(t, q, http.MethodPost, wiretest.Status(429, "slow", "Retry-After", "901"))
	var rate *wire.RateError
	if !errors.As(err, &rate) || calls != 1 || !strings.Contains(err.Error(), "again from 2026-03-02T12:15:01Z") {
		t.Errorf("%v after %d requests", err, calls)
	}
}

// Turns at one host keep their distance; another host does not wait for them.
func TestTurns(t *testing.T) {
	q, c := queue()
	began := c.Now()
	for _, host := range []string{"a", "b", "a"} {
		end, err := q.Turn(context.Background(), host, wire.Effect{Method: "PUSH", Target: host})
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
	if got := c.Now().Sub(began); got != time.Second {
		t.Errorf("three turns at two hosts in %v", got)
	}
}

// InTransit is what may go away by itself, also where another room says so.
func TestInTransit(t *testing.T) {
	for err, want := range map[error]bool{
		&wire.TransitError{Err: errors.New("x")}:                      true,
		fmt.Errorf("a: %w", &wire.TransitError{Err: errors.New("x")}): true,
		remote(true):            true,
		remote(false):           false,
		wire.ErrNotFound:        false,
		&wire.RateError{}:       false,
		errors.New("something"): false,
	} {
		if wire.InTransit(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}

// A remote is an error like git's.
type remote bool

func (r remote) Error() string   { return "remote" }
func (r remote) InTransit() bool { return bool(r) }

// TestWhatIsRememberedIsBounded reads a list of many pages: the first are asked
// for again as if they were new, the last by their ETag.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	page, asked := strings.Repeat("x", 1<<20), map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path] = r.Header.Get("If-None-Match")
		w.Header().Set("ETag", `"`+r.URL.Path+`"`)
		fmt.Fprint(w, page)
	}))
	defer server.Close()
	q, _ := queue()
	read := func(n int) {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/%d", server.URL, n), http.NoBody)
		res, err := q.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
	for n := range 20 {
		read(n)
	}
	for _, n := range []int{19, 0} {
		read(n)
	}
	if asked["/0"] != "" || asked["/19"] != `"/19"` {
		t.Errorf("asked with %q and %q", asked["/0"], asked["/19"])
	}
}
