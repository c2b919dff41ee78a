//go:build e2e

package release

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/gitea"
	"github.com/project-codeflare/cfctl/internal/testing/registrytest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A giteaServer is a real Gitea, and the people who merge there.
type giteaServer struct {
	t     testing.TB
	url   string // of the server itself
	token string
}

// newGiteaServer makes a world whose forge and git are a Gitea.
func newGiteaServer(t testing.TB) (*world, *counter, *giteaServer) {
	g := &counter{}
	dir := t.TempDir()
	h := &giteaServer{t: t}
	h.start(dir)
	w := &world{t: t, dir: filepath.Join(dir, "repositories"), mail: newMailbox(t), chat: newChat(t), forge: h}
	w.hook = w.chat.URL
	w.store, w.near = registrytest.Distribution(t), nil
	w.reg = w.store
	from := w.seeds()
	for _, owner := range []string{"orchard", "eco", "downstream"} {
		h.ask(http.MethodPost, "/orgs", map[string]any{"username": owner}, nil)
	}
	for repo := range folders {
		owner, name := forge.Split(repo)
		h.ask(http.MethodPost, "/orgs/"+owner+"/repos", map[string]any{"name": name, "default_branch": "main"}, nil)
		to := strings.Replace(h.url, "://", "://rita:"+h.token+"@", 1) + "/" + repo + ".git"
		w.run(filepath.Join(from, repo+".git"), "git", "push", "-q", to, "main", "--tags")
		h.filled(repo)
	}
	h.ask(http.MethodPost, "/repos/eco/community-operators/forks", map[string]any{"organization": "orchard"}, nil)
	w.firstImages()
	w.git = g.proxy(t, h.url, nil)
	w.api = w.git + "/api/v1"
	return w, g, h
}

// start starts the server in a folder.
func (h *giteaServer) start(dir string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command("../../.ci/e2e/gitea.sh", "start")
	cmd.Env = append(os.Environ(), "DIR="+dir, "PORT="+strconv.Itoa(port))
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, _ := bufio.NewReader(out).ReadBytes('\n')
	var said struct{ Token string }
	if err := json.Unmarshal(line, &said); err != nil || said.Token == "" {
		h.t.Fatalf("Gitea says %q\n%s", line, errs.String())
	}
	h.url, h.token = fmt.Sprintf("http://127.0.0.1:%d", port), said.Token
	for range 600 {
		if res, err := http.Get(h.url + "/api/v1/version"); err == nil {
			_ = res.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	h.t.Fatal("Gitea does not start\n" + errs.String())
}

// try sends one request of a maintainer and returns its status.
func (h *giteaServer) try(method, path string, in, out any) (int, string) {
	body, _ := json.Marshal(in)
	req, _ := http.NewRequest(method, h.url+"/api/v1"+path, bytes.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+h.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	if out != nil && res.StatusCode < 300 {
		if err := json.Unmarshal(data, out); err != nil {
			h.t.Fatal(err)
		}
	}
	return res.StatusCode, string(data)
}

func (h *giteaServer) ask(method, path string, in, out any) {
	h.t.Helper()
	if status, text := h.try(method, path, in, out); status >= 300 {
		h.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}

// filled waits until Gitea has noticed what was pushed, which it does in the
// background: a fork of a repository that still counts as empty counts as empty
// as well, and has no pull requests (404) until something is pushed to it.
func (h *giteaServer) filled(repo string) {
	h.t.Helper()
	for range 600 {
		var r struct{ Empty bool }
		if h.ask(http.MethodGet, "/repos/"+repo, nil, &r); !r.Empty {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	h.t.Fatalf("%s still counts as empty", repo)
}

type teaPull struct {
	Number     int
	Title      string
	State      string
	Merged     bool
	Head, Base struct{ Label string }
}

func (h *giteaServer) pulls(repo string) []teaPull {
	var list []teaPull
	h.ask(http.MethodGet, "/repos/"+repo+"/pulls?state=all", nil, &list)
	return list
}

func (h *giteaServer) merge(*world) {
	for _, repo := range orchard {
		for _, p := range h.pulls(repo) {
			if p.State != "open" {
				continue
			}
			path := fmt.Sprintf("/repos/%s/pulls/%d/merge", repo, p.Number)
			status, text := 0, ""
			for range 200 { // whether it conflicts is found out in the background
				if status, text = h.try(http.MethodPost, path, map[string]any{"Do": "merge"}, nil); status < 300 {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			if status >= 300 {
				h.t.Fatalf("merge of %s #%d: %d %s", repo, p.Number, status, text)
			}
		}
	}
}

func (h *giteaServer) finish(*world) {} // there are no workflows

func (h *giteaServer) seen() []string {
	var list []string
	for _, repo := range orchard {
		for _, p := range h.pulls(repo) {
			list = append(list, fmt.Sprintf("PR %s %s->%s %q merged=%v", repo, p.Head.Label, p.Base.Label, p.Title, p.Merged))
		}
		var releases []struct {
			Tag   string `json:"tag_name"`
			Draft bool
		}
		h.ask(http.MethodGet, "/repos/"+repo+"/releases", nil, &releases)
		for _, r := range releases {
			list = append(list, fmt.Sprintf("release %s %s draft=%v", repo, r.Tag, r.Draft))
		}
	}
	slices.Sort(list)
	return list
}

// What keeps a PR from being merged is read of a Gitea: what it says while it is
// looking, statuses, reviews, the title, a conflict, the rules of the base.
func TestOpenPullOnGitea(t *testing.T) {
	h := &giteaServer{t: t}
	h.start(t.TempDir())
	client, err := gitea.New(h.url+"/api/v1", h.token, &wire.Queue{Now: time.Now, Sleep: wire.Sleep, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	const repo = "/repos/rita/tool"
	write := func(branch, from, text string) (sha string) {
		var made struct{ Commit struct{ SHA string } }
		in := map[string]any{"branch": from, "new_branch": branch, "content": base64.StdEncoding.EncodeToString([]byte(text)), "message": "Write"}
		var file struct{ SHA string }
		if status, _ := h.try(http.MethodGet, repo+"/contents/file?ref="+from, nil, &file); status == http.StatusOK {
			in["sha"] = file.SHA
			h.ask(http.MethodPut, repo+"/contents/file", in, &made)
		} else {
			h.ask(http.MethodPost, repo+"/contents/file", in, &made)
		}
		return made.Commit.SHA
	}
	h.ask(http.MethodPost, "/user/repos", map[string]any{"name": "tool", "auto_init": true, "default_branch": "main"}, nil)
	write("", "main", "one\n")
	head := write("work", "main", "two\n")
	h.ask(http.MethodPost, repo+"/pulls", map[string]any{"head": "work", "base": "main", "title": "Say two"}, nil)
	// until waits for what the server finds out in the background.
	until := func(what string, so func(forge.Merge) bool) {
		t.Helper()
		var m forge.Merge
		for range 200 {
			if m, err = client.Merge(t.Context(), "rita/tool", 1); err != nil {
				t.Fatal(err)
			}
			if so(m) {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s: %+v", what, m)
	}
	until("it can be merged", func(m forge.Merge) bool { return m.Known && !m.Draft && !m.Behind })
	h.ask(http.MethodPatch, repo+"/pulls/1", map[string]any{"title": "WIP: say two"}, nil)
	until("a draft", func(m forge.Merge) bool { return m.Known && m.Draft })
	h.ask(http.MethodPatch, repo+"/pulls/1", map[string]any{"title": "Say two"}, nil)
	h.ask(http.MethodPost, repo+"/statuses/"+head, map[string]any{"context": "ci/unit", "state": "failure", "description": "3 failed"}, nil)
	if checks, err := client.Checks(t.Context(), "rita/tool", head); err != nil || len(checks) != 1 || checks[0].State != forge.CheckFailed || checks[0].Name != "ci/unit" || checks[0].Text != "3 failed" {
		t.Error(checks, err)
	}
	if checks, err := client.Checks(t.Context(), "rita/tool", "main"); err != nil || len(checks) > 0 {
		t.Error(checks, err)
	}
	h.ask(http.MethodPost, repo+"/branch_protections", map[string]any{"rule_name": "main", "enable_push": true, "enable_status_check": true, "status_check_contexts": []string{"ci/*"}, "required_approvals": 1, "block_on_outdated_branch": true}, nil)
	p, err := client.Protection(t.Context(), "rita/tool", "main")
	if err != nil || p.Reviews != 1 || !p.Strict || len(p.Required) != 1 || !p.Required[0].Names("ci/unit") {
		t.Errorf("%+v %v", p, err)
	}
	h.ask(http.MethodPost, "/admin/users", map[string]any{"username": "anna", "email": "anna@example.com", "password": "tea-and-cake-1", "must_change_password": false}, nil)
	h.ask(http.MethodPut, repo+"/collaborators/anna", map[string]any{"permission": "write"}, nil)
	h.ask(http.MethodPost, repo+"/pulls/1/reviews?sudo=anna", map[string]any{"event": "REQUEST_CHANGES", "body": "no"}, nil)
	until("changes are asked for", func(m forge.Merge) bool {
		return len(m.Reviews) == 1 && !m.Reviews[0].Approves && m.Reviews[0].By == "anna"
	})
	h.ask(http.MethodPost, repo+"/pulls/1/reviews?sudo=anna", map[string]any{"event": "APPROVED", "body": "yes"}, nil)
	until("it is approved", func(m forge.Merge) bool { return len(m.Reviews) == 1 && m.Reviews[0].Approves })
	write("", "main", "three\n")
	until("it conflicts", func(m forge.Merge) bool { return m.Unclear && !m.Known })
}

// The whole train runs on a Gitea, in as many runs as people have things to do;
// a further run changes nothing, and verify finds everything as it was made.
func TestTrainOnGitea(t *testing.T) {
	w, g, h := newGiteaServer(t)
	d := newWorkstation(w)
	config := strings.NewReplacer("forge: {api:", "forge: {kind: gitea, api:", `, by: workflow, workflow: release.yml, inputs: {version: "{version}"}`, "").Replace(string(w.config()))
	if err := os.WriteFile(filepath.Join(d.home, ".cfctl.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "GITHUB_TOKEN=", "GITHUB_API_URL=", "GITHUB_SERVER_URL=", "GITEA_TOKEN="+h.token, "GITEA_SERVER_URL="+w.git)
	g.reset()
	out, errs, code := d.cfctl("release", "plan", "v0.2.0", "--brief")
	if _, writes := g.counts(); len(writes) > 0 || code != 0 {
		t.Fatalf("plan: exit %d, wrote %v\n%s%s", code, writes, out, errs)
	}
	rounds := 0
	for code = 1; code == 1 && rounds < 10; rounds++ {
		out, errs, code = d.cfctl("release", "run", "v0.2.0", "--yes", "approve:publish")
		t.Logf("$ cfctl release run v0.2.0\n%s%s", errs, out)
		if strings.Contains(out+errs, h.token) {
			t.Error("the token is in the output")
		}
		d.play()
	}
	all, writes := g.counts()
	t.Logf("%d runs, %d requests, %d of them mutating", rounds, len(all), len(writes))
	if code != 0 {
		t.Fatalf("the train does not arrive: exit %d", code)
	}
	if len(w.chat.texts()) != 1 || len(w.mail.ids()) != 1 {
		t.Errorf("%d messages, %d mails", len(w.chat.texts()), len(w.mail.ids()))
	}
	g.reset()
	out, errs, code = d.cfctl("release", "run", "v0.2.0")
	if _, writes := g.counts(); code != 0 || len(writes) > 0 {
		t.Errorf("a second run: exit %d, wrote %v\n%s%s", code, writes, out, errs)
	}
	if out, errs, code = d.cfctl("release", "verify", "v0.2.0"); code != 0 {
		t.Errorf("verify: exit %d\n%s%s", code, out, errs)
	}
	t.Log(w.state())
}
