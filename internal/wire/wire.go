// Package wire is the way to every server: the queue that all requests of a run
// pass, with a lane for each host, the pauses that rate limits ask for, a bound
// of what an answer may cost, and reads that are repeated when they broke on
// the way.
//
// The flow: a client (of a forge, a registry, a mail server) has a Queue as its
// http.RoundTripper, or takes a Turn for what is no HTTP; what went wrong is
// one of four: ErrNotFound, a TransitError, a RateError, or what the server
// refused, which stays the client's own error. The queue knows none of them.
package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Queue is where all requests pass: it lets mutating requests to one host go
// one at a time and at a distance, obeys rate limits, repeats reads that broke
// in transit, and remembers answers by their ETag. It is an http.RoundTripper;
// git pushes, mails and chat messages take their Turn.
//
// Source: "Best practices for using the REST API" and "Rate limits for the
// REST API", docs.github.com.
type Queue struct {
	Base     http.RoundTripper // default http.DefaultTransport
	Distance time.Duration     // between two mutating requests to one host; GitHub asks for 1 s
	Patience time.Duration     // longest wait in all that rate limits may ask for of one request; longer is an error
	Retries  int               // of reads that broke in transit
	Bounds   Bounds            // of one answer
	Now      func() time.Time
	Sleep    func(ctx context.Context, d time.Duration) error
	Saw      func(Effect)        // called for every mutating request before it is sent; may be nil
	Paused   func(text string)   // called for every wait for a rate limit; may be nil
	Sent     func(*http.Request) // called for every request; may be nil

	mu    sync.Mutex
	hosts map[string]*lane
	tags  map[string]remembered // by URL and accept header
	held  int                   // bytes of the answers in tags
}

// maxRemembered is how many bytes of answers a queue remembers; what is over
// that makes it forget all: a list of many pages is asked for once.
const maxRemembered = 16 << 20

// A lane is the line before one host.
type lane struct {
	turn sync.Mutex
	last time.Time
}

// A remembered answer can be asked for again with If-None-Match, which does
// not count against the rate limit when nothing has changed.
type remembered struct {
	etag   string
	header http.Header
	body   []byte
}

// Turn waits until a mutating request may go to host and returns the function
// that ends the turn.
func (q *Queue) Turn(ctx context.Context, host string, e Effect) (func(), error) {
	q.mu.Lock()
	if q.hosts == nil {
		q.hosts = map[string]*lane{}
	}
	l := q.hosts[host]
	if l == nil {
		l = &lane{}
		q.hosts[host] = l
	}
	q.mu.Unlock()
	l.turn.Lock()
	// A clock that jumped back must not make the wait longer than Distance.
	if wait := q.Distance - max(0, q.Now().Sub(l.last)); !l.last.IsZero() && wait > 0 {
		if err := q.Sleep(ctx, min(wait, q.Distance)); err != nil {
			l.turn.Unlock()
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		l.turn.Unlock()
		return nil, err
	}
	if q.Saw != nil {
		q.Saw(e)
	}
	return func() {
		l.last = q.Now()
		l.turn.Unlock()
	}, nil
}

// RoundTrip sends a request.
func (q *Queue) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return q.read(req)
	}
	end, err := q.Turn(req.Context(), req.URL.Host, Effect{Method: req.Method, Target: plainURL(req.URL)})
	if err != nil {
		return nil, err
	}
	defer end()
	return q.Obey(req, 0)
}

// plainURL is a URL without user and query.
func plainURL(u *url.URL) string {
	v := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return v.String()
}

// read repeats what broke in transit, and asks for changes only.
func (q *Queue) read(req *http.Request) (*http.Response, error) {
	key := req.Method + " " + req.URL.String() + " " + req.Header.Get("Accept")
	q.mu.Lock()
	old, known := q.tags[key]
	q.mu.Unlock()
	if known && req.Header.Get("If-None-Match") == "" {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", old.etag)
	}
	res, err := q.Obey(req, q.Retries)
	if err != nil {
		return nil, err
	}
	if known && res.StatusCode == http.StatusNotModified {
		_ = res.Body.Close()
		return old.answer(res), nil
	}
	if etag := res.Header.Get("ETag"); etag != "" && res.StatusCode == http.StatusOK && req.Method == http.MethodGet {
		return q.remember(key, etag, res)
	}
	return res, nil
}

func (q *Queue) remember(key, etag string, res *http.Response) (*http.Response, error) {
	body, err := body(res)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held += len(body) - len(q.tags[key].body); q.tags == nil || q.held > maxRemembered {
		q.tags, q.held = map[string]remembered{}, len(body)
	}
	q.tags[key] = remembered{etag, res.Header.Clone(), body}
	return res, nil
}

// answer is the remembered answer, with what the fresh one says next to it: limits,
// and scopes of the token, which may be another one by now.
// Source: RFC 9111, section 4.3.4.
func (r remembered) answer(fresh *http.Response) *http.Response {
	res := *fresh
	res.StatusCode, res.Status = http.StatusOK, "200 OK"
	res.Header = r.header.Clone()
	for k, v := range fresh.Header {
		if !strings.HasPrefix(k, "Content-") {
			res.Header[k] = v
		}
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
	return &res
}

// Obey sends a request, waits as long as a rate limit asks for and sends it
// again: a request that was refused by a limit had no effect. Requests that
// broke in transit are repeated retries times; a mutating one never is, since
// no one knows whether it arrived. Both have an end: Patience, and a number.
func (q *Queue) Obey(req *http.Request, retries int) (*http.Response, error) {
	broken, limits := 0, 0
	for paused := time.Duration(0); ; {
		attempt, err := again(req)
		if err != nil {
			return nil, err
		}
		if q.Sent != nil {
			q.Sent(attempt)
		}
		res, err := Bounded(q.base(), q.Bounds).RoundTrip(attempt)
		var pause time.Duration
		var again bool
		switch {
		case req.Context().Err() != nil:
			return nil, req.Context().Err()
		case err != nil || res.StatusCode >= 500 && res.StatusCode != http.StatusNotImplemented:
			pause, again = time.Second<<min(broken, 5), broken < retries && !hopeless(err)
			broken++
		default:
			if pause, again, err = q.limit(res, paused, limits); err != nil {
				return nil, err
			}
			paused += pause
			limits++
		}
		if !again {
			return res, err
		}
		if err := q.Sleep(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

// hopeless says whether a request that broke will break the next time too: the
// server does not speak TLS, no one vouches for its certificate, or its answer
// does not end.
func hopeless(err error) bool {
	if answer, ok := errors.AsType[*AnswerError](err); ok && answer.Endless {
		return true
	}
	var certificate *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	return errors.As(err, &certificate) || errors.As(err, &plain) || err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func (q *Queue) base() http.RoundTripper {
	if q.Base != nil {
		return q.Base
	}
	return http.DefaultTransport
}

// again is the request with a body that can be read (again).
func again(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return req, nil
	}
	if req.GetBody == nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	next := req.Clone(req.Context())
	next.Body = body
	return next, nil
}

// maxLimits is how often one request waits for a rate limit.
const maxLimits = 10

// limit says how long to wait when an answer is a rate limit, after so many
// pauses that took paused in all.
func (q *Queue) limit(res *http.Response, paused time.Duration, pauses int) (pause time.Duration, limited bool, err error) {
	if res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusTooManyRequests {
		return 0, false, nil
	}
	body, err := body(res)
	if err != nil {
		return 0, false, err
	}
	pause, limited = rateLimit(res, string(body), q.Now())
	if !limited {
		return 0, false, nil
	}
	host := res.Request.URL.Host
	if paused+pause > q.Patience || pauses >= maxLimits {
		return 0, false, &RateError{Host: host, Until: q.Now().Add(pause), after: paused, Secondary: res.Request.Method == http.MethodPost}
	}
	if q.Paused != nil {
		q.Paused(fmt.Sprintf("%s asks for a pause of %v (rate limit; %v of %v are spent on this request)",
			host, pause.Round(time.Second), paused.Round(time.Second), q.Patience))
	}
	return pause, true, nil
}

// rateLimit recognises a rate limit: 429; 403 with Retry-After, with no
// requests remaining, or with one of the texts for secondary limits (the old
// one says "abuse detection mechanism", today's "secondary rate limit"). Other
// 403s are about permissions.
func rateLimit(res *http.Response, body string, now time.Time) (time.Duration, bool) {
	text := strings.ToLower(body)
	limited := res.StatusCode == http.StatusTooManyRequests ||
		res.Header.Get("Retry-After") != "" ||
		res.Header.Get("X-RateLimit-Remaining") == "0" ||
		strings.Contains(text, "secondary rate limit") ||
		strings.Contains(text, "abuse detection mechanism") ||
		strings.Contains(text, "api rate limit exceeded")
	if !limited {
		return 0, false
	}
	if pause, ok := retryAfter(res, now); ok {
		return within(pause), true
	}
	if sec, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && res.Header.Get("X-RateLimit-Remaining") == "0" {
		// A limit lasts an hour at most: more is a wrong clock, where the server does not tell its own.
		return within(min(time.Hour, time.Unix(sec, 0).Sub(serverTime(res, now))+time.Second)), true
	}
	return time.Minute, true // what GitHub asks for when it says nothing
}

// retryAfter is the pause that an answer asks for, in seconds or by a time.
func retryAfter(res *http.Response, now time.Time) (time.Duration, bool) {
	s := res.Header.Get("Retry-After")
	if sec, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.Duration(min(max(sec, 0), 1<<30)) * time.Second, true
	}
	at, err := http.ParseTime(s)
	return at.Sub(serverTime(res, now)), err == nil
}

// within keeps a pause from being none: a server that asks for less requests
// does not mean at once.
func within(pause time.Duration) time.Duration { return max(time.Second, pause) }

// serverTime is the clock of the server, so that a wrong clock here does not
// turn into a wrong wait.
func serverTime(res *http.Response, now time.Time) time.Time {
	if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		return at
	}
	return now
}

// An Effect is one mutating request.
type Effect struct {
	Method string `json:"method"` // of HTTP; PUSH, MAIL, CHAT for the others
	Target string `json:"target"` // URL; an id that only the server knows is {id}
	Text   string `json:"text,omitempty"`
}

func (e Effect) String() string { return e.Method + " " + e.Target }

// Sleep waits for d or until the context is done, and says then why.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
