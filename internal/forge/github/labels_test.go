package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
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
