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
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case !strings.HasSuffix(r.URL.Path, "/things"):
				fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"things","kind":"Thing","namespaced":true,"verbs":["list"]}]}`)
				return
			case expired:
				lists++
				w.WriteHeader(http.StatusGone)
				fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"metadata":{"continue":"t%d"}}`, lists)
				return
			}
			lists++
			fmt.Fprintf(w, `{"kind":"ThingList","apiVersion":"v1","metadata":{"continue":"t%d"},"items":[]}`, lists)
		}))
		defer s.Close()
		config := filepath.Join(t.TempDir(), "config")
		text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: %q}}]\n", s.URL)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Connect(config, "", "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		err = c.List(t.Context(), Resource{APIVersion: "v1", Kind: "Thing"}, func(Object) error { return nil })
		if err == nil || lists > 200 {
			t.Errorf("%s: %d lists, %v", name, lists, err)
		}
		if !expired && !strings.Contains(fmt.Sprint(err), "100 pages without an item") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
