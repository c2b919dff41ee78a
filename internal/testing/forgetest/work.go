package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Says is what people and machines have said about pull requests and commits. The
// zero value: every pull request can be merged, and no one has said anything.
type Says struct {
	Merge    map[string]any              // fields of every open pull request: mergeable, mergeable_state, draft, requested_reviewers
	Reviews  []map[string]any            // of every pull request
	Checks   []map[string]any            // check runs of every commit
	Statuses []map[string]any            // of every commit
	Checked  string                      // all checks of every pull request, as GraphQL has them: SUCCESS, FAILURE, PENDING
	Rules    []map[string]any            // of every branch main
	Of       map[string][]map[string]any // check runs of one commit, instead
	Runs     []map[string]any            // of workflows, that pushes have started
}

// anys is a list as an answer has it.
func anys[T any](list []T) []any {
	out := []any{}
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// Check is a check run of GitHub's own workflows; an empty conclusion is none yet.
func Check(name, status, conclusion string) map[string]any {
	c := map[string]any{"name": name, "status": status, "html_url": "https://forge.invalid/checks/" + name, "app": map[string]any{"id": 15368, "slug": "github-actions"}}
	if conclusion != "" {
		c["conclusion"] = conclusion
	}
	return c
}

// Requires is the rule of a branch that wants checks, of an app where it is not 0.
func Requires(app int, names ...string) map[string]any {
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

// A Run is a run of a workflow that a user dispatched.
type Run struct {
	Repo, Workflow, Version string
	ID                      int64
	Head, Status, Result    string
	Title, Actor            string
	Created                 time.Time
}

func (s *Server) routeWork() {
	const repo = "/repos/{o}/{r}"
	s.route("GET "+repo+"/commits/{c}/check-runs", func(r *http.Request) (int, any) {
		list, ok := s.Says.Of[r.PathValue("c")]
		if !ok {
			list = s.Says.Checks
		}
		return 200, map[string]any{"total_count": len(list), "check_runs": anys(list)}
	})
	s.route("GET "+repo+"/commits/{c}/status", func(*http.Request) (int, any) {
		return 200, map[string]any{"state": "pending", "statuses": anys(s.Says.Statuses)}
	})
	s.route("GET "+repo+"/actions/runs", func(r *http.Request) (int, any) {
		list := slices.DeleteFunc(slices.Clone(s.Says.Runs), func(x map[string]any) bool { return x["head_sha"] != r.URL.Query().Get("head_sha") })
		return 200, map[string]any{"total_count": len(list), "workflow_runs": anys(list)}
	})
	s.route("GET "+repo+"/actions/workflows/{w}/runs", s.listRuns)
	s.route("GET "+repo+"/actions/runs/{id}", s.getRun)
	s.route("POST "+repo+"/actions/workflows/{w}/dispatches", s.dispatch)
	s.route("GET "+repo+"/issues/{n}/comments", func(*http.Request) (int, any) { return 200, anys(s.Comments) })
	s.route("POST "+repo+"/issues/{n}/comments", s.comment)
}

func (x *Run) url() string {
	return fmt.Sprintf("https://forge.invalid/%s/actions/runs/%d", x.Repo, x.ID)
}

func (x *Run) json() map[string]any {
	return map[string]any{"id": x.ID, "status": x.Status, "conclusion": x.Result, "head_sha": x.Head, "head_branch": "main",
		"display_title": x.Title, "created_at": x.Created, "html_url": x.url(), "actor": map[string]any{"login": x.Actor}}
}

func (s *Server) listRuns(r *http.Request) (int, any) {
	list := []any{}
	for _, x := range slices.Backward(s.Runs) {
		if x.Repo == of(r) && x.Workflow == r.PathValue("w") {
			list = append(list, x.json())
		}
	}
	return 200, map[string]any{"total_count": len(list), "workflow_runs": list}
}

func (s *Server) getRun(r *http.Request) (int, any) {
	for _, x := range s.Runs {
		if strconv.FormatInt(x.ID, 10) == r.PathValue("id") {
			return 200, x.json()
		}
	}
	return missing()
}

func (s *Server) dispatch(r *http.Request) (int, any) {
	var in struct {
		Ref    string
		Inputs map[string]string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	head := s.Git(s.Bare(of(r)), "rev-parse", in.Ref)
	run := s.Begin(of(r), r.PathValue("w"), head)
	run.Version = in.Inputs["version"]
	for range s.Others {
		s.Begin(of(r), r.PathValue("w"), head).Actor = "somebody"
	}
	if s.Tells {
		return 200, map[string]any{"workflow_run_id": run.ID, "run_url": s.URL, "html_url": run.url()}
	}
	return http.StatusNoContent, nil
}

// Begin starts a run of a workflow at a commit. The caller has Mu, or no one asks.
func (s *Server) Begin(repo, workflow, head string) *Run {
	run := &Run{Repo: repo, Workflow: workflow, ID: int64(len(s.Runs) + 100), Head: head, Status: "queued", Title: "release", Actor: s.Login, Created: s.Now()}
	s.Runs = append(s.Runs, run)
	return run
}

func (s *Server) comment(r *http.Request) (int, any) {
	c := map[string]any{"html_url": "https://forge.invalid/comment", "user": map[string]any{"login": s.Login}}
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	if !s.makes() {
		return limited()
	}
	s.Comments = append(s.Comments, c)
	return 201, c
}
