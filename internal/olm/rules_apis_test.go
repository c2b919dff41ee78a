package olm

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// TestVersionsOfCRDsAreInOrder has a CRD with several versions, in each of which
// what is owned is not: they are named in the order of the manifest, each time.
func TestVersionsOfCRDsAreInOrder(t *testing.T) {
	crd := map[string]any{"kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "gadgets.example.com"},
		"spec": map[string]any{"names": map[string]any{"kind": "Gadget"}, "versions": []any{map[string]any{"name": "v1"}, map[string]any{"name": "v1beta1"}, map[string]any{"name": "v1alpha1"}, map[string]any{"name": "v1"}}}}
	for range 50 {
		p := &pass{manifests: []*manifest{{path: "crd.yaml", object: crd}}}
		got := ""
		for _, v := range p.crdManifests() {
			got += v.Kind + " " + v.Version + ", "
		}
		if got != "Gadget v1, Gadget v1beta1, Gadget v1alpha1, " || p.crdManifests().files()[owned{"Gadget", "gadgets.example.com", "v9"}] != nil {
			t.Fatal(got)
		}
	}
}

// TestManyAPIsInTime: the time of the rules about APIs grows as their number does.
func TestManyAPIsInTime(t *testing.T) {
	const many = 20_000
	var owned, examples []any
	p := &pass{csv: &manifest{path: "csv.yaml"}}
	for i := range many {
		name, kind := fmt.Sprintf("fans%d.example.com", i), fmt.Sprintf("Fan%d", i)
		owned = append(owned, map[string]any{"name": name, "kind": kind, "version": "v1"})
		examples = append(examples, map[string]any{"kind": fmt.Sprintf("Fan%d", i+many), "apiVersion": "example.com/v1"})
		p.manifests = append(p.manifests, &manifest{path: name, object: map[string]any{"kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"names": map[string]any{"kind": kind}, "versions": []any{map[string]any{"name": "v2"}}}}})
	}
	text, err := json.Marshal(examples)
	if err != nil {
		t.Fatal(err)
	}
	p.csv.object = map[string]any{"metadata": map[string]any{"annotations": map[string]any{"alm-examples": string(text)}}, "spec": map[string]any{"customresourcedefinitions": map[string]any{"owned": owned}}}
	begin := time.Now()
	for _, check := range []func(*pass){checkOwned, checkNotOwned, checkExamplesUnowned, checkExamplesMissing, checkExamplesSchema} {
		check(p)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("%d APIs took %v", many, took)
	}
}
