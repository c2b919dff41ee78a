//go:build e2e

package campaign

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// answer is what GitHub's published schema makes of a question and data.
func answer(t *testing.T, question map[string]any) (data json.RawMessage, errs []string) {
	t.Helper()
	in, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../../.ci/e2e/graphql.sh", "answer")
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, e := range said.Errors {
		errs = append(errs, e.Message)
	}
	return said.Data, errs
}

// TestQuestionsAreOfGitHubsSchema checks what is asked against the schema that
// GitHub publishes, and reads what that makes of the hub's answers: states and
// names are those that GitHub has.
func TestQuestionsAreOfGitHubsSchema(t *testing.T) {
	h := newHub(t, time.Unix(1_800_000_000, 0))
	h.seed(4, map[string]string{"a.yaml": oldManifest})
	h.Says.Checked = "FAILURE"
	now := h.now()
	nodes := []any{nil}
	for i, state := range []string{"open", "closed", "merged"} {
		r := h.Repositories[i]
		p := &forgetest.Pull{Number: i + 1, State: state, Still: true, Repo: r.Name, Branch: "main", Base: "main", SHA: h.Head(r.Name, "main")}
		if state == "merged" {
			p.State, p.MergedAt = "closed", &now
		}
		nodes = append(nodes, h.Graph(p))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		in["data"] = map[string]any{"nodes": nodes, "createCommitOnBranch": map[string]any{"commit": map[string]any{"oid": strings.Repeat("a", 40)}}}
		data, errs := answer(t, in)
		if len(errs) > 0 {
			t.Errorf("%q", errs)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	defer server.Close()
	gh, err := github.New(server.URL, func() string { return "" }, &wire.Queue{Now: time.Now, Sleep: wire.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	pulls, err := gh.Standings(t.Context(), []string{"gone", "PR_1", "PR_2", "PR_3"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pulls {
		got = append(got, fmt.Sprintf("%s open=%v merged=%v %s", p.Node, p.Open, p.Merged, p.Checks))
	}
	if strings.Join(got, ", ") != "PR_1 open=true merged=false failed, PR_2 open=false merged=false failed, PR_3 open=false merged=true failed" {
		t.Errorf("%q", got)
	}
	made, err := gh.Commit(t.Context(), "acme/r000", forge.NewCommit{Branch: "cfctl/groups-signing", Base: strings.Repeat("b", 40), Message: "Move\n\nSigned-off-by: x",
		Add: []forge.File{{Path: "a.yaml", Data: []byte("x")}}, Delete: []string{"b.yaml"}})
	if err != nil || made != strings.Repeat("a", 40) {
		t.Errorf("%s, %v", made, err)
	}
	if _, errs := answer(t, map[string]any{"query": "{ viewer { nickname } }", "data": map[string]any{}}); len(errs) == 0 {
		t.Error("the schema takes what GitHub does not have")
	}
}

// TestForgeSignsOverHTTP opens a pull request of a commit that the hub made, with
// what GitHub's client sends.
func TestForgeSignsOverHTTP(t *testing.T) {
	h := newHub(t, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
	h.seed(1, map[string]string{"a.yaml": oldManifest, "README.md": "hello\n"})
	k := task{Hub: h.URL, ID: "groups", Budget: Budget{5, 200}, Of: 1, Sign: true, Holder: "one"}
	for _, k.Do = range []string{"plan", "work", "open", "follow", "open"} {
		do(t, k)
	}
	dir := h.Bare(h.Repositories[0].Name)
	if got := h.Git(dir, "log", "-1", "--format=%an: %s", "cfctl/groups"); got != "the forge: Move the groups" || len(h.Pulls) != 1 {
		t.Errorf("%s; %d pull requests", got, len(h.Pulls))
	}
	if got := h.Git(dir, "diff", "--stat", "--name-only", "main", "cfctl/groups"); got != "a.yaml" {
		t.Errorf("it changes %q", got)
	}
	if got := h.Git(dir, "for-each-ref", "--format=%(refname:short)"); got != "cfctl/groups\nmain" {
		t.Errorf("left: %q", got)
	}
	for _, stage := range h.stages(t, k) {
		if stage != Opened {
			t.Errorf("it is %s", stage)
		}
	}
}
