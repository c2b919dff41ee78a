package main

import (
	"os"
	"slices"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

const ruleset = "../rulesets/kubernetes-removed.yaml"

// newest reads the newest released types of the API modules, as far as the module proxy
// can be reached.
func newest(t *testing.T) history {
	t.Helper()
	h := history{}
	for _, m := range modules {
		versions, err := versionsOf(m)
		if err != nil {
			t.Skipf("offline, so that the rules are not compared with the newest release of Kubernetes: %v", err)
		}
		r, err := download(m, versions[len(versions)-1])
		if err != nil {
			t.Skipf("offline, so that the rules are not compared with the newest release of Kubernetes: %v", err)
		}
		if err := h.read(r); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// The ruleset knows each removal of the newest release of Kubernetes.
func TestRulesKnowEveryRemoval(t *testing.T) {
	data, err := os.ReadFile(ruleset)
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Parse(ruleset, data)
	if err != nil {
		t.Fatal(err)
	}
	h := newest(t)
	const hint = "; run make generate"
	if now := release(h.newest()); set.Kubernetes != now {
		t.Errorf("the ruleset knows Kubernetes up to %s, the module proxy has %s%s", set.Kubernetes, now, hint)
	}
	for from, l := range h {
		removed := release(l.removed)
		if removed == "" || unserved[from.kind] != "" {
			continue
		}
		i := slices.IndexFunc(set.Rules, func(r rules.Rule) bool {
			return r.From.Group == from.group && r.From.Kind == from.kind && (r.From.Version == from.version || r.From.Version == "")
		})
		switch {
		case i < 0:
			t.Errorf("no rule says that %s is removed in %s%s", from, removed, hint)
		case set.Rules[i].Kubernetes.Removed != removed:
			t.Errorf("rule %s has removed: %q, the types of Kubernetes say %s%s", set.Rules[i].ID, set.Rules[i].Kubernetes.Removed, removed, hint)
		}
	}
	for _, r := range set.Rules { // a type that is gone before its time
		later := semver.Compare("v"+r.Kubernetes.Removed, "v"+set.Kubernetes) > 0
		if later && h[gvk{r.From.Group, r.From.Version, r.From.Kind}] == nil {
			t.Errorf("rule %s has removed: %q, and the newest types do not have the kind%s", r.ID, r.Kubernetes.Removed, hint)
		}
	}
}

// A version that replaces another is served longer, and the newest types have it.
func TestRulesLeadToServedVersions(t *testing.T) {
	h := history{
		{"batch", "v2alpha1", "CronJob"}:        {first: 17, last: 20, resource: true},
		{"batch", "v1beta1", "CronJob"}:         {first: 17, last: 37, introduced: 8, deprecated: 21, removed: 25, resource: true},
		{"batch", "v1", "CronJob"}:              {first: 21, last: 37, introduced: 21, resource: true},
		{"batch", "v1", "Job"}:                  {first: 17, last: 37, introduced: 2, resource: true},
		{"example", "v1alpha1", "Gone"}:         {first: 30, last: 33, introduced: 30, deprecated: 33, removed: 36, resource: true},
		{"example", "v1alpha1", "JobTemplate"}:  {first: 30, last: 37, introduced: 30, removed: 36},
		{"example", "v1alpha1", "ReviewOfWhat"}: {first: 30, last: 37, introduced: 30, deprecated: 33, removed: 36},
	}
	want := []string{
		`{id: cronjobs-batch-v2alpha1, from: {group: batch, version: v2alpha1, kind: CronJob, plural: cronjobs}, to: {version: v1}, kubernetes: {removed: "1.21", served: "1.21"}}`,
		`{id: cronjobs-batch-v1beta1, from: {group: batch, version: v1beta1, kind: CronJob, plural: cronjobs}, to: {version: v1}, kubernetes: {deprecated: "1.21", removed: "1.25", served: "1.21"}}`,
		`{id: gones-example-v1alpha1, from: {group: example, version: v1alpha1, kind: Gone, plural: gones}, removed: "Kubernetes 1.34 and later do not serve Gone of example/v1alpha1; no version replaces it", kubernetes: {deprecated: "1.33", removed: "1.34"}}`,
		`{id: reviewofwhats-example-v1alpha1, from: {group: example, version: v1alpha1, kind: ReviewOfWhat}, removed: "Kubernetes 1.36 and later do not serve ReviewOfWhat of example/v1alpha1; no version replaces it", kubernetes: {deprecated: "1.33", removed: "1.36"}}`,
	}
	var got []string
	for _, c := range h.changes(nil) {
		got = append(got, c.rule())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
