package spelling

import (
	"slices"
	"testing"
)

func TestPlurals(t *testing.T) {
	for kind, want := range map[string]string{"Widget": "widgets", "Policy": "policies", "Gateway": "gateways", "Class": "classes", "Box": "boxes", "Baz": "bazes", "Batch": "batches", "A": "as"} {
		if got := Plurals(kind)[0]; got != want {
			t.Errorf("Plurals(%q)[0] = %q, want %q", kind, got, want)
		}
	}
	for kind, want := range map[string]string{"Index": "indices", "Matrix": "matrices"} {
		if !slices.Contains(Plurals(kind), want) {
			t.Errorf("Plurals(%q) = %q, without %q", kind, Plurals(kind), want)
		}
	}
}
