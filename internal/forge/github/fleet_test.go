package github

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

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestGitHubSpeaks has a server answer as GitHub does, in its good moments and
// its bad ones.
func TestGitHubSpeaks(t *testing.T) {
	answers := map[string]struct {
		status int
		body   string
	}{
		"GET /orgs/acme/repos":             {200, `[{"id":1,"full_name":"acme/a","default_branch":"main","size":3,"topics":["x"],"mirror_url":null}]`},
		"GET /repositories/1":              {200, `{"id":1,"full_name":"acme/a","archived":true}`},
		"GET /repositories/4":              {200, `{"id":5,"full_name":"acme/other"}`},
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
	g, err := New(server.URL, func() string { return token }, &wire.Queue{Now: time.Now, Sleep: wire.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	list, err := g.Repositories(ctx, "acme")
	if err != nil || len(list) != 1 || list[0].Mirror || list[0].Topics[0] != "x" {
		t.Errorf("%v, %v", list, err)
	}
	token = "two"
	if r, err := g.ByID(ctx, 1); err != nil || !r.Archived || !strings.Contains(sent[1], "Bearer two") {
		t.Errorf("%v, %v, %v", r, err, sent)
	}
	if r, err := g.ByID(ctx, 4); err == nil {
		t.Errorf("asked for 4: %v", r)
	}
	if _, err := g.ByID(ctx, 3); err == nil {
		t.Error("a name that leads elsewhere")
	}
	pulls, err := g.Pulls(ctx, "acme/a", "b")
	if err != nil || len(pulls) != 1 || !pulls[0].Merged {
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
		var limit *wire.RateError
		var refused *forge.Error
		switch {
		case err == nil:
			return "made"
		case errors.As(err, &limit):
			return fmt.Sprint("limit ", limit.Secondary)
		case errors.Is(err, forge.ErrExists):
			return "already"
		case errors.As(err, &refused):
			return fmt.Sprint("refused ", refused.Status)
		}
		return err.Error()
	}
	for name, want := range map[string]string{"a": "made", "twice": "already", "quick": "limit true", "secondary": "limit true", "no": "refused 403"} {
		_, err := g.CreatePull(ctx, "acme/"+name, "acme:b", "main", "t", "")
		if got := said(err); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	seen, err := g.Standings(ctx, []string{"N"})
	if err != nil || len(seen) != 1 || !seen[0].Conflicts || seen[0].Checks != forge.CheckFailed || !seen[0].Open {
		t.Errorf("%+v, %v", seen, err)
	}
	answers["POST /graphql"] = struct {
		status int
		body   string
	}{200, `{"errors":[{"type":"RATE_LIMITED"}]}`}
	if _, err := g.Standings(ctx, nil); !strings.HasPrefix(said(err), "limit") {
		t.Error(err)
	}
	if !json.Valid([]byte(strings.TrimPrefix(sent[len(sent)-1], "POST /graphql Bearer two "))) {
		t.Error(sent[len(sent)-1])
	}
	for api, want := range map[string]string{"https://api.github.com": "https://api.github.com/graphql", "https://ghe.example.com/api/v3/": "https://ghe.example.com/api/graphql"} {
		g, err := New(api, func() string { return "" }, nil)
		if err != nil {
			t.Fatal(err)
		}
		if at, err := g.api.BaseURL.Parse(g.graphql()); err != nil || at.String() != want {
			t.Errorf("%s: %s, %v", api, at, err)
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
	g, err := New(server.URL+"/api/v3", func() string { return "" }, &wire.Queue{Now: time.Now, Sleep: wire.Sleep})
	if err != nil {
		t.Fatal(err)
	}
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
		if absent := c.body[0] == '{'; errors.Is(err, wire.ErrNotFound) != absent {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}

// TestLimitsAreTheQueues: an answer says that it was the last one for an hour. What
// is asked next goes to the server nevertheless, which may have room by then; the
// queue waits for it, by the server's clock.
func TestLimitsAreTheQueues(t *testing.T) {
	last := func(w http.ResponseWriter) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(time.Now().Add(time.Hour).Unix()))
		fmt.Fprint(w, `{"id":1,"full_name":"acme/a"}`)
	}
	a := wiretest.NewAnswers(t, last, last)
	g, _, _ := queued(t, a.URL)
	for range 2 {
		if _, err := g.ByID(t.Context(), 1); err != nil {
			t.Error(err)
		}
	}
	if n := a.Calls.Load(); n != 2 {
		t.Errorf("%d requests", n)
	}
}
