// Package wiretest has servers that fail, and a clock that moves by what is slept.
package wiretest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// An Answers server gives its answers one after the other, and 200 then.
type Answers struct {
	*httptest.Server
	Calls atomic.Int32
}

// NewAnswers starts such a server for one test.
func NewAnswers(t *testing.T, list ...func(w http.ResponseWriter)) *Answers {
	a := &Answers{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(a.Calls.Add(1))
		if n <= len(list) {
			list[n-1](w)
			return
		}
		_, _ = io.WriteString(w, `{"login": "rita"}`)
	}))
	t.Cleanup(a.Close)
	return a
}

// Status is an answer with a code and a message.
func Status(code int, body string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"message": %q}`, body)
	}
}

// Cut ends the connection without an answer.
func Cut(w http.ResponseWriter) {
	conn, _, _ := w.(http.Hijacker).Hijack()
	_ = conn.Close()
}

// A Clock that moves by what is slept.
type Clock struct {
	mu  sync.Mutex
	now time.Time
	On  func() // called by every sleep
}

// Now is the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass lets time go by.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Sleep moves the clock on at once.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.mu.Unlock()
	if c.On != nil {
		c.On()
	}
	return ctx.Err()
}

// NewClock is a clock at noon of a Monday in spring.
func NewClock() *Clock { return ClockAt(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)) }

// ClockAt is a clock at some time.
func ClockAt(at time.Time) *Clock { return &Clock{now: at} }
