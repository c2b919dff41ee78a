package objects

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClusterListsEnd has an API server that names a next page with each answer:
// a fresh one, also after it has said that the last one is too old.
func TestClusterListsEnd(t *testing.T) {
	for name, expired := range map[string]bool{"fresh tokens": false, "expired tokens": true} {
		lists := 0
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			lists++
			if expired {
				w.WriteHeader(http.StatusGone)
				fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"metadata":{"continue":"t%d"}}`, lists)
				return
			}
			fmt.Fprintf(w, `{"kind":"ThingList","apiVersion":"v1","metadata":{"continue":"t%d"},"items":[]}`, lists)
		})
		err := c.List(t.Context(), Resource{APIVersion: "v1", Kind: "Thing"}, func(Object) error { return nil })
		if err == nil || lists > 200 {
			t.Errorf("%s: %d lists, %v", name, lists, err)
		}
		if !expired && !strings.Contains(fmt.Sprint(err), "100 pages without an item") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestClusterListsAreLists: an answer that is no list of the kind is an error, and not no objects.
func TestClusterListsAreLists(t *testing.T) {
	for answer, want := range map[string]string{
		`{"kind":"ThingList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`:               "",
		`{"kind":"ThingList","apiVersion":"v1","metadata":{"remainingItemCount":7},"items":[]}`:    "7 more are there, and the server names no next page",
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`:                                 "but a Table of meta.k8s.io/v1",
		`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}`:                        "but a Status of v1",
		`{"kind":"ThingList","apiVersion":"v1","items":[{"kind":"Secret","apiVersion":"v1"}]}`:     "the list has a Secret, too",
		`{"kind":"ThingList","apiVersion":"other.example.com/v1","metadata":{},"items":[{"a":1}]}`: "but a ThingList of other.example.com/v1",
	} {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) })
		err := c.List(t.Context(), Resource{APIVersion: "v1", Kind: "Thing"}, func(Object) error { return nil })
		if want == "" && err != nil || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// TestClusterCredentialsStay: a redirect to another server is not followed, whatever
// the request does.
func TestClusterCredentialsStay(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(other.Close)
	c := connect(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	thing := Resource{APIVersion: "v1", Kind: "Thing"}
	_, made := c.Create(t.Context(), thing, Object{"apiVersion": "v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}})
	for what, err := range map[string]error{"list": c.List(t.Context(), thing, func(Object) error { return nil }), "create": made} {
		if !strings.Contains(fmt.Sprint(err), "it redirects to "+other.URL+", which does not get the credentials") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if asked > 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}

// connect is a connection to an API server that serves the kind Thing.
func connect(t *testing.T, things http.HandlerFunc) *Cluster {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/things") {
			things(w, r)
			return
		}
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"things","kind":"Thing","namespaced":true,"verbs":["list"]}]}`)
	}))
	t.Cleanup(s.Close)
	return connectTo(t, s.URL)
}

// connectTo is the cluster of a server.
func connectTo(t *testing.T, url string) *Cluster {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\n", url)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(config, "", "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClusterGroupHasAllKinds: a kind that only another version of its group has is one of
// the group, and one of several versions is read in that which the server prefers.
func TestClusterGroupHasAllKinds(t *testing.T) {
	answers := map[string]string{
		"/apis/a.example.dev":         `{"kind":"APIGroup","versions":[{"groupVersion":"a.example.dev/v1","version":"v1"},{"groupVersion":"a.example.dev/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"a.example.dev/v1","version":"v1"}}`,
		"/apis/a.example.dev/v1":      `{"kind":"APIResourceList","resources":[{"name":"things","kind":"Thing"},{"name":"things/status","kind":"Thing"}]}`,
		"/apis/a.example.dev/v1beta1": `{"kind":"APIResourceList","resources":[{"name":"things","kind":"Thing"},{"name":"relics","kind":"Relic"}]}`,
		"/apis/b.example.dev":         `{"kind":"APIGroup","versions":[{"groupVersion":"b.example.dev/v1","version":"v1"}]}`,
		"/apis/b.example.dev/v1":      `{"kind":"APIResourceList","resources":[{"name":"things","kind":"Thing"}]}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers[r.URL.Path] == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, answers[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	c := connectTo(t, s.URL)
	for group, want := range map[string]string{
		"a.example.dev": "[{a.example.dev/v1 Thing things  } {a.example.dev/v1beta1 Relic relics  }]",
		"b.example.dev": "[{b.example.dev/v1 Thing things  }]",
		"c.example.dev": "[]",
	} {
		if got, err := c.Group(t.Context(), group); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, %v", group, got, err)
		}
	}
}
