package gorefactor

import (
	"strings"
	"testing"
)

func TestReplaceVersion(t *testing.T) {
	for _, x := range []struct{ name, from, to, want string }{
		{"v1alpha1", "v1alpha1", "v1", "v1"},
		{"V1alpha1", "v1alpha1", "v1", "V1"},
		{"appsv1alpha1", "v1alpha1", "v1", "appsv1"},
		{"v1alpha10", "v1alpha1", "v1", "v1alpha10"},
		{"corev1", "v1", "v2", "corev2"},
		{"v1beta1", "v1", "v2", "v1beta1"},
		{"V1beta1", "v1", "v2", "V1beta1"},
		{"Convert_v1_Foo_To_v2_Foo", "v1", "v3", "Convert_v3_Foo_To_v2_Foo"},
		{"ipv4", "v1", "v2", "ipv4"},
		{"v1alpha1networking", "v1alpha1", "v1beta1", "v1beta1networking"},
		{"appsv1alpha1listers", "v1alpha1", "v1", "appsv1listers"},
		{"v1alpha", "v1", "v2", "v1alpha"},
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
	_, p := plan(t, world(group+other[strings.Index(other, "-- nut"):]+"-- crds.yaml --\n"+crd("Nut", "v1alpha1")+"---\n"+crd("WidgetSet", "v1alpha1")), rules)
	for name, edits := range p.Edits {
		if strings.HasPrefix(name, "nut/") || name == "crds.yaml" && (len(edits) != 1 || edits[0].Start < len(crd("Nut", "v1alpha1"))) {
			t.Errorf("%s: %v", name, edits)
		}
	}
	if _, p := plan(t, world(group+"-- crds.yaml --\n"+crd("WidgetSet", "v1")+"  - name: v1alpha1\n"), rules); len(p.Edits["crds.yaml"]) > 0 {
		t.Errorf("a CRD that serves both: %v", p.Edits["crds.yaml"])
	}
	if len(p.Edits["crds.yaml"]) == 0 || p.Moves["api/v1alpha1/register.go"] == "" || len(p.Review) > 0 {
		t.Errorf("moves %v, review %v", p.Moves, p.Review)
	}
}

// An import whose new name is taken gets the name of its group.
func TestImportTakesOtherName(t *testing.T) {
	runTrees(t, group, []treeCase{{name: "the alias", rules: promote, extra: true, in: `-- d/d.go --
package d

import (
	v1alpha1 "example.com/widgets/api/v1alpha1"
	v1 "k8s.io/api/core/v1"
)

// Group=others, Version=v1alpha1; a v1alpha1.WidgetSet
var _ = []any{v1alpha1.WidgetSet{}, v1.Pod{}}
`, want: `-- d/d.go --
package d

import (
	widgetsv1 "example.com/widgets/api/v1"
	v1 "k8s.io/api/core/v1"
)

// Group=others, Version=v1alpha1; a widgetsv1.WidgetSet
var _ = []any{widgetsv1.WidgetSet{}, v1.Pod{}}
`}, {name: "a name with colons in the package of the API", rules: promote, extra: true, in: `-- api/v1alpha1/doc.go --
package v1alpha1

// The v1alpha1 API.
// +csv:x={"urn:alm:descriptor:core:v1alpha1:Secret"}
var image = "registry.example.com/tool:v1alpha1"
`, want: `-- api/v1/doc.go --
package v1

// The v1 API.
// +csv:x={"urn:alm:descriptor:core:v1alpha1:Secret"}
var image = "registry.example.com/tool:v1alpha1"
`}})
}

// What cannot be stepped as a whole needs review, and nothing of it changes.
func TestVersionNeedsReview(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "leave", rules: []Rule{{Group: "widgets.example.com", Version: "v1alpha1", ToVersion: "v1", Step: Leave}}, review: []string{"version-leave api/v1alpha1/register.go"}},
		{name: "the folder exists", rules: promote, in: "-- api/v1/x.go --\npackage v1\n", review: []string{"folder-taken api/v1alpha1/register.go"}},
		{name: "another folder has a kind in the new version", rules: promote, in: `-- apis/widgets/v1/types.go --
// +groupName=widgets.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type WidgetSet struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`, review: []string{"folder-taken api/v1alpha1/register.go"}},
		{name: "not all kinds step", rules: []Rule{{Group: "widgets.example.com", Version: "v1alpha1", ToVersion: "v1", Kind: "WidgetSet"}}, in: `-- api/v1alpha1/other.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Other struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`, review: []string{"version-part api/v1alpha1/other.go"}},
		{name: "a file of the package does not parse", rules: promote, in: "-- api/v1alpha1/x.go --\npackage v1alpha1\nfunc {\n", review: []string{"package-broken api/v1alpha1/x.go", "go-syntax api/v1alpha1/x.go"}},
		{name: "no folder has the name of the version", rules: []Rule{{Group: "flat.example.com", Version: "v1", ToVersion: "v2"}}, in: `-- apis/types.go --
// +groupName=flat.example.com
package apis

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

var GroupVersion = schema.GroupVersion{Group: "flat.example.com", Version: "v1"}

type Thing struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`, review: []string{"version-folder apis/types.go"}},
		{name: "a version of another group changes nothing", rules: []Rule{{Group: "other.example.com", Version: "v1alpha1", ToVersion: "v1"}}},
	})
}
