package registry

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestRegistryHasNoSay: a registry decides neither how many requests a question
// takes nor how much memory.
func TestRegistryHasNoSay(t *testing.T) {
	page := 0
	for name, tt := range map[string]struct {
		answer func(q *http.Request) *http.Response
		most   int
		want   string
	}{
		"pages": {func(q *http.Request) *http.Response {
			page++
			return answer(q, 200, fmt.Sprintf(`{"name":"org/x","tags":["v1.0.%d"]}`, page), "Link", fmt.Sprintf(`</v2/org/x/tags/list?last=%d>; rel="next"`, page))
		}, maxRegistryRequests, "no end after 1000 requests"},
		"redirects": {func(q *http.Request) *http.Response {
			page++
			return answer(q, 302, "", "Location", fmt.Sprintf("/v2/org/x/%d", page))
		}, maxRegistryRedirects + 1, "no end after 10 redirects"},
		"large pages": {func(q *http.Request) *http.Response {
			page++
			return answer(q, 200, strings.Repeat(" ", 8<<20)+`{"name":"org/x","tags":["v1.0.0"]}`, "Link", fmt.Sprintf(`</v2/org/x/tags/list?last=%d>; rel="next"`, page))
		}, 9, "larger than 64 MiB"},
		"many tags": {func(q *http.Request) *http.Response {
			return answer(q, 200, `{"name":"org/x","tags":[`+strings.Repeat(`"",`, 600_000)+`""]}`, "Link", `</v2/org/x/tags/list?last=x>; rel="next"`)
		}, 3, "more than 1000000 values"},
	} {
		g, r := counted()
		r.before = func(q *http.Request) *http.Response {
			switch {
			case q.URL.Scheme == "https":
				return answer(q, 501, "") // a registry of this machine, without TLS
			case q.URL.Path == "/v2/":
				return answer(q, 200, "{}")
			}
			return tt.answer(q)
		}
		_, err := g.Look(t.Context(), component("127.0.0.1:1", "org/x"))
		var endless *wire.AnswerError
		if !errors.As(err, &endless) || !endless.Endless || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if n := r.count(""); n > tt.most {
			t.Errorf("%s: %d requests, want at most %d", name, n, tt.most)
		}
	}
}

// TestRegistryGetsItsOwnCredentialOnly: a tree names the host of an image. One
// that the user's docker configuration does not name gets nothing, whatever
// it asks for and wherever it points.
func TestRegistryGetsItsOwnCredentialOnly(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	t.Setenv("REGISTRY_AUTH_FILE", "")
	t.Setenv("GITHUB_TOKEN", "forge-secret")
	config := `{"auths": {"localhost:2": {"auth": "dXNlcjpzZWNyZXQ="}, "https://index.docker.io/v1/": {"auth": "dXNlcjpzZWNyZXQ="}}}`
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		host, challenge, location string
		sent                      bool // to localhost:2
	}{
		"basic":                       {"localhost:1", `Basic realm="x"`, "", false},
		"token of its own":            {"localhost:1", `Bearer realm="http://localhost:1/token",service="x"`, "", false},
		"token of one that is known":  {"localhost:1", `Bearer realm="http://localhost:2/token",service="localhost:2"`, "", false},
		"sent to one that is known":   {"localhost:1", "", "http://localhost:2/v2/org/x/tags/list", false},
		"its own":                     {"localhost:2", `Basic realm="x"`, "", true},
		"its own, sent to another":    {"localhost:2", `Basic realm="x"`, "http://localhost:1/v2/org/x/tags/list", true},
		"a name that looks like one":  {"localhost:22", `Basic realm="x"`, "", false},
		"a folder that looks like it": {"localhost:1/localhost:2", `Basic realm="x"`, "", false},
	} {
		g, r := counted()
		got := map[string]bool{}
		r.before = func(q *http.Request) *http.Response {
			auth := q.Header.Get("Authorization")
			if auth != "" {
				got[q.URL.Host] = true
			}
			switch {
			case strings.HasSuffix(q.URL.Path, "/token"):
				return answer(q, 200, `{"token": "of the registry's own"}`)
			case tt.location != "" && (auth != "" || tt.challenge == "") && q.URL.Path != "/v2/":
				return answer(q, 307, "", "Location", tt.location)
			case tt.challenge == "":
				return answer(q, 200, `{}`)
			}
			return answer(q, 401, "{}", "WWW-Authenticate", tt.challenge)
		}
		_, _ = g.Look(t.Context(), &stack.Component{Name: "x", Image: stack.Image{Repository: tt.host + "/org/x"}})
		delete(got, "") // of no host
		if strings.HasPrefix(tt.challenge, "Bearer") {
			delete(got, tt.host) // the token that it gave
		}
		if got["localhost:2"] != tt.sent || len(got) > 1 || len(got) == 1 && !tt.sent {
			t.Errorf("%s: an authorization went to %v", name, got)
		}
	}
}

// TestRegistryLeadsNowhereElse: the realm of a token, a redirect and a next page
// name other servers. None is asked that the registry should not reach by cfctl.
func TestRegistryLeadsNowhereElse(t *testing.T) {
	for name, tt := range map[string]struct {
		host, to string
		reached  bool
	}{
		"plain, on this machine":   {"localhost:1", "http://localhost:2/latest/meta-data", false},
		"plain, by number":         {"localhost:1", "http://127.0.0.1:2/x", false},
		"metadata":                 {"localhost:1", "https://169.254.169.254/latest/meta-data", false},
		"a private network":        {"localhost:1", "https://10.1.2.3/x", false},
		"its own address":          {"localhost:1", "http://localhost:1/token", true},
		"over TLS on this machine": {"localhost:1", "https://localhost:2/token", true},
		"a public address":         {"localhost:1", "https://93.184.216.34/token", true},
	} {
		for by, lead := range map[string]func(q *http.Request) *http.Response{
			"realm": func(q *http.Request) *http.Response {
				return answer(q, 401, "{}", "WWW-Authenticate", fmt.Sprintf("Bearer realm=%q,service=\"x\"", tt.to))
			},
			"redirect": func(q *http.Request) *http.Response { return answer(q, 307, "", "Location", tt.to) },
			"next page": func(q *http.Request) *http.Response {
				return answer(q, 200, `{"name":"org/x","tags":[]}`, "Link", "<"+tt.to+`>; rel="next"`)
			},
		} {
			g, r := counted()
			reached := false
			r.before = func(q *http.Request) *http.Response {
				switch {
				case q.URL.String() == tt.to || q.URL.Host != tt.host || q.URL.Path == "/token":
					reached = true
					return answer(q, 200, `{"Token": "secret-of-the-place", "tags": []}`)
				case q.URL.Scheme == "https":
					return answer(q, 501, "") // a registry of this machine, without TLS
				case by != "realm" && q.URL.Path == "/v2/":
					return answer(q, 200, "{}")
				case strings.Contains(q.Header.Get("Authorization"), "secret-of-the-place") && !tt.reached:
					t.Errorf("%s by %s: what the place answered went to the registry", name, by)
				}
				return lead(q)
			}
			_, err := g.Look(t.Context(), component(tt.host, "org/x"))
			if reached && !tt.reached || tt.reached && !reached && by == "redirect" {
				t.Errorf("%s by %s: reached: %v, %v", name, by, reached, err)
			}
			if !tt.reached && err == nil {
				t.Errorf("%s by %s: no error", name, by)
			}
		}
	}
}

// TestIndexesInIndexesEnd has what an index calls an image be an index, again and again: all of them are
// one question.
func TestIndexesInIndexesEnd(t *testing.T) {
	manifests, digest := map[string]string{}, "sha256:"+strings.Repeat("0", 64)
	for range maxRegistryRequests + 200 {
		text := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"manifests":[{"mediaType":%q,"size":1,"digest":%q}]}`, types.OCIImageIndex, types.OCIManifestSchema1, digest)
		digest = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text)))
		manifests[digest] = text
	}
	g, r := counted()
	r.before = func(q *http.Request) *http.Response {
		switch text := manifests[path.Base(q.URL.Path)]; {
		case q.URL.Scheme == "https":
			return answer(q, 501, "")
		case text != "":
			return answer(q, 200, text, "Content-Type", string(types.OCIImageIndex))
		}
		return answer(q, 200, "{}")
	}
	_, err := g.Revision(t.Context(), "127.0.0.1:1/org/x", digest)
	var endless *wire.AnswerError
	if !errors.As(err, &endless) || !strings.Contains(err.Error(), "no end after 1000 requests") || r.count("") > maxRegistryRequests {
		t.Errorf("%d requests, %v", r.count(""), err)
	}
}
