package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// A smallForge is as much of GitHub's API as a small release asks for:
// repositories that may be pushed to, protected by nothing, and pull requests,
// which are merged once the base has their branch.
type smallForge struct {
	dir   string // of the repositories
	mu    sync.Mutex
	pulls []map[string]any
}

func (f *smallForge) handler() http.Handler {
	mux := http.NewServeMux()
	say := func(pattern string, answer any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { encode(w, answer) })
	}
	say("GET /user", map[string]any{"login": "rita"})
	say("GET /repos/{o}/{r}", map[string]any{"default_branch": "main", "permissions": map[string]bool{"push": true}})
	mux.HandleFunc("GET /repos/{o}/{r}/branches/{b...}", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/protection") {
			w.WriteHeader(http.StatusNotFound)
		}
		encode(w, map[string]any{"protected": false, "message": "Branch not protected"})
	})
	for _, list := range []string{"rules/branches/{b...}", "rulesets", "issues", "releases", "commits/{c}/check-runs", "commits/{c}/status"} {
		say("GET /repos/{o}/{r}/"+list, []any{})
	}
	mux.HandleFunc("GET /repos/{o}/{r}/pulls", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		found := []map[string]any{}
		for _, p := range f.pulls {
			if p["repo"] == r.PathValue("o")+"/"+r.PathValue("r") && p["from"] == r.URL.Query().Get("head") {
				f.settle(p)
				found = append(found, p)
			}
		}
		encode(w, found)
	})
	mux.HandleFunc("POST /repos/{o}/{r}/pulls", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		var p struct{ Head, Base string }
		_ = json.NewDecoder(r.Body).Decode(&p)
		_, branch, _ := strings.Cut(p.Head, ":")
		n := len(f.pulls) + 1
		repo := r.PathValue("o") + "/" + r.PathValue("r")
		f.pulls = append(f.pulls, map[string]any{"number": n, "state": "open", "html_url": fmt.Sprintf("https://forge.invalid/%s/pull/%d", repo, n),
			"base": map[string]any{"ref": p.Base}, "head": map[string]any{"ref": branch}, "repo": repo, "from": p.Head})
		w.WriteHeader(http.StatusCreated)
		encode(w, f.pulls[n-1])
	})
	return mux
}

// settle says of a pull request that it is merged when its base has its branch.
func (f *smallForge) settle(p map[string]any) {
	git := func(args ...string) (string, bool) {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(f.dir, p["repo"].(string)+".git")
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	head, base := p["head"].(map[string]any), p["base"].(map[string]any)
	sha, there := git("rev-parse", "refs/heads/"+head["ref"].(string))
	if !there || p["state"] != "open" {
		return
	}
	head["sha"] = sha
	tip, _ := git("rev-parse", "refs/heads/"+base["ref"].(string))
	if _, in := git("merge-base", "--is-ancestor", sha, tip); in {
		p["state"], p["merged_at"], p["merge_commit_sha"] = "closed", "2026-03-02T12:00:00Z", tip
	}
}

func encode(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

// workflowStep is the script command "step WORKFLOW NAME FILE": it writes the
// script of that step into a file.
func workflowStep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: step WORKFLOW NAME FILE")
	}
	var w struct {
		Jobs map[string]struct {
			Steps []struct {
				Name string `yaml:"name"`
				Run  string `yaml:"run"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	ts.Check(yaml.Unmarshal([]byte(ts.ReadFile(args[0])), &w))
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Name == args[1] && !strings.Contains(s.Run, "${{") { // expressions reach scripts as variables alone
				ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(s.Run), 0o600))
				return
			}
		}
	}
	ts.Fatalf("%s has no step %s whose script is free of expressions", args[0], args[1])
}
