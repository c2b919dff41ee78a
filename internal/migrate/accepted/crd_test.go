// Package accepted holds what migrations write against the code of the API
// server that is asked to take it.
package accepted

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate"
)

// TestServerTakesCRDs: an API server takes every CRD that a built-in ruleset
// writes from its own examples, if it took the one before. So it does with a
// CRD of each kind that a ruleset renames.
func TestServerTakesCRDs(t *testing.T) {
	seen := 0
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range set.Examples {
			m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}, Dual: e.Mode == "dual", Set: e.Set})
			if err != nil {
				t.Fatal(err)
			}
			seen += holds(t, name+": "+e.Name, m, e.Path, e.In)
		}
		m, err := migrate.New(migrate.Options{Rulesets: []*migrate.Ruleset{set}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range set.Rules {
			if r.From.Kind != "" && r.From.Plural != "" && r.From.Version != "" && strings.Contains(r.From.Group, ".") {
				seen += holds(t, name+": "+r.ID, m, "crd.yaml", crdOf(r.From.Group, r.From.Version, r.From.Kind, r.From.Plural))
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d CRDs were held against the API server", seen)
	}
}

// holds migrates a text and counts the CRDs in it, each of which the server takes
// after as before.
func holds(t *testing.T, what string, m *migrate.Migration, name, in string) int {
	t.Helper()
	out, _, _, err := m.Once(name, []byte(in))
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return 0
	}
	before, after := crdsIn([]byte(in)), crdsIn(out)
	for _, crd := range before {
		if refused(crd) != "" {
			return 0 // no CRD as a server takes it: a part of one, or of another version
		}
	}
	for _, crd := range after {
		if why := refused(crd); why != "" {
			t.Errorf("%s: the API server refuses %s: %s", what, crd.Name, why)
		}
	}
	return len(after)
}

// crdOf is a CRD of a kind.
func crdOf(group, version, kind, plural string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + plural + "." + group +
		"\n  annotations: {api-approved.kubernetes.io: \"https://example.com/1\"}\nspec:\n  group: " + group +
		"\n  names: {kind: " + kind + ", listKind: " + kind + "List, plural: " + plural + ", singular: " + strings.ToLower(kind) +
		"}\n  scope: Namespaced\n  versions:\n  - {name: " + version + ", served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n"
}

// crdsIn are the CRDs of a stream.
func crdsIn(stream []byte) []*v1.CustomResourceDefinition {
	var list []*v1.CustomResourceDefinition
	for _, doc := range bytes.Split(stream, []byte("\n---")) {
		crd := &v1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(doc, crd); err == nil && crd.Kind == "CustomResourceDefinition" && crd.APIVersion == "apiextensions.k8s.io/v1" && crd.Spec.Group != "" { // else a patch
			list = append(list, crd)
		}
	}
	return list
}

// refused is why an API server does not take a CRD, "" when it does.
func refused(crd *v1.CustomResourceDefinition) string {
	crd = crd.DeepCopy()
	v1.SetDefaults_CustomResourceDefinition(crd)
	v1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	crd.Status.StoredVersions = []string{}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
	}
	internal := &apiextensions.CustomResourceDefinition{}
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
		return err.Error()
	}
	if list := validation.ValidateCustomResourceDefinition(context.Background(), internal); len(list) > 0 {
		return list.ToAggregate().Error()
	}
	return ""
}
