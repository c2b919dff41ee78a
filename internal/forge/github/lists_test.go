package github

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
