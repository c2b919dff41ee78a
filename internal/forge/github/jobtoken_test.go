package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The token of a job is known by its name in GraphQL, below the host or next to
// /api/v3; another app's, and a server without GraphQL, are not it.
func TestJobToken(t *testing.T) {
	for _, c := range []struct {
		name, base, at, login string
		status                int
		want                  bool
	}{
		{"the job's", "", "/graphql", "github-actions[bot]", 200, true},
		{"the job's, on a server of one's own", "/api/v3", "/api/graphql", "github-actions[bot]", 200, true},
		{"an app's", "", "/graphql", "release-train[bot]", 200, false},
		{"no GraphQL", "", "/graphql", "", 404, false},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != c.at {
				t.Errorf("%s: asked at %s", c.name, r.URL.Path)
			}
			w.WriteHeader(c.status)
			fmt.Fprintf(w, `{"data": {"viewer": {"login": %q}}}`, c.login)
		}))
		g, _, _ := queued(t, s.URL+c.base)
		if got, err := g.JobToken(context.Background()); got != c.want || err != nil {
			t.Errorf("%s: %v %v", c.name, got, err)
		}
		s.Close()
	}
}
