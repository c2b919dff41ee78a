package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A recorder counts requests, and lets a test answer some itself.
type recorder struct {
	next http.RoundTripper

	mu     sync.Mutex
	seen   []string                             // "GET /v2/org/x/manifests/stable"
	before func(q *http.Request) *http.Response // nil answer = ask the registry
}

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.seen = append(r.seen, q.Method+" "+q.URL.Path)
	before := r.before
	r.mu.Unlock()
	if before != nil {
		if answer := before(q); answer != nil {
			return answer, nil
		}
	}
	return r.next.RoundTrip(q)
}

// count is how many requests had the method; empty = all. The handshake,
// which goes by HTTPS and HTTP for a registry on this machine, is left out.
func (r *recorder) count(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, s := range r.seen {
		if strings.HasPrefix(s, method) && s != "GET /v2/" {
			n++
		}
	}
	return n
}

func answer(q *http.Request, status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: q, ContentLength: int64(len(body))}
}

// inProcess is a registry for one test: its host, "127.0.0.1:PORT".
func inProcess(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true)))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// component is one whose image is on that registry.
func component(host, repo string) *stack.Component {
	return &stack.Component{Name: "fan", Image: stack.Image{Repository: host + "/" + repo, Tag: "v{version}"}}
}

// push publishes a new image under tags and returns its digest.
func push(t *testing.T, c *stack.Component, tags ...string) string {
	t.Helper()
	image, err := random.Image(64, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range tags {
		ref, err := name.NewTag(c.Image.Repository + ":" + tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.Write(ref, image); err != nil {
			t.Fatal(err)
		}
	}
	d, _ := image.Digest()
	return d.String()
}

// pushIndex publishes an index for two platforms.
func pushIndex(t *testing.T, c *stack.Component, tag string) string {
	t.Helper()
	index := mutate.IndexMediaType(empty.Index, "application/vnd.oci.image.index.v1+json")
	for _, arch := range []string{"arm64", "amd64"} {
		image, err := random.Image(64, 1)
		if err != nil {
			t.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	ref, _ := name.NewTag(c.Image.Repository + ":" + tag)
	if err := remote.WriteIndex(ref, index); err != nil {
		t.Fatal(err)
	}
	d, _ := index.Digest()
	return d.String()
}

func counted() (*Images, *recorder) {
	r := &recorder{next: http.DefaultTransport}
	return &Images{Transport: unhurried(r, nil)}, r
}

// unhurried is a queue that waits without waiting, and tells how long it would
// have.
func unhurried(next http.RoundTripper, told func(time.Duration)) *wire.Queue {
	return &wire.Queue{Base: next, Now: time.Now, Patience: 2 * time.Minute, Retries: 2, Sleep: func(_ context.Context, d time.Duration) error {
		if told != nil {
			told(d)
		}
		return nil
	}}
}

func rules(v *View) []string {
	var ids []string
	for _, f := range v.Drift() {
		ids = append(ids, f.Rule)
	}
	return ids
}

func TestImages(t *testing.T)        { testImages(t, inProcess(t)) }
func TestImagesAlways(t *testing.T)  { testAlwaysHighest(t, inProcess(t), 200) }
func TestImagesTrouble(t *testing.T) { testTrouble(t, inProcess(t)) }

// testImages follows an image through its life on a real registry and asserts
// the requests.
func testImages(t *testing.T, host string) {
	ctx := t.Context()
	c := component(host, "org/life")
	g, _ := counted()
	v, err := g.Look(ctx, c)
	if err != nil || v.Highest.Tag != "" || !slices.Equal(rules(v), []string{"release-missing", "dev-missing"}) {
		t.Fatalf("no repository: %+v, %v, %v", v, rules(v), err)
	}
	push(t, c, "dev")
	first := push(t, c, "v1.0.0")
	push(t, c, "v1.1.0-rc.1")
	push(t, c, "v.0.0.7")

	g, r := counted()
	v, err = g.Look(ctx, c)
	if err != nil || v.Highest.Digest != first || !slices.Equal(rules(v), []string{"stable-missing", "tag-misspelled"}) {
		t.Fatalf("first release: %+v, %v, %v", v, rules(v), err)
	}
	if r.count("") != 4 { // GET tags/list, GET v1.0.0, HEAD stable, HEAD dev
		t.Errorf("Look made %d requests: %q", r.count(""), r.seen)
	}
	p, err := g.Promote(ctx, c, "", "")
	if err != nil || !p.Moved || p.After.Digest != first || p.Before.Digest != "" {
		t.Fatalf("promote: %+v, %v", p, err)
	}
	if r.count("PUT") != 1 || r.count("") != 4+4+3+1+4 { // look; look; manifest by digest and 2 HEADs; PUT; look again
		t.Errorf("Promote made %d requests, %d PUT: %q", r.count("")-4, r.count("PUT"), r.seen)
	}

	g, r = counted()
	if p, err = g.Promote(ctx, c, "v1.0.0", ""); err != nil || p.Moved || r.count("PUT") != 0 || r.count("") != 4 {
		t.Errorf("promote again: %+v, %v, %q", p, err, r.seen)
	}

	index := pushIndex(t, c, "v1.1.0")
	v, err = g.Look(ctx, c)
	if err != nil || !slices.Equal(rules(v), []string{"stable-behind", "tag-misspelled"}) || v.Stable.Version != "v1.0.0" {
		t.Errorf("behind: %+v, %v, %v", v, rules(v), err)
	}
	if p, err = g.Promote(ctx, c, "v1.1.0", ""); err != nil || p.After.Digest != index || p.After.Version != "v1.1.0" {
		t.Errorf("promote an index: %+v, %v", p, err)
	}
	push(t, c, "v1.0.1") // a hotfix of the old line
	if p, err = g.Promote(ctx, c, "", ""); err != nil || p.Moved {
		t.Errorf("after a hotfix of an old line: %+v, %v", p, err)
	}
	for to, want := range map[string]string{"v1.0.1": "is lower than v1.1.0", "v1.2.0": "has no tag of v1.2.0", "latest": "not a semantic version"} {
		if _, err = g.Promote(ctx, c, to, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("promote %s: %v", to, err)
		}
	}
	push(t, c, "stable")
	if v, err = g.Look(ctx, c); err != nil || rules(v)[0] != "stable-unknown" {
		t.Errorf("unknown: %v, %v", rules(v), err)
	}
}

// testAlwaysHighest plays random sequences of releases, hotfixes of old lines,
// promotions and promotions that are cut off at some request. However it goes,
// stable never moves backwards, and the next whole promotion makes it the
// highest release.
func testAlwaysHighest(t *testing.T, host string, steps int) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	c := component(host, "org/property")
	released := map[string]string{} // version by digest
	highest, minor, patch := "", 0, map[int]int{}
	stable := func() string {
		g, _ := counted()
		v, err := g.Look(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return released[v.Stable.Digest]
	}
	last := ""
	for range steps {
		switch k := random.IntN(5); {
		case k == 0 || highest == "":
			minor++
			released[push(t, c, fmt.Sprintf("v1.%d.0", minor))] = fmt.Sprintf("v1.%d.0", minor)
		case k == 1:
			of := 1 + random.IntN(minor)
			patch[of]++
			v := fmt.Sprintf("v1.%d.%d", of, patch[of])
			released[push(t, c, v)] = v
		case k == 2:
			g, r := counted()
			left := 1 + random.IntN(14)
			r.before = func(q *http.Request) *http.Response {
				if left--; left < 0 {
					return answer(q, http.StatusForbidden, "cut off")
				}
				return nil
			}
			_, _ = g.Promote(t.Context(), c, "", "") // may fail anywhere
		default:
			g, _ := counted()
			if _, err := g.Promote(t.Context(), c, "", ""); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		highest = ""
		for _, v := range released {
			if highest == "" || semver.Compare(v, highest) > 0 {
				highest = v
			}
		}
		now := stable()
		if last != "" && semver.Compare(now, last) < 0 {
			t.Fatalf("seed %d: stable went from %s back to %s", seed, last, now)
		}
		last = now
	}
	g, _ := counted()
	if p, err := g.Promote(t.Context(), c, "", ""); err != nil || released[p.After.Digest] != highest {
		t.Errorf("seed %d: %+v, %v, want %s", seed, p, err, highest)
	}
}

// testTrouble lets the registry answer badly.
func testTrouble(t *testing.T, host string) {
	ctx := t.Context()
	c := component(host, "org/trouble")
	push(t, c, "v1.0.0", "stable", "dev")
	push(t, c, "v1.1.0")
	on := func(method, part string, status int, times int, header ...string) (*Images, *recorder) {
		g, r := counted()
		r.before = func(q *http.Request) *http.Response {
			if times > 0 && q.Method == method && strings.Contains(q.URL.Path, part) {
				times--
				return answer(q, status, `{"errors":[{"code":"X","message":"no"}]}`, header...)
			}
			return nil
		}
		return g, r
	}
	for _, tt := range []struct {
		method, part string
		status       int
		want         string
	}{
		{"GET", "tags/list", 401, "answers 401: not there, or not for these credentials"},
		{"HEAD", "stable", 403, "answers 403: not there, or not for these credentials"},
		{"GET", "tags/list", 429, "rate limit reached"},
		{"GET", "manifests/v1.1.0", 500, "answers 500 Internal Server Error"},
		{"PUT", "manifests/stable", 500, "answers 500 Internal Server Error"},
		{"PUT", "manifests/stable", 401, "answers 401"},
	} {
		g, _ := on(tt.method, tt.part, tt.status, 99)
		if _, err := g.Promote(ctx, c, "", ""); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s %d: %v", tt.method, tt.part, tt.status, err)
		}
	}
	// A look for one image, by tag or by digest, tells what is not there from what is not known.
	for status, want := range map[int]string{401: "answers 401", 429: "rate limit reached", 500: "answers 500"} {
		g, _ := on("HEAD", "v1.0.0", status, 99)
		if _, err := g.Digest(ctx, c.Image.Repository+":v1.0.0"); err == nil || errors.Is(err, wire.ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("digest, %d: %v", status, err)
		}
	}
	plain, _ := counted()
	digest, err := plain.Digest(ctx, c.Image.Repository+":v1.0.0")
	if again, derr := plain.Digest(ctx, c.Image.Repository+"@"+digest); err != nil || derr != nil || again != digest {
		t.Errorf("by digest: %s, %v; %s, %v", digest, err, again, derr)
	}
	for _, ref := range []string{":v9.0.0", "@sha256:" + strings.Repeat("0", 64)} {
		if _, err := plain.Digest(ctx, c.Image.Repository+ref); !errors.Is(err, wire.ErrNotFound) {
			t.Errorf("%s is not there: %v", ref, err)
		}
	}
	var placed *source.Error
	denied, _ := on("HEAD", "stable", 401, 99)
	if _, err := denied.Digest(ctx, c.Image.Repository+":stable"); !errors.As(err, &placed) || placed.Hint != "podman login "+host+", or docker login "+host {
		t.Errorf("401 says what to do next: %v", err)
	}
	// A registry that recovers is asked again, after the time that it names.
	var waited []time.Duration
	g, r := on("GET", "tags/list", 429, 1, "Retry-After", "7")
	g.Transport = unhurried(r, func(d time.Duration) { waited = append(waited, d) })
	if _, err := g.Look(ctx, c); err != nil || !slices.Equal(waited, []time.Duration{7 * time.Second}) {
		t.Errorf("recovers: %v, %v", waited, err)
	}
	// A write that does not arrive is repeated, after another look.
	g, r = on("PUT", "manifests/stable", 502, 1)
	if p, err := g.Promote(ctx, component(host, "org/trouble-put"), "", ""); err == nil {
		t.Errorf("no release: %+v", p)
	}
	again := component(host, "org/again")
	first := push(t, again, "v1.0.0")
	if _, err := g.Promote(ctx, again, "v1.0.0", "sha256:"+strings.Repeat("0", 64)); err == nil || !strings.Contains(err.Error(), "was pushed again") || r.count("PUT") != 0 {
		t.Errorf("another image: %v", err)
	}
	if p, err := g.Promote(ctx, again, "v1.0.0", first); err != nil || !p.Moved || p.After.Digest != first || r.count("PUT") != 2 {
		t.Errorf("a lost write: %+v, %v, %d PUT", p, err, r.count("PUT"))
	}
	// One that is accepted and not stored is an error, and so is a digest that is not the content's.
	g, r = counted()
	r.before = func(q *http.Request) *http.Response {
		if q.Method == http.MethodPut {
			return answer(q, http.StatusCreated, "")
		}
		return nil
	}
	if _, err := g.Promote(ctx, c, "", ""); err == nil || !strings.Contains(err.Error(), "the registry did not store it") || r.count("PUT") != 1 {
		t.Errorf("not stored: %v, %d PUT", err, r.count("PUT"))
	}
	g, r = counted()
	r.before = func(q *http.Request) *http.Response {
		full, err := http.DefaultTransport.RoundTrip(q)
		if err != nil || !strings.Contains(q.URL.Path, "/manifests/") {
			return full
		}
		full.Header.Set("Docker-Content-Digest", "sha256:"+strings.Repeat("0", 64))
		return full
	}
	if _, err := g.Promote(ctx, c, "", ""); err == nil || !strings.Contains(err.Error(), "moved meanwhile") || r.count("PUT") != 0 {
		t.Errorf("another digest: %v, %d PUT", err, r.count("PUT"))
	}
	// A truncated manifest is not believed.
	g, r = counted()
	r.before = func(q *http.Request) *http.Response {
		if q.Method == http.MethodGet && strings.Contains(q.URL.Path, "/manifests/") {
			full, err := http.DefaultTransport.RoundTrip(q)
			if err != nil {
				return nil
			}
			body, _ := io.ReadAll(full.Body)
			full.Body = io.NopCloser(strings.NewReader(string(body[:len(body)/2])))
			return full
		}
		return nil
	}
	if _, err := g.Promote(ctx, c, "", ""); err == nil || r.count("PUT") != 0 {
		t.Errorf("truncated manifest: %v, %d PUT", err, r.count("PUT"))
	}
	// A tag that moves between the look and the write stops the promotion.
	g, r = counted()
	heads := 0
	r.before = func(q *http.Request) *http.Response {
		if q.Method == http.MethodHead && strings.HasSuffix(q.URL.Path, "/stable") {
			if heads++; heads == 2 {
				push(t, c, "stable")
			}
		}
		return nil
	}
	if _, err := g.Promote(ctx, c, "", ""); err == nil || !strings.Contains(err.Error(), "moved meanwhile") || r.count("PUT") != 0 {
		t.Errorf("moved meanwhile: %v, %d PUT", err, r.count("PUT"))
	}
	// A release that appears during the write is promoted after it.
	g, r = counted()
	newer := ""
	r.before = func(q *http.Request) *http.Response {
		if q.Method == http.MethodPut && newer == "" {
			newer = push(t, c, "v1.2.0")
		}
		return nil
	}
	if p, err := g.Promote(ctx, c, "", ""); err != nil || p.After.Digest != newer || r.count("PUT") != 2 {
		t.Errorf("a release meanwhile: %+v, %v", p, err)
	}
}

// TestRegistryThatIsNone asks a server of pages for an image.
func TestRegistryThatIsNone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>log in") }))
	defer s.Close()
	g, _ := counted()
	_, err := g.Look(t.Context(), component(strings.TrimPrefix(s.URL, "http://"), "org/x"))
	if err == nil || !strings.Contains(err.Error(), "org/x: the registry's answer is not JSON") {
		t.Errorf("%v", err)
	}
}
