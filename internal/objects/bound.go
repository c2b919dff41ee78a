package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// A Bounds is what one answer of a server may take.
type Bounds struct {
	size  int64         // bytes of its body, after decompression
	first time.Duration // until its header is there
	idle  time.Duration // without a byte of its body
	grace time.Duration // after which it must have come at Rate
	rate  int64         // bytes a second, on the whole
}

// UsualBounds are the bounds of an answer of at most size bytes.
func UsualBounds(size int64) Bounds {
	return Bounds{size: size, first: 60 * time.Second, idle: 20 * time.Second, grace: 20 * time.Second, rate: 1 << 10}
}

// An Unending error says that an answer had no end within its bounds. Asking
// again would take as long.
type Unending struct{ request, why string }

func (u *Unending) Error() string { return u.request + ": " + u.why }

// Endless says so to those who would ask again.
func (u *Unending) Endless() bool { return true }

// Bounded is a transport whose answers come to an end: with an *Unending error
// where the server sends too much, too slowly, or nothing.
func Bounded(next http.RoundTripper, b Bounds) http.RoundTripper { return &bounded{next, b} }

type bounded struct {
	next http.RoundTripper
	b    Bounds
}

// RoundTrip implements http.RoundTripper.
func (t *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	name := req.Method + " " + req.URL.Redacted()
	ctx, stop := context.WithCancelCause(req.Context())
	late := func(wait time.Duration, what string) func() {
		return func() { stop(&Unending{name, fmt.Sprintf("%s for %v", what, wait)}) }
	}
	waiting := time.AfterFunc(t.b.first, late(t.b.first, "no answer"))
	res, err := t.next.RoundTrip(req.WithContext(ctx)) //nolint:bodyclose // the caller closes it
	waiting.Stop()
	if err != nil {
		err = because(ctx, err)
		stop(nil)
		return nil, err
	}
	body := &boundedBody{ReadCloser: res.Body, b: t.b, name: name, ctx: ctx, stop: stop, begun: time.Now()}
	body.idle = time.AfterFunc(t.b.idle, late(t.b.idle, "no data arrives"))
	res.Body = body
	return res, nil
}

// because is the bound that ended a request, or else its own error.
func because(ctx context.Context, err error) error {
	var u *Unending
	if errors.As(context.Cause(ctx), &u) {
		return u
	}
	return err
}

type boundedBody struct {
	io.ReadCloser
	b     Bounds
	name  string
	ctx   context.Context
	stop  context.CancelCauseFunc
	idle  *time.Timer
	begun time.Time
	read  int64
}

func (r *boundedBody) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read += int64(n)
	if n > 0 {
		r.idle.Reset(r.b.idle)
	}
	past := time.Since(r.begun)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return n, because(r.ctx, err)
	case r.read > r.b.size:
		return n, &Unending{r.name, fmt.Sprintf("the answer is larger than %d MiB", r.b.size>>20)}
	case err == nil && past > r.b.grace && float64(r.read) < float64(r.b.rate)*past.Seconds():
		return n, &Unending{r.name, fmt.Sprintf("the answer comes at less than %d bytes a second", r.b.rate)}
	}
	return n, err
}

func (r *boundedBody) Close() error {
	r.idle.Stop()
	err := r.ReadCloser.Close()
	r.stop(nil)
	return err
}
