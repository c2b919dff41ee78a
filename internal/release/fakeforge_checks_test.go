package release

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// forgeSays is what people and machines have said on the fake forge about PRs and
// commits. The zero value: every PR can be merged, and nobody has said anything.
type forgeSays struct {
	merge    map[string]any              // fields of every open PR: mergeable, mergeable_state, draft, requested_reviewers
	reviews  []map[string]any            // of every PR
	checks   []map[string]any            // check runs of every commit
	statuses []map[string]any            // of every commit
	rules    []map[string]any            // of every branch main
	of       map[string][]map[string]any // check runs of one commit, instead
	runs     []map[string]any            // of workflows, that pushes have started
}

func check(name, status, conclusion string) map[string]any {
	c := map[string]any{"name": name, "status": status, "html_url": "https://forge.invalid/checks/" + name, "app": map[string]any{"id": 15368, "slug": "github-actions"}}
	if conclusion != "" {
		c["conclusion"] = conclusion
	}
	return c
}

// requires is the rule of a branch that wants checks, of an app where it is not 0.
func requires(app int, names ...string) map[string]any {
	list := []map[string]any{}
	for _, n := range names {
		c := map[string]any{"context": n}
		if app != 0 {
			c["integration_id"] = app
		}
		list = append(list, c)
	}
	return map[string]any{"type": "required_status_checks", "parameters": map[string]any{"required_status_checks": list}}
}

func (f *fakeForge) handleChecks(mux *http.ServeMux) {
	mux.HandleFunc("GET /repos/{o}/{r}/pulls/{n}", f.getPull)
	mux.HandleFunc("GET /repos/{o}/{r}/pulls/{n}/reviews", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, notNil(f.said.reviews)) })
	mux.HandleFunc("GET /repos/{o}/{r}/commits/{c}/check-runs", func(w http.ResponseWriter, r *http.Request) {
		list, ok := f.said.of[r.PathValue("c")]
		if !ok {
			list = f.said.checks
		}
		reply(w, 200, map[string]any{"total_count": len(list), "check_runs": notNil(list)})
	})
	mux.HandleFunc("GET /repos/{o}/{r}/commits/{c}/status", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"state": "pending", "statuses": notNil(f.said.statuses)})
	})
	mux.HandleFunc("GET /repos/{o}/{r}/actions/runs", func(w http.ResponseWriter, r *http.Request) {
		list := slices.DeleteFunc(slices.Clone(f.said.runs), func(x map[string]any) bool { return x["head_sha"] != r.URL.Query().Get("head_sha") })
		reply(w, 200, map[string]any{"total_count": len(list), "workflow_runs": notNil(list)})
	})
}

func notNil(list []map[string]any) []map[string]any { return append([]map[string]any{}, list...) }

// look reads where the branch of an open PR is.
func (f *fakeForge) look(p *fakePull) {
	owner, _, _ := strings.Cut(p.head, ":")
	_, name := forge.Split(p.repo)
	if sha := refsIn(f.world.t, f.world.bare(owner+"/"+name))["refs/heads/"+p.branch]; p.state == "open" && sha != "" {
		p.sha = sha
	}
}

func (f *fakeForge) getPull(w http.ResponseWriter, r *http.Request) {
	for _, p := range f.pulls {
		if strconv.Itoa(p.number) != r.PathValue("n") {
			continue
		}
		f.look(p)
		body := p.json()
		body["mergeable"], body["mergeable_state"] = true, "clean"
		for k, v := range f.said.merge {
			body[k] = v
		}
		reply(w, 200, body)
		return
	}
	reply(w, 404, map[string]any{"message": "Not Found"})
}
