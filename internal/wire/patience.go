package wire

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// A Patience is how often something that broke on its way is tried, and how
// long is waited between. The zero value tries three times within two seconds.
type Patience struct {
	Tries int                                        // in all; zero = 3
	First time.Duration                              // before the second try, doubled each time; zero = half a second
	most  time.Duration                              // the longest single pause, also where a server asks for more; zero = 30 s
	Sleep func(context.Context, time.Duration) error // nil = by the clock
}

// Try runs f until it does not ask to be tried again, or was often enough; asked
// is the pause that a server wants. The error is that of the last try, or why
// waiting ended.
func (p Patience) Try(ctx context.Context, f func() (again bool, asked time.Duration, err error)) error {
	sleep := p.Sleep
	if sleep == nil {
		sleep = Sleep
	}
	wait := cmp.Or(p.First, 500*time.Millisecond)
	for left := cmp.Or(p.Tries, 3) - 1; ; left-- {
		again, asked, err := f()
		if left <= 0 || !again || ctx.Err() != nil {
			return err
		}
		if serr := sleep(ctx, min(max(wait, asked), cmp.Or(p.most, 30*time.Second))); serr != nil {
			return cmp.Or(err, serr)
		}
		wait *= 2
	}
}

// Patient is a transport that asks again what had no effect: a read that met a
// broken connection, 429 or 5xx, and a write that never reached the
// server, or that the server put off with 429 (RFC 6585). Retry-After is
// obeyed. A write whose fate is not known is never sent twice. It is for the
// clients of libraries that read their answers as they come; what is one
// request at a time goes through a Queue.
func Patient(next http.RoundTripper, p Patience) http.RoundTripper { return &patient{next, p} }

type patient struct {
	next http.RoundTripper
	p    Patience
}

// RoundTrip implements http.RoundTripper.
func (t *patient) RoundTrip(req *http.Request) (*http.Response, error) {
	var res *http.Response
	err := t.p.Try(req.Context(), func() (bool, time.Duration, error) {
		drain(res)
		attempt, err := again(req)
		if err != nil {
			return false, 0, err
		}
		res, err = t.next.RoundTrip(attempt) //nolint:bodyclose // the caller closes it, or drain does
		if err != nil {
			return hadNoEffect(req, nil, err), 0, err
		}
		asked, _ := retryAfter(res, time.Now())
		return hadNoEffect(req, res, nil), asked, nil
	})
	if err != nil {
		drain(res)
		return nil, err
	}
	res.Header.Del("Retry-After") // which was obeyed: a library would wait once more, as long as the server likes
	return res, nil
}

// hadNoEffect says whether a request may be sent again.
func hadNoEffect(req *http.Request, res *http.Response, err error) bool {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	if err != nil {
		var dial *net.OpError
		neverSent := errors.As(err, &dial) && dial.Op == "dial"
		return neverSent || reads && !hopeless(err)
	}
	return res.StatusCode == http.StatusTooManyRequests || reads && res.StatusCode >= 500 && res.StatusCode != http.StatusNotImplemented
}

// drain lets the connection of an answer be used again.
func drain(res *http.Response) {
	if res == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // what does not come is not needed
	_ = res.Body.Close()
}
