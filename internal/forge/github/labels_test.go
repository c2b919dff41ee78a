package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Labels of pull requests come from the list of issues, page by page; issues
// have none that count.
func TestPullLabels(t *testing.T) {
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Get("since") != "2026-03-02T12:00:00Z" || q.Get("state") != "closed" {
			t.Errorf("asked %s", r.URL)
		}
		if r.URL.Query().Get("page") == "2" {
			fmt.Fprint(w, `[{"number": 4, "labels": [{"name": "kind/bug"}], "pull_request": {"url": "x"}}]`)
			return
		}
		w.Header().Set("Link", "<"+s.URL+r.URL.Path+`?page=2>; rel="next"`)
		fmt.Fprint(w, `[{"number": 7, "labels": [{"name": "lgtm"}, {"name": "kind/feature"}], "pull_request": {"url": "x"}},
			{"number": 6, "labels": [{"name": "breaking"}]}, {"number": 5, "labels": [], "pull_request": {"url": "x"}}]`)
	}))
	defer s.Close()
	g, _, _ := queued(t, s.URL)
	got, err := g.PullLabels(context.Background(), "o/r", time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	want := map[string][]string{"7": {"lgtm", "kind/feature"}, "4": {"kind/bug"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}

// TestListsEnd has a server that names a next page with each answer.
func TestListsEnd(t *testing.T) {
	pages := 0
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages++
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%d>; rel="next"`, s.URL, r.URL.Path, pages+1))
		switch {
		case strings.HasSuffix(r.URL.Path, "/check-runs"):
			fmt.Fprint(w, `{"check_runs": []}`)
		case strings.HasSuffix(r.URL.Path, "/status"):
			fmt.Fprint(w, `{"statuses": []}`)
		default:
			fmt.Fprint(w, `[]`)
		}
	}))
	defer s.Close()
	g, _, _ := queued(t, s.URL)
	ctx := t.Context()
	for name, list := range map[string]func() error{
		"labels":   func() error { _, err := g.PullLabels(ctx, "o/r", time.Time{}); return err },
		"checks":   func() error { _, err := g.Checks(ctx, "o/r", "main"); return err },
		"statuses": func() error { _, err := g.statuses(ctx, "o/r", "main"); return err },
		"reviews":  func() error { _, err := g.reviews(ctx, "o/r", 1); return err },
		"comments": func() error { _, err := g.Comments(ctx, "o/r", 1); return err },
		"releases": func() error { _, err := g.Release(ctx, "o/r", "v1"); return err },
		"repositories": func() error {
			_, err := g.Repositories(ctx, "o")
			return err
		},
	} {
		pages = 0
		if err := list(); err == nil || !strings.Contains(err.Error(), "its list has no end") || pages > 200 {
			t.Errorf("%s: %d pages, %v", name, pages, err)
		}
	}
}
