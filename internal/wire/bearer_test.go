package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestTokenStaysAtItsForge: a redirect to another port or scheme, which may be
// another server, carries no token.
func TestTokenStaysAtItsForge(t *testing.T) {
	seen := map[string]string{}
	record := func(who string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			seen[who+" "+r.URL.Scheme+"://"+r.URL.Host] = r.Header.Get("Authorization")
			w := httptest.NewRecorder()
			_, err := w.WriteString("{}")
			return w.Result(), err
		}
	}
	for _, base := range []string{"https://forge.example.com/api/v3", "http://127.0.0.1:80"} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		b := &Bearer{Token: func() string { return "s3cret" }, Base: u, Next: roundTrip(record(base))} //nolint:bodyclose // closed below
		for _, to := range []string{base, "http://forge.example.com/x", "https://forge.example.com:8443/x", "https://forge.example.com.evil.com/x", "https://127.0.0.1:80/x", "http://127.0.0.1:81/x"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := b.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
		}
	}
	for to, header := range seen {
		from, at, _ := strings.Cut(to, " ")
		if want := strings.HasPrefix(from, at) && (at == "https://forge.example.com" || at == "http://127.0.0.1:80"); (header != "") != want {
			t.Errorf("%s: %q", to, header)
		}
	}
}

// TestRedirectedWrite: what is written to a repository that was renamed is written
// there, not read; and to no other server.
func TestRedirectedWrite(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+" "+r.URL.Path+" "+string(body))
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		case "/done":
			http.Redirect(w, r, "/made", http.StatusSeeOther)
		case "/away":
			http.Redirect(w, r, "http://localhost:1/new", http.StatusTemporaryRedirect)
		default:
			_, _ = w.Write([]byte("{}"))
		}
	}))
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &Bearer{Token: func() string { return "s3cret" }, Base: base, Next: http.DefaultTransport}}
	for path, want := range map[string]string{"/old": "", "/done": "", "/away": "no write goes to another server"} {
		res, err := client.Post(server.URL+path, "application/json", strings.NewReader("[1]")) //nolint:noctx // of this machine
		if err == nil {
			_ = res.Body.Close()
		}
		if got := fmt.Sprint(err); (err != nil) != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	slices.Sort(seen)
	if got := strings.Join(seen, "; "); got != "GET /made ; POST /away [1]; POST /done [1]; POST /new [1]; POST /old [1]" {
		t.Errorf("asked: %s", got)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
