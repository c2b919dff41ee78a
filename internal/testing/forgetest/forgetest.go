// Package forgetest is a forge for tests, as net/http/httptest is a server: the
// part of GitHub's REST and GraphQL that cfctl asks for, over HTTP, with GitHub's
// rules, and git over smart HTTP, from a folder of bare repositories.
//
// Lists come in pages with links, answers with ETags; there is one open pull
// request for a head and a base, its head goes with the branch, and it is closed
// when the branch is removed; content is limited by the minute and the hour,
// requests by the hour; renamed repositories lead on. What goes wrong, and what
// people and machines say, are fields of the Server; the zero value of each is
// that nothing does.
//
// The end-to-end tests run on servers that this project did not write, too.
package forgetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A T is the test that a Server is for.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(f func())
}

// A Server is a forge. Its API is below /api/v3, /api and /; GraphQL is at
// /graphql next to each; git is at /OWNER/NAME,
// with and without .git. Fields may be changed while
// no one asks, or under Mu.
type Server struct {
	URL    string
	Dir    string           // of the bare repositories, OWNER/NAME.git; all of them are the forge's
	Now    func() time.Time // the forge's clock
	Login  string           // whose the tokens are
	Scopes string           // of every token; empty = it does not tell
	Tokens map[string]bool  // that are known, and whether each may write; nil = all may do everything

	Mu           sync.Mutex
	Repositories []*Repository // that are listed: those made with Add
	Pulls        []*Pull       // oldest first, numbered over all repositories
	Releases     []*Release
	Latest       map[string]int64 // release that is shown as the latest, by repository
	Runs         []*Run
	Comments     []map[string]any // on any issue
	Forks        []string         // that were asked for, "UPSTREAM FORK"; they are made in the background, by Fork
	Says         Says

	// Faults.
	Fault     func(w http.ResponseWriter, r *http.Request) bool // true: it has answered. Called under Mu
	Strike    func(what string, n int, done bool) bool          // of the n-th request that writes ("POST /repos/..."), before and after its effect; true: the connection breaks
	PerMinute int                                               // content that is made; 0 = any
	PerHour   int                                               // the same
	Requests  int                                               // in an hour; 0 = any
	Late      int                                               // how often a list is read without what was made last
	Unseen    int                                               // how often that is to come, by now
	Others    int                                               // runs of another user that begin with every dispatch
	Spoils    bool                                              // commits that it makes have another file, too
	Tells     bool                                              // a dispatch is answered with the run's id
	Asks      bool                                              // git asks for a token
	Pushable  func(repo string) bool                            // by every token that is known; nil = by those that may write
	Fetched   func(repo string)                                 // called for each fetch; may be nil

	// What it saw.
	Log     []string       // of requests to the API
	Counts  map[string]int // of requests by kind: their method, graphql, 304; and of those over a limit of content, limited
	Used    map[string]int // of requests, by token
	Content []time.Time    // at which content was made
	Writes  int            // requests that write
	Sent    atomic.Int64   // bytes that git has sent

	t       T
	mux     *http.ServeMux
	git     http.Handler
	named   map[string]*Repository // by present and past names, in lower case
	byID    map[int64]*Repository
	spent   []time.Time // requests of the last hour
	pushing atomic.Int64
}

// New starts a forge of the repositories in a folder, for one test; git's server has
// settings next to those that a forge has ("core.hooksPath=DIR").
func New(t T, dir string, now func() time.Time, settings ...string) *Server {
	t.Helper()
	s := &Server{t: t, Dir: dir, Now: now, Login: "rita", Scopes: "repo, workflow", mux: http.NewServeMux(), Latest: map[string]int64{},
		Counts: map[string]int{}, Used: map[string]int{}, named: map[string]*Repository{}, byID: map[int64]*Repository{}}
	s.git = s.smartHTTP(settings)
	s.route("GET /user", func(*http.Request) (int, any) { return 200, map[string]any{"login": s.Login} })
	s.route("GET /rate_limit", func(*http.Request) (int, any) { return 200, map[string]any{} })
	s.route("POST /graphql", s.graphql)
	s.route("/", func(*http.Request) (int, any) { return missing() })
	s.routeRepositories()
	s.routePulls()
	s.routeReleases()
	s.routeWork()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Handle adds a route of the test's own, next to those of the forge.
func (s *Server) Handle(pattern string, f http.HandlerFunc) { s.mux.HandleFunc(pattern, f) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, service := range []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"} {
		if repo, ok := strings.CutSuffix(r.URL.Path, service); ok {
			s.serveGit(w, r, strings.TrimSuffix(strings.Trim(repo, "/"), ".git"), service)
			return
		}
	}
	for _, prefix := range []string{"/api/v3/", "/api/"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
			r.URL.Path, r.URL.RawPath = "/"+rest, ""
			break
		}
	}
	s.mux.ServeHTTP(w, r)
}

// An answer says what a request gets. A list is sent in pages; nil is no content.
type answer func(r *http.Request) (status int, body any)

func missing() (int, any) { return 404, map[string]any{"message": "Not Found"} }

func invalid(text string) (int, any) {
	return 422, map[string]any{"message": "Validation Failed", "errors": []any{map[string]any{"resource": "PullRequest", "code": "custom", "message": text}}}
}

func limited() (int, any) {
	return 403, map[string]any{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
}

// route serves one route: who asks is known, requests are counted.
func (s *Server) route(pattern string, f answer) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // who asks is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		known, write := s.rights(r)
		question := strings.HasSuffix(r.URL.Path, "/graphql") && !bytes.Contains(body, []byte("mutation"))
		writes := r.Method != http.MethodGet && !question
		if writes && known && write {
			s.strike(r.Method+" "+r.URL.Path, false)
		}
		s.Mu.Lock()
		s.Log = append(s.Log, r.Method+" "+r.URL.Path)
		if s.Fault != nil && s.Fault(w, r) {
			s.Mu.Unlock()
			return
		}
		status, said := 401, any(map[string]any{"message": "Bad credentials"})
		switch {
		case !known:
		case writes && !write:
			status, said = 403, map[string]any{"message": "Resource not accessible by personal access token"}
		default:
			status, said = f(r)
		}
		data := s.encode(w, r, said)
		s.Mu.Unlock()
		if writes && known && write {
			s.strike(r.Method+" "+r.URL.Path, true)
		}
		s.reply(w, r, status, data)
	})
}

// strike tells of a request that writes, and breaks its connection if it is to.
func (s *Server) strike(what string, done bool) {
	s.Mu.Lock()
	if !done {
		s.Writes++
	}
	n, strike := s.Writes, s.Strike
	s.Mu.Unlock()
	if strike != nil && strike(what, n, done) {
		panic(http.ErrAbortHandler)
	}
}

// rights are those of the token of a request.
func (s *Server) rights(r *http.Request) (known, write bool) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if _, password, ok := r.BasicAuth(); ok {
		token = password
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Used[token]++
	if s.Tokens == nil {
		return true, true
	}
	write, known = s.Tokens[token]
	return known, write
}

// encode is the body of an answer; of a list it is one page. The caller has Mu.
func (s *Server) encode(w http.ResponseWriter, r *http.Request, body any) []byte {
	if body == nil {
		return nil
	}
	if list, ok := body.([]any); ok {
		body = s.page(w, r, list)
	}
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	return data
}

// reply sends an answer with what GitHub says next to it: an ETag, scopes, limits.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, status int, data []byte) {
	sum := sha256.Sum256(data)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	same := r.Method == http.MethodGet && status == 200 && r.Header.Get("If-None-Match") == etag
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if s.Scopes != "" {
		w.Header().Set("X-OAuth-Scopes", s.Scopes)
	}
	if !s.counted(w, r, same) {
		status, data = 403, []byte(`{"message":"API rate limit exceeded"}`)
	}
	if status == 403 && bytes.Contains(data, []byte("secondary rate limit")) {
		w.Header().Set("Retry-After", "60")
	}
	if status == 200 && r.Method == http.MethodGet {
		w.Header().Set("ETag", etag)
		if same {
			status, data = http.StatusNotModified, nil
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// counted counts a request; false says that there were too many. What has not
// changed since it was asked for last does not count.
func (s *Server) counted(w http.ResponseWriter, r *http.Request, same bool) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	kind := r.Method
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		kind = "graphql"
	}
	now := s.Now()
	if same {
		kind = "304"
	} else if s.Requests > 0 && !strings.HasSuffix(r.URL.Path, "/rate_limit") {
		s.spent = append(slices.DeleteFunc(s.spent, func(t time.Time) bool { return now.Sub(t) >= time.Hour }), now)
	}
	s.Counts[kind]++
	if s.Requests == 0 {
		return true
	}
	left := s.Requests - len(s.spent)
	w.Header().Set("X-RateLimit-Limit", strconv.Itoa(s.Requests))
	w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(max(left, 0)))
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(time.Hour).Unix(), 10))
	return left >= 0
}

// page is the part of a list that is asked for, with a link to the next one.
func (s *Server) page(w http.ResponseWriter, r *http.Request, list []any) []any {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	size, _ := strconv.Atoi(q.Get("per_page"))
	if size < 1 || size > 100 {
		size = 30
	}
	page = max(page, 1)
	from := min((page-1)*size, len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.URL, r.URL.Path, q.Encode()))
	}
	return append([]any{}, list[from:to]...)
}

// makes counts content; false says that it is above a limit. The caller has Mu.
func (s *Server) makes() bool {
	now := s.Now()
	minute, hour := 0, 0
	for _, t := range s.Content {
		if now.Sub(t) < time.Minute {
			minute++
		}
		if now.Sub(t) < time.Hour {
			hour++
		}
	}
	if s.PerMinute > 0 && minute >= s.PerMinute || s.PerHour > 0 && hour >= s.PerHour {
		s.Counts["limited"]++
		return false
	}
	s.Content = append(s.Content, now)
	return true
}

// Crowded is the most content that the forge saw in any window of a length.
func (s *Server) Crowded(window time.Duration) int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	times := slices.SortedFunc(slices.Values(s.Content), time.Time.Compare)
	most, from := 0, 0
	for i := range times {
		for times[i].Sub(times[from]) >= window {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// hidden is how many of a list's newest are not shown yet.
func (s *Server) hidden(of int) int {
	if s.Unseen == 0 || of == 0 {
		return 0
	}
	s.Unseen--
	return 1
}

// Bare is the folder of a repository.
func (s *Server) Bare(repo string) string {
	return filepath.Join(s.Dir, filepath.FromSlash(repo)+".git")
}

// Git runs git in a folder, as a user.
func (s *Server) Git(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.tryGit(dir, "", nil, args...)
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (s *Server) tryGit(dir, in string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
	cmd.Env = append(append(os.Environ(), "GIT_AUTHOR_NAME=P", "GIT_AUTHOR_EMAIL=p@example.com", "GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@example.com"), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
