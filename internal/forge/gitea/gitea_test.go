package gitea

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

var (
	_ forge.Forge = (*Client)(nil)
)

// What Gitea cannot do is asked for in vain, and not pretended.
func TestLacks(t *testing.T) {
	var c any = &Client{}
	if _, ok := c.(forge.RunReader); ok {
		t.Error("it runs workflows")
	}
	if _, ok := c.(forge.LatestReader); ok {
		t.Error("it shows a chosen release as the latest")
	}
}

// serve is a server that answers by "METHOD PATH?QUERY"; what is not in the map
// is 404. It tells what it was asked.
func serve(t *testing.T, answers map[string]string) (c *Client, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := strings.TrimSpace(r.Method + " " + strings.TrimPrefix(r.URL.RequestURI(), "/api/v1") + " " + string(body))
		*asked = append(*asked, line)
		key := r.Method + " " + strings.TrimPrefix(r.URL.RequestURI(), "/api/v1")
		answer, ok := answers[key]
		status := http.StatusOK
		if !ok {
			answer, status = `{"message": "not found"}`, http.StatusNotFound
		}
		if code, rest, found := strings.Cut(answer, "|"); found {
			_, _ = fmt.Sscan(code, &status)
			answer = rest
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	clock := wiretest.NewClock()
	c, err := New(s.URL+"/api/v1/", "secret", &wire.Queue{Now: clock.Now, Sleep: clock.Sleep, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return c, asked
}

// pr is a pull request as the server writes it.
func pr(number int, state, owner, branch, base string) string {
	merged := state == "merged"
	if merged {
		state = "closed"
	}
	return fmt.Sprintf(`{"number": %d, "state": %q, "merged": %v, "merge_commit_sha": "c%d", "merged_at": "2026-03-02T12:00:00Z",
		"head": {"ref": "refs/pull/%d/head", "label": %q, "sha": "h%d", "repo": {"full_name": "%s/tool"}}, "base": {"ref": %q}}`,
		number, state, merged, number, number, branch, number, owner, base)
}

func TestPull(t *testing.T) {
	const one = "GET /repos/acme/tool/pulls/main/" + "rita:cfctl%2Fv1"
	open := "GET /repos/acme/tool/pulls?state=open&limit=50&page=%d"
	all := "GET /repos/acme/tool/pulls?state=all&limit=50&page=%d"
	page := func(form string, n int, list ...string) (string, string) {
		return fmt.Sprintf(form, n), "[" + strings.Join(list, ",") + "]"
	}
	for name, test := range map[string]struct {
		one      string
		form     string
		pages    [][]string
		want     int
		requests int
	}{
		"none":                     {form: open, pages: [][]string{{}}, requests: 2},
		"open":                     {one: pr(7, "open", "rita", "cfctl/v1", "main"), want: 7, requests: 1},
		"the newest is merged":     {one: pr(3, "closed", "rita", "cfctl/v1", "main"), form: all, pages: [][]string{{pr(9, "open", "rita", "other", "main")}, {pr(8, "merged", "rita", "cfctl/v1", "main")}}, want: 8, requests: 3},
		"none is newer":            {one: pr(3, "closed", "rita", "cfctl/v1", "main"), form: all, pages: [][]string{{pr(9, "open", "rita", "other", "main"), pr(3, "closed", "rita", "cfctl/v1", "main")}}, want: 3, requests: 2},
		"to another branch":        {form: open, pages: [][]string{{pr(5, "open", "rita", "cfctl/v1", "next")}, {}}, want: 5, requests: 3},
		"of somebody else's fork":  {form: open, pages: [][]string{{pr(5, "open", "mallory", "cfctl/v1", "next")}, {}}, requests: 3},
		"the fork is deleted":      {form: open, pages: [][]string{{`{"number": 5, "state": "open", "head": {"label": "cfctl/v1"}, "base": {"ref": "main"}}`}, {}}, requests: 3},
		"the list is cut by pages": {form: open, pages: [][]string{{pr(6, "open", "rita", "x", "main")}, {pr(5, "open", "rita", "cfctl/v1", "next")}, {}}, want: 5, requests: 4},
	} {
		answers := map[string]string{}
		if test.one != "" {
			answers[one] = test.one
		}
		for i, list := range test.pages {
			k, v := page(test.form, i+1, list...)
			answers[k] = v
		}
		c, asked := serve(t, answers)
		got, err := c.Pull(t.Context(), "acme/tool", "rita:cfctl/v1", "main")
		if got.Number != test.want || (err != nil) != (test.want == 0) || err != nil && !errors.Is(err, wire.ErrNotFound) || len(*asked) != test.requests {
			t.Errorf("%s: #%d, %v after %q", name, got.Number, err, *asked)
		}
		if got.Merged != (test.want == 8) || got.Merged && (got.MergeCommit != "c8") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// An answer means what it means on every forge.
func TestErrors(t *testing.T) {
	for answer, want := range map[string]func(error) bool{
		`409|{"message": "pull request already exists for these targets"}`: func(err error) bool { return errors.Is(err, forge.ErrExists) },
		`404|{"message": "not found"}`:                                     func(err error) bool { return errors.Is(err, wire.ErrNotFound) },
		`403|{"message": "token does not have the scope"}`:                 func(err error) bool { return forge.Refused(err, 403) && strings.Contains(err.Error(), "the scope") },
		`500|{"message": "database is locked"}`:                            wire.InTransit,
		`429|{"message": "slow"}`:                                          func(err error) bool { var r *wire.RateError; return errors.As(err, &r) },
		`201|null`:                                                         wire.InTransit,
		`201|<html>secret</html>`:                                          func(err error) bool { var a *wire.AnswerError; return errors.As(err, &a) },
	} {
		c, _ := serve(t, map[string]string{"POST /repos/acme/tool/pulls": answer})
		if _, err := c.CreatePull(t.Context(), "acme/tool", "acme:v1", "main", "t", "b"); err == nil || !want(err) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// A branch of the repository itself is named without its owner, a fork's with it.
func TestCreatePull(t *testing.T) {
	c, asked := serve(t, map[string]string{"POST /repos/acme/tool/pulls": "201|" + pr(1, "open", "rita", "v1", "main")})
	for _, head := range []string{"acme:v1", "rita:v1"} {
		if p, err := c.CreatePull(t.Context(), "acme/tool", head, "main", "t", "b"); err != nil || p.Number != 1 {
			t.Fatal(p, err)
		}
	}
	var heads []string
	for _, a := range *asked {
		var in struct{ Head string }
		_ = json.Unmarshal([]byte(a[strings.Index(a, "{"):]), &in)
		heads = append(heads, in.Head)
	}
	if strings.Join(heads, " ") != "v1 rita:v1" {
		t.Error(heads)
	}
}

func TestReleases(t *testing.T) {
	list := "GET /repos/acme/tool/releases?limit=50&page=%d"
	c, asked := serve(t, map[string]string{
		fmt.Sprintf(list, 1): `[{"id": 2, "tag_name": "v2", "draft": true}]`, fmt.Sprintf(list, 2): `[{"id": 1, "tag_name": "v1"}]`, fmt.Sprintf(list, 3): `[]`,
		"PATCH /repos/acme/tool/releases/1": `{}`, "DELETE /repos/acme/tool/releases/1": "204|",
	})
	got, err := c.Release(t.Context(), "acme/tool", "v1")
	if err != nil || got.ID != 1 {
		t.Fatal(got, err)
	}
	if _, err := c.Release(t.Context(), "acme/tool", "v3"); !errors.Is(err, wire.ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.Release(t.Context(), "acme/gone", "v3"); err == nil || errors.Is(err, wire.ErrNotFound) {
		t.Error("a list that is not there is none without the release:", err)
	}
	got.Body = "new"
	if err := errors.Join(c.EditRelease(t.Context(), "acme/tool", got), c.DeleteRelease(t.Context(), "acme/tool", 1)); err != nil {
		t.Error(err)
	}
	if edit := (*asked)[len(*asked)-2]; !strings.Contains(edit, `"body":"new"`) || !strings.Contains(edit, `"draft":false`) {
		t.Error(edit)
	}
}

func TestRules(t *testing.T) {
	const branch = "GET /repos/acme/tool/branches/release%2Fv1"
	rule := "GET /repos/acme/tool/branch_protections/" + url.PathEscape("release/*")
	guarded := `{"protected": true, "required_approvals": 2, "enable_status_check": true, "status_check_contexts": ["ci"], "effective_branch_protection_name": "release/*"}`
	for name, test := range map[string]struct {
		answers map[string]string
		want    string
	}{
		"no branch": {nil, "{false 0 [] [] false false false false false false}"},
		"open":      {map[string]string{branch: `{"protected": false}`}, "{false 0 [] [] false false false false false false}"},
		"hidden":    {map[string]string{branch: guarded, rule: `403|{}`}, "{true 2 [ci] [{ci 0 false}] false false false false false true}"},
		"signed":    {map[string]string{branch: guarded, rule: `{"require_signed_commits": true, "block_on_outdated_branch": true}`}, "{true 2 [ci] [{ci 0 false}] false true false true false false}"},
	} {
		c, _ := serve(t, test.answers)
		if p, err := c.Protection(t.Context(), "acme/tool", "release/v1"); err != nil || fmt.Sprint(p) != test.want {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
}

// What keeps a pull request from being merged is told as far as the server tells it.
func TestMerge(t *testing.T) {
	const path = "GET /repos/acme/tool/pulls/9"
	reviews := path + "/reviews?limit=50&page=%d"
	word := func(by, state, more string) string {
		return fmt.Sprintf(`{"user": {"login": %q}, "state": %q%s}`, by, state, more)
	}
	said := strings.Join([]string{
		word("anna", "REQUEST_CHANGES", `, "official": true`), word("anna", "APPROVED", `, "official": true`), word("anna", "COMMENT", ""),
		word("ben", "APPROVED", `, "official": true, "dismissed": true`), word("guest", "APPROVED", ""), word("carl", "REQUEST_CHANGES", `, "official": true`),
	}, ",")
	for pull, want := range map[string]string{
		`{"mergeable": true, "merge_base": "b", "base": {"sha": "b"}}`: "{false true false false false  [] ",
		`{"mergeable": true, "merge_base": "a", "base": {"sha": "b"}}`: "{false true false false true  [] ",
		`{"mergeable": false, "draft": true}`:                          "{true true false false false  [] ",
		`{"mergeable": false}`:                                         "{false false false true false  [] ",
		`{"mergeable": true, "requested_reviewers": [{"login": "dan"}], "requested_reviewers_teams": [{"name": "crew"}]}`: "{false true false false false  [dan acme/crew] ",
	} {
		c, _ := serve(t, map[string]string{path: pull, fmt.Sprintf(reviews, 1): "[" + said + "]", fmt.Sprintf(reviews, 2): "[]"})
		m, err := c.Merge(t.Context(), "acme/tool", 9)
		if got := fmt.Sprint(m); err != nil || got != want+"[{anna true } {carl false }]}" {
			t.Errorf("%s: %s %v", pull, got, err)
		}
	}
}

// A status that is not known to have passed has not; all pages are read.
func TestChecks(t *testing.T) {
	const page = "GET /repos/acme/tool/commits/abc/status?limit=50&page=%d"
	answers := map[string]string{fmt.Sprintf(page, 3): "{}"}
	for i, list := range []string{
		`{"context": "e", "status": "warning"}, {"context": "d", "status": "skipped"}, {"context": "c", "status": "pending", "description": "in line"}`,
		`{"context": "b", "status": "error", "target_url": "https://ci/b"}, {"context": "a", "status": "success"}`,
	} {
		answers[fmt.Sprintf(page, i+1)] = `{"state": "failure", "statuses": [` + list + `]}`
	}
	c, _ := serve(t, answers)
	list, err := c.Checks(t.Context(), "acme/tool", "abc")
	want := "[{a  0 passed success  } {b  0 failed error  https://ci/b} {c  0 running  in line } {d  0 skipped skipped  } {e  0 failed warning  }]"
	if fmt.Sprint(list) != want || err != nil {
		t.Errorf("%v %v", list, err)
	}
}

// A list without an end is an error, and not asked for ever: the server answers
// every page with the same.
func TestListWithoutEnd(t *testing.T) {
	answers := map[string]string{}
	for page := range mostPages + 1 {
		answers[fmt.Sprintf("GET /repos/acme/tool/commits/abc/status?limit=50&page=%d", page+1)] = `{"statuses": [{"context": "a", "status": "success"}]}`
	}
	c, asked := serve(t, answers)
	if _, err := c.Checks(t.Context(), "acme/tool", "abc"); err == nil || !strings.Contains(err.Error(), "no end") || len(*asked) != mostPages {
		t.Errorf("%v after %d requests", err, len(*asked))
	}
}

func TestForks(t *testing.T) {
	c, asked := serve(t, map[string]string{"GET /user": `{"login": "rita"}`, "POST /repos/acme/tool/forks": `409|{"message": "already forked"}`, "POST /repos/crew/tool/merge-upstream": `{}`})
	if err := errors.Join(c.Fork(t.Context(), "acme/tool", "crew"), c.Fork(t.Context(), "acme/tool", "rita"), c.Sync(t.Context(), "crew/tool", "main")); err != nil {
		t.Fatal(err)
	}
	if (*asked)[1] != `POST /repos/acme/tool/forks {"organization":"crew"}` || (*asked)[3] != `POST /repos/acme/tool/forks {}` {
		t.Errorf("%q", *asked)
	}
}

// A pull request is had by its number, or is not there.
func TestPullNumbered(t *testing.T) {
	c, _ := serve(t, map[string]string{"GET /repos/acme/tool/pulls/8": pr(8, "merged", "rita", "v1", "main")})
	if p, err := c.PullNumbered(t.Context(), "acme/tool", 8); err != nil || p.Number != 8 || !p.Merged || p.MergeCommit != "c8" {
		t.Error(p, err)
	}
	if _, err := c.PullNumbered(t.Context(), "acme/tool", 9); !errors.Is(err, wire.ErrNotFound) {
		t.Error(err)
	}
}
