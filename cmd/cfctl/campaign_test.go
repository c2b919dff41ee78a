package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A campaignHub is a forge with one organisation: git over smart HTTP, and the
// part of GitHub's API that a campaign uses.
type campaignHub struct {
	t      *testing.T
	root   string
	server *httptest.Server

	mu      sync.Mutex
	merged  bool
	made    []map[string]string // pull requests
	tokens  map[string]bool     // that came with requests to the API
	private bool                // git asks for a token
	opened  string              // the token that made the pull request
}

func newCampaignHub(t *testing.T) *campaignHub {
	h := &campaignHub{t: t, root: t.TempDir(), tokens: map[string]bool{}}
	exe, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + h.root, "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=uploadpack.allowFilter", "GIT_CONFIG_VALUE_0=true", "GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant",
		"GIT_CONFIG_VALUE_1=true", "GIT_CONFIG_KEY_2=http.receivepack", "GIT_CONFIG_VALUE_2=true"}}
	repo := `{"id":7,"full_name":"acme/app","default_branch":"main","size":1}`
	mux := http.NewServeMux()
	text := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { h.say(w, 200, body) })
	}
	text("GET /api/orgs/acme/repos", "["+repo+`,{"id":8,"full_name":"acme/old","default_branch":"main","size":1,"archived":true}]`)
	text("GET /api/repositories/7", repo)
	text("GET /api/rate_limit", "{}")
	mux.HandleFunc("GET /api/repos/acme/app/pulls", func(w http.ResponseWriter, _ *http.Request) { h.say(w, 200, h.pulls()) })
	mux.HandleFunc("POST /api/repos/acme/app/pulls", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(h.made) > 0 {
			h.say(w, 422, `{"message":"A pull request already exists"}`)
			return
		}
		h.opened = r.Header.Get("Authorization")
		h.made = append(h.made, map[string]string{"head": in["head"].(string), "body": in["body"].(string)})
		h.say(w, 201, strings.Trim(h.pulls(), "[]"))
	})
	mux.HandleFunc("POST /api/graphql", func(w http.ResponseWriter, _ *http.Request) {
		state := map[bool]string{true: "MERGED", false: "OPEN"}[h.merged]
		h.say(w, 200, fmt.Sprintf(`{"data":{"nodes":[{"id":"PR_1","number":1,"state":%q,"mergeable":"MERGEABLE","headRefOid":%q}]}}`, state, h.head()))
	})
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			if _, token, _ := r.BasicAuth(); h.private && token == "" {
				w.Header().Set("WWW-Authenticate", `Basic realm="hub"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			backend.ServeHTTP(w, r)
			return
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.tokens[r.Header.Get("Authorization")] = true
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(h.server.Close)
	return h
}

func (h *campaignHub) say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func (h *campaignHub) head() string {
	data, _ := os.ReadFile(filepath.Join(h.root, "acme/app.git/refs/heads/cfctl/codeflare-groups"))
	return strings.TrimSpace(string(data))
}

func (h *campaignHub) pulls() string {
	if len(h.made) == 0 {
		return "[]"
	}
	return fmt.Sprintf(`[{"number":1,"node_id":"PR_1","state":"open","html_url":"https://forge.invalid/1","head":{"ref":"cfctl/codeflare-groups","sha":%q}}]`, h.head())
}

// TestCampaignFromPlanToMerge goes the whole way with the real commands, against
// a forge over HTTP. Each is a run of its own; what it knows is in the store.
func TestCampaignFromPlanToMerge(t *testing.T) {
	h := newCampaignHub(t)
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main", "w")
	if err := os.WriteFile(filepath.Join(dir, "w", "a.yaml"), []byte("apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("-C", "w", "add", ".")
	git("-C", "w", "commit", "-qm", "one")
	git("clone", "-q", "--bare", "w", filepath.Join(h.root, "acme/app.git"))
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GITHUB_API_URL="+h.server.URL+"/api", "GITHUB_SERVER_URL="+h.server.URL, "CFCTL_TOKEN_FILE="+token)
	store := filepath.Join(dir, "store.git")
	cfctl := func(code int, want string, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run(append([]string{"campaign"}, append(args, "--store", store)...), env, strings.NewReader(""), &out, &errs)
		if got != code || !strings.Contains(out.String(), want) {
			t.Fatalf("%q: exit %d, want %d with %q\n%s\n%s", args, got, code, want, &out, &errs)
		}
	}
	cfctl(0, "campaign codeflare-groups: 1 repository, 1 left out", "plan", "--org", "acme", "--author", "Robot <robot@example.com>")
	if err := os.WriteFile(token, []byte("second\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfctl(0, "1 changed", "work")
	cfctl(1, "ready", "status")
	cfctl(2, "", "open", "--plan", "0123")
	cfctl(0, "1 pull request opened or moved", "open")
	cfctl(0, "0 pull requests opened or moved", "open")
	cfctl(1, "open, for a person", "status")
	h.mu.Lock()
	h.merged = true
	h.mu.Unlock()
	cfctl(0, "1 pull request followed, 1 changed", "follow")
	cfctl(0, "merged", "status")
	if len(h.made) != 1 || !strings.Contains(h.made[0]["body"], "cfctl-campaign codeflare-groups") {
		t.Errorf("%v", h.made)
	}
	if got := git("-C", filepath.Join(h.root, "acme/app.git"), "log", "-1", "--format=%an %s", "cfctl/codeflare-groups"); got != "Robot Migrate Kubernetes APIs: codeflare-groups" {
		t.Errorf("pushed %q", got)
	}
	// With a second token, run judges and follows with it, and opens with the other.
	reader := filepath.Join(dir, "reader")
	if err := os.WriteFile(reader, []byte("reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.merged, h.made, h.opened = false, nil, ""
	env = append(env, "CFCTL_READ_TOKEN_FILE="+reader)
	store = filepath.Join(dir, "second.git")
	cfctl(0, "1 repository", "plan", "--org", "acme", "--author", "Robot <robot@example.com>", "--title", "again")
	before := len(h.tokens)
	git("-C", filepath.Join(h.root, "acme/app.git"), "update-ref", "-d", "refs/heads/cfctl/codeflare-groups")
	cfctl(0, "1 pull request opened or moved", "run")
	if before != 3 || !h.tokens["Bearer reader"] || h.opened != "Bearer second" {
		t.Errorf("tokens %v; opened with %q", h.tokens, h.opened)
	}
	delete(h.tokens, "Bearer reader")
	if !h.tokens["Bearer first"] || !h.tokens["Bearer second"] || len(h.tokens) != 2 {
		t.Errorf("tokens: %v", h.tokens)
	}
}

// TestStoreGetsTheToken has the store on a server that asks who it is: every
// command has a token for it, also before the plan is read.
func TestStoreGetsTheToken(t *testing.T) {
	h := newCampaignHub(t)
	h.private = true
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "--bare", filepath.Join(h.root, "acme/store.git")).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	token, list := filepath.Join(dir, "token"), filepath.Join(dir, "list")
	for name, text := range map[string]string{token: "secret-of-the-store\n", list: "https://forge.invalid/x.git\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GITHUB_API_URL="+h.server.URL+"/api", "GITHUB_SERVER_URL="+h.server.URL, "CFCTL_TOKEN_FILE="+token)
	for _, c := range []struct {
		code int
		args []string
	}{{0, []string{"plan", "--repos", list, "--author", "R <r@x>"}}, {1, []string{"status"}}, {0, []string{"manifests", "--image", "x"}}} {
		var out, errs bytes.Buffer
		args := append(append([]string{"campaign"}, c.args...), "--store", h.server.URL+"/acme/store.git")
		if code := run(args, env, strings.NewReader(""), &out, &errs); code != c.code {
			t.Errorf("%q: exit %d\n%s%s", c.args, code, &out, &errs)
		}
	}
}
