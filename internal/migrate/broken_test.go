package migrate

import (
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
