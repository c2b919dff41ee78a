package wire

import (
	"net/http"
	"net/http/httptest"
	"net/url"
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

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
