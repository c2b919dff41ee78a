package forgetest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// smartHTTP is git's server over HTTP, one process for a request. It speaks version 0 of the
// protocol, which asks once for refs where version 2 asks twice.
func (s *Server) smartHTTP(more []string) http.Handler {
	settings := append([]string{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true", "http.receivepack=true", "safe.directory=*"}, more...)
	env := append(os.Environ(), fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)))
	for i, set := range settings {
		key, value, _ := strings.Cut(set, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, service := path.Split(r.URL.Path)
		body, args := r.Body, []string{"--stateless-rpc"}
		advertises := service == "refs"
		if advertises {
			name, service = strings.TrimSuffix(name, "/info/"), r.URL.Query().Get("service")
			args = append(args, "--advertise-refs")
		}
		dir := filepath.Join(s.Dir, filepath.FromSlash(name))
		if _, err := os.Stat(dir); err != nil || service != "git-upload-pack" && service != "git-receive-pack" {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			body = z
		}
		w.Header().Set("Cache-Control", "no-cache")
		kind := "result"
		if advertises {
			kind = "advertisement"
		}
		w.Header().Set("Content-Type", "application/x-"+service+"-"+kind)
		if advertises {
			line := "# service=" + service + "\n"
			_, _ = fmt.Fprintf(w, "%04x%s0000", len(line)+4, line)
		}
		cmd := exec.CommandContext(r.Context(), "git", append([]string{strings.TrimPrefix(service, "git-")}, append(args, dir)...)...)
		cmd.Env, cmd.Stdin, cmd.Stdout = env, body, w
		_ = cmd.Run() // git tells the other end what went wrong
	})
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
