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
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

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
	ID          string            `json:"pipeline_id"`
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name"`
	Description string            `json:"description"`
	Namespace   string            `json:"namespace"`
	Created     string            `json:"created_at"`
	Tags        map[string]string `json:"tags"`
	Error       *restStatus       `json:"error"`
}

type restVersion struct {
	ID          string            `json:"pipeline_version_id"`
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name"`
	Description string            `json:"description"`
	Created     string            `json:"created_at"`
	CodeURL     string            `json:"code_source_url"`
	Tags        map[string]string `json:"tags"`
	Spec        json.RawMessage   `json:"pipeline_spec"`
	Error       *restStatus       `json:"error"`
}

type restStatus struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// pages follows the page tokens of a list, and checks what it got against what
// the server announces. Page says how many a page has.
func (r *REST) pages(ctx context.Context, path string, query url.Values, page func(json.RawMessage) (int, error), key string) error {
	query.Set("page_size", strconv.Itoa(pageSize))
	query.Set("sort_by", "created_at asc")
	var followed wire.Pages
	total, got := 0, 0
	for {
		before := got
		answer := map[string]json.RawMessage{}
		if err := r.get(ctx, path, query, &answer); err != nil {
			return err
		}
		known := 0
		for _, name := range []string{key, "total_size", "next_page_token"} {
			if _, ok := answer[name]; ok {
				known++
			}
		}
		if answer == nil || known == 0 && len(answer) > 0 { // an empty list may be {}
			return fmt.Errorf("GET %s: the answer is no list of %s", r.base+path, strings.ReplaceAll(key, "_", " "))
		}
		if list, ok := answer[key]; ok {
			n, err := page(list)
			if err != nil {
				return err
			}
			got += n
		}
		if raw, ok := answer["total_size"]; ok {
			if err := json.Unmarshal(raw, &total); err != nil {
				return fmt.Errorf("GET %s: total_size: %w", r.base+path, err)
			}
		}
		var next string
		if raw, ok := answer["next_page_token"]; ok {
			if err := json.Unmarshal(raw, &next); err != nil {
				return fmt.Errorf("GET %s: next_page_token: %w", r.base+path, err)
			}
		}
		if next == "" && got < total {
			return fmt.Errorf("GET %s: the server announces %d %s and gave %d", r.base+path, total, strings.ReplaceAll(key, "_", " "), got)
		}
		if next == "" {
			return nil
		}
		if err := followed.Next(next, got-before); err != nil {
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
		err := r.pages(ctx, "/apis/v2beta1/pipelines", query, func(raw json.RawMessage) (int, error) {
			var list []restPipeline
			if err := json.Unmarshal(raw, &list); err != nil {
				return 0, fmt.Errorf("GET %s/apis/v2beta1/pipelines: %w", r.base, err)
			}
			n := len(list)
			if slices.ContainsFunc(list, func(p restPipeline) bool { return p.ID == "" }) {
				return 0, fmt.Errorf("GET %s/apis/v2beta1/pipelines: a pipeline has no pipeline_id", r.base)
			}
			// A single-user server ignores the namespace: it gives all each time.
			list = slices.DeleteFunc(list, func(p restPipeline) bool { return done[p.ID] })
			for _, p := range list {
				done[p.ID] = true
			}
			return n, r.withVersions(ctx, list, each)
		}, "pipelines")
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
	const atOnce = 8
	read := make([]*Pipeline, len(list))
	slots := make(chan struct{}, atOnce)
	asking, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	for i, p := range list {
		slots <- struct{}{}
		group.Go(func() {
			out, err := r.pipeline(asking, p)
			if err != nil {
				stop(err) // the first one counts
			}
			read[i] = out
			<-slots
		})
	}
	group.Wait()
	if err := context.Cause(asking); err != nil {
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
		describes: p.Description, tags: p.Tags, created: seconds(p.Created), path: r.base + path,
	}
	if p.Error != nil {
		out.err = &objects.Refusal{Reason: "server-error", Message: "the server cannot read it: " + p.Error.Message, Hint: "check its row in pipelines"}
	}
	err := r.pages(ctx, path+"/versions", url.Values{}, func(raw json.RawMessage) (int, error) {
		var list []restVersion
		if err := json.Unmarshal(raw, &list); err != nil {
			return 0, fmt.Errorf("GET %s%s/versions: %w", r.base, path, err)
		}
		for _, v := range list {
			if v.ID == "" {
				return 0, fmt.Errorf("GET %s%s/versions: a version has no pipeline_version_id", r.base, path)
			}
			out.versions = append(out.versions, r.version(path, v))
		}
		return len(list), nil
	}, "pipeline_versions")
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
