package registry

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// What one question about an image may take: a list of tags goes over pages
// (of a thousand tags with most registries, of a hundred with some), and the
// registry says itself whether there is another one.
const (
	maxRegistryRequests  = 1000
	maxRegistryRedirects = 10 // one after the other, as of net/http; the library sets no end to them
	maxRegistryBytes     = 64 << 20
)

type budgetKey struct{}

// A budget is what is left of one question to one registry.
type budget struct {
	home wire.Home

	mu                         sync.Mutex
	requests, redirects, bytes int
}

// asking begins a question to a registry: all requests with this context are of
// it. A question that is a part of another one, such as the image of an index,
// has what is left of that one.
func asking(ctx context.Context, registry name.Registry) context.Context {
	if b, ok := ctx.Value(budgetKey{}).(*budget); ok && b.home.Host == registry.RegistryStr() {
		return ctx
	}
	return context.WithValue(ctx, budgetKey{}, &budget{home: wire.Home{Host: registry.RegistryStr(), Plain: registry.Scheme() == "http"}})
}

// bounded ends questions that a registry has no end of answers to, and those that
// it leads to other servers than wire.Home permits. A request that is of no
// question goes through as it is.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	b, ok := req.Context().Value(budgetKey{}).(*budget)
	if !ok {
		return t.next.RoundTrip(req)
	}
	if err := b.ask(req); err != nil {
		return nil, err
	}
	if err := b.home.Check(req); err != nil {
		return nil, err
	}
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.redirects++; res.StatusCode < 300 || res.StatusCode >= 400 {
		b.redirects = 0
	}
	res.Body = &countedBody{res.Body, b, req}
	return res, nil
}

func (b *budget) ask(req *http.Request) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	switch {
	case b.requests > maxRegistryRequests:
		return wire.Endless(req, "no end after %d requests for one answer", maxRegistryRequests)
	case b.redirects > maxRegistryRedirects:
		return wire.Endless(req, "no end after %d redirects", maxRegistryRedirects)
	}
	return nil
}

// countedBody is the body of an answer, taken from the budget of its question.
type countedBody struct {
	io.ReadCloser
	b   *budget
	req *http.Request
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	if c.b.bytes += n; c.b.bytes > maxRegistryBytes {
		return n, wire.Endless(c.req, "the answers to one question are larger than %d MiB", maxRegistryBytes>>20)
	}
	return n, err
}
