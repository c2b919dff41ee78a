//go:build e2e

package campaign

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A hub is a forge over HTTP with GitHub's rules: git over smart HTTP, REST with
// ETags and pages, GraphQL's nodes, tokens with rights, one open pull request for
// each head, limits of content by the minute and the hour and of requests by the
// hour. Its clock is that of this machine, or moves when somebody sleeps.
type hub struct {
	t      testing.TB
	root   string // of the bare repositories
	url    string
	store  string // OWNER/NAME of the repository that every token may push to
	tokens map[string]bool
	sent   atomic.Int64 // bytes that git's server sent

	mu      sync.Mutex
	fake    time.Time // zero = this machine's clock
	repos   []*hubRepo
	named   map[string]*hubRepo // by present and past names
	byID    map[int64]*hubRepo
	pulls   []*hubPull
	byNode  map[string]*hubPull
	content []time.Time
	primary []time.Time
	perMin  int // limits of content; 0 = none
	perHour int
	counts  map[string]int // of requests, by kind
	used    map[string]int // of requests, by token
	writes  int
	under   atomic.Int64           // requests under way
	strike  func(n int, done bool) // told of each request that writes, before and after it had effect; may be nil
	fetched func(name string)      // told of each fetch; may be nil
	checks  string                 // of the commits of pull requests, as GraphQL has them; empty = none
}

type hubRepo struct {
	id               int64
	name, branch     string
	archived, noPush bool
	owner            string
}

type hubPull struct {
	number       int
	node, state  string // OPEN, CLOSED, MERGED
	repo         *hubRepo
	branch, base string
	head, onto   string // commits; of the base when the pull request was made
	still        bool   // its head does not go with a branch
	title, body  string
	at           time.Time
}

// Tokens of a hub: one that reads the repositories and pushes to the store, and
// one that writes everywhere.
const (
	readToken  = "token-that-reads"
	writeToken = "token-that-writes"
)

func newHub(t testing.TB, start time.Time) *hub {
	t.Helper()
	h := &hub{t: t, root: t.TempDir(), store: "acme/campaigns", fake: start, tokens: map[string]bool{readToken: false, writeToken: true},
		named: map[string]*hubRepo{}, byID: map[int64]*hubRepo{}, byNode: map[string]*hubPull{}, counts: map[string]int{}, used: map[string]int{}}
	h.git(".", "init", "-q", "--bare", "-b", "main", h.bare(h.store))
	settings := []string{"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true", "http.receivepack=true", "safe.directory=*"}
	env := []string{"GIT_PROJECT_ROOT=" + h.root, "GIT_HTTP_EXPORT_ALL=1", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	backend := &cgi.Handler{Path: filepath.Join(h.git(".", "--exec-path"), "git-http-backend"), Env: env}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /clock", h.serveClock)
	mux.HandleFunc("POST /clock", h.serveClock)
	mux.HandleFunc("GET /api/v3/orgs/{org}/repos", h.api(h.list))
	mux.HandleFunc("GET /api/v3/users/{org}/repos", h.api(h.list))
	mux.HandleFunc("GET /api/v3/repositories/{id}", h.api(h.byNumber))
	mux.HandleFunc("GET /api/v3/repos/{owner}/{name}", h.api(h.byName))
	mux.HandleFunc("GET /api/v3/repos/{owner}/{name}/pulls", h.api(h.listPulls))
	mux.HandleFunc("POST /api/v3/repos/{owner}/{name}/pulls", h.api(h.create))
	mux.HandleFunc("GET /api/v3/repos/{owner}/{name}/compare/{range}", h.api(h.compare))
	mux.HandleFunc("GET /api/v3/rate_limit", h.api(func(*http.Request) (int, any) { return 200, map[string]any{} }))
	mux.HandleFunc("POST /api/graphql", h.api(h.graphql))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.serveGit(backend, w, r) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

func (h *hub) git(dir string, args ...string) string {
	h.t.Helper()
	out, err := h.tryGit(dir, args...)
	if err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

func (h *hub) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=P", "GIT_AUTHOR_EMAIL=p@example.com", "GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@example.com")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (h *hub) bare(name string) string {
	return filepath.Join(h.root, filepath.FromSlash(name)+".git")
}

// now is the time by the hub's clock.
func (h *hub) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.time()
}

func (h *hub) time() time.Time {
	if h.fake.IsZero() {
		return time.Now()
	}
	return h.fake
}

// pass moves the hub's clock.
func (h *hub) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fake = h.fake.Add(d)
}

// serveClock is the clock for other processes: a POST sleeps.
func (h *hub) serveClock(w http.ResponseWriter, r *http.Request) {
	if d, err := time.ParseDuration(r.URL.Query().Get("sleep")); err == nil {
		h.pass(d)
	}
	fmt.Fprint(w, h.now().UnixNano())
}

// entry makes an entry for a repository whose folder somebody else makes.
func (h *hub) entry(name string) *hubRepo {
	owner, _, _ := strings.Cut(name, "/")
	r := &hubRepo{id: int64(1000 + len(h.repos)), name: name, branch: "main", owner: owner}
	h.repos = append(h.repos, r)
	h.named[name], h.byID[r.id] = r, r
	return r
}

// seed makes n repositories that share the objects of one, with files.
func (h *hub) seed(n int, files map[string]string) {
	h.t.Helper()
	work := h.t.(interface{ TempDir() string }).TempDir()
	h.git(".", "init", "-q", "-b", "main", work)
	h.commit(work, files)
	h.seedFrom(n, work)
}

// commit makes a commit of files in a work tree.
func (h *hub) commit(work string, files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			h.t.Fatal(err)
		}
	}
	h.git(work, "add", "-A")
	h.git(work, "commit", "-q", "-m", "by a person")
}

// seedFrom makes n repositories of the commits of a work tree.
func (h *hub) seedFrom(n int, work string) {
	h.t.Helper()
	origin := filepath.Join(h.root, "origin.git")
	h.git(".", "clone", "-q", "--bare", work, origin)
	h.git(origin, "gc", "-q")
	main := h.git(origin, "rev-parse", "main")
	for i := range n {
		name := fmt.Sprintf("acme/r%03d", i)
		h.mu.Lock()
		h.entry(name)
		h.mu.Unlock()
		dir := h.bare(name)
		for _, f := range []string{"objects/info", "objects/pack", "refs/heads"} {
			if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
				h.t.Fatal(err)
			}
		}
		for f, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
			"objects/info/alternates": origin + "/objects\n", "refs/heads/main": main + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o644); err != nil {
				h.t.Fatal(err)
			}
		}
	}
}

// head is the commit of a branch; "" = it is not there.
func (h *hub) head(r *hubRepo, branch string) string {
	data, err := os.ReadFile(filepath.Join(h.bare(r.name), "refs/heads", filepath.FromSlash(branch)))
	if err != nil {
		out, err := h.tryGit(h.bare(r.name), "rev-parse", "--verify", "-q", "refs/heads/"+branch)
		if err != nil {
			return ""
		}
		return out
	}
	return strings.TrimSpace(string(data))
}

// rights are those of the token of a request.
func (h *hub) rights(r *http.Request) (token string, known, write bool) {
	if _, password, ok := r.BasicAuth(); ok {
		token = password
	} else {
		token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	write, known = h.tokens[token]
	h.used[token]++
	return token, known, write
}

// api serves one route: requests are counted, answers have an ETag.
func (h *hub) api(answer func(r *http.Request) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, known, write := h.rights(r)
		writes := r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/graphql")
		status, body := 401, any(map[string]any{"message": "Bad credentials"})
		switch {
		case !known:
		case writes && !write:
			status, body = 403, map[string]any{"message": "Resource not accessible by personal access token"}
		default:
			if writes {
				h.struck(false)
			}
			h.mu.Lock()
			status, body = answer(r)
			h.mu.Unlock()
			if writes {
				h.struck(true)
			}
		}
		data, err := json.Marshal(body)
		if err != nil {
			h.t.Error(err)
		}
		h.reply(w, r, status, data)
	}
}

// struck tells of a request that writes.
func (h *hub) struck(done bool) {
	h.mu.Lock()
	if !done {
		h.writes++
	}
	n, strike := h.writes, h.strike
	h.mu.Unlock()
	if strike != nil {
		strike(n, done)
	}
}

// rest waits until nothing is under way: what a killed process had started may
// go on for a moment.
func (h *hub) rest() {
	for quiet := 0; quiet < 20; quiet++ {
		if time.Sleep(5 * time.Millisecond); h.under.Load() > 0 {
			quiet = 0
		}
	}
}

func (h *hub) reply(w http.ResponseWriter, r *http.Request, status int, data []byte) {
	sum := sha256.Sum256(data)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-OAuth-Scopes", "repo, workflow")
	kind := r.Method
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		kind = "graphql"
	}
	same := r.Method == http.MethodGet && status == 200 && r.Header.Get("If-None-Match") == etag
	h.mu.Lock()
	now := h.time()
	h.primary = slices.DeleteFunc(h.primary, func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	if same {
		kind = "304"
	} else if !strings.HasSuffix(r.URL.Path, "/rate_limit") {
		h.primary = append(h.primary, now)
	}
	h.counts[kind]++
	left := 5000 - len(h.primary)
	h.mu.Unlock()
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(max(left, 0)))
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(now.Add(time.Hour).Unix(), 10))
	if left < 0 {
		status, data = 403, []byte(`{"message":"API rate limit exceeded"}`)
	}
	if status == 403 && bytes.Contains(data, []byte("secondary rate limit")) {
		w.Header().Set("Retry-After", "60")
	}
	if same && status == 200 {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if status == 200 {
		w.Header().Set("ETag", etag)
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

func missing() (int, any) { return 404, map[string]any{"message": "Not Found"} }

// templates are the addresses that GitHub has in every repository: most of what
// a list is made of.
var templates = strings.Fields(`archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks
	git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases
	stargazers statuses subscribers subscription tags teams trees`)

// json is a repository as REST has it, about as large as GitHub's.
func (r *hubRepo) json(url string) map[string]any {
	_, name, _ := strings.Cut(r.name, "/")
	owner := map[string]any{"login": r.owner, "id": 1, "type": "Organization", "site_admin": false, "node_id": "MDEyOk9yZ2FuaXphdGlvbjE="}
	m := map[string]any{"id": r.id, "node_id": fmt.Sprintf("R_%d", r.id), "name": name, "full_name": r.name, "private": false, "owner": owner, "html_url": url + "/" + r.name,
		"description": "a service of acme", "fork": false, "size": 10, "default_branch": r.branch, "archived": r.archived, "disabled": false, "is_template": false, "mirror_url": nil,
		"topics": []string{"kubernetes"}, "visibility": "public", "permissions": map[string]bool{"admin": false, "push": !r.noPush, "pull": true}, "language": "Go",
		"license": map[string]any{"key": "apache-2.0", "name": "Apache License 2.0", "spdx_id": "Apache-2.0", "url": "https://api.github.com/licenses/apache-2.0"}}
	for _, t := range templates {
		m[t+"_url"] = fmt.Sprintf("%s/api/v3/repos/%s/%s{/number}", url, r.name, t)
		owner[t+"_url"] = fmt.Sprintf("%s/api/v3/users/%s/%s{/other}", url, r.owner, t)
	}
	return m
}

func (h *hub) list(r *http.Request) (int, any) {
	org := r.PathValue("org")
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	if size < 1 || size > 100 {
		size = 30
	}
	var all []*hubRepo
	for _, repo := range h.repos {
		if repo.owner == org {
			all = append(all, repo)
		}
	}
	if len(all) == 0 {
		return missing()
	}
	from := min((max(page, 1)-1)*size, len(all))
	list := []any{}
	for _, repo := range all[from:min(from+size, len(all))] {
		list = append(list, repo.json(h.url))
	}
	return 200, list
}

func (h *hub) byNumber(r *http.Request) (int, any) {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if repo := h.byID[id]; repo != nil {
		return 200, repo.json(h.url)
	}
	return missing()
}

func (h *hub) of(r *http.Request) *hubRepo {
	return h.named[r.PathValue("owner")+"/"+r.PathValue("name")]
}

func (h *hub) byName(r *http.Request) (int, any) {
	if repo := h.of(r); repo != nil {
		return 200, repo.json(h.url)
	}
	return missing()
}

// fresh sees what pushes did to a pull request: its head goes with the branch,
// and it is closed when that is removed.
func (h *hub) fresh(p *hubPull) *hubPull {
	if p.state == "OPEN" && !p.still {
		if head := h.head(p.repo, p.branch); head != "" {
			p.head = head
		} else {
			p.state = "CLOSED"
		}
	}
	return p
}

func (h *hub) pullJSON(p *hubPull) map[string]any {
	h.fresh(p)
	m := map[string]any{"number": p.number, "node_id": p.node, "html_url": fmt.Sprintf("%s/%s/pull/%d", h.url, p.repo.name, p.number), "state": "open", "merged_at": nil,
		"title": p.title, "body": p.body, "head": map[string]any{"ref": p.branch, "sha": p.head, "label": p.repo.owner + ":" + p.branch}, "base": map[string]any{"ref": p.base}}
	if p.state != "OPEN" {
		m["state"] = "closed"
	}
	if p.state == "MERGED" {
		m["merged_at"] = p.at.Format(time.RFC3339)
	}
	return m
}

func (h *hub) listPulls(r *http.Request) (int, any) {
	repo, q := h.of(r), r.URL.Query()
	if repo == nil {
		return missing()
	}
	list := []any{}
	for _, p := range slices.Backward(h.pulls) {
		if p.repo == repo && (q.Get("head") == "" || q.Get("head") == repo.owner+":"+p.branch) && (q.Get("state") == "all" || h.fresh(p).state == "OPEN") {
			list = append(list, h.pullJSON(p))
		}
	}
	return 200, list
}

// limited counts content, and refuses what is above a limit.
func (h *hub) limited() bool {
	now := h.time()
	minute, hour := 0, 0
	for _, t := range h.content {
		if now.Sub(t) < time.Minute {
			minute++
		}
		if now.Sub(t) < time.Hour {
			hour++
		}
	}
	if h.perMin > 0 && minute >= h.perMin || h.perHour > 0 && hour >= h.perHour {
		h.counts["limited"]++
		return true
	}
	h.content = append(h.content, now)
	return false
}

func (h *hub) create(r *http.Request) (int, any) {
	repo := h.of(r)
	var in struct{ Title, Body, Head, Base string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	if _, branch, there := strings.Cut(in.Head, ":"); there {
		in.Head = branch
	}
	invalid := func(text string) (int, any) {
		return 422, map[string]any{"message": "Validation Failed", "errors": []any{map[string]any{"resource": "PullRequest", "code": "custom", "message": text}}}
	}
	switch {
	case repo == nil:
		return missing()
	case repo.archived:
		return 403, map[string]any{"message": "Repository was archived so is read-only."}
	case h.head(repo, in.Head) == "":
		return invalid("head is invalid")
	case h.head(repo, in.Base) == "":
		return invalid("base is invalid")
	case h.head(repo, in.Head) == h.head(repo, in.Base):
		return invalid("No commits between " + in.Base + " and " + in.Head)
	}
	for _, p := range h.pulls {
		if p.repo == repo && p.branch == in.Head && h.fresh(p).state == "OPEN" {
			return invalid("A pull request already exists for " + repo.owner + ":" + in.Head + ".")
		}
	}
	if h.limited() {
		return 403, map[string]any{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}
	}
	p := &hubPull{number: len(h.pulls) + 1, node: fmt.Sprintf("PR_%d", len(h.pulls)+1), state: "OPEN", repo: repo, branch: in.Head, base: in.Base,
		head: h.head(repo, in.Head), onto: h.head(repo, in.Base), title: in.Title, body: in.Body, at: h.time()}
	h.pulls = append(h.pulls, p)
	h.byNode[p.node] = p
	return 201, h.pullJSON(p)
}

func (h *hub) compare(r *http.Request) (int, any) {
	repo := h.of(r)
	base, head, ok := strings.Cut(r.PathValue("range"), "...")
	if repo == nil || !ok {
		return missing()
	}
	dir := h.bare(repo.name)
	for _, c := range []string{base, head} {
		if _, err := h.tryGit(dir, "cat-file", "-e", c+"^{commit}"); err != nil {
			return missing()
		}
	}
	status := "diverged"
	if _, err := h.tryGit(dir, "merge-base", "--is-ancestor", base, head); err == nil {
		status = "ahead"
	}
	return 200, map[string]any{"status": status}
}

func (h *hub) graphql(r *http.Request) (int, any) {
	var in struct {
		Query     string
		Variables struct {
			IDs   []string
			Input commitInput
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	if strings.HasPrefix(in.Query, "mutation") {
		return h.makeCommit(r, in.Variables.Input)
	}
	if len(in.Variables.IDs) > 100 {
		return 200, map[string]any{"errors": []any{map[string]any{"type": "ARGUMENT_LIMIT", "message": "You may not provide more than 100 node ids"}}}
	}
	nodes, errs := []any{}, []any{}
	for _, id := range in.Variables.IDs {
		p := h.byNode[id]
		if p == nil {
			nodes = append(nodes, nil)
			errs = append(errs, map[string]any{"type": "NOT_FOUND", "message": "Could not resolve to a node with the global id of '" + id + "'"})
			continue
		}
		nodes = append(nodes, h.node(p))
	}
	out := map[string]any{"data": map[string]any{"nodes": nodes}}
	if len(errs) > 0 {
		out["errors"] = errs
	}
	return 200, out
}

// A commitInput is GitHub's CreateCommitOnBranchInput.
type commitInput struct {
	Branch          struct{ RepositoryNameWithOwner, BranchName string }
	ExpectedHeadOid string
	Message         struct{ Headline, Body string }
	FileChanges     struct {
		Additions []struct {
			Path     string
			Contents []byte
		}
		Deletions []struct{ Path string }
	}
}

// makeCommit makes a commit by the forge itself.
func (h *hub) makeCommit(r *http.Request, in commitInput) (int, any) {
	refused := func(text string) (int, any) {
		return 200, map[string]any{"data": map[string]any{"createCommitOnBranch": nil}, "errors": []any{map[string]any{"type": "STALE_DATA", "message": text}}}
	}
	repo := h.named[in.Branch.RepositoryNameWithOwner]
	switch {
	case !h.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]:
		return refused("Resource not accessible by personal access token")
	case repo == nil:
		return refused("Could not resolve to a Repository")
	case h.head(repo, in.Branch.BranchName) != in.ExpectedHeadOid:
		return refused("Expected branch to point to \"" + in.ExpectedHeadOid + "\"")
	case h.limited():
		return 403, map[string]any{"message": "You have exceeded a secondary rate limit."}
	}
	files := map[string]string{}
	for _, f := range in.FileChanges.Additions {
		files[f.Path] = string(f.Contents)
	}
	commit := h.write(repo, in.Branch.BranchName, "the forge", in.Message.Headline, files)
	return 200, map[string]any{"data": map[string]any{"createCommitOnBranch": map[string]any{"commit": map[string]any{"oid": commit}}}}
}

func (h *hub) node(p *hubPull) map[string]any {
	h.fresh(p)
	mergeable, rollup := "MERGEABLE", any(nil)
	if p.state == "OPEN" && !p.still && !h.merges(p) {
		mergeable = "CONFLICTING"
	}
	if h.checks != "" {
		rollup = map[string]any{"state": h.checks}
	}
	return map[string]any{"__typename": "PullRequest", "id": p.node, "number": p.number, "url": fmt.Sprintf("%s/%s/pull/%d", h.url, p.repo.name, p.number), "state": p.state,
		"mergeable": mergeable, "reviewDecision": nil, "headRefOid": p.head,
		"commits": map[string]any{"nodes": []any{map[string]any{"commit": map[string]any{"statusCheckRollup": rollup}}}}}
}

// merges says whether a pull request merges cleanly.
func (h *hub) merges(p *hubPull) bool {
	main := h.head(p.repo, p.base)
	if main == p.onto || main == "" {
		return true
	}
	_, err := h.tryGit(h.bare(p.repo.name), "merge-tree", "--write-tree", main, p.head)
	return err == nil
}

// serveGit is git's own server, behind the rights of tokens.
func (h *hub) serveGit(backend http.Handler, w http.ResponseWriter, r *http.Request) {
	name, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git/")
	h.under.Add(1)
	defer h.under.Add(-1)
	_, known, write := h.rights(r)
	h.mu.Lock()
	repo := h.named[name]
	archived := repo != nil && (repo.archived || repo.noPush)
	moved := ""
	if repo != nil && repo.name != name {
		moved = repo.name
	}
	fetched := h.fetched
	h.mu.Unlock()
	pushes := strings.HasSuffix(r.URL.RequestURI(), "git-receive-pack")
	switch {
	case !known:
		w.Header().Set("WWW-Authenticate", `Basic realm="hub"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	case !ok || repo == nil && name != h.store:
		http.NotFound(w, r)
		return
	case moved != "":
		http.Redirect(w, r, "/"+moved+".git/"+rest+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
		return
	case pushes && (archived || !write && name != h.store):
		http.Error(w, "Permission to "+name+".git denied", http.StatusForbidden)
		return
	}
	if fetched != nil && strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
		fetched(name)
	}
	if !strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
		backend.ServeHTTP(&counted{w, &h.sent}, r)
		return
	}
	h.struck(false)
	body := httptest.NewRecorder()
	backend.ServeHTTP(body, r)
	h.struck(true)
	for k, v := range body.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(body.Code)
	_, _ = io.Copy(&counted{w, &h.sent}, body.Body)
}

// counted counts what a server sends.
type counted struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

// What people do.

func (h *hub) repo(name string) *hubRepo {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.named[name]
}

// pull is the newest pull request of a repository; nil = there is none.
func (h *hub) pull(r *hubRepo) *hubPull {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range slices.Backward(h.pulls) {
		if p.repo == r {
			return h.fresh(p)
		}
	}
	return nil
}

// close closes a pull request without merging it.
func (h *hub) close(p *hubPull) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fresh(p).state = "CLOSED"
}

// merge merges a pull request with a merge commit.
func (h *hub) merge(p *hubPull) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	dir := h.bare(p.repo.name)
	main := h.head(p.repo, p.base)
	tree, err := h.tryGit(dir, "merge-tree", "--write-tree", main, h.fresh(p).head)
	if err != nil {
		h.t.Fatalf("%s does not merge: %s", p.repo.name, tree)
	}
	commit := h.git(dir, "commit-tree", tree, "-p", main, "-p", p.head, "-m", "merge")
	h.git(dir, "update-ref", "refs/heads/"+p.base, commit, main)
	p.state = "MERGED"
}

// push makes a commit of one file on a branch, as somebody does.
func (h *hub) push(r *hubRepo, branch, file, text string) string {
	return h.pushes(r, branch, map[string]string{file: text})
}

// pushes makes a commit of several files.
func (h *hub) pushes(r *hubRepo, branch string, files map[string]string) string {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.write(r, branch, "P", "by a person", files)
}

// write makes a commit by somebody. The caller has the lock.
func (h *hub) write(r *hubRepo, branch, who, message string, files map[string]string) string {
	h.t.Helper()
	dir := h.bare(r.name)
	old := h.head(r, branch)
	index := filepath.Join(h.t.(interface{ TempDir() string }).TempDir(), "index")
	run := func(in string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index, "GIT_AUTHOR_NAME="+who, "GIT_AUTHOR_EMAIL=p@example.com", "GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@example.com")
		out, err := cmd.Output()
		if err != nil {
			h.t.Fatalf("git %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "read-tree", old)
	for file, text := range files {
		run("", "update-index", "--add", "--cacheinfo", "100644,"+run(text, "hash-object", "-w", "--stdin")+","+file)
	}
	commit := run("", "commit-tree", run("", "write-tree"), "-p", old, "-m", message)
	run("", "update-ref", "refs/heads/"+branch, commit, old)
	return commit
}

// rename gives a repository another name; the old one leads to it.
func (h *hub) rename(r *hubRepo, to string) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := os.Rename(h.bare(r.name), h.bare(to)); err != nil {
		h.t.Fatal(err)
	}
	r.name, h.named[to] = to, r
}

// crowded is the most content that the hub saw in any window of a length.
func (h *hub) crowded(window time.Duration) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	times := slices.SortedFunc(slices.Values(h.content), func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
	most, from := 0, 0
	for i := range times {
		for times[i].Sub(times[from]) >= window {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}
