// Package registry knows the images of a stack: what stable, dev and the tags of
// versions represent, where they drift, and how stable is moved.
//
// The flow: Images is the one client of all registries; Look reads what a
// component has, Drift evaluates it, Promote moves the stable tag to the digest of
// the highest release. What one question may take of a registry is bounded.
package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Reader looks images up in registries.
type Reader interface {
	// Digest is the digest that a reference (REPOSITORY:TAG, or
	// REPOSITORY@DIGEST) has now, or ErrNotFound.
	Digest(ctx context.Context, ref string) (string, error)
	// Look is what the registry has of a component's image.
	Look(ctx context.Context, c *stack.Component) (*View, error)
	// Revision is the commit that an image says it was built from (label
	// org.opencontainers.image.revision); empty = it does not say.
	Revision(ctx context.Context, repository, digest string) (string, error)
	// TagTarget is the request that moving a tag makes.
	TagTarget(ref string) string
}

// A Writer moves the stable tag.
type Writer interface {
	// Promote makes stable the release of a component that has version and
	// digest, which must be the highest; (*Images).Promote says how.
	Promote(ctx context.Context, c *stack.Component, version, digest string) (*Promotion, error)
}

// A Port is both halves.
type Port interface {
	Reader
	Writer
}

// The tags that ADR PCF-ADR-0003 wants next to those of versions: the latest
// official release, and the latest merge to main.
const (
	defaultStable = "stable"
	DevTag        = "dev"
)

// Images looks at the images of a stack in their registries, and moves their
// stable tag. Credentials come from the configuration of docker or podman
// (~/.docker/config.json, podman's auth.json). The zero value is ready.
type Images struct {
	Transport http.RoundTripper // a *Queue, which waits and repeats; nil = http.DefaultTransport
	Stable    string            // the stable tag; empty = defaultStable, "-" = there is none

	mu     sync.Mutex
	puller *remote.Puller
	pusher *remote.Pusher
}

func (g *Images) options(ctx context.Context) []remote.Option {
	t := g.Transport
	if t == nil {
		t = http.DefaultTransport
	}
	return []remote.Option{
		remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithTransport(bounded{t}), remote.WithUserAgent("cfctl"),
		remote.WithRetryPredicate(func(error) bool { return false }), // the queue repeats what may be repeated
		remote.WithRetryStatusCodes(),
	}
}

// clients are the two halves of the library, which shake hands with a registry
// once each.
func (g *Images) clients(ctx context.Context) (*remote.Puller, *remote.Pusher, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.puller != nil {
		return g.puller, g.pusher, nil
	}
	puller, err := remote.NewPuller(g.options(context.WithoutCancel(ctx))...)
	if err != nil {
		return nil, nil, err
	}
	pusher, err := remote.NewPusher(g.options(context.WithoutCancel(ctx))...)
	if err != nil {
		return nil, nil, err
	}
	g.puller, g.pusher = puller, pusher
	return puller, pusher, nil
}

// fail translates the answer of a registry. The library remembers a handshake
// that broke for ever: after trouble on the way the next request begins anew.
func (g *Images) fail(ref string, err error) error {
	err = registryError(ref, err)
	var transit *wire.TransitError
	if errors.As(err, &transit) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.puller, g.pusher = nil, nil
	}
	return err
}

// registryError says in the words of the field what a registry answered. A tag
// or repository that is not there wraps ErrNotFound; 5xx and what broke on the
// way are TransitErrors. quay.io answers 401 to an anonymous question about a
// repository that is not there.
func registryError(ref string, err error) error {
	var answer *transport.Error
	var rate *wire.RateError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rate):
		return fmt.Errorf("image %s: %w", ref, rate)
	case errors.As(err, &answer):
	case wire.InTransit(err):
		return &wire.TransitError{Err: fmt.Errorf("image %s: %w", ref, err)}
	case errors.As(err, &syntax):
		return fmt.Errorf("image %s: the registry's answer is not JSON, or a page of something else: %w", ref, err)
	default:
		return fmt.Errorf("image %s: %w", ref, err)
	}
	text := fmt.Errorf("image %s: the registry answers %d %s", ref, answer.StatusCode, http.StatusText(answer.StatusCode))
	switch {
	case answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("image %s: %w", ref, wire.ErrNotFound)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return &source.Error{
			Path: "image " + ref, Err: fmt.Errorf("the registry answers %d: not there, or not for these credentials", answer.StatusCode),
			Hint: "podman login " + registryOf(ref) + ", or docker login " + registryOf(ref),
		}
	case answer.StatusCode >= 500:
		return &wire.TransitError{Err: text}
	}
	return text
}

// registryOf is the registry of a reference or a repository.
func registryOf(ref string) string {
	if named, err := name.ParseReference(ref); err == nil {
		return named.Context().RegistryStr()
	}
	return ref
}

// Digest implements Reader: one HEAD, after the registry's handshake.
func (g *Images) Digest(ctx context.Context, ref string) (string, error) {
	tag, err := g.head(ctx, ref)
	return tag.Digest, err
}

// RevisionLabel is the commit that an image was built from. Source: OCI image
// specification, "Pre-Defined Annotation Keys".
const RevisionLabel = "org.opencontainers.image.revision"

// Revision implements Reader. What is no image says nothing.
func (g *Images) Revision(ctx context.Context, repository, digest string) (string, error) {
	config, err := g.config(ctx, repository, digest)
	if err != nil || config == nil {
		return "", err
	}
	return config.Config.Labels[RevisionLabel], nil
}

// config is the configuration of an image, of an index that of its first image: its
// manifest, and the configuration itself. Nil: it is no image.
func (g *Images) config(ctx context.Context, repository, digest string) (*v1.ConfigFile, error) {
	ref, err := name.NewDigest(repository + "@" + digest)
	if err != nil {
		return nil, fmt.Errorf("image %q: %w", repository, err)
	}
	ctx = asking(ctx, ref.Registry)
	d, err := g.get(ctx, ref)
	if err != nil {
		return nil, err
	}
	if d.MediaType.IsIndex() {
		index, err := d.ImageIndex()
		if err != nil {
			return nil, g.fail(ref.String(), err)
		}
		manifest, err := index.IndexManifest()
		if err != nil {
			return nil, g.fail(ref.String(), err)
		}
		i := slices.IndexFunc(manifest.Manifests, func(m v1.Descriptor) bool {
			return m.MediaType.IsImage() && (m.Platform == nil || m.Platform.OS != "unknown")
		})
		if i < 0 {
			return nil, nil
		}
		return g.config(ctx, repository, manifest.Manifests[i].Digest.String())
	}
	if !d.MediaType.IsImage() {
		return nil, nil
	}
	image, err := d.Image()
	if err != nil {
		return nil, g.fail(ref.String(), err)
	}
	config, err := image.ConfigFile()
	return config, g.fail(ref.String(), err)
}

// TagTarget implements Reader.
func (g *Images) TagTarget(ref string) string {
	tag, err := name.NewTag(ref)
	if err != nil {
		return ref
	}
	return tag.Scheme() + "://" + tag.RegistryStr() + "/v2/" + tag.RepositoryStr() + "/manifests/" + tag.TagStr()
}

// head looks a reference up, REPOSITORY:TAG or REPOSITORY@DIGEST.
func (g *Images) head(ctx context.Context, ref string) (Tag, error) {
	named, err := name.ParseReference(ref)
	if err != nil {
		return Tag{}, fmt.Errorf("image %q: %w", ref, err)
	}
	puller, _, err := g.clients(ctx)
	if err != nil {
		return Tag{}, err
	}
	d, err := puller.Head(asking(ctx, named.Context().Registry), named)
	if err != nil {
		return Tag{}, g.fail(ref, err)
	}
	return Tag{Tag: named.Identifier(), Digest: d.Digest.String()}, nil
}

// get reads a manifest. The library compares its bytes with the digest.
func (g *Images) get(ctx context.Context, ref name.Reference) (*remote.Descriptor, error) {
	puller, _, err := g.clients(ctx)
	if err != nil {
		return nil, err
	}
	d, err := puller.Get(asking(ctx, ref.Context().Registry), ref)
	return d, g.fail(ref.String(), err)
}

// put writes a manifest under a tag.
func (g *Images) put(ctx context.Context, ref name.Reference, d *remote.Descriptor) error {
	_, pusher, err := g.clients(ctx)
	if err != nil {
		return err
	}
	return g.fail(ref.String(), pusher.Put(asking(ctx, ref.Context().Registry), ref, d))
}

// What one question about an image may take: a list of tags goes over pages
// (of a thousand tags with most registries, of a hundred with some), and the
// registry says itself whether there is another one.
const (
	maxRegistryRequests  = 1000
	maxRegistryRedirects = 10 // one after the other, as of net/http; the library sets no end to them
	maxRegistryBytes     = 64 << 20
	maxRegistryValues    = 1_000_000 // a tag of no letter takes three bytes here, and sixteen in memory
)

type budgetKey struct{}

// A budget is what is left of one question to one registry.
type budget struct {
	home wire.Home

	mu                                 sync.Mutex
	requests, redirects, bytes, values int
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
	c.b.bytes += n
	c.b.values += bytes.Count(p[:n], []byte(","))
	switch {
	case c.b.bytes > maxRegistryBytes:
		return n, wire.Endless(c.req, "the answers to one question are larger than %d MiB", maxRegistryBytes>>20)
	case c.b.values > maxRegistryValues:
		return n, wire.Endless(c.req, "the answers to one question have more than %d values", maxRegistryValues)
	}
	return n, err
}
