package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
)

// TestCampaignFromPlanToMerge goes the whole way with the real commands, against
// a forge over HTTP. Each is a run of its own; what it knows is in the store.
func TestCampaignFromPlanToMerge(t *testing.T) {
	h := forgetest.New(t, t.TempDir(), time.Now)
	h.Add("acme/app")
	h.Add("acme/old").Archived = true
	opened := "" // with which token
	h.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pulls") {
			opened = r.Header.Get("Authorization")
		}
		return false
	}
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
	git("clone", "-q", "--bare", "w", h.Bare("acme/app"))
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GITHUB_API_URL="+h.URL+"/api", "GITHUB_SERVER_URL="+h.URL, "CFCTL_TOKEN_FILE="+token)
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
	cfctl(1, "open; it waits for review", "status")
	h.Take(h.Newest("acme/app"))
	cfctl(0, "1 pull request followed, 1 changed", "follow")
	page := filepath.Join(dir, "pages", "new", "status.html") // folders are made, as the help says
	cfctl(0, "merged", "status", "--html", page)
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
	if len(h.Pulls) != 1 || !strings.Contains(h.Pulls[0].Body, "cfctl-campaign codeflare-groups") {
		t.Errorf("%v", h.Pulls)
	}
	if got := git("-C", h.Bare("acme/app"), "log", "-1", "--format=%an %s", "cfctl/codeflare-groups"); got != "Robot Migrate Kubernetes APIs: codeflare-groups" {
		t.Errorf("pushed %q", got)
	}
	// With a second token, run evaluates and follows with it, and opens with the other.
	reader := filepath.Join(dir, "reader")
	if err := os.WriteFile(reader, []byte("reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Pulls, opened = nil, ""
	h.Push("acme/app", "main", map[string]string{"b.yaml": "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"})
	delete(h.Used, "") // git asks without one first
	if len(h.Used) != 2 || h.Used["first"] == 0 || h.Used["second"] == 0 {
		t.Errorf("tokens: %v", h.Used)
	}
	env = append(env, "CFCTL_READ_TOKEN_FILE="+reader)
	store = filepath.Join(dir, "second.git")
	cfctl(0, "1 repository", "plan", "--org", "acme", "--author", "Robot <robot@example.com>", "--title", "again")
	git("-C", h.Bare("acme/app"), "update-ref", "-d", "refs/heads/cfctl/codeflare-groups")
	cfctl(0, "1 pull request opened or moved", "run")
	if h.Used["reader"] == 0 || opened != "Bearer second" {
		t.Errorf("tokens %v; opened with %q", h.Used, opened)
	}
}

// TestStoreGetsTheToken has the store on a server that asks who it is: every
// command has a token for it, also before the plan is read.
func TestStoreGetsTheToken(t *testing.T) {
	h := forgetest.New(t, t.TempDir(), time.Now)
	h.Asks = true
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "--bare", h.Bare("acme/store")).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	token, list := filepath.Join(dir, "token"), filepath.Join(dir, "list")
	for name, text := range map[string]string{token: "secret-of-the-store\n", list: "https://forge.invalid/x.git\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GITHUB_API_URL="+h.URL+"/api", "GITHUB_SERVER_URL="+h.URL, "CFCTL_TOKEN_FILE="+token)
	for _, c := range []struct {
		code int
		args []string
	}{{0, []string{"plan", "--repos", list, "--author", "R <r@x>"}}, {1, []string{"status"}}, {0, []string{"manifests", "--image", "x"}}} {
		var out, errs bytes.Buffer
		args := append(append([]string{"campaign"}, c.args...), "--store", h.URL+"/acme/store.git")
		if code := run(args, env, strings.NewReader(""), &out, &errs); code != c.code {
			t.Errorf("%q: exit %d\n%s%s", c.args, code, &out, &errs)
		}
	}
}
