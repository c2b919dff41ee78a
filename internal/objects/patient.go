package objects

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A Patience is how often a request is sent again, and how long it waits.
type Patience struct {
	Tries int           // in all
	First time.Duration // before the second one; doubled each time
	Most  time.Duration // the longest single pause, also where the server asks for more
	Sleep func(context.Context, time.Duration) error
}

// UsualPatience bears a server that starts anew: pauses of 1, 2, 4 and 8 s.
func UsualPatience() Patience {
	return Patience{Tries: 5, First: time.Second, Most: 30 * time.Second, Sleep: Sleep}
}

// Sleep waits, or returns why it was interrupted.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// Patient is a transport that asks again what had no effect: a read that met a
// broken connection, 429, 502, 503 or 504, and a write that never reached the
// server, or that the server put off with 429 (RFC 6585). Retry-After is
// obeyed. A write whose fate is not known is never sent twice.
func Patient(next http.RoundTripper, p Patience) http.RoundTripper { return &patient{next, p} }

type patient struct {
	next http.RoundTripper
	p    Patience
}

// RoundTrip implements http.RoundTripper.
func (t *patient) RoundTrip(req *http.Request) (*http.Response, error) {
	wait := t.p.First
	for try := 1; ; try++ {
		attempt, err := freshBody(req, try)
		if err != nil {
			return nil, err
		}
		res, err := t.next.RoundTrip(attempt) //nolint:bodyclose // the caller closes it, or drain does
		if try >= t.p.Tries || req.Context().Err() != nil || !hadNoEffect(req, res, err) {
			return res, err
		}
		rest := max(wait, retryAfter(res))
		drain(res)
		if err := t.p.Sleep(req.Context(), min(rest, t.p.Most)); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

// freshBody is a request whose body can be read from its start.
func freshBody(req *http.Request, try int) (*http.Request, error) {
	if try == 1 || req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	fresh := req.Clone(req.Context())
	fresh.Body = body
	return fresh, nil
}

// hadNoEffect says whether a request may be sent again.
func hadNoEffect(req *http.Request, res *http.Response, err error) bool {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	if err != nil {
		var unending *Unending
		var dial *net.OpError
		neverSent := errors.As(err, &dial) && dial.Op == "dial"
		return neverSent || reads && !errors.As(err, &unending)
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return reads
	}
	return false
}

// retryAfter is the pause that an answer asks for in seconds; 0 = none.
func retryAfter(res *http.Response) time.Duration {
	if res == nil {
		return 0
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 3600)) * time.Second
}

// drain lets the connection of an answer be used again.
func drain(res *http.Response) {
	if res == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // what does not come is not needed
	_ = res.Body.Close()
}
