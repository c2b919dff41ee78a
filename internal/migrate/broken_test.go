package migrate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

const brokenRules = `name: broken
doc: Widget is called Gizmo in another group, and Gadget goes with it.
rules:
  - {id: all, from: {group: a.example.com}, to: {group: x.example.dev}}
  - {id: widget, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev, kind: Gizmo, plural: gizmos}}
`

// brokenSources have a group beside a kind and a resource, in brackets of brackets.
var brokenSources = []string{
	`f([g("a.example.com", "v1", "widgets"), {kind: "Widget"}], {x: ["a.example.com/v1"]})` + "\n",
	`v = {"apiVersion": "a.example.com/v1", "kind": "Widget", "list": [{"group": 'a.example.com', "resource": 'widgets'}]}` + "\n",
	`v = {"apiVersion": "a.example.com/v1", "kind": "Widget", "resource": "widget", "of": ["a.example.com", {"plural": "other", "kind": "Widget"}]}` + "\n",
	`s = x.replace(/\(/g, "")` + "\n" + `api.list("a.example.com", "v1", "widgets")` + "\n",
	`var g = schema.GroupVersionKind{Group: "a.example.com", Version: "v1", Kind: "Widget"}` + "\n",
}

// Source that is cut off, or lacks a character, is no fault of cfctl. Regular expressions
// and characters have brackets that nothing closes in source that is whole.
func TestBrokenSource(t *testing.T) {
	r, err := rules.Parse("broken.yaml", []byte(brokenRules))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{r}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "a.py", "a.js", "a.java", "a.rs", "a.tf", "a.cue", "a.sh"} {
		for _, source := range brokenSources {
			if name == "a.go" { // whose single quotes hold one character
				source = "package a\n\n" + strings.ReplaceAll(source, "'", "`")
			}
			for i := range source {
				without := []string{source[:i]}
				if strings.IndexByte("()[]{}\"'", source[i]) >= 0 {
					without = append(without, source[:i]+source[i+1:])
				}
				for _, broken := range without {
					if f := fileOf(m, name, []byte(broken)); f != nil && f.Fault {
						t.Errorf("%v\n%s", f.Skip, broken)
					}
				}
			}
		}
	}
}

// A file that parsers read in different ways is not changed, and is no fault of cfctl.
func TestUnclearFiles(t *testing.T) {
	r, err := rules.Parse("one.yaml", []byte("name: one\nrules:\n- {id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{r}})
	if err != nil {
		t.Fatal(err)
	}
	twice, character := "a mapping has the key %s twice", "parsers read its character %s in different ways"
	for _, x := range []struct{ name, text, says string }{
		{"a.yaml", "kind: ClusterRole\nrules:\n- apiGroups: [a.example.com]\n  resources: [widgets, others]\n  resources: [widgets, others]\n", fmt.Sprintf(twice, `"resources"`)},
		{"b.yaml", "kind: ClusterRole\nkind: ClusterRole\nrules:\n- apiGroups: [a.example.com]\n  resources: [widgets, others]\n  resources: [widgets, others]\n  verbs: [get]\n", fmt.Sprintf(twice, `"kind"`)},
		{"c.yaml", "data:\n  a.yaml: |\n    kind: ClusterRole\n    rules:\n    - apiGroups: [a.example.com]\n      resources: [widgets, others]\n      resources: [widgets, others]\n", fmt.Sprintf(twice, `"resources"`)},
		{"PROJECT", "domain: example.com\nresources:\n- {group: a,\u0085 domain: example.com, kind: Widget, version: v1}\nversion: \"3\"\n", fmt.Sprintf(character, "U+0085")},
	} {
		f := fileOf(m, x.name, []byte(x.text))
		if f == nil || f.Skip == nil || f.Fault || !strings.Contains(f.Skip.Err.Error(), x.says) {
			t.Errorf("%s: %+v, want one that is not read: %s", x.name, f, x.says)
		}
	}
}
