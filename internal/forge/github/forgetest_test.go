package github

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// served is a forge with one repository, acme/a, and GitHub's client of it.
func served(t *testing.T) (*forgetest.Server, *Client) {
	t.Helper()
	clock := wiretest.NewClock()
	s := forgetest.New(t, t.TempDir(), clock.Now)
	work := t.TempDir()
	s.Git(".", "init", "-q", "-b", "main", work)
	if err := os.WriteFile(filepath.Join(work, "a.yaml"), []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Git(work, "add", ".")
	s.Git(work, "commit", "-qm", "one")
	s.Git(".", "clone", "-q", "--bare", work, s.Bare("acme/a"))
	s.Add("acme/a")
	s.Git(s.Bare("acme/a"), "branch", "b", "main")
	client, err := New(s.URL+"/api/v3", func() string { return "" }, &wire.Queue{Now: clock.Now, Sleep: clock.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

// TestPullsAreAsOnGitHub: what cannot be opened is refused, one head and base has one
// open pull request, which goes with its branch, is merged when the base has its
// commits, and is closed when the branch is removed.
func TestPullsAreAsOnGitHub(t *testing.T) {
	s, g := served(t)
	ctx := t.Context()
	open := func(head string) error {
		_, err := g.CreatePull(ctx, "acme/a", head, "main", "t", "b")
		return err
	}
	for _, head := range []string{"acme:none", "acme:b"} { // not there; at the base
		if err := open(head); !forge.Refused(err, http.StatusUnprocessableEntity) {
			t.Errorf("%s: %v", head, err)
		}
	}
	first := s.Push("acme/a", "b", map[string]string{"a.yaml": "a: 2\n"})
	if err := errors.Join(open("acme:b")); err != nil || !errors.Is(open("acme:b"), forge.ErrExists) {
		t.Errorf("%v, and twice", err)
	}
	if p, err := g.Pull(ctx, "acme/a", "acme:b", "main"); err != nil || p.Head != first || !p.Open {
		t.Errorf("%+v, %v", p, err)
	}
	second := s.Push("acme/a", "b", map[string]string{"b.yaml": "b: 1\n"})
	if p, err := g.Pull(ctx, "acme/a", "acme:b", "main"); err != nil || p.Head != second {
		t.Errorf("%+v, %v", p, err)
	}
	s.Push("acme/a", "main", map[string]string{"a.yaml": "a: 3\n"})
	if list, err := g.Standings(ctx, []string{"PR_1", "PR_9"}); err != nil || len(list) != 1 || !list[0].Conflicts {
		t.Errorf("%+v, %v", list, err)
	}
	s.Git(s.Bare("acme/a"), "update-ref", "refs/heads/main", second) // as somebody pushes it there
	if p, err := g.Pull(ctx, "acme/a", "acme:b", "main"); err != nil || !p.Merged {
		t.Errorf("%+v, %v", p, err)
	}
	s.Push("acme/a", "b", map[string]string{"c.yaml": "c: 1\n"})
	if err := open("acme:b"); err != nil {
		t.Error(err)
	}
	s.Newest("acme/a") // which has seen it
	s.Git(s.Bare("acme/a"), "update-ref", "-d", "refs/heads/b")
	if p, err := g.Pull(ctx, "acme/a", "acme:b", "main"); err != nil || p.Open || p.Merged {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestAnswersAreAsOfGitHub: lists come in pages with links, what has not changed is
// 304, renamed repositories lead on, limits are told, tokens have rights.
func TestAnswersAreAsOfGitHub(t *testing.T) {
	s, g := served(t)
	for i := range 149 {
		s.Add(fmt.Sprintf("acme/r%d", i))
	}
	for range 2 {
		if list, err := g.Repositories(t.Context(), "acme"); err != nil || len(list) != 150 {
			t.Errorf("%d repositories, %v", len(list), err)
		}
	}
	if s.Counts["GET"] != 2 || s.Counts["304"] != 2 {
		t.Errorf("%v", s.Counts)
	}
	id := s.Repo("acme/a").ID
	s.Rename(s.Repo("acme/a"), "acme/z")
	for _, name := range []string{"acme/a", "ACME/z"} {
		if r, err := g.Named(t.Context(), name); err != nil || r.Name != "acme/z" || r.ID != id {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if got := s.Git(".", "ls-remote", s.URL+"/acme/a.git", "refs/heads/main"); !strings.HasPrefix(got[strings.LastIndex(got, "\n")+1:], s.Head("acme/z", "main")) {
		t.Errorf("by the old name: %s", got)
	}
	s.Push("acme/z", "b", map[string]string{"a.yaml": "a: 2\n"})
	s.PerHour = 1
	s.Content = []time.Time{s.Now()}
	var limit *wire.RateError
	if _, err := g.CreatePull(t.Context(), "acme/z", "acme:b", "main", "t", "b"); !errors.As(err, &limit) || !limit.Secondary || s.Crowded(time.Hour) != 1 {
		t.Error(err)
	}
	s.PerHour, s.Tokens = 0, map[string]bool{"": false}
	if _, err := g.CreatePull(t.Context(), "acme/z", "acme:b", "main", "t", "b"); !forge.Refused(err, http.StatusForbidden) {
		t.Error(err)
	}
}

// TestReleasesAndRunsAreAsOnGitHub goes the way of a release and of a workflow.
func TestReleasesAndRunsAreAsOnGitHub(t *testing.T) {
	s, g := served(t)
	ctx := t.Context()
	made, err := g.CreateRelease(ctx, "acme/a", forge.Release{Tag: "v1", Target: "main", Draft: true})
	if _, lerr := g.LatestRelease(ctx, "acme/a"); err != nil || !errors.Is(lerr, wire.ErrNotFound) {
		t.Errorf("%v; the latest: %v", err, lerr)
	}
	made.Draft, made.Latest = false, true
	if err := g.EditRelease(ctx, "acme/a", made); err != nil {
		t.Error(err)
	}
	if tag, err := g.LatestRelease(ctx, "acme/a"); err != nil || tag != "v1" {
		t.Errorf("%s, %v", tag, err)
	}
	if r, err := g.Release(ctx, "acme/a", "v1"); err != nil || r.Draft || r.Published.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	if err := g.DeleteRelease(ctx, "acme/a", made.ID); err != nil || len(s.Releases) > 0 {
		t.Errorf("%v", err)
	}
	s.Tells = true
	id, err := g.Dispatch(ctx, "acme/a", "release.yaml", "main", map[string]string{"version": "1"})
	if err != nil || id == 0 {
		t.Errorf("%d, %v", id, err)
	}
	if runs, err := g.Runs(ctx, "acme/a", "release.yaml"); err != nil || len(runs) != 1 || runs[0].ID != id || runs[0].Head != s.Head("acme/a", "main") {
		t.Errorf("%+v, %v", runs, err)
	}
	s.Says.Checks = []map[string]any{forgetest.Check("test", "completed", "failure")}
	if list, err := g.Checks(ctx, "acme/a", "main"); err != nil || len(list) != 1 || list[0].State != forge.CheckFailed {
		t.Errorf("%+v, %v", list, err)
	}
	s.Says.Rules = []map[string]any{forgetest.Requires(7, "test")}
	if p, err := g.Protection(ctx, "acme/a", "main"); err != nil || len(p.Required) != 1 || p.Required[0].App != 7 {
		t.Errorf("%+v, %v", p, err)
	}
}
