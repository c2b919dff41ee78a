package objects

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An apiServer serves v1 Things as an API server does.
type apiServer struct {
	denied  bool                  // nothing may be created
	refuse  string                // of a dry run: what admission says; empty = taken
	trouble func(n int) int       // the status of the nth request, 0 = none
	meddle  func(w *http.Request) // before a creation is answered

	mu       sync.Mutex
	requests []string
	stored   map[string]Object
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, strings.TrimSuffix(r.Method+" "+r.URL.Path+" "+r.URL.Query().Get("dryRun"), " "))
	if s.trouble != nil {
		if status := s.trouble(len(s.requests)); status != 0 {
			w.WriteHeader(status)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	say := func(status int, o Object) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(o)
	}
	fault := func(status int, reason, message string) {
		say(status, Object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": status})
	}
	var body Object
	if text, _ := io.ReadAll(r.Body); len(text) > 0 {
		json.Unmarshal(text, &body)
	}
	name := Text(body, "metadata", "namespace") + "/" + Text(body, "metadata", "name")
	switch {
	case r.URL.Path == "/api/v1":
		say(200, Object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": []any{Object{"name": "things", "kind": "Thing", "namespaced": true}}})
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/things"):
		items := []any{}
		for _, o := range s.stored {
			items = append(items, o)
		}
		say(200, Object{"kind": "ThingList", "apiVersion": "v1", "metadata": Object{}, "items": items})
	case r.Method == http.MethodGet:
		for _, o := range s.stored {
			if strings.HasSuffix(r.URL.Path, "/"+Text(o, "metadata", "name")) {
				say(200, o)
				return
			}
		}
		fault(404, "NotFound", "not found")
	case s.denied:
		fault(403, "Forbidden", "things is forbidden")
	case r.URL.Query().Get("dryRun") != "":
		if s.refuse != "" {
			fault(422, "Invalid", s.refuse)
			return
		}
		say(201, body)
	case s.stored[name] != nil:
		fault(409, "AlreadyExists", "already exists")
	default:
		Map(body, "metadata")["uid"] = fmt.Sprint("new-", len(s.stored))
		s.stored[name] = body
		if s.meddle != nil {
			s.meddle(r)
		}
		say(201, body)
	}
}

// connected starts the server, and a cluster that is connected to it.
func (s *apiServer) connected(t *testing.T) *Cluster {
	t.Helper()
	s.stored = map[string]Object{}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return connectTo(t, srv.URL)
}

// TestPlanTriesTheFirst: a plan says beforehand what the server would not take,
// or not from this account, and stores nothing.
func TestPlanTriesTheFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		denied bool
		refuse string
		want   []string // rule, severity, a part of the message
	}{
		"taken":         {false, "", nil},
		"not by you":    {true, "", []string{"forbidden error Thing a/t0 would not be taken"}},
		"not like this": {false, "spec.colour: Required value", []string{"invalid error Thing a/t0 would not be taken"}},
	} {
		server := &apiServer{denied: tt.denied, refuse: tt.refuse}
		run := newRun(t, t.TempDir(), list(3), true)
		run.Target = server.connected(t)
		r, err := run.Plan(context.Background())
		if got := counts(t, r, err); got != "3 to create" {
			t.Errorf("%s: %s", name, got)
		}
		if len(r.Notes) != len(tt.want) {
			t.Errorf("%s: %+v", name, r.Notes)
			continue
		}
		for i, f := range r.Notes {
			rule, rest, _ := strings.Cut(tt.want[i], " ")
			severity, message, _ := strings.Cut(rest, " ")
			if f.Rule != rule || f.Severity.String() != severity || !strings.Contains(f.Message, message) {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if tried := slices.Index(server.requests, "POST /api/v1/namespaces/a/things All"); len(server.stored) > 0 || tried < 0 {
			t.Errorf("%s: %d stored, %q", name, len(server.stored), server.requests)
		}
	}
}

// TestOwnCreationIsKnownAgain: an object that is found in place of one that
// was missing is this run's own, where its annotations say so.
func TestOwnCreationIsKnownAgain(t *testing.T) {
	server := &apiServer{}
	cluster := server.connected(t)
	lost := 0
	server.trouble = func(int) int { return 0 }
	server.meddle = func(*http.Request) { lost++; panic(http.ErrAbortHandler) } // stored, and the answer is lost
	run := newRun(t, t.TempDir(), list(1), true)
	run.Target = again{cluster}
	r, err := run.Apply(context.Background())
	if got := counts(t, r, err); got != "1 created" || lost != 1 {
		t.Errorf("%s, %d answers lost", got, lost)
	}
}

// again is a cluster behind something that sends a creation twice.
type again struct{ *Cluster }

func (a again) Create(ctx context.Context, r Resource, o Object) (Object, error) {
	if made, err := a.Cluster.Create(ctx, r, Copy(o)); err == nil {
		return made, nil
	}
	return a.Cluster.Create(ctx, r, o)
}
