package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// An ImageReader looks images up in registries.
type ImageReader interface {
	// Digest is the digest that a reference (REPOSITORY:TAG) has now, or
	// ErrNotFound.
	Digest(ctx context.Context, ref string) (string, error)
	// TagTarget is the request that moving a tag makes.
	TagTarget(ref string) string
}

// An ImageWriter moves tags.
type ImageWriter interface {
	// Retag makes tag of the repository stand for digest.
	Retag(ctx context.Context, repository, digest, tag string) error
}

// An ImagePort is both halves.
type ImagePort interface {
	ImageReader
	ImageWriter
}

// Registry speaks to OCI registries, with the credentials of the container
// tools of this machine (~/.docker/config.json, podman's auth.json).
type Registry struct {
	Queue *Queue
}

func (r *Registry) options(ctx context.Context) []remote.Option {
	return []remote.Option{
		remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithTransport(r.Queue), remote.WithUserAgent("cfctl"),
		remote.WithRetryPredicate(func(error) bool { return false }), // the queue repeats what may be repeated
		remote.WithRetryStatusCodes(),
	}
}

// Digest implements ImageReader: one HEAD, after the registry's handshake.
func (r *Registry) Digest(ctx context.Context, ref string) (string, error) {
	tag, err := name.NewTag(ref)
	if err != nil {
		return "", fmt.Errorf("image %q: %w", ref, err)
	}
	d, err := remote.Head(tag, r.options(ctx)...)
	if err != nil {
		return "", imageError(ref, err)
	}
	return d.Digest.String(), nil
}

// TagTarget implements ImageReader.
func (r *Registry) TagTarget(ref string) string {
	tag, err := name.NewTag(ref)
	if err != nil {
		return ref
	}
	return tag.Scheme() + "://" + tag.RegistryStr() + "/v2/" + tag.RepositoryStr() + "/manifests/" + tag.TagStr()
}

// Retag implements ImageWriter.
func (r *Registry) Retag(ctx context.Context, repository, digest, tag string) error {
	from, err := name.NewDigest(repository + "@" + digest)
	if err != nil {
		return err
	}
	to, err := name.NewTag(repository + ":" + tag)
	if err != nil {
		return err
	}
	image, err := remote.Get(from, r.options(ctx)...)
	if err != nil {
		return imageError(from.String(), err)
	}
	return imageError(to.String(), remote.Tag(to, image, r.options(ctx)...))
}

// imageError translates a registry's answers. quay.io answers 401 to an
// anonymous question about a repository that is not there.
func imageError(ref string, err error) error {
	if err == nil {
		return nil
	}
	var rate *RateError
	if errors.As(err, &rate) {
		return rate
	}
	var answer *transport.Error
	switch {
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound:
		return fmt.Errorf("image %s: %w", ref, ErrNotFound)
	case errors.As(err, &answer) && answer.StatusCode >= 500:
		return &TransitError{fmt.Errorf("image %s: %d %s", ref, answer.StatusCode, http.StatusText(answer.StatusCode))}
	case errors.As(err, &answer):
		text, _, _ := strings.Cut(answer.Error(), "\n")
		return fmt.Errorf("image %s: %s", ref, text)
	case inTransit(err):
		return &TransitError{fmt.Errorf("image %s: %w", ref, err)}
	}
	return fmt.Errorf("image %s: %w", ref, err)
}
