//go:build e2e

package objects_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFiveThousand moves 5,000 AppWrappers. What is told is the time; what is
// held is the number of requests: a plan and a look at the drift list, and an
// apply sends one creation for each object, a bounded number at a time.
func TestFiveThousand(t *testing.T) {
	const n, pages = 5000, 25
	k := newKube(t)
	k.crd(t, "mcad.ibm.com", "v1beta1", "AppWrapper", "appwrappers")
	k.crd(t, "workload.codeflare.dev", "v1beta1", "AppWrapper", "appwrappers")
	k.namespace(t, "aw")
	each(n, func(i int) {
		k.must(t, "POST", "/apis/mcad.ibm.com/v1beta1/namespaces/aw/appwrappers", fmt.Sprintf(`{"apiVersion":"mcad.ibm.com/v1beta1","kind":"AppWrapper","metadata":{"name":"aw-%d"},"spec":{"priority":%d}}`, i, i))
	})
	for _, step := range []struct {
		verb, last string
		most       map[string]int // requests by verb
	}{
		{"plan", "5000 to create", map[string]int{"list": pages + 1, "get": 0, "create": 1}},
		{"apply", "5000 created", map[string]int{"list": pages + 1, "get": 0, "create": n}},
		{"verify", "5000 same", map[string]int{"list": 2 * pages, "get": 0, "create": 0}},
		{"drift", "5000 in-sync", map[string]int{"list": 2 * pages, "get": 0, "create": 0}},
	} {
		before, began := k.requests(t), time.Now()
		k.last(t, step.last, 0, "resources", step.verb, "--from", "cluster", "--namespace", "aw")
		t.Logf("%s: %s", step.verb, time.Since(began).Round(100*time.Millisecond))
		after := k.requests(t)
		for verb, most := range step.most {
			if did := after[verb] - before[verb]; did > most {
				t.Errorf("%s: %d requests to %s, at most %d are needed", step.verb, did, verb, most)
			}
		}
	}
}

// requests counts what cfctl asked of both groups of AppWrappers, by verb.
func (k *kube) requests(t *testing.T) map[string]int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(k.dir, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(log)) {
		var e struct {
			Verb, UserAgent string
			ObjectRef       struct{ Resource string }
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.ObjectRef.Resource == "appwrappers" && strings.HasPrefix(e.UserAgent, "cfctl/") {
			seen[e.Verb]++
		}
	}
	return seen
}
