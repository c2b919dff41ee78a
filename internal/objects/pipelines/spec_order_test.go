package pipelines

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
)

// TestRefusalsOfSpecsAreStable has specs with several faults of a kind: each time
// the same message.
func TestRefusalsOfSpecsAreStable(t *testing.T) {
	spec := func(more map[string]any) objects.Object {
		o := objects.Object{"schemaVersion": schemaVersion, "pipelineInfo": map[string]any{"name": "p"}, "root": map[string]any{"dag": map[string]any{}}}
		for key, value := range more {
			o[key] = value
		}
		return o
	}
	task := func(name string) any { return map[string]any{"componentRef": map[string]any{"name": name}} }
	tasks := map[string]any{"dag": map[string]any{"tasks": map[string]any{"three": task("c"), "one": task("a"), "two": task("b")}}}
	for want, o := range map[string]objects.Object{
		`["aaa" "bbb" "ccc"] are no fields of a pipeline spec: the server does not take them`: spec(map[string]any{"ccc": 1, "aaa": 1, "bbb": 1}),
		`"aaa" is no field of a pipeline spec: the server does not take it`:                   spec(map[string]any{"aaa": 1}),
		"task one of components.x names the component a, which is not there":                  spec(map[string]any{"root": tasks, "components": map[string]any{"y": tasks, "x": tasks}}),
	} {
		for range 50 {
			if err := check(o); err == nil || err.Error() != want {
				t.Fatalf("%v, want %s", err, want)
			}
		}
	}
}
