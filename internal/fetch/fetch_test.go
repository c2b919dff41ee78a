package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	commit := strings.Repeat("b", 40)
	for text, want := range map[string]Address{
		"https://h/r.yaml@sha256:" + digest:            {URL: "https://h/r.yaml", Digest: digest},
		"https://h:8443/@me/r.yaml":                    {URL: "https://h:8443/@me/r.yaml"},
		"http://127.0.0.1:80/r.yaml":                   {URL: "http://127.0.0.1:80/r.yaml"},
		"git+https://h/o/n//rules/a.yaml@v1":           {URL: "https://h/o/n", Repository: "https://h/o/n", File: "rules/a.yaml", Ref: "v1"},
		"git+https://h/o/n.git//a.yaml@release/1.0":    {URL: "https://h/o/n.git", Repository: "https://h/o/n.git", File: "a.yaml", Ref: "release/1.0"},
		"git+ssh://git@h/o/n//a.yaml@" + commit:        {URL: "ssh://git@h/o/n", Repository: "ssh://git@h/o/n", File: "a.yaml", Ref: commit},
		"git+http://localhost:1/o/n//a.yaml@" + commit: {URL: "http://localhost:1/o/n", Repository: "http://localhost:1/o/n", File: "a.yaml", Ref: commit},
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if got, _ := Parse(text); got.Pinned() != (strings.HasSuffix(text, digest) || strings.HasSuffix(text, commit)) {
			t.Errorf("%s: pinned: %v", text, got.Pinned())
		}
	}
	for _, text := range []string{
		"http://h/r.yaml", "https:///r.yaml", "https://me:hunter2@h/r.yaml", "ftp://h/r", "file:///etc/passwd", "ext::sh://x", "://",
		"git+https://h/o/n", "git+https://h/o/n//a.yaml", "git+https://h/o/n//a.yaml@", "git+https://h/o/n//../a@v1", "git+https://h/o/n///a@v1",
		"git+https://h/o/n//a@-x", "git+https://h/o/n//a@v 1", "git+http://h/o/n//a@v1", "git+file:///srv/x//a@v1", "git+ext::sh://x//a@v1",
		"git+https://me:hunter2@h/o/n//a@v1", "git+//a@v1", "git+://h//a@v1", "git+-u://h//a@v1",
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%s is taken", text)
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a password in %v", err)
		}
	}
}

// TestDigest reads a file from a server: once, when its digest is that of the
// address, and not at all when it is another, or none was given.
func TestDigest(t *testing.T) {
	const text = "name: plain\n"
	sum := sha256.Sum256([]byte(text))
	digest := hex.EncodeToString(sum[:])
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Error("a credential was sent")
		}
		switch r.URL.Path {
		case "/r.yaml":
			_, _ = w.Write([]byte(text))
		case "/moved":
			http.Redirect(w, r, "/r.yaml", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/out":
			http.Redirect(w, r, "http://example.invalid/r.yaml", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, maxFile+1))
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	r := &Reader{Dir: filepath.Join(t.TempDir(), "kept")}
	read := func(path string) (Content, error) { return r.Read(t.Context(), s.URL+path) }
	for i, path := range []string{"/moved@sha256:" + digest, "/r.yaml@sha256:" + digest, "/gone@sha256:" + digest} {
		c, err := read(path)
		if err != nil || string(c.Data) != text || c.ID != "sha256:"+digest || c.Kept != (i > 0) {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
	if asked != 2 { // the redirect, and where it leads
		t.Errorf("the server was asked %d times", asked)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, digest), []byte("name: other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if c, err := read("/r.yaml@sha256:" + digest); err != nil || string(c.Data) != text || c.Kept {
		t.Errorf("after the kept file was changed: %+v, %v", c, err)
	}
	other := strings.Repeat("0", 64)
	for path, want := range map[string]string{
		"/r.yaml":                   "without a digest",
		"/r.yaml@sha256:" + other:   "sha256:" + digest + ", not sha256:" + other,
		"/gone@sha256:" + other:     "404",
		"/large@sha256:" + other:    "more than 4 MiB",
		"/round@sha256:" + other:    "more than 10 redirects",
		"/out@sha256:" + other:      "in plain http",
		"/r.yaml@sha256:" + "short": "404",
	} {
		c, err := read(path)
		if err == nil || !strings.Contains(err.Error(), want) || c.Data != nil {
			t.Errorf("%s: %q, %v; want %q", path, c.Data, err, want)
		}
	}
}
