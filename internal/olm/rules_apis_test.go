package olm

import (
	"testing"
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
		if got != "Gadget v1, Gadget v1beta1, Gadget v1alpha1, " || p.crdManifests().of(owned{"Gadget", "gadgets.example.com", "v9"}) != nil {
			t.Fatal(got)
		}
	}
}
