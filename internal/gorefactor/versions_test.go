package gorefactor

import (
	"strings"
	"testing"
)

func TestReplaceVersion(t *testing.T) {
	for _, x := range []struct{ name, from, to, want string }{
		{"v1alpha1", "v1alpha1", "v1", "v1"},
		{"V1alpha1", "v1alpha1", "v1", "V1"},
		{"AddV1Alpha1ToScheme", "v1alpha1", "v1beta1", "AddV1Beta1ToScheme"},
		{"appsv1alpha1", "v1alpha1", "v1", "appsv1"},
		{"v1alpha10", "v1alpha1", "v1", "v1alpha10"},
		{"corev1", "v1", "v2", "corev2"},
		{"v1beta1", "v1", "v2", "v1beta1"},
		{"V1beta1", "v1", "v2", "V1beta1"},
		{"Convert_v1_Foo_To_v2_Foo", "v1", "v3", "Convert_v3_Foo_To_v2_Foo"},
		{"ipv4", "v1", "v2", "ipv4"},
	} {
		if got := replaceVersion(x.name, x.from, x.to); got != x.want {
			t.Errorf("replaceVersion(%q, %q, %q) = %q, want %q", x.name, x.from, x.to, got, x.want)
		}
	}
}

// A group has a package for each kind, and one of them steps: the others, their CRDs
// and their literals stay, and nothing of them is reported.
// kubernetes-sigs/security-profiles-operator, crossplane-contrib/provider-kubernetes.
func TestOneKindOfGroupSteps(t *testing.T) {
	rules := []Rule{{Group: "widgets.example.com", Version: "v1alpha1", Kind: "WidgetSet", ToVersion: "v1"}}
	crd := func(kind, version string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: " + strings.ToLower(kind) + "s.widgets.example.com\nspec:\n  group: widgets.example.com\n  names:\n    kind: " + kind + "\n  versions:\n  - name: " + version + "\n"
	}
	other := strings.ReplaceAll(strings.ReplaceAll(group, "WidgetSet", "Nut"), "api/v1alpha1", "nut/v1alpha1")
	_, p := plan(t, world(group+other[strings.Index(other, "-- nut"):]+"-- crds.yaml --\n"+crd("Nut", "v1alpha1")+"---\n"+crd("WidgetSet", "v1alpha1")), rules, Options{})
	for name, edits := range p.Edits {
		if strings.HasPrefix(name, "nut/") || name == "crds.yaml" && (len(edits) != 1 || edits[0].Start < len(crd("Nut", "v1alpha1"))) {
			t.Errorf("%s: %v", name, edits)
		}
	}
	if len(p.Edits["crds.yaml"]) == 0 || p.Moves["api/v1alpha1/register.go"] == "" || len(p.Review) > 0 {
		t.Errorf("moves %v, review %v", p.Moves, p.Review)
	}
}
