package core

import (
	"slices"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
)

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
		c.Resolve([]*File{f}, nil, func(*File, string) ([]byte, string, bool) { return nil, "", false })
		if len(f.Sites) != sites {
			t.Errorf("%q: %v", text, f.Sites)
		}
	}
}

// A file that need not be read tells what reading it tells, and has nothing else.
func TestSettledFiles(t *testing.T) {
	c := testCore(t, `name: one
rules:
- {id: one, from: {group: a.example.com, version: v1beta1}, to: {version: v1}}
- {id: two, from: {group: apps, version: v1beta1, kind: Fig, plural: figs}, to: {version: v1, kind: Plum, plural: plums}}
- {id: three, from: {group: b.example.com, version: v1}, to: {group: c.example.com, version: v1}}
`, Options{})
	object := "apiVersion: a.example.com/v1\nkind: Pear\n"
	for _, x := range []struct {
		name, data string
		settled    bool
	}{
		{"a.yaml", object, true},
		{"a.yaml", "# a\n---\n" + object + "---\r\nkind: Deployment\r\napiVersion: apps/v1\r\n---\nx: y\n", true},
		{"a.yaml", "apiVersion: apps/v1\nkind: Role\nrules:\n- apiGroups:\n  - \"a.example.com\"\n  resources:\n  - pears\n", true},
		{"a.yaml", "{{ if .x }}\n" + object + "{{ end }}\nmetadata:\n  name: {{ .x }}\n", true},
		{"a.md", "# A\n\n```yaml\n" + object + "```\n\nB\n\n```yaml\n" + object + "```\n", true},
		{"a.yaml", "apiVersion: a.example.com/v1beta1\nkind: Pear\n", false},
		{"a.yaml", "apiVersion: apps/v1\nkind: Fig\n", false},
		{"a.yaml", "apiVersion: b.example.com/v2\nkind: Pear\n", false},
		{"a.yaml", "apiVersion: a.example.com/{{ .v }}\nkind: Pear\n", false},
		{"a.yaml", "apiVersion: a.example.com/v1\nkind: {{ .k }}\n", false},
		{"a.yaml", "apiVersion: a.example.com/v1\nkind: \"Pear\"\n", false},
		{"a.yaml", "apiVersion: a.example.com/latest\nkind: Pear\n", false},
		{"a.yaml", object + "kind: Apple\n", false},
		{"a.yaml", object + "# of a.example.com\n", false},
		{"a.yaml", object + "x: \"a.example\\x2ecom/v1beta1\"\n", false},
		{"a.yaml", object + "x: y # cfctl:keep\n", false},
		{"a.yaml", "apiVersion: apps/v1\nkind: Hooks\nwebhooks:\n- apiGroups:\n  - a.example.com\n  apiVersions:\n  - v1beta1\n", false},
		{"a.yaml", "apiVersion: apps/v1\nkind: Role\nrules:\n- apiGroups:\n  - a.example.com\n  resources:\n  - {{ .x }}\n", false},
		{"a.yaml", "apiVersion: apps/v1\nkind: Role\nrules:\n- apiGroups:\n  - a.example.com\n  resources:\n  - figs\n", false},
		{"a.yaml", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: a.example.com/v1\n  kind: Pear\n", false},
		{"a.go", "package a\n\nconst x = `\n" + object + "`\n", false},
	} {
		facts, settled := c.Settled(x.name, []byte(x.data))
		if settled != x.settled {
			t.Errorf("%s, %q: %v", x.name, x.data, settled)
		}
		f := c.Read(x.name, []byte(x.data))
		told := slices.DeleteFunc(f.facts, func(f index.Fact) bool { return f.Name == "" })
		c.Resolve([]*File{f}, nil, nil)
		if settled && (!slices.Equal(facts, told) || len(f.Sites) > 0) {
			t.Errorf("%s, %q: %v, read: %v and %+v", x.name, x.data, facts, told, f.Sites)
		}
	}
}
