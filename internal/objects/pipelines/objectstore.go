package pipelines

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	client       *http.Client
	base, folder string
	secret       string // what goes into no message
}

// Credentials sign the requests to an object store; the secret is not sent.
type Credentials struct{ ID, Secret, Session, Region string }

// OpenObjectStore prepares the client of https://HOST/BUCKET/FOLDER; nothing is
// sent. Bucket and folder are those of a server's default configuration
// unless they are named. CA is a file of certificates; empty = the system's.
func OpenObjectStore(base, ca string, c Credentials, sleep func(context.Context, time.Duration) error) (*ObjectStore, error) {
	u, transport, err := dialer(base, ca)
	if err != nil {
		return nil, err
	}
	if c.ID == "" || c.Secret == "" {
		return nil, errors.New("an object store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	bucket, folder, named := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !named {
		folder = "pipelines"
	}
	if bucket == "" {
		bucket = "mlpipeline"
	}
	secrets := aws.Credentials{AccessKeyID: c.ID, SecretAccessKey: c.Secret, SessionToken: c.Session}
	signed := &signing{host: u.Scheme + "://" + u.Host, region: c.Region, secrets: secrets, next: transport}
	return &ObjectStore{client: patient(signed, sleep), base: signed.host + "/" + bucket, folder: folder, secret: c.Secret}, nil
}

// A signing transport signs the requests to one server; one that is sent on to
// another is not signed.
type signing struct {
	host, region string
	secrets      aws.Credentials
	next         http.RoundTripper
}

var signer = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }) // S3 escapes once

// RoundTrip implements http.RoundTripper.
func (t *signing) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme+"://"+req.URL.Host != t.host {
		return t.next.RoundTrip(req)
	}
	empty := sha256.Sum256(nil)
	hash := hex.EncodeToString(empty[:])
	req = req.Clone(req.Context())
	req.Header.Set("X-Amz-Content-Sha256", hash)
	if err := signer.SignHTTP(req.Context(), t.secrets, req, hash, "s3", t.region, time.Now()); err != nil {
		return nil, err
	}
	return t.next.RoundTrip(req)
}

// read reads an object; a restError where there is none or it may not be read.
func (o *ObjectStore) read(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := o.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", o.base+path, err)
	}
	if res.StatusCode != http.StatusOK {
		var answer struct{ Message string }
		_ = xml.Unmarshal(body, &answer)
		return nil, &restError{res.StatusCode, o.base + path, strings.ReplaceAll(cmp.Or(answer.Message, "no reason was given"), o.secret, "[token]")}
	}
	return body, nil
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
		text, err = o.read(ctx, "/"+escaped)
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
