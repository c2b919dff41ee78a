package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// An ObjectStore is the bucket of a Kubeflow Pipelines server, in MinIO or
// another store with S3's protocol. Older servers have definitions there alone.
type ObjectStore struct {
	endpoint
	folder string
}

// Credentials sign the requests to an object store; the secret is not sent.
type Credentials struct{ ID, Secret, Session, Region string }

// OpenObjectStore prepares the client of https://HOST/BUCKET/FOLDER; nothing is
// sent. Bucket and folder are those of a server's default configuration
// unless they are named. CA is a file of certificates; empty = the system's.
func OpenObjectStore(base, ca string, c Credentials, sleep func(context.Context, time.Duration) error) (*ObjectStore, error) {
	e, err := newEndpoint(base, ca, sleep)
	if err != nil {
		return nil, err
	}
	if c.ID == "" || c.Secret == "" {
		return nil, errors.New("an object store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	u, err := url.Parse(e.base)
	if err != nil {
		return nil, err
	}
	bucket, folder, named := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !named {
		folder = "pipelines"
	}
	if bucket == "" {
		bucket = "mlpipeline"
	}
	e.base = u.Scheme + "://" + u.Host + "/" + bucket
	e.secret = c.Secret
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 escapes once
	empty := sha256.Sum256(nil)
	hash := hex.EncodeToString(empty[:])
	e.authorize = func(req *http.Request) error {
		req.Header.Set("X-Amz-Content-Sha256", hash)
		secrets := aws.Credentials{AccessKeyID: c.ID, SecretAccessKey: c.Secret, SessionToken: c.Session}
		return signer.SignHTTP(req.Context(), secrets, req, hash, "s3", c.Region, time.Now())
	}
	return &ObjectStore{endpoint: *e, folder: folder}, nil
}

// spec reads the spec of a version from where the server looks for it, in its
// order: what the row names, else by the id of the version, else of the
// pipeline; nil when there is none.
// Source: kubeflow/pipelines, backend/src/apiserver/resource/resource_manager.go.
func (o *ObjectStore) spec(ctx context.Context, pl *Pipeline, v *Version) (text []byte, err error) {
	for _, key := range []string{v.specURI, path.Join(o.folder, v.id), path.Join(o.folder, pl.id)} {
		if key == "" || path.Clean("/"+key) != "/"+key {
			continue // no key, or one that leads out of the bucket
		}
		// S3 signs a path with all but letters, digits and -._~ escaped.
		escaped := strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(key), "+", "%20"), "%2F", "/")
		err = o.read(ctx, "/"+escaped, func(body []byte) error {
			text = body
			return nil
		})
		var answer *restError
		switch {
		case err == nil:
			return text, nil
		case errors.As(err, &answer) && answer.status == http.StatusForbidden:
			return nil, fmt.Errorf("object store: %w; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION", err)
		case answer == nil || answer.status != http.StatusNotFound:
			return nil, fmt.Errorf("object store: %w", err)
		}
	}
	return nil, nil
}
