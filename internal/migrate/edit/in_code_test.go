package edit

import (
	"strings"
	"testing"
)

// A version whose object would have to change its shape with it is for a person where that
// is not written: in code, and as a value that objects take. It moves where nothing changes.
func TestShapesInCode(t *testing.T) {
	convert := "convert:\n  - {id: step-shape, doc: its size is apart, kind: Step, from: step.example.com/v1alpha1, to: step.example.com/v1, steps: [{rename: spec.size, to: width}, {tell: spec.look, why: look at it}, {rename: metadata.old, to: new}]}\n" +
		"  - {id: step-v2, kind: Step, from: step.example.com/v1, to: step.example.com/v2, steps: [{drop: spec.heavy}]}\n"
	const (
		object = "apiVersion: 'step.example.com/v1alpha1', kind: 'Step'"
		person = "shape: step.example.com/v1alpha1"
	)
	for _, x := range []struct{ name, file, in, told string }{
		{"a map", "a.ts", "const o = {" + object + ", spec: {size: 1}};", person},
		{"a map of strings in Go", "a.go", "package a\n\nvar o = map[string]any{\n\t\"apiVersion\": \"step.example.com/v1alpha1\",\n\t\"kind\": \"Step\",\n\t\"spec\": map[string]any{\"size\": 1},\n}\n", person},
		{"a struct with its head apart", "a.go", "package a\n\nvar o = &Step{TypeMeta: metav1.TypeMeta{APIVersion: \"step.example.com/v1alpha1\", Kind: \"Step\"}, Spec: StepSpec{Size: 1}}\n", person},
		{"a block", "main.tf", "manifest = {\n  apiVersion = \"step.example.com/v1alpha1\"\n  kind = \"Step\"\n  spec = { size = 1 }\n}\n", person},
		{"a path of fields", "a.nix", "{ apiVersion = \"step.example.com/v1alpha1\"; kind = \"Step\"; spec.size = { a = 1; }; }\n", person},
		{"a struct without the field", "a.go", "package a\n\nvar o = &Step{TypeMeta: metav1.TypeMeta{APIVersion: \"step.example.com/v1alpha1\", Kind: \"Step\"}, Spec: StepSpec{Width: 1}}\n\nvar size = 1\n", ""},
		{"a path without the field", "a.nix", "{ o = { apiVersion = \"step.example.com/v1alpha1\"; kind = \"Step\"; spec.width = { a = 1; }; }; size = 1; }\n", ""},
		{"fields elsewhere in a list", "a.ts", "const spec = {size: 1};\nconst o = [{" + object + ", spec: spec}, {spec: {}}];", person},
		{"fields elsewhere beside others", "a.ts", "const spec = {size: 1};\nconst o = {" + object + ", metadata: {}, myspec: {}, spec: spec};", person},
		{"nothing to change", "a.ts", "const o = {" + object + ", spec: {width: 1}}, size = 1;", ""},
		{"a reference", "a.ts", "const o = {" + object + ", name: 'x'};", ""},
		{"fields elsewhere", "a.ts", "const spec = {size: 1};\nconst o = {" + object + ", spec: spec};\nf({});", person},
		{"fields of a call", "a.ts", "const f = () => ({size: 1});\nconst o = {" + object + ", spec: f({})};", person},
		{"no brackets", "a.py", "o.apiVersion = 'step.example.com/v1alpha1'\no.kind = 'Step'\no.spec.size = 1\n", person},
		{"something to tell", "a.ts", "const o = {" + object + ", spec: {look: 1}};", "shape: Step"},
		{"a constant", "a.ts", "const API = 'step.example.com/v1alpha1';", person},
		{"a variable", "a.sh", "API=step.example.com/v1alpha1\n", person},
		{"a value", "values.yaml", "apiVersion: step.example.com/v1alpha1\n", person},
		{"a hash", "a.rb", "o = {'apiVersion' => 'step.example.com/v1alpha1', 'kind' => 'Step', 'spec' => {'width' => 1}}\nsize = 1\n", ""},
		{"a path of REST", "a.ts", "get('/apis/step.example.com/v1alpha1/steps').spec.size;", ""},
		{"a group", "a.ts", "const GROUP = 'step.example.com';", ""},
		{"the new version", "a.ts", "const o = {apiVersion: 'step.example.com/v1', kind: 'Step', spec: {size: 1}};", ""},
		{"another kind", "a.ts", "const o = {apiVersion: 'old.example.com/v1', kind: 'Any', spec: {size: 1}};", ""},
		{"prose", "a.md", "The `step.example.com/v1alpha1` API.\n", ""},
		{"a comment", "a.ts", "// of step.example.com/v1alpha1 Step size", ""},
	} {
		b := newBench(t, moves+convert)
		fresh, told := written(t, x.in, b.plan(x.file, x.in))
		if said := strings.Join(told, "; "); said != x.told || strings.Contains(fresh, "v1alpha1") != (said == person) {
			t.Errorf("%s: told %q\n%s", x.name, told, fresh)
		}
		b.dual = true
		if _, told := written(t, x.in, b.plan(x.file, x.in)); len(told) > 0 {
			t.Errorf("%s: while both are served: %q", x.name, told)
		}
		b = newBench(t, moves)
		if _, told := written(t, x.in, b.plan(x.file, x.in)); len(told) > 0 {
			t.Errorf("%s: without a change of shape: %q", x.name, told)
		}
	}
}
