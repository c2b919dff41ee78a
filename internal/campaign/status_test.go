package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestStatusSaysWhatIsLeft has a repository in every state; text of strangers is
// no markup on the page.
func TestStatusSaysWhatIsLeft(t *testing.T) {
	p := &Plan{ID: "groups", Title: "Move <i>", LeftOut: []LeftOut{{"acme/fork", "a fork"}}, Commit: "0123456789abcdef"}
	d := p.Digest()
	results, records, followed := map[string]*Result{}, map[string]*Record{}, map[string]*Followed{}
	add := func(name string, r *Result, rec *Record, f *Followed) {
		key := "k" + name
		p.Repositories = append(p.Repositories, Repository{Key: key, Name: "acme/" + name, ID: 1})
		if r != nil {
			r.Digest = d
			results[key] = r
		}
		if rec != nil {
			rec.Name, rec.Node, rec.URL = "acme/"+name, "N", "https://forge.invalid/1"
			records[key] = rec
		}
		if f != nil {
			f.Node = "N"
			followed[key] = f
		}
	}
	changed := func() *Result {
		return &Result{State: Changed, Proven: 3, Person: 1, ByHand: []string{"<script>x"}, Owners: []string{"@acme/team"}}
	}
	add("waiting", nil, nil, nil)
	add("trouble", &Result{State: Trouble, Class: Network, Text: "no answer"}, nil, nil)
	add("ready", changed(), nil, nil)
	add("by-hand", &Result{State: Nothing, Person: 2}, nil, nil)
	add("nothing", &Result{State: Nothing}, nil, nil)
	for _, s := range []Stage{Stale, Blocked, Opening, Opened, Merged, Declined, Edited, Away} {
		add(string(s), changed(), &Record{Stage: s}, nil)
	}
	add("red", changed(), &Record{Stage: Opened}, &Followed{Stage: Opened, Checks: "failure"})
	add("conflicting", changed(), &Record{Stage: Opened}, &Followed{Stage: Opened, Conflicts: true})
	add("judged", changed(), nil, nil)
	p.Repositories[len(p.Repositories)-1].ID = 0 // known by its URL alone
	add("other-pull", changed(), &Record{Stage: Opened}, &Followed{Stage: Merged})
	followed["kother-pull"].Node = "of an older one"
	st := p.count(results, records, followed, time.Unix(0, 0))
	for _, s := range Stages {
		want := 1
		if s.ID == "open" {
			want = 2
		}
		if st.Counts[s.ID] != want {
			t.Errorf("%s: %d", s.ID, st.Counts[s.ID])
		}
	}
	for _, r := range st.Rows {
		if name := strings.TrimPrefix(r.Name, "acme/"); name != r.State && name != "other-pull" && name != "fork" {
			t.Errorf("%s is %s", name, r.State)
		}
	}
	page, err := st.Page()
	if err != nil || strings.Contains(string(page), "<script>") || strings.Contains(string(page), "<i>") || !strings.Contains(string(page), "6 of 17") || !strings.Contains(string(page), "@acme/team") {
		t.Errorf("%v\n%s", err, page)
	}
	if !st.Left || (&Plan{}).count(nil, nil, nil, time.Unix(0, 0)).Left {
		t.Error("left")
	}
}

// TestShardOfEngine reads the variables of each engine.
func TestShardOfEngine(t *testing.T) {
	for text, want := range map[string]string{
		"": "0/1", "of=4": "error", "of=4 JOB_COMPLETION_INDEX=3": "3/4", "JOB_COMPLETION_INDEX=3": "error", "of=4 JOB_COMPLETION_INDEX=x": "error",
		"CI_NODE_INDEX=1 CI_NODE_TOTAL=2": "0/2", "of=3 CI_NODE_INDEX=1 CI_NODE_TOTAL=2": "error",
		"BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=2": "1/2", "AWS_BATCH_JOB_ARRAY_INDEX=5 AWS_BATCH_JOB_ARRAY_SIZE=9": "5/9",
		"SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=10": "1/2", "of=2 SLURM_ARRAY_TASK_ID=1": "1/2",
	} {
		env, of := map[string]string{}, 0
		for f := range strings.FieldsSeq(text) {
			k, v, _ := strings.Cut(f, "=")
			if k == "of" {
				of = int(v[0] - '0')
			} else {
				env[k] = v
			}
		}
		i, n, err := ShardOf(env, of)
		got := fmt.Sprintf("%d/%d", i, n)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", text, got, err, want)
		}
	}
}

// TestGitHubSpeaks has a server answer as GitHub does, in its good moments and
// its bad ones.
func TestGitHubSpeaks(t *testing.T) {
	answers := map[string]struct {
		status int
		body   string
	}{
		"GET /orgs/acme/repos":             {200, `[{"id":1,"full_name":"acme/a","default_branch":"main","size":3,"topics":["x"],"mirror_url":null}]`},
		"GET /repositories/1":              {200, `{"id":1,"full_name":"acme/a","archived":true}`},
		"GET /repositories/2":              {404, `{"message":"Not Found"}`},
		"GET /repositories/3":              {200, `{"id":3,"full_name":"acme/../x"}`},
		"GET /repos/acme/a/pulls":          {200, `[{"number":2,"state":"closed","merged_at":"2026-01-01T00:00:00Z","head":{"ref":"b","sha":"s"}},{"number":1,"state":"closed","head":{"ref":"other"}}]`},
		"GET /repos/acme/a/compare/x...y":  {200, `{"status":"ahead"}`},
		"GET /repos/acme/a/compare/z...y":  {404, `{"message":"No common ancestor"}`},
		"GET /rate_limit":                  {200, `{}`},
		"POST /repos/acme/a/pulls":         {201, `{"number":7,"node_id":"N","state":"open","head":{"ref":"b","sha":"s"}}`},
		"POST /repos/acme/twice/pulls":     {422, `{"message":"Validation Failed","errors":[{"message":"A pull request already exists for acme:b."}]}`},
		"POST /repos/acme/quick/pulls":     {422, `{"message":"Validation Failed","errors":[{"message":"was submitted too quickly"}]}`},
		"POST /repos/acme/secondary/pulls": {403, `{"message":"You have exceeded a secondary rate limit."}`},
		"POST /repos/acme/no/pulls":        {403, `{"message":"Resource not accessible by integration\u001b[31m"}`},
		"POST /graphql": {200, `{"data":{"nodes":[null,{},{"id":"N","number":7,"state":"OPEN","mergeable":"CONFLICTING","headRefOid":"h",
			"commits":{"nodes":[{"commit":{"statusCheckRollup":{"state":"ERROR"}}}]}}]},"errors":[{"type":"NOT_FOUND","message":"x"}]}`},
	}
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = append(sent, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
		a, ok := answers[r.Method+" "+r.URL.Path]
		if !ok {
			t.Errorf("asked for %s %s", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-OAuth-Scopes", "repo, workflow")
		w.WriteHeader(a.status)
		fmt.Fprint(w, a.body)
	}))
	defer server.Close()
	token := "one"
	g := &GitHub{API: server.URL, Token: func() string { return token }, Queue: &wire.Queue{Now: time.Now, Sleep: wire.Sleep}}
	ctx := t.Context()
	list, err := g.List(ctx, "acme")
	if err != nil || len(list) != 1 || list[0].Mirror || list[0].Topics[0] != "x" {
		t.Errorf("%v, %v", list, err)
	}
	token = "two"
	if r, err := g.ByID(ctx, 1); err != nil || !r.Archived || !strings.Contains(sent[1], "Bearer two") {
		t.Errorf("%v, %v, %v", r, err, sent)
	}
	if _, err := g.ByID(ctx, 3); err == nil {
		t.Error("a name that leads elsewhere")
	}
	pulls, err := g.Pulls(ctx, "acme/a", "b")
	if err != nil || len(pulls) != 1 || pulls[0].State != "merged" {
		t.Errorf("%v, %v", pulls, err)
	}
	in, err := g.Contains(ctx, "acme/a", "x", "y")
	out, oerr := g.Contains(ctx, "acme/a", "z", "y")
	if !in || out || err != nil || oerr != nil {
		t.Error(in, out, err, oerr)
	}
	if s, err := g.Scopes(ctx); err != nil || len(s) != 2 || s[1] != "workflow" {
		t.Errorf("%q, %v", s, err)
	}
	said := func(err error) string {
		var limit *LimitError
		var refused *RefusedError
		switch {
		case err == nil:
			return "made"
		case errors.As(err, &limit):
			return fmt.Sprint("limit ", limit.Secondary)
		case errors.As(err, &refused):
			return "refused " + refused.Text
		}
		return err.Error()
	}
	for name, want := range map[string]string{"a": "made", "twice": "already", "quick": "limit true", "secondary": "limit true", "no": "refused 403: Resource not accessible by integration [31m"} {
		_, err := g.Create(ctx, "acme/"+name, NewPull{Branch: "b"})
		if got := said(err); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	seen, err := g.Look(ctx, []string{"N"})
	if err != nil || len(seen) != 1 || !seen[0].Conflicts || seen[0].Checks != "failure" || seen[0].State != "open" {
		t.Errorf("%+v, %v", seen, err)
	}
	answers["POST /graphql"] = struct {
		status int
		body   string
	}{200, `{"errors":[{"type":"RATE_LIMITED"}]}`}
	if _, err := g.Look(ctx, nil); !strings.HasPrefix(said(err), "limit") {
		t.Error(err)
	}
	if !json.Valid([]byte(strings.TrimPrefix(sent[len(sent)-1], "POST /graphql Bearer two "))) {
		t.Error(sent[len(sent)-1])
	}
	for api, want := range map[string]string{"https://api.github.com": "https://api.github.com/graphql", "https://ghe.example.com/api/v3/": "https://ghe.example.com/api/graphql"} {
		if got := (&GitHub{API: api}).graphURL(); got != want {
			t.Errorf("%s: %s", api, got)
		}
	}
}

// TestNotFoundIsOfTheAPI has servers that answer 404: a GitHub Enterprise Server
// without rate limits tells scopes nevertheless, any other answer names what was
// asked for, and a proxy's says nothing of a repository.
func TestNotFoundIsOfTheAPI(t *testing.T) {
	var body, version string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if version != "" {
			w.Header().Set("X-GitHub-Enterprise-Version", version)
		}
		w.Header().Set("X-OAuth-Scopes", "repo")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	g := &GitHub{API: server.URL + "/api/v3", Queue: &wire.Queue{Now: time.Now, Sleep: wire.Sleep}}
	for _, c := range []struct {
		body, version string
		told          bool
	}{{`{"message":"Rate limiting is not enabled."}`, "", true}, {`{"message":"Not Found"}`, "enterprise-server@3.20.0", true}, {`{"message":"Not Found"}`, "", false}, {"<html>", "", false}} {
		body, version = c.body, c.version
		scopes, err := g.Scopes(t.Context())
		if told := err == nil && strings.Join(scopes, " ") == "repo"; told != c.told {
			t.Errorf("%s: %q, %v", c.body, scopes, err)
		}
		if err != nil && !strings.Contains(err.Error(), "GET /api/v3/rate_limit: ") {
			t.Errorf("%s: %v", c.body, err)
		}
		_, err = g.ByID(t.Context(), 1)
		if absent := c.body[0] == '{'; errors.Is(err, ErrAbsent) != absent {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}

// TestStatusOfAURLIsDone has a change in a repository that nobody opens.
func TestStatusOfAURLIsDone(t *testing.T) {
	p := &Plan{ID: "groups"}
	p.Repositories = []Repository{{Key: "u1", Name: "https://git.example.com/a.git", URL: "https://git.example.com/a.git"}}
	results := map[string]*Result{"u1": {Key: "u1", Digest: p.Digest(), State: Changed}}
	if st := p.count(results, nil, nil, time.Unix(0, 0)); st.Left || st.Rows[0].State != "judged" {
		t.Errorf("%+v", st)
	}
	if (&Plan{}).Known() == nil {
		t.Error("a plan of nothing")
	}
}
