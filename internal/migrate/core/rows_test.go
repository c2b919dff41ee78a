package core

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// testRules move one group, one kind of another, and one version of a third.
const testRules = `name: test
rules:
- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}
- {id: tool, from: {group: some.example.com, version: v1, kind: Tool, plural: tools}, to: {group: other.example.org, version: v1, kind: Gadget, plural: gadgets}}
- {id: step, from: {group: step.example.com, version: v1alpha1}, to: {version: v1}}
- {id: widget, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}
keys:
- {from: jobs.old.example.com/, to: jobs.new.example.org/}
keep:
- {value: kept.old.example.com, why: it is kept}
`

func testCore(t *testing.T, ruleset string, o Options) *Core {
	t.Helper()
	set, err := rules.Parse("rules.yaml", []byte(ruleset))
	if err != nil {
		t.Fatal(err)
	}
	table, err := rules.Compile([]*rules.Ruleset{set})
	if err != nil {
		t.Fatal(err)
	}
	return New(table, o)
}

// ids are the rows that decide in a file, and what they say.
func ids(t *testing.T, path, text string) map[string]judge.Action {
	t.Helper()
	c := testCore(t, testRules, Options{})
	got := map[string]judge.Action{}
	for _, r := range c.Read(path, []byte(text)).refs {
		got[r.verdict.ID()] = r.verdict.Action()
	}
	return got
}

// samples has, for each row, a text about which it decides and one about which
// another row does.
var samples = map[string]struct{ path, yes, no string }{
	"both-names-text": {"a.md", "It was old.example.com and is new.example.org now.\n", "It was old.example.com, see http://new.example.org.io.\n"},
	"both-names":      {"a.go", `package a; var x = []string{"old.example.com", "new.example.org"}`, `package a; var x = []string{"old.example.com"}`},
	"when-words":      {"a.md", "step.example.com/v1alpha1 is deprecated.\n", "step.example.com/v1alpha1 is used.\n"},
	"policy":          {"a.rego", "a { input.apiVersion == \"step.example.com/v1alpha1\" }\n", "a { input.apiVersion == \"old.example.com/v1alpha1\" }\n"},
	"cluster-option":  {"a.yaml", "runtimeConfig: {step.example.com/v1alpha1: \"true\"}\n", "served: {step.example.com/v1alpha1: \"true\"}\n"},
	"filled-group":    {"a.yaml", "x: '{{ y }}.example.com/v1'\n", "x: '{{ y }}.example.com/view'\n"},
	"managed-fields":  {"a.yaml", "metadata: {managedFields: [{apiVersion: step.example.com/v1alpha1}]}\n", "metadata: {ownerReferences: [{apiVersion: step.example.com/v1alpha1}]}\n"},
	"pattern":         {"a.py", "x = r'old\\.example\\.com'\n", "x = r'old.example.com'\n"},
	"webhook-path":    {"a.yaml", "path: /mutate-old-example-com-v1-widget\n", "path: /mutate-old-example-com-widget\n"},
	"anchor":          {"a.md", "[x](#oldexamplecomv1)\n", "[x](#oldexamplecom)\n"},
	"far-anchor":      {"a.md", "[x](https://a.example/b#oldexamplecomv1)\n", "[x](#oldexamplecomv1)\n"},
	"template-choice": {"templates/a.yaml", "{{ if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\n{{ else }}\n{{ end }}\n", "{{ if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\n{{ end }}\n"},
	"name-of-object":  {"a.yaml", "kind: ClusterRole\nmetadata: {name: widgets.old.example.com}\n", "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\n"},
	"agreed-name":     {"a.yaml", "signerName: old.example.com/x\n", "name: old.example.com/x\n"},
	"crd-list":        {"a.yaml", "crds: [things.old.example.com]\n", "cards: [things.old.example.com]\n"},
	"folder":          {"kustomization.yaml", "resources: [./widgets.old.example.com]\n", "resources: [crds/old.example.com_widgets.yaml]\n"},
	"joined":          {"a.md", "of the type old.example.com/(kind)", "of the API old.example.com/(version)"},
	"pinned-link":     {"a.md", "[x](https://a.example/p/v1.2.0/old.example.com_widgets.yaml), [y](https://a.example/p/release-1.2/old.example.com_widgets.yaml)\n", "[x](https://a.example/p/release-old/old.example.com_widgets.yaml)\n"},
	"api-prefix":      {"a.go", `package a; var x = strings.HasPrefix(y.APIVersion, "old.example.com/")`, `package a; var x = strings.HasPrefix(y.Key, "old.example.com/")`},
	"host":            {"a.yaml", "dnsNames: [widgets.old.example.com]\n", "names: [widgets.old.example.com]\n"},
	"listed-name":     {"a.md", "    widget.old.example.com/a\n", "    the widget.old.example.com/a\n"},
	"schema-rule":     {"a.yaml", "openAPIV3Schema:\n  x-kubernetes-validations:\n  - rule: self.matches('old.example.com')\n", "rule: self.matches('old.example.com')\n"},
	"past-name":       {"a.go", `package a; const legacyGroup = "old.example.com"`, `package a; const olderGroup = "old.example.com"`},
	"e-mail":          {"a.yaml", "mail: me@old.example.com\n", "group: old.example.com\n"},
	"moved-key":       {"a.yaml", "metadata: {labels: {jobs.old.example.com/x: y}}\n", "metadata: {labels: {old.example.com/x: y}}\n"},
	"rest-path":       {"a.py", `url = "/apis/old.example.com/v1/widgets"`, `url = "/api/old.example.com/v1/widgets"`},
	"crd-file":        {"kustomization.yaml", "resources: [bases/old.example.com_widgets.yaml]\n", "resources: [bases/old.example.com-widgets.yaml]\n"},
	"url":             {"a.md", "See https://old.example.com/docs.\n", "See old.example.com.\n"},
	"import":          {"a.go", "package a\n\nimport \"old.example.com/api\"\n", "package a\n\nvar x = \"old.example.com\"\n"},
	"maybe-path":      {"a.yaml", "path: /srv/old.example.com/v1\n", "path: /old.example.com/v1\n"},
	"file-path":       {"a.py", `x = "old.example.com/v1/data.csv"`, `x = "old.example.com/v1/widgets"`},
	"label-value":     {"a.yaml", "metadata: {labels: {x: old.example.com}}\n", "metadata: {labels: {old.example.com: x}}\n"},
	"open-version":    {"a.yaml", "apiVersion: old.example.com/v?alpha?\n", "x: old.example.com/v?alpha?\n"},
	"label-key":       {"a.go", `package a; func f(o T) string { return o.GetLabels()["old.example.com"] }`, `package a; func f(o T) string { return o.GetGroups()["old.example.com"] }`},
	"printed-name":    {"a.md", "    widget.old.example.com/a created\n", "    the widget.old.example.com/a key\n"},
	"named-resource":  {"a.sh", "kubectl get widgets.old.example.com/a\n", "echo widgets.old.example.com/a\n"},
	"filled-resource": {"a.sh", "kubectl get $1.old.example.com\n", "kubectl get -l $1.old.example.com\n"},
	"longer-group":    {"a.yaml", "group: widgets.old.example.com\n", "name: widgets.old.example.com\n"},
	"crd-name":        {"a.yaml", "kind: CustomResourceDefinition\nmetadata: {name: things.old.example.com}\n", "kind: ConfigMap\nmetadata: {name: things.old.example.com}\n"},
	"webhook-name":    {"a.yaml", "webhooks: [{name: hook.old.example.com}]\n", "webhooks: [{name: old.example.com.hook}]\nhooks: [{name: hook.old.example.com}]\n"},
	"crd-group":       {"a.yaml", "kind: CustomResourceDefinition\nspec: {group: old.example.com, names: {kind: Widget}}\n", "kind: Other\nspec: {group: old.example.com, names: {kind: Widget}}\n"},
	"resource-name":   {"a.yaml", "watched: [widgets.old.example.com]\n", "crds: [widgets.old.example.com/x]\n"},
	"yaml-tag":        {"a.yaml", "x: !old.example.com 1\n", "x: '!old.example.com'\n"},
	"versioned-name":  {"a.yaml", "kind: APIService\nmetadata: {name: v1.old.example.com}\n", "kind: APIService\nmetadata: {name: x1.old.example.com}\n"},
	"longer-domain":   {"a.yaml", "site: a.b.old.example.com\n", "x: widgets.old.example.com\n"},
	"object-or-key":   {"a.sh", "R=widgets.old.example.com/name\n", "widgets.old.example.com/name: true\n"},
	"label-like":      {"a.yaml", "x: old.example.com/some-key\n", "x: old.example.com/v1\n"},
	"filled-name":     {"a.py", `x = f"%s.old.example.com"`, `x = "widgets.old.example.com"`},
	"path-host":       {"a.yaml", "repository: pictures.old.example.com/tools/widget\n", "x: old.example.com/some-key\n"},
	"constant-key":    {"a.go", `package a; const KeyPrefix = "old.example.com"`, `package a; const GroupName = "old.example.com"`},
	"versioned-group": {"a.yaml", "rules: [{apiGroups: [old.example.com/v1], resources: [widgets]}]\n", "rules: [{apiGroups: [old.example.com], resources: [widgets]}]\n"},
	"api-version":     {"a.yaml", "apiVersion: old.example.com/v1\nkind: Widget\n", "text: about old.example.com/v1\n"},
	"rbac-group":      {"a.yaml", "rules: [{apiGroups: [old.example.com], resources: [widgets]}]\n", "rules: [{apiGroups: [old.example.com]}]\n"},
	"marker":          {"a.go", "package a\n\n// +groupName=old.example.com\nvar x int\n", "package a\n\n// groupName is old.example.com\nvar x int\n"},
	"group-field":     {"a.yaml", "group: old.example.com\n", "other: old.example.com\n"},
	"string":          {"a.py", `x = "old.example.com"`, `x = 1 # old.example.com`},
	"object-name":     {"a.yaml", "name: old.example.com\n", "title: old.example.com\n"},
	"value-list":      {"a.yaml", "watched: [old.example.com]\n", "watched: [all of old.example.com]\n"},
	"label-line":      {"a.md", "The label old.example.com is used.\n", "The group old.example.com is used.\n"},
	"text-version":    {"a.md", "It uses old.example.com/v1 objects.\n", "It uses old.example.com objects.\n"},
	"group-text":      {"a.md", "The group is old.example.com.\n", "The API is old.example.com.\n"},
	"text":            {"a.md", "It uses old.example.com objects.\n", "It uses https://old.example.com objects.\n"},
}

// TestEachRowDecides holds each row to its samples.
func TestEachRowDecides(t *testing.T) {
	for _, row := range judge.Rows {
		s, ok := samples[row.ID]
		if !ok {
			t.Errorf("row %s has no sample", row.ID)
			continue
		}
		if got := ids(t, s.path, s.yes); !hasID(got, row.ID) {
			t.Errorf("%s does not decide about %q; %v does", row.ID, s.yes, got)
		}
		if got := ids(t, s.path, s.no); hasID(got, row.ID) {
			t.Errorf("%s decides about %q", row.ID, s.no)
		}
	}
	for id := range samples {
		if !slices.ContainsFunc(judge.Rows, func(r judge.Row) bool { return r.ID == id }) {
			t.Errorf("the sample of %s has no row", id)
		}
	}
}

func hasID(got map[string]judge.Action, id string) bool {
	_, ok := got[id]
	return ok
}

// The name of a webhook is the same in a manifest and in the marker from which that is made.
func TestMarkerOfWebhook(t *testing.T) {
	text := "package a\n\n//+kubebuilder:webhook:path=/x,groups=old.example.com,resources=" + strings.Repeat("figs;", 100) + "nuts,name=hook.old.example.com,verbs=create\n"
	if got := ids(t, "a.go", text); len(got) != 2 || !slices.Contains(slices.Collect(maps.Keys(got)), "webhook-name") {
		t.Errorf("%v", got)
	}
	if got := ids(t, "a.go", strings.Replace(text, "webhook:", "rbac:", 1)); slices.Contains(slices.Collect(maps.Keys(got)), "webhook-name") {
		t.Errorf("another marker: %v", got)
	}
}

// A CRD of a longer group defines nothing of the group in its name.
func TestFactsOfALongerGroup(t *testing.T) {
	crd := "kind: CustomResourceDefinition\nmetadata: {name: jobs.GROUP}\nspec: {group: GROUP, names: {kind: Job, plural: jobs}, versions: [{name: v1}]}\n"
	for group, want := range map[string]bool{"old.example.com": true, "batch.old.example.com": false} {
		f := testCore(t, testRules, Options{}).Read("a.yaml", []byte(strings.ReplaceAll(crd, "GROUP", group)))
		if got := len(f.facts) > 0; got != want {
			t.Errorf("%s: facts %v, want some: %v", group, f.facts, want)
		}
	}
}
