package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// sends is an answer of 200 with a body, and a length that may be another one.
func sends(text string, length int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", fmt.Sprint(length))
		_, _ = io.WriteString(w, text)
	}
}

// dribbles sends a byte now and then, until no one listens.
func dribbles(every time.Duration) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for {
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(every)
		}
	}
}

// silent sends nothing, for longer than anyone waits.
func silent(w http.ResponseWriter) { time.Sleep(time.Second) }

// TestAnswersAreBounded has servers whose answers do not end, or end too early:
// each is an error that says which request, and what was wrong with it.
func TestAnswersAreBounded(t *testing.T) {
	large := strings.Repeat("x", 1<<20+1)
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter)
		want   string
		calls  int32
		bounds wire.Bounds
	}{
		"dribbling": {dribbles(20 * time.Millisecond), "the answer is not whole after 300ms", 1, wire.Bounds{Total: 300 * time.Millisecond}},
		"silent":    {silent, "no byte of an answer for 100ms", 1, wire.Bounds{Idle: 100 * time.Millisecond}},
		"too large": {sends(large, len(large)), "the answer is larger than 1 MiB", 1, wire.Bounds{Size: 1 << 20}},
		"cut":       {sends("[", 100), "the answer is cut after 1 bytes: unexpected EOF", 3, wire.Bounds{}},
		"a page":    {sends("<html>log in", 12), "a page (HTML), not JSON", 1, wire.Bounds{}},
		"nothing":   {sends("", 0), "the answer is not JSON", 1, wire.Bounds{}},
		"garbage":   {sends("\x00\x01", 2), "the answer is not JSON", 1, wire.Bounds{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := wiretest.NewAnswers(t, test.answer, test.answer, test.answer)
			g, q, _ := queued(t, a.URL)
			q.Bounds = test.bounds
			_, err := g.Account(context.Background())
			var answer *wire.AnswerError
			if !errors.As(err, &answer) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "GET "+a.URL+"/user") {
				t.Errorf("%v, want %s", err, test.want)
			}
			if a.Calls.Load() != test.calls {
				t.Errorf("%d requests, want %d", a.Calls.Load(), test.calls)
			}
		})
	}
}

// TestCutAnswerIsAskedForAgain: what is cut once is whole the next time.
func TestCutAnswerIsAskedForAgain(t *testing.T) {
	a := wiretest.NewAnswers(t, sends("[", 100))
	g, _, _ := queued(t, a.URL)
	if who, err := g.Account(context.Background()); err != nil || who.Login != "rita" || a.Calls.Load() != 2 {
		t.Errorf("%v, %v after %d requests", who, err, a.Calls.Load())
	}
}

// TestTokenIsNotRepeated has servers that send back what they were sent.
func TestTokenIsNotRepeated(t *testing.T) {
	for _, code := range []int{400, 401, 403, 422, 500} {
		answer := wiretest.Status(code, "bad Authorization: Bearer tok_secret, or eC1hY2Nlc3MtdG9rZW46dG9rX3NlY3JldA==")
		a := wiretest.NewAnswers(t, answer, answer, answer, answer)
		g, _, _ := queued(t, a.URL)
		_, err := g.Account(context.Background())
		if err == nil || strings.Contains(err.Error(), "tok_secret") || strings.Contains(err.Error(), "eC1hY2Nlc3M") || !strings.Contains(err.Error(), "***") {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// TestRateLimitsEnd has a server that asks for pauses for ever.
func TestRateLimitsEnd(t *testing.T) {
	for name, header := range map[string][]string{
		"no pause":          {"Retry-After", "0"},
		"a pause behind us": {"Retry-After", "-5"},
		"a date behind us":  {"Retry-After", "Mon, 02 Mar 2026 11:00:00 GMT"},
		"a reset behind us": {"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1"},
		"a pause too long":  {"Retry-After", "99999999999999"},
		"a reset too far":   {"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "99999999999999"},
		"nothing said":      nil,
	} {
		var list []func(http.ResponseWriter)
		for range 100 {
			list = append(list, wiretest.Status(429, "slow down", header...))
		}
		a := wiretest.NewAnswers(t, list...)
		g, _, c := queued(t, a.URL)
		began := c.Now()
		_, err := g.Account(context.Background())
		var rate *wire.RateError
		if !errors.As(err, &rate) {
			t.Errorf("%s: %v", name, err)
		}
		waited := c.Now().Sub(began)
		if n := a.Calls.Load(); n > 16 || waited < time.Duration(n-1)*time.Second || waited > 15*time.Minute {
			t.Errorf("%s: %d requests in %v", name, n, waited)
		}
	}
}

// TestPauseByTheServersClock: the clock here is wrong by an hour, either way.
func TestPauseByTheServersClock(t *testing.T) {
	for _, wrong := range []time.Duration{time.Hour, -time.Hour} {
		a := wiretest.NewAnswers(t, wiretest.Status(429, "slow", "Retry-After", "Mon, 02 Mar 2026 12:00:30 GMT", "Date", "Mon, 02 Mar 2026 12:00:00 GMT"))
		g, _, c := queued(t, a.URL)
		c.Pass(wrong)
		began := c.Now()
		if _, err := g.Account(context.Background()); err != nil || c.Now().Sub(began) != 30*time.Second {
			t.Errorf("wrong by %v: paused %v, %v", wrong, c.Now().Sub(began), err)
		}
	}
}
