package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// answering is a client of a server with an answer for each path; a path that has
// none is not found.
func answering(t *testing.T, answers map[string]string) *Client {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		key := r.URL.Path
		if page := r.URL.Query().Get("page"); page != "" {
			key += "#" + page
		}
		text, ok := answers[key]
		if status, rest, found := strings.Cut(text, "!"); found && len(status) == 3 {
			var code int
			_, _ = fmt.Sscan(status, &code)
			w.WriteHeader(code)
			text = rest
		} else if !ok {
			w.WriteHeader(http.StatusNotFound)
			text = `{"message": "Not Found"}`
		}
		if _, more := answers[r.URL.Path+"#2"]; more && r.URL.Query().Get("page") == "" {
			w.Header().Set("Link", "<http://"+r.Host+r.URL.Path+`?page=2>; rel="next"`)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	c := wiretest.NewClock()
	g, err := New(s.URL, func() string { return "" }, &wire.Queue{Now: c.Now, Sleep: c.Sleep, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Check runs and commit statuses are one list; what is not known to have passed
// has not.
func TestChecksOfACommit(t *testing.T) {
	run := func(name, status, conclusion string) string {
		b, _ := json.Marshal(map[string]any{"name": name, "status": status, "conclusion": conclusion, "html_url": "https://x/" + name, "app": map[string]any{"id": 5, "slug": "ci"}})
		return string(b)
	}
	g := answering(t, map[string]string{
		"/repos/o/r/commits/abc/check-runs": `{"check_runs": [` + strings.Join([]string{run("queued", "queued", ""), run("waiting", "waiting", ""), run("running", "in_progress", ""), run("good", "completed", "success"),
			run("skipped", "completed", "skipped"), run("neutral", "completed", "neutral")}, ",") + `]}`,
		"/repos/o/r/commits/abc/check-runs#2": `{"check_runs": [` + strings.Join([]string{run("bad", "completed", "failure"), run("late", "completed", "timed_out"), run("ask", "completed", "action_required"),
			run("new", "completed", "a word of next year"), run("none", "completed", "")}, ",") + `]}`,
		"/repos/o/r/commits/abc/status": `{"statuses": [{"context": "tide", "state": "pending", "description": "Needs lgtm", "target_url": "https://tide"}, {"context": "old", "state": "success"}, {"context": "broken", "state": "error"}]}`,
	})
	list, err := g.Checks(t.Context(), "o/r", "abc")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, c.Name+" "+string(c.State))
	}
	const want = "ask failed, bad failed, broken failed, good passed, late failed, neutral skipped, new failed, none failed, old passed, queued queued, running running, skipped skipped, tide running, waiting queued"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if c := list[1]; c.App != "ci" || c.AppID != 5 || c.URL != "https://x/bad" || c.Outcome != "failure" {
		t.Errorf("%+v", c)
	}
	none := answering(t, map[string]string{"/repos/o/r/commits/abc/check-runs": `{"check_runs": []}`})
	if list, err := none.Checks(t.Context(), "o/r", "abc"); err != nil || len(list) > 0 {
		t.Errorf("a server without statuses: %v %v", list, err)
	}
	hidden := answering(t, map[string]string{"/repos/o/r/commits/abc/check-runs": `403!{"message": "Resource not accessible by integration"}`})
	if _, err := hidden.Checks(t.Context(), "o/r", "abc"); !forge.Refused(err, http.StatusForbidden) {
		t.Errorf("checks that are not to be seen: %v", err)
	}
}

// The last word of each reviewer counts, of those who may write; whether a PR can
// be merged is not known until GitHub has worked it out.
func TestMergeOfAPull(t *testing.T) {
	review := func(by, state, of string) string {
		return `{"user": {"login": "` + by + `"}, "state": "` + state + `", "author_association": "` + of + `", "html_url": "https://review/` + by + `"}`
	}
	reviews := `[` + strings.Join([]string{review("anna", "CHANGES_REQUESTED", "MEMBER"), review("anna", "COMMENTED", "MEMBER"), review("anna", "APPROVED", "MEMBER"),
		review("otto", "APPROVED", "CONTRIBUTOR"), review("ben", "APPROVED", "OWNER"), review("ben", "DISMISSED", "OWNER"), review("carl", "CHANGES_REQUESTED", "COLLABORATOR"),
		review("emil", "CHANGES_REQUESTED", "MEMBER"), review("emil", "DISMISSED", "MEMBER")}, ",") + `]`
	for name, c := range map[string]struct {
		pull                    string
		known, conflicts, draft bool
	}{
		"not worked out": {`{"mergeable": null, "mergeable_state": "unknown"}`, false, false, false},
		"clean":          {`{"mergeable": true, "mergeable_state": "clean"}`, true, false, false},
		"dirty":          {`{"mergeable": false, "mergeable_state": "dirty"}`, true, true, false},
		"blocked":        {`{"mergeable": true, "mergeable_state": "blocked", "draft": true}`, true, false, true},
	} {
		g := answering(t, map[string]string{"/repos/o/r/pulls/3": c.pull[:len(c.pull)-1] + `, "requested_reviewers": [{"login": "dora"}], "requested_teams": [{"slug": "ops"}]}`, "/repos/o/r/pulls/3/reviews": reviews})
		m, err := g.Merge(t.Context(), "o/r", 3)
		if err != nil || m.Known != c.known || m.Conflicts != c.conflicts || m.Draft != c.draft {
			t.Errorf("%s: %+v %v", name, m, err)
		}
		if fmt.Sprint(m.Reviews) != "[{anna true https://review/anna} {carl false https://review/carl}]" || fmt.Sprint(m.Asked) != "[dora o/ops]" {
			t.Errorf("%s: %v %v", name, m.Reviews, m.Asked)
		}
	}
}

// Who may not see the protection of a branch sees at least which checks it wants.
func TestProtectionIsSummed(t *testing.T) {
	g := answering(t, map[string]string{
		"/repos/o/r/branches/main":       `{"protected": true, "protection": {"enabled": true, "required_status_checks": {"enforcement_level": "non_admins", "contexts": ["build", "dco"], "checks": [{"context": "build", "app_id": 5}, {"context": "dco", "app_id": -1}]}}}`,
		"/repos/o/r/rules/branches/main": `[{"type": "merge_queue"}, {"type": "pull_request", "parameters": {"required_approving_review_count": 2, "require_code_owner_review": true}}, {"type": "required_status_checks", "parameters": {"strict_required_status_checks_policy": true, "required_status_checks": [{"context": "e2e", "integration_id": 7}]}}]`,
	})
	p, err := g.Protection(t.Context(), "o/r", "main")
	if err != nil || !p.Protected || !p.Hidden || !p.Queue || !p.Owners || !p.Strict || p.Reviews != 2 || fmt.Sprint(p.Required) != "[{build 5 false} {dco 0 false} {e2e 7 false}]" || fmt.Sprint(p.Checks) != "[build dco e2e]" {
		t.Errorf("%+v %v", p, err)
	}
	free := answering(t, map[string]string{"/repos/o/r/branches/main": `{"protected": false}`, "/repos/o/r/rules/branches/main": `[]`})
	if p, err := free.Protection(t.Context(), "o/r", "main"); err != nil || p.Protected || len(p.Required) > 0 {
		t.Errorf("a branch without: %+v %v", p, err)
	}
}

// A server that does not know the filter lists the runs of other commits too.
func TestRunsOnACommit(t *testing.T) {
	g := answering(t, map[string]string{"/repos/o/r/actions/runs": `{"workflow_runs": [{"id": 1, "name": "image", "head_sha": "abc", "head_branch": "v1", "status": "completed", "conclusion": "failure"}, {"id": 2, "head_sha": "def"}]}`})
	runs, err := g.RunsOn(t.Context(), "o/r", "abc")
	if err != nil || len(runs) != 1 || runs[0].Workflow != "image" || runs[0].Branch != "v1" {
		t.Errorf("%+v %v", runs, err)
	}
}
