package edit

import (
	"strings"
	"testing"
)

// An object in code whose shape changes with its version is for a person: cfctl
// writes its names, and no code.
func TestShapesInCode(t *testing.T) {
	convert := "convert:\n  - {id: step-shape, doc: its size is apart, kind: Step, from: step.example.com/v1alpha1, to: step.example.com/v1, steps: [{rename: spec.size, to: width}]}\n"
	object := func(version, kind string) string {
		return "package a\n\nvar o = map[string]any{\n\t\"apiVersion\": \"step.example.com/" + version + "\",\n\t\"kind\":       \"" + kind + "\",\n\t\"spec\":       map[string]any{\"size\": 1},\n}\n"
	}
	for _, tt := range []struct {
		name, rules, in, told string
		dual                  bool
	}{
		{"its shape changes", moves + convert, object("v1alpha1", "Step"), "shape: Step", false},
		{"no shape changes", moves, object("v1alpha1", "Step"), "", false},
		{"while both are served", moves + convert, object("v1alpha1", "Step"), "", true},
		{"of another version", moves + convert, object("v1", "Step"), "", false},
		{"of another kind", moves + convert, strings.ReplaceAll(object("v1", "Any"), "step.", "old."), "", false},
	} {
		b := newBench(t, tt.rules)
		b.dual = tt.dual
		got, told := written(t, tt.in, b.plan("a.go", tt.in))
		if strings.Join(told, "; ") != tt.told || !tt.dual && tt.told != "" && got != object("v1", "Step") {
			t.Errorf("%s: told %v\n%s", tt.name, told, got)
		}
	}
}
