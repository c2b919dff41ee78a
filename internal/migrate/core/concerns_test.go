package core

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A file that names only versions that no rule is about is not read.
func TestConcerns(t *testing.T) {
	set, err := rules.Parse("rules.yaml", []byte(`name: step
rules:
  - {id: jobs, from: {group: batch, version: v1beta1, kind: CronJob, plural: cronjobs}, to: {version: v1}}
  - {id: ingresses, from: {group: net.example.com, version: v1beta1, kind: Ingress, plural: ingresses}, to: {version: v1}}
  - {id: policies, from: {group: net.example.com, kind: Policy, plural: policies}, removed: it is gone}
  - {id: roles, from: {group: rbac.net.example.com, version: v1alpha1, kind: Role, plural: roles}, to: {version: v1}}
  - {id: moved, from: {group: old.example.com, version: v1}, to: {group: new.example.com}}
`))
	if err != nil {
		t.Fatal(err)
	}
	table, err := rules.Compile([]*rules.Ruleset{set})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name, text string
		read       bool
	}{
		{"a.yaml", "kind: Service\n", false},
		{"a.yaml", "apiVersion: net.example.com/v1\nkind: Ingress\n", false},
		{"a.json", "{\n  \"kind\": \"Ingress\",\n  \"apiVersion\": \"net.example.com/v1\",\n", false},
		{"a.yaml", "apiVersion: net.example.com/v1beta1\nkind: Ingress\n", true},
		{"a.yaml", "apiVersion: net.example.com/{{ .v }}\nkind: Ingress\n", true},
		{"a.yaml", "apiVersion: net.example.com/v1\nkind: Policy\n", true},
		{"a.yaml", "apiGroups: [net.example.com]\nresources: [policies]\n", true},
		{"a.yaml", "apiGroups: [net.example.com]\nresources: [ingresses]\n", false},
		{"a.yaml", "group: net.example.com\nversion: v1beta1\n", true},
		{"a.yaml", "group: net.example.com\n---\nversion: v1beta1\n", false},
		{"a.yaml", "apiVersion: rbac.net.example.com/v1alpha1\nkind: Role\n", true},
		{"a.md", "group: net.example.com\n---\nversion: v1beta1\n", true},
		{"a.yaml", "kind: CustomResourceDefinition\nspec:\n  group: net.example.com\n", true},
		{"a.yaml", "apiVersion: batch/v1\nkind: CronJob\n", false},
		{"a.yaml", "apiGroups: [\"batch\"] # example.com/v1beta1\n", true},
		{"a.go", `const group = "net.example.com"`, true},
		{"a.yaml", "apiVersion: old.example.com/v2\n", true},
		{"a.md", `net\.example\.com/v1beta1`, true},
		{"a.yaml", "path: /mutate-net-example-com-v1beta1-ingress\n", true},
		{"net.example.com_ingresses.yaml", "a: b\n", true},
	} {
		c := New(table, Options{})
		if got := c.Concerns(x.name, []byte(x.text)); got != x.read {
			t.Errorf("%s %q: read %v", x.name, x.text, got)
		}
	}
}

// A reference that has the new name of a kind already is in no report.
func TestNewKindsAreNotListed(t *testing.T) {
	c := testCore(t, "name: one\nrules: [{id: one, from: {group: a.example.com, kind: Fig, plural: figs}, to: {kind: Plum}}]\n", Options{})
	for text, sites := range map[string]int{
		"apiVersion: a.example.com/v1\nkind: Plum\n":                                0,
		"apiVersion: a.example.com/v1\nkind: PlumList\n":                            0,
		"rules:\n- apiGroups: [a.example.com]\n  resources: [plums]\n  verbs: []\n": 0,
		"apiVersion: a.example.com/v1\nkind: Pear\n":                                1,
		"kind: Plum\napiVersion: a.example.com/v1\n---\nx: a.example.com/v1\n":      1,
		"rules:\n- apiGroups: [a.example.com]\n  resources: [pears]\n  verbs: []\n": 1,
	} {
		f := c.Read("a.yaml", []byte(text))
		c.Resolve([]*File{f}, nil, func(*File, string) ([]byte, bool) { return nil, false })
		if len(f.Sites) != sites {
			t.Errorf("%q: %v", text, f.Sites)
		}
	}
}
