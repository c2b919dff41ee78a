package wire

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds are what is taken of one answer. A server decides neither how
// long cfctl waits nor how much memory it needs.
type Bounds struct {
	Idle  time.Duration // longest time without a byte; zero = 30 s
	Total time.Duration // until the answer is whole; zero = a minute
	Size  int64         // bytes; zero = 64 MiB
}

func (b Bounds) complete() Bounds {
	b.Idle = cmp.Or(b.Idle, 30*time.Second)
	if b.Total == 0 {
		b.Total = time.Minute
	}
	b.Size = cmp.Or(b.Size, 64<<20)
	return b
}

// An AnswerError says of an answer that it cannot be used: it is too large, does
// not end, is cut, or is not of the kind that was asked for.
type AnswerError struct {
	method, url string // without user and query
	text        string
	Endless     bool // asking again would take as long again
	err         error
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.method, e.url, e.text)
}
func (e *AnswerError) Unwrap() error { return e.err }

// unusable is the AnswerError of a request.
func unusable(req *http.Request, format string, args ...any) *AnswerError {
	return &AnswerError{method: req.Method, url: plainURL(req.URL), text: fmt.Sprintf(format, args...)}
}

// Endless is the AnswerError of a request that would take as long again.
func Endless(req *http.Request, format string, args ...any) *AnswerError {
	e := unusable(req, format, args...)
	e.Endless = true
	return e
}

// Bounded is a transport that reads answers whole, within bounds; one that goes
// beyond them is an AnswerError.
func Bounded(next http.RoundTripper, b Bounds) http.RoundTripper { return bounded{next, b.complete()} }

type bounded struct {
	next   http.RoundTripper
	bounds Bounds
}

// RoundTrip implements http.RoundTripper.
func (t bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	defer cancel(nil)
	end := func(d time.Duration, format string) *time.Timer {
		return time.AfterFunc(d, func() {
			cancel(Endless(req, format, d))
		})
	}
	total, idle := end(t.bounds.Total, "the answer is not whole after %v"), end(t.bounds.Idle, "no byte of an answer for %v")
	defer total.Stop()
	defer idle.Stop()
	res, err := t.next.RoundTrip(req.WithContext(ctx))
	if err == nil {
		res.Request = req
		err = takeIn(req, res, t.bounds.Size, func() { idle.Reset(t.bounds.Idle) })
	}
	var late *AnswerError
	if err != nil && errors.As(context.Cause(ctx), &late) {
		err = late
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// takeIn reads the body of an answer into memory; moved is called for every
// piece.
func takeIn(req *http.Request, res *http.Response, size int64, moved func()) error {
	if res.Body == nil {
		res.Body = http.NoBody
	}
	body, err := io.ReadAll(io.LimitReader(pieces{res.Body, moved}, size+1))
	_ = res.Body.Close()
	switch {
	case int64(len(body)) > size:
		return Endless(req, "the answer is larger than %d MiB", size>>20)
	case req.Context().Err() != nil:
		return req.Context().Err()
	case err != nil:
		e := unusable(req, "the answer is cut after %d bytes: %v", len(body), err)
		e.err = err
		return e
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// pieces tells of every piece that is read.
type pieces struct {
	io.Reader
	moved func()
}

func (p pieces) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n > 0 {
		p.moved()
	}
	return n, err
}

// body gives the bytes of an answer that was taken in, and leaves them there.
func body(res *http.Response) ([]byte, error) {
	data, err := io.ReadAll(res.Body)
	res.Body = io.NopCloser(bytes.NewReader(data))
	return data, err
}

// maxValues is how many values an answer may have, each of which takes some hundred bytes: what
// separates or nests them is counted, in texts too. A page of a hundred pull requests has a tenth.
const maxValues = 1 << 19

// wantJSON refuses the answer of an API that is none: a page of a proxy, or of
// the forge itself where its API is somewhere else, or nothing to a question.
func wantJSON(req *http.Request, res *http.Response) error {
	data, err := body(res)
	data = bytes.TrimSpace(data)
	if n := bytes.Count(data, []byte(",")) + bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("[")); n > maxValues {
		return Endless(req, "the answer has more than %d values", maxValues)
	}
	empty := len(data) == 0 && (res.StatusCode != http.StatusOK || req.Method != http.MethodGet)
	if err != nil || res.StatusCode >= 300 || empty || json.Valid(data) {
		return err
	}
	kind := "not JSON"
	if bytes.HasPrefix(data, []byte("<")) || strings.Contains(res.Header.Get("Content-Type"), "html") {
		kind = "a page (HTML), not JSON: the URL may not be the address of an API"
	}
	return unusable(req, "the answer is %s", kind)
}

// withoutToken cuts the token out of an answer: a server that repeats what it
// was sent does not get it printed.
func withoutToken(res *http.Response, token string) error {
	data, err := body(res)
	if err != nil || token == "" {
		return err
	}
	clean := data
	for _, secret := range []string{token, base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))} {
		clean = bytes.ReplaceAll(clean, []byte(secret), []byte("***"))
	}
	res.Body = io.NopCloser(bytes.NewReader(clean))
	if len(clean) != len(data) {
		res.ContentLength = int64(len(clean))
	}
	return nil
}

// What one list may take. A server decides neither how often it is asked nor how
// much of its tokens is kept.
const (
	maxPages = 10_000  // of a hundred or more items each
	maxEmpty = 100     // in a row: filters on the server's side may leave a page empty
	maxToken = 1 << 16 // bytes of a page token
)

// Pages follows the pages of one list to its end. The zero value is ready.
type Pages struct {
	seen  map[[sha256.Size]byte]bool
	empty int
}

// Next takes note of a page with that many items that names a next page by a
// token. It returns an error where the list has no end: the token was there
// before, or there are more pages than any list has.
func (p *Pages) Next(token string, items int) error {
	if p.empty++; items > 0 {
		p.empty = 0
	}
	if p.seen == nil {
		p.seen = map[[sha256.Size]byte]bool{}
	}
	sum := sha256.Sum256([]byte(token))
	switch {
	case p.seen[sum]:
		return fmt.Errorf("the server repeats the page token %.40q: its list has no end", token)
	case len(token) > maxToken:
		return fmt.Errorf("the server names a page by %d bytes, more than %d", len(token), maxToken)
	case p.empty >= maxEmpty:
		return fmt.Errorf("the server sends %d pages without an item, and names a next one: its list has no end", p.empty)
	}
	p.seen[sum] = true
	if len(p.seen) >= maxPages {
		return fmt.Errorf("the list has no end after %d pages", maxPages)
	}
	return nil
}

// IgnoreNotFound is an error, unless it says that something is not there.
func IgnoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// ErrNotFound is wrapped by errors that say that a server answered, and the
// thing is not there (GitHub answers so too for what the token may not see).
var ErrNotFound = errors.New("not found")

// A RateError says that a server wants more pauses, or longer ones, than the
// queue has Patience for.
type RateError struct {
	Host      string
	Until     time.Time     // zero = the server does not say
	after     time.Duration // that was waited already
	Secondary bool          // it was a write: less content in a time helps, not fewer requests
}

func (e *RateError) Error() string {
	text := e.Host + ": rate limit reached"
	if e.Secondary {
		text = e.Host + ": secondary rate limit reached"
	}
	if !e.Until.IsZero() {
		text += ", again from " + e.Until.UTC().Format(time.RFC3339)
	}
	if e.after > 0 {
		text += fmt.Sprintf(" (after pauses of %v)", e.after.Round(time.Second))
	}
	return text
}

// InTransit says whether an error leaves open if the request arrived, or is
// likely to go away by itself.
func InTransit(err error) bool {
	var u *url.Error
	var t *TransitError
	var r interface{ InTransit() bool } // *git.RemoteError
	if a, ok := errors.AsType[*AnswerError](err); ok {
		return a.Endless || a.err != nil
	}
	return errors.As(err, &u) && !errors.Is(err, context.Canceled) || errors.As(err, &t) || errors.As(err, &r) && r.InTransit()
}

// A TransitError is a request that broke on its way, or that the server failed
// to answer (5xx, a cut connection): whether it had an effect is for the next
// observation to say.
type TransitError struct {
	Err error
}

func (e *TransitError) Error() string { return e.Err.Error() }
func (e *TransitError) Unwrap() error { return e.Err }
