//go:build e2e

package release

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/testing/registrytest"
)

// A counter is before every server of a real world: it counts what passes,
// and can do something before and after the n-th mutating request.
type counter struct {
	mu     sync.Mutex
	all    []string // "GET http://host/path", in order
	writes []string // the mutating ones
	hook   func(n int, after bool)
}

// before and after wrap one request.
func (g *counter) pass(r *http.Request, writes bool, next func()) {
	line := r.Method + " " + r.URL.Path
	g.mu.Lock()
	g.all = append(g.all, line)
	hook := g.hook
	n := 0
	if writes {
		g.writes = append(g.writes, line)
		n = len(g.writes)
	}
	g.mu.Unlock()
	if writes && hook != nil {
		hook(n, false)
	}
	next()
	if writes && hook != nil {
		hook(n, true)
	}
}

func (g *counter) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all, g.writes = nil, nil
}

func (g *counter) counts() (all, writes []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.all), slices.Clone(g.writes)
}

// proxy passes requests on to a server, through the counter, but those that saw
// answers.
func (g *counter) proxy(t testing.TB, to string, saw func(w http.ResponseWriter, r *http.Request, body []byte) (answered bool)) string {
	target, err := url.Parse(strings.Replace(to, "localhost", "127.0.0.1", 1))
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(target)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.pass(r, r.Method != http.MethodGet && r.Method != http.MethodHead && !strings.HasSuffix(r.URL.Path, "/git-upload-pack"), func() {
			if saw == nil || !saw(w, r, body) {
				forward.ServeHTTP(w, r)
			}
		})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A hub is the GitHub emulator with git next to it: it is notified of pushes, and
// what its people do is done in git.
type hub struct {
	control string
	github  string
	slack   string
	counter *counter

	mu         sync.Mutex
	dispatches []asked
	done       int
}

type asked struct{ repo, version string }

// newRealWorld makes a world of servers that this project did not write: git
// over smart HTTP, the emulator, Debian's docker-registry, SMTP and the
// emulator's Slack.
func newRealWorld(t testing.TB) (*world, *counter) {
	g := &counter{}
	w := &world{t: t, dir: t.TempDir(), mail: newMailbox(t), chat: newChat(t)}
	h := startHub(t, g)
	w.forge = h
	w.git = serveGit(t, w, g, h)
	w.store, w.near = registrytest.Distribution(t), nil
	w.reg = strings.TrimPrefix(g.proxy(t, "http://"+w.store, nil), "http://")
	w.populate()
	g.reset()
	return h.join(t, w), g
}

// join puts the counter before the emulator and its Slack.
func (h *hub) join(t testing.TB, w *world) *world {
	w.api = h.counter.proxy(t, h.github, func(rw http.ResponseWriter, r *http.Request, body []byte) bool {
		parts := strings.Split(r.URL.Path, "/")
		switch {
		case strings.HasSuffix(r.URL.Path, "/merge-upstream"):
			h.forward(w, rw, parts[2]+"/"+parts[3], body)
			return true
		case strings.HasSuffix(r.URL.Path, "/dispatches"):
			var in struct{ Inputs map[string]string }
			json.Unmarshal(body, &in)
			h.mu.Lock()
			h.dispatches = append(h.dispatches, asked{parts[2] + "/" + parts[3], in.Inputs["version"]})
			h.mu.Unlock()
		}
		return false
	})
	w.hook = h.counter.proxy(t, h.slack, func(_ http.ResponseWriter, _ *http.Request, body []byte) bool {
		w.chat.mu.Lock()
		defer w.chat.mu.Unlock()
		w.chat.got = append(w.chat.got, string(body))
		return false
	}) + "/services/T000000001/B000000001/X000000001"
	h.tell("/workflow", map[string]any{"repo": "orchard/sdk", "path": ".github/workflows/release.yml", "name": "Release"}, nil)
	for _, repo := range orchard {
		h.sync(w, repo)
	}
	return w
}

// forward brings a branch of a fork to where it is upstream: a request of
// GitHub's that the emulator does not know.
func (h *hub) forward(w *world, rw http.ResponseWriter, fork string, body []byte) {
	var in struct{ Branch string }
	json.Unmarshal(body, &in)
	for _, from := range orchard {
		if path.Base(from) == path.Base(fork) && from != fork {
			w.run(w.bare(fork), "git", "fetch", "-q", w.bare(from), in.Branch+":"+in.Branch)
			h.sync(w, fork)
			reply(rw, http.StatusOK, map[string]any{"merge_type": "fast-forward", "base_branch": in.Branch})
			return
		}
	}
	reply(rw, http.StatusNotFound, map[string]any{"message": "Not Found"})
}

func startHub(t testing.TB, g *counter) *hub {
	seed := map[string]any{
		"tokens": map[string]any{
			"tok_rel":  map[string]any{"login": "rita", "scopes": []string{"repo", "user", "workflow"}},
			"tok_read": map[string]any{"login": "rosa", "scopes": []string{}},
		},
		"github": map[string]any{
			"users": []any{map[string]any{"login": "rita"}, map[string]any{"login": "rosa"}},
			"orgs":  orgs("orchard", "eco", "downstream"), "repos": seededRepos()},
	}
	data, _ := json.Marshal(seed)
	file := filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../../.ci/e2e/emulate.sh", "start")
	cmd.Env = append(os.Environ(), "SEED="+file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var urls struct{ GitHub, Slack, Control string }
	line := make(chan string, 1)
	go func() { s, _ := bufio.NewReader(out).ReadString('\n'); line <- s }()
	select {
	case s := <-line:
		if err := json.Unmarshal([]byte(s), &urls); err != nil {
			t.Fatalf("the emulator says %q %s", s, errs.String())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the emulator does not start")
	}
	h := &hub{control: urls.Control, github: urls.GitHub, slack: urls.Slack, counter: g}
	h.fork(t)
	return h
}

func orgs(names ...string) []any {
	var list []any
	for _, n := range names {
		list = append(list, map[string]any{"login": n, "name": n, "members": []any{map[string]any{"login": "rita", "role": "admin"}}})
	}
	return list
}

func seededRepos() []any {
	var list []any
	for _, r := range orchard {
		if r != "orchard/community-operators" {
			owner, name := forge.Split(r)
			list = append(list, map[string]any{"owner": owner, "name": name, "auto_init": true})
		}
	}
	return list
}

// fork makes the fork of the catalog, as its owner once did.
func (h *hub) fork(t testing.TB) {
	req, _ := http.NewRequest(http.MethodPost, strings.Replace(h.github, "localhost", "127.0.0.1", 1)+"/repos/eco/community-operators/forks", strings.NewReader(`{"organization": "orchard"}`))
	req.Header.Set("Authorization", "Bearer tok_rel")
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode > 299 {
		t.Fatal("fork: ", err, res)
	}
	res.Body.Close()
}

// tell speaks to the control port.
func (h *hub) tell(action string, in, out any) {
	body, _ := json.Marshal(in)
	res, err := http.Post(h.control+action, "application/json", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		panic(action + ": " + string(data))
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			panic(err)
		}
	}
}

// sync tells the emulator where the branches of a repository are.
func (h *hub) sync(w *world, repo string) {
	for line := range strings.Lines(w.run(w.bare(repo), "git", "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads")) {
		name, sha, _ := strings.Cut(strings.TrimSpace(line), " ")
		h.tell("/branch", map[string]any{"repo": repo, "name": name, "sha": sha}, nil)
	}
}

// serveGit serves the actual state's repositories over smart HTTP, with the token as
// password.
func serveGit(t testing.TB, w *world, g *counter, h *hub) string {
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + w.dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=rita", "GIT_CONFIG_NOSYSTEM=1"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		push := strings.HasSuffix(r.URL.Path, "/git-receive-pack")
		if _, password, _ := r.BasicAuth(); strings.Contains(r.URL.RawQuery+r.URL.Path, "receive-pack") && password != "tok_rel" {
			rw.Header().Set("WWW-Authenticate", "Basic")
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.pass(r, push, func() {
			backend.ServeHTTP(rw, r)
			if push {
				repo := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(r.URL.Path, "/git-receive-pack"), "/"), ".git")
				h.sync(w, repo)
			}
		})
	}))
	t.Cleanup(s.Close)
	return s.URL
}

type hubPull struct {
	Repo     string
	HeadRepo string `json:"head_repo"`
	Number   int
	SHA      string
	Head     string
	Base     string
	Title    string
	State    string
	Merged   bool
}

func (h *hub) merge(w *world) { h.mergeThose(w, func(hubPull) bool { return true }) }

// mergeThose merges the open PRs that a maintainer has chosen.
func (h *hub) mergeThose(w *world, chosen func(hubPull) bool) {
	for _, p := range h.pulls() {
		if p.State == "open" && chosen(p) {
			sha := w.mergeBranch(p.Repo, p.Base, p.HeadRepo, p.Head)
			h.tell("/merge", map[string]any{"repo": p.Repo, "number": p.Number, "sha": sha}, nil)
			h.sync(w, p.Repo)
		}
	}
}

// mergeBranch merges a branch of head into the base branch of repo, the way a
// forge does, and returns the merge commit.
func (w *world) mergeBranch(repo, base, headRepo, branch string) string {
	bare := w.bare(repo)
	head := w.run(w.bare(headRepo), "git", "rev-parse", "refs/heads/"+branch)
	if headRepo != repo {
		w.run(bare, "git", "fetch", "-q", w.bare(headRepo), head)
	}
	tree := w.run(bare, "git", "merge-tree", "--write-tree", base, head)
	commit := w.run(bare, "git", "commit-tree", tree, "-p", base, "-p", head, "-m", "Merge "+branch)
	w.run(bare, "git", "update-ref", "refs/heads/"+base, commit)
	return commit
}

func (h *hub) pulls() (list []hubPull) {
	h.tell("/pulls", map[string]any{}, &list)
	return list
}

// close closes a PR, as a maintainer does on its page.
func (h *hub) close(p hubPull) {
	h.tell("/close", map[string]any{"repo": p.Repo, "number": p.Number}, nil)
}

// check has CI say something of a commit.
func (h *hub) check(w *world, repo, commit, name, conclusion string) {
	body, _ := json.Marshal(map[string]any{"name": name, "head_sha": commit, "status": "completed", "conclusion": conclusion, "details_url": "https://ci.invalid/" + name})
	req, _ := http.NewRequest(http.MethodPost, w.api+"/repos/"+repo+"/check-runs", bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer tok_rel")
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode > 299 {
		w.t.Fatal("check: ", err, res)
	}
	res.Body.Close()
}

func (h *hub) finish(w *world) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ; h.done < len(h.dispatches); h.done++ {
		d := h.dispatches[h.done]
		w.run(w.bare(d.repo), "git", "tag", "v"+d.version, "main")
		h.tell("/run", map[string]any{"id": h.done + 1, "status": "completed", "conclusion": "success"}, nil)
	}
}

func (h *hub) seen() []string {
	var pulls []hubPull
	h.tell("/pulls", map[string]any{}, &pulls)
	var list []string
	for _, p := range pulls {
		list = append(list, fmt.Sprintf("PR %s %s:%s->%s %q merged=%v", p.Repo, p.HeadRepo, p.Head, p.Base, p.Title, p.Merged))
	}
	var releases []struct {
		Repo, Tag, Name, Body string
		Draft                 bool
	}
	h.tell("/releases", map[string]any{}, &releases)
	for _, r := range releases {
		list = append(list, fmt.Sprintf("release %s %s draft=%v", r.Repo, r.Tag, r.Draft))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	list = append(list, fmt.Sprintf("dispatches: %d", len(h.dispatches)))
	slices.Sort(list)
	return list
}
