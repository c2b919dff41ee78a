package forgetest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// backend is the path of git's own server. Looked up once.
var backend = sync.OnceValues(func() (string, error) {
	dir, err := exec.CommandContext(context.Background(), "git", "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(dir)), "git-http-backend"), err
})

// smartHTTP is git's own server.
func (s *Server) smartHTTP(more []string) http.Handler {
	s.t.Helper()
	path, err := backend()
	if err != nil {
		s.t.Fatalf("git --exec-path: %v", err)
	}
	settings := append([]string{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true", "http.receivepack=true", "safe.directory=*"}, more...)
	env := []string{"GIT_PROJECT_ROOT=" + s.Dir, "GIT_HTTP_EXPORT_ALL=1", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, set := range settings {
		key, value, _ := strings.Cut(set, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return &cgi.Handler{Path: path, Env: env, Stderr: io.Discard}
}

// serveGit is git's server behind the rights of tokens.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, name, service string) {
	s.pushing.Add(1)
	defer s.pushing.Add(-1)
	known, write := s.rights(r)
	_, _, named := r.BasicAuth()
	s.Mu.Lock()
	s.Counts["git"]++
	repo, fetched := s.find(name), s.Fetched
	moved := repo != nil && !strings.EqualFold(repo.Name, name)
	closed := repo != nil && (repo.Archived || repo.NoPush)
	s.Mu.Unlock()
	write = write || s.Pushable != nil && s.Pushable(name)
	switch pushes := strings.HasSuffix(r.URL.RequestURI(), "git-receive-pack"); {
	case !known, s.Asks && !named:
		w.Header().Set("WWW-Authenticate", `Basic realm="forge"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	case repo == nil:
		http.NotFound(w, r)
		return
	case moved:
		http.Redirect(w, r, "/"+repo.Name+".git"+service+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
		return
	case pushes && (closed || !write):
		http.Error(w, "Permission to "+name+".git denied", http.StatusForbidden)
		return
	}
	if fetched != nil && service == "/git-upload-pack" {
		fetched(name)
	}
	if service != "/git-receive-pack" {
		s.git.ServeHTTP(&counter{w, s}, r)
		return
	}
	s.strike("POST "+r.URL.Path, false)
	said := httptest.NewRecorder()
	s.git.ServeHTTP(said, r)
	s.strike("POST "+r.URL.Path, true)
	for k, v := range said.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(said.Code)
	_, _ = io.Copy(&counter{w, s}, said.Body)
}

// counter counts what git's server sends.
type counter struct {
	http.ResponseWriter
	s *Server
}

// Write implements http.ResponseWriter.
func (c *counter) Write(p []byte) (int, error) {
	c.s.Sent.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// Rest waits until no one pushes or fetches: what a killed process had started may
// go on for a moment.
func (s *Server) Rest() {
	for quiet := 0; quiet < 20; quiet++ {
		if time.Sleep(5 * time.Millisecond); s.pushing.Load() > 0 {
			quiet = 0
		}
	}
}
