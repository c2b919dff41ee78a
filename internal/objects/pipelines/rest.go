package pipelines

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// pageSize is how many pipelines or versions a list asks for at once; maxAnswer
// bounds the answer, in bytes. A version has its spec in it, of up to 1.5 MiB.
const (
	pageSize  = 50
	maxAnswer = 96 << 20
)

// keptSpecs bounds how many bytes of specs of a list are kept until they are
// needed; the rest is asked for again, one by one.
const keptSpecs = 64 << 20

// A REST is the v2beta1 API of a Kubeflow Pipelines server.
type REST struct {
	base       string
	client     *http.Client
	namespaces []string
	kept       atomic.Int64
}

// Dial prepares the client of a server; nothing is sent. The token, when not
// empty, goes to that server only and into no message. CA is a file of
// certificates; empty = the system's. In multi-user mode a list shows one
// namespace, so they are named; shared pipelines are always read.
func Dial(base, token, ca string, namespaces []string, sleep func(context.Context, time.Duration) error) (*REST, error) {
	u, transport, err := dialer(base, ca)
	if err != nil {
		return nil, err
	}
	bearer := &wire.Bearer{Token: func() string { return token }, Base: u, Next: transport}
	r := &REST{client: patient(bearer, sleep), namespaces: namespaces}
	r.base = strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/apis/v2beta1")
	return r, nil
}

// dialer is the transport of answers of bounded size from a server, with the
// certificates of a file.
func dialer(base, ca string) (*url.URL, http.RoundTripper, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, fmt.Errorf("%q is no URL of a server", base)
	}
	if u.User != nil {
		return nil, nil, errors.New("a URL with a password in it is not taken; secrets come from the environment")
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, ResponseHeaderTimeout: 60 * time.Second}
	if ca != "" {
		pem, err := source.ReadFile(ca)
		if err != nil {
			return nil, nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, nil, fmt.Errorf("%s: no certificate in it", ca)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return u, wire.Bounded(transport, objects.Bounds(maxAnswer)), nil
}

// patient is a client that asks four times in all.
func patient(next http.RoundTripper, sleep func(context.Context, time.Duration) error) *http.Client {
	return &http.Client{Transport: wire.Patient(next, wire.Patience{Tries: 4, First: 200 * time.Millisecond, Sleep: sleep})}
}

// MultiUser asks the server whether its pipelines have namespaces.
func (r *REST) MultiUser(ctx context.Context) (bool, error) {
	var health struct {
		MultiUser bool `json:"multi_user"`
	}
	err := r.get(ctx, "/apis/v2beta1/healthz", nil, &health)
	return health.MultiUser, err
}

// SetNamespaces names the namespaces that are read next to the shared one.
func (r *REST) SetNamespaces(list []string) { r.namespaces = list }

// A restError is an answer of the server that is not 200.
type restError struct {
	status    int
	path, why string
}

func (e *restError) Error() string {
	return fmt.Sprintf("GET %s: %d %s: %s", e.path, e.status, http.StatusText(e.status), e.why)
}

// get asks for one resource.
func (r *REST) get(ctx context.Context, path string, query url.Values, into any) error {
	asked := r.base + path
	if len(query) > 0 {
		asked += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, asked, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	res, err := r.client.Do(req)
	if err != nil {
		if answer, ok := errors.AsType[*wire.AnswerError](err); ok {
			return answer // it names method and URL itself
		}
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if res.StatusCode != http.StatusOK {
		var answer struct{ Message, Error string }
		_ = json.NewDecoder(res.Body).Decode(&answer) // a proxy answers with HTML
		return &restError{res.StatusCode, asked, cmp.Or(answer.Message, answer.Error, "no reason was given")}
	}
	data, err := io.ReadAll(res.Body)
	switch {
	case err == nil && !utf8.Valid(data):
		err = errors.New("the answer is not UTF-8")
	case err == nil:
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("GET %s: %w", asked, err)
	}
	return nil
}

// The API's own shapes.
type restPipeline struct {
	restNamed
	ID        string `json:"pipeline_id"`
	Namespace string `json:"namespace"`
}

type restVersion struct {
	restNamed
	ID      string          `json:"pipeline_version_id"`
	CodeURL string          `json:"code_source_url"`
	Spec    json.RawMessage `json:"pipeline_spec"`
}

// restNamed is what both have.
type restNamed struct {
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name"`
	Description string            `json:"description"`
	Created     string            `json:"created_at"`
	Tags        map[string]string `json:"tags"`
	Error       *restStatus       `json:"error"`
}

type restStatus struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// pages follows the page tokens of a list, and checks what it got against what
// the server announces.
func pages[T any](ctx context.Context, r *REST, path string, query url.Values, key string, page func([]T) error) error {
	query.Set("page_size", strconv.Itoa(pageSize))
	query.Set("sort_by", "created_at asc")
	var followed wire.Pages
	total, got := 0, 0
	for {
		answer := map[string]json.RawMessage{}
		if err := r.get(ctx, path, query, &answer); err != nil {
			return err
		}
		var list []T
		var next string
		known := 0
		for _, field := range []struct {
			name string
			into any
		}{{key, &list}, {"total_size", &total}, {"next_page_token", &next}} {
			if raw, ok := answer[field.name]; ok {
				known++
				if err := json.Unmarshal(raw, field.into); err != nil {
					return fmt.Errorf("GET %s: %s: %w", r.base+path, field.name, err)
				}
			}
		}
		if answer == nil || known == 0 && len(answer) > 0 { // an empty list may be {}
			return fmt.Errorf("GET %s: the answer is no list of %s", r.base+path, strings.ReplaceAll(key, "_", " "))
		}
		if err := page(list); err != nil {
			return err
		}
		got += len(list)
		if next == "" && got < total {
			return fmt.Errorf("GET %s: the server announces %d %s and gave %d", r.base+path, total, strings.ReplaceAll(key, "_", " "), got)
		}
		if next == "" {
			return nil
		}
		if err := followed.Next(next, len(list)); err != nil {
			return fmt.Errorf("GET %s: %w", r.base+path, err)
		}
		query.Set("page_token", next)
	}
}

// Pipelines implements Store.
func (r *REST) Pipelines(ctx context.Context, each func(*Pipeline) error) error {
	done := map[string]bool{}
	for _, ns := range append([]string{""}, r.namespaces...) {
		query := url.Values{}
		if ns != "" {
			query.Set("namespace", ns)
		}
		err := pages(ctx, r, "/apis/v2beta1/pipelines", query, "pipelines", func(list []restPipeline) error {
			if slices.ContainsFunc(list, func(p restPipeline) bool { return p.ID == "" }) {
				return fmt.Errorf("GET %s/apis/v2beta1/pipelines: a pipeline has no pipeline_id", r.base)
			}
			// A single-user server ignores the namespace: it gives all each time.
			list = slices.DeleteFunc(list, func(p restPipeline) bool { return done[p.ID] })
			for _, p := range list {
				done[p.ID] = true
			}
			return r.withVersions(ctx, list, each)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withVersions reads the versions of pipelines, several at a time, and hands
// the pipelines out in their order. Where one cannot be read, the rest are not
// asked for.
func (r *REST) withVersions(ctx context.Context, list []restPipeline, each func(*Pipeline) error) error {
	read := make([]*Pipeline, len(list))
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, p := range list {
		group.Go(func() (err error) {
			read[i], err = r.pipeline(asking, p)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, p := range read {
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}

func (r *REST) pipeline(ctx context.Context, p restPipeline) (*Pipeline, error) {
	path := "/apis/v2beta1/pipelines/" + url.PathEscape(p.ID)
	out := &Pipeline{
		id: p.ID, namespace: p.Namespace, name: cmp.Or(p.Name, p.DisplayName, p.ID), displayName: p.DisplayName,
		describes: p.Description, tags: p.Tags, path: r.base + path,
	}
	if p.Error != nil {
		out.err = &objects.Refusal{Reason: "server-error", Message: "the server cannot read it: " + p.Error.Message, Hint: "check its row in pipelines"}
	}
	err := pages(ctx, r, path+"/versions", url.Values{}, "pipeline_versions", func(list []restVersion) error {
		for _, v := range list {
			if v.ID == "" {
				return fmt.Errorf("GET %s%s/versions: a version has no pipeline_version_id", r.base, path)
			}
			out.versions = append(out.versions, r.version(path, v))
		}
		return nil
	})
	return out, err
}

func (r *REST) version(path string, v restVersion) *Version {
	out := &Version{
		id: v.ID, name: cmp.Or(v.Name, v.DisplayName, v.ID), displayName: v.DisplayName, describes: v.Description,
		codeURL: v.CodeURL, tags: v.Tags, created: seconds(v.Created), path: r.base + path + "/versions/" + url.PathEscape(v.ID),
	}
	if out.created == 0 {
		out.err = refuse("unreadable", fmt.Sprintf("it is created at %q, which is no time: its place among the versions is not known", v.Created))
	}
	if v.Error != nil {
		out.err = &objects.Refusal{Reason: "server-error", Message: "the server cannot read it: " + v.Error.Message, Hint: "check its row in pipeline_versions"}
	}
	if r.kept.Add(int64(len(v.Spec))) < keptSpecs {
		out.text = append([]byte{}, v.Spec...)
	}
	return out
}

func seconds(text string) int64 {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// Spec implements Store.
func (r *REST) Spec(ctx context.Context, _ *Pipeline, v *Version) ([]byte, error) {
	var got restVersion
	err := r.get(ctx, strings.TrimPrefix(v.path, r.base), nil, &got)
	var answer *restError
	var unusable *wire.AnswerError
	if errors.As(err, &answer) && answer.status != http.StatusUnauthorized || errors.As(err, &unusable) && !unusable.Endless {
		return nil, refuse("unreadable", err.Error())
	}
	return got.Spec, err
}
