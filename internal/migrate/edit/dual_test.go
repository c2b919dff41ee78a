package edit

import (
	"strings"
	"testing"
)

// A document that begins or ends a part of a template, and not both, has no copy.
func TestDivided(t *testing.T) {
	for text, want := range map[string]bool{
		"a: 1\n": false, "{{- if .x }}\na: 1\n{{- else }}\nb: 1\n{{- end }}\n": false, "a: {{ .x }}\n": false,
		"a: 1\n{{- end }}\n{{- if .y }}\n": true, "{{ if .x }}\n": true, "{{- end }}\n": true, "{% else %}\n": true, "{% for x in y %}{% endfor %}": false,
	} {
		if got := divided([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

const anys = "kind: CustomResourceDefinition\nmetadata:\n  name: anys.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Any, plural: anys}\n"

// The dual mode puts the CRD of the new group behind the old one, once; its end
// takes the old one out.
func TestTwinsAndTheirEnd(t *testing.T) {
	b := newBench(t, moves)
	fresh := strings.NewReplacer("old.example.com", "new.example.org").Replace(anys)
	both, told := written(t, anys, Twins([]byte(anys), b.plan("crd.yaml", anys), true))
	if both != anys+"---\n"+fresh || len(told) > 0 {
		t.Errorf("got\n%s", both)
	}
	if again := Twins([]byte(both), b.plan("crd.yaml", both), true); len(again) > 0 {
		t.Errorf("%+v", again)
	}
	if got, _ := written(t, both, b.plan("crd.yaml", both)); got != fresh {
		t.Errorf("at the end of the window\n%s", got)
	}
	if got, _ := written(t, "a: 1\n", Twins([]byte("a: 1\n"), nil, true)); got != "a: 1\n" {
		t.Error(got)
	}
}

// At the end of the window a CRD that is there twice is there once.
func TestFolds(t *testing.T) {
	rows(t, []row{
		{name: "the old one first", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`, want: `
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`},
		{name: "the new one first", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
kind: Other
`, want: `
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
---
kind: Other
`},
		{name: "three of them, one alone", file: "a.yaml", in: `
---
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: plums.tree.example.com
spec:
  group: tree.example.com
  names: {kind: Plum, plural: plums}
---
kind: CustomResourceDefinition
metadata:
  name: prunes.wood.example.org
spec:
  group: wood.example.org
  names: {kind: Prune, plural: prunes}
---
kind: CustomResourceDefinition
metadata:
  name: elms.elm.example.com
spec:
  group: elm.example.com
  names: {kind: Elm, plural: elms}
`, want: `
---
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: prunes.wood.example.org
spec:
  group: wood.example.org
  names: {kind: Prune, plural: prunes}
---
kind: CustomResourceDefinition
metadata:
  name: oaks.elm.example.com
spec:
  group: elm.example.com
  names: {kind: Oak, plural: oaks}
`},
		{name: "behind a comment", file: "a.yaml", in: `
# the orchard
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: "anys.new.example.org"
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`, want: `
# the orchard
kind: CustomResourceDefinition
metadata:
  name: "anys.new.example.org"
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`},
		{name: "one that a person keeps", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com # cfctl:keep
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`, stays: "by-hand: anys.old.example.com; by-hand: old.example.com"},
		{name: "in a list, which is no stream", file: "a.yaml", in: `
kind: List
items:
- kind: CustomResourceDefinition
  metadata:
    name: anys.old.example.com
  spec:
    group: old.example.com
    names: {kind: Any, plural: anys}
- kind: CustomResourceDefinition
  metadata:
    name: anys.new.example.org
  spec:
    group: new.example.org
    names: {kind: Any, plural: anys}
`, told: "name-taken: anys.old.example.com", stays: "name-taken: old.example.com"},
		{name: "in a list, alone", file: "a.yaml", in: `
kind: List
items:
- kind: CustomResourceDefinition
  metadata:
    name: anys.old.example.com
  spec:
    group: old.example.com
    names: {kind: Any, plural: anys}
`, want: `
kind: List
items:
- kind: CustomResourceDefinition
  metadata:
    name: anys.new.example.org
  spec:
    group: new.example.org
    names: {kind: Any, plural: anys}
`},
		{name: "under a comment of its own", file: "a.yaml", in: `
kind: CustomResourceDefinition
# of the old one
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`, told: "twin: anys.old.example.com", stays: "twin: old.example.com"},
		{name: "under a comment that both have", file: "a.yaml", in: `
# the licence
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com # the API group "old.example.com"
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
# the licence
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org # the API group "new.example.org"
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`, want: `
# the licence
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org # the API group "new.example.org"
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`},
		{name: "a custom resource beside it", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
---
apiVersion: old.example.com/v1
kind: Any
metadata:
  name: anys.new.example.org
`, want: `
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
---
apiVersion: new.example.org/v1
kind: Any
metadata:
  name: anys.new.example.org
`},
		{name: "while both are served", file: "a.yaml", dual: true, in: `
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}

`, stays: "dual: anys.old.example.com; dual: old.example.com"},
	})
}

// A copy is made of each CRD that moves as a document of its own, and is not
// there; of nothing else.
func TestTwins(t *testing.T) {
	b := newBench(t, moves)
	plums := "kind: CustomResourceDefinition\nmetadata:\n  name: plums.tree.example.com\nspec:\n  group: tree.example.com\n  names: {kind: Plum, plural: plums}\n"
	prunes := strings.NewReplacer("tree.example.com", "wood.example.org", "Plum", "Prune", "plums", "prunes").Replace(plums)
	fresh := strings.ReplaceAll(anys, "old.example.com", "new.example.org")
	for _, tt := range []struct{ name, in, want string }{
		{"another kind", plums, plums + "---\n" + prunes},
		{"two", anys + "---\n" + plums, anys + "---\n" + fresh + "---\n" + plums + "---\n" + prunes},
		{"with a marker", "---\n" + anys, "---\n" + anys + "---\n" + fresh},
		{"without a line end", strings.TrimSuffix(anys, "\n"), strings.TrimSuffix(anys, "\n") + "\n---\n" + strings.TrimSuffix(fresh, "\n")},
		{"the same twice", anys + "---\n" + anys, anys + "---\n" + fresh + "---\n" + anys},
		{"there already", anys + "---\n" + fresh, ""},
		{"there already, with quotes", anys + "---\n" + strings.Replace(fresh, "anys.new.example.org", `"anys.new.example.org"`, 1), ""},
		{"one that stays", strings.ReplaceAll(anys, "old.example.com", "other.example.com"), ""},
		{"one that is kept", strings.Replace(anys, "example.com\n", "example.com # cfctl:keep\n", 1), ""},
		{"an object", "apiVersion: old.example.com/v1\nkind: Any\n", ""},
		{"in a list", "kind: List\nitems:\n- " + strings.TrimSuffix(strings.ReplaceAll(anys, "\n", "\n  "), "  "), ""},
		{"in a string", "kind: ConfigMap\ndata:\n  crd.yaml: |\n    " + strings.TrimSuffix(strings.ReplaceAll(anys, "\n", "\n    "), "    "), ""},
		{"across a part of a template", "{{- if .Values.crds }}\n" + anys, ""},
		{"within a part of a template", "{{- if .Values.crds }}\n" + anys + "{{- end }}\n", "{{- if .Values.crds }}\n" + anys + "{{- end }}\n---\n{{- if .Values.crds }}\n" + fresh + "{{- end }}\n"},
	} {
		want := tt.want
		if want == "" {
			want = tt.in
		}
		if got, _ := written(t, tt.in, Twins([]byte(tt.in), b.plan("crd.yaml", tt.in), true)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}
