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

// What cannot be stepped as a whole needs review, and nothing of it changes.
func TestVersionNeedsReview(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "leave", rules: []Rule{{Group: "widgets.example.com", Version: "v1alpha1", ToVersion: "v1", Step: Leave}}, review: []string{"version-leave api/v1alpha1/register.go"}},
		{name: "the folder exists", rules: promote, in: "-- api/v1/x.go --\npackage v1\n", review: []string{"version-taken api/v1alpha1/register.go"}},
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

// A version steps with its folder, the imports of it, and what is named after it.
func TestVersionMoves(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "package, imports, aliases, comments, literals", rules: promote, extra: true, in: `-- main.go --
package main

import (
	widgetsv1alpha1 "example.com/widgets/api/v1alpha1"
	"example.com/widgets/internal/a"
)

// AddV1alpha1 registers widgetsv1alpha1.
func AddV1alpha1(o *widgetsv1alpha1.WidgetSet) { a.Use(o.Spec, "widgets.example.com/v1alpha1", "apps/v1alpha1") }
-- internal/a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

// Use takes a v1alpha1.WidgetSetSpec of version v1alpha1.
func Use(spec v1alpha1.WidgetSetSpec, names ...string) any {
	return schema.GroupVersionKind{Group: "widgets.example.com", Version: "v1alpha1", Kind: "WidgetSet"}
}
-- api/v1alpha1/doc_test.go --
package v1alpha1_test

import . "example.com/widgets/api/v1alpha1"

var version = "v1alpha1"
`, want: `-- main.go --
package main

import (
	widgetsv1 "example.com/widgets/api/v1"
	"example.com/widgets/internal/a"
)

// AddV1 registers widgetsv1.
func AddV1(o *widgetsv1.WidgetSet) { a.Use(o.Spec, "widgets.example.com/v1", "apps/v1alpha1") }
-- internal/a/a.go --
package a

import "example.com/widgets/api/v1"

// Use takes a v1.WidgetSetSpec of version v1alpha1.
func Use(spec v1.WidgetSetSpec, names ...string) any {
	return schema.GroupVersionKind{Group: "widgets.example.com", Version: "v1", Kind: "WidgetSet"}
}
-- api/v1/doc_test.go --
package v1_test

import . "example.com/widgets/api/v1"

var version = "v1"
-- api/v1/register.go --
// Package v1 is the API.
// +groupName=widgets.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "widgets.example.com", Version: "v1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
	AddToScheme   = SchemeBuilder.AddToScheme
)
`},
		{name: "the new name is taken in a file", rules: promote, extra: true, in: `-- a/a.go --
package a

import (
	"example.com/widgets/api/v1alpha1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{v1alpha1.WidgetSet{}, v1.Pod{}}
-- b/b.go --
package b

import "example.com/widgets/api/v1alpha1"

func f(v1 int) any { return v1alpha1.WidgetSet{Spec: v1alpha1.WidgetSetSpec{Size: v1}} }
-- c/c.go --
package c

import (
	"example.com/widgets/api/v1alpha1"
	widgetsv1alpha1 "example.com/widgets/api/v1alpha1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{v1alpha1.WidgetSet{}, widgetsv1alpha1.WidgetSet{}, v1.Pod{}}
-- d/d.go --
package d

import (
	v1alpha1 "example.com/widgets/api/v1alpha1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{v1alpha1.WidgetSet{}, v1.Pod{}}
`, want: `-- a/a.go --
package a

import (
	widgetsv1 "example.com/widgets/api/v1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{widgetsv1.WidgetSet{}, v1.Pod{}}
-- b/b.go --
package b

import widgetsv1 "example.com/widgets/api/v1"

func f(v1 int) any { return widgetsv1.WidgetSet{Spec: widgetsv1.WidgetSetSpec{Size: v1}} }
-- c/c.go --
package c

import (
	apiv1 "example.com/widgets/api/v1"
	widgetsv1 "example.com/widgets/api/v1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{apiv1.WidgetSet{}, widgetsv1.WidgetSet{}, v1.Pod{}}
-- d/d.go --
package d

import (
	widgetsv1 "example.com/widgets/api/v1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{widgetsv1.WidgetSet{}, v1.Pod{}}
`},
		{name: "generated clients", rules: promote, extra: true, in: `-- client/typed/widgets/v1alpha1/widgets_client.go --
// Code generated by client-gen. DO NOT EDIT.

package v1alpha1

import v1alpha1 "example.com/widgets/api/v1alpha1"

type WidgetsV1alpha1Interface interface{ WidgetSets() v1alpha1.WidgetSet }

type WidgetsV1alpha1Client struct{}

func (c *WidgetsV1alpha1Client) WidgetSets() v1alpha1.WidgetSet { return v1alpha1.WidgetSet{} }
-- client/clientset.go --
// Code generated by client-gen. DO NOT EDIT.

package client

import (
	othersv1alpha1 "example.com/widgets/client/typed/others/v1alpha1"
	widgetsv1alpha1 "example.com/widgets/client/typed/widgets/v1alpha1"
)

type Interface interface {
	OthersV1alpha1() othersv1alpha1.OthersV1alpha1Interface
	WidgetsV1alpha1() widgetsv1alpha1.WidgetsV1alpha1Interface
}

type Clientset struct {
	othersV1alpha1  *othersv1alpha1.OthersV1alpha1Client
	widgetsV1alpha1 *widgetsv1alpha1.WidgetsV1alpha1Client
}

func (c *Clientset) WidgetsV1alpha1() widgetsv1alpha1.WidgetsV1alpha1Interface {
	return c.widgetsV1alpha1
}
-- client/typed/others/v1alpha1/others_client.go --
// Code generated by client-gen. DO NOT EDIT.

package v1alpha1

type OthersV1alpha1Interface interface{}

type OthersV1alpha1Client struct{}
-- main.go --
package main

import (
	"example.com/widgets/client"
	"example.com/other"
)

func use(c client.Interface, o other.Clientset) {
	c.WidgetsV1alpha1().WidgetSets()
	c.OthersV1alpha1()
}
`, want: `-- client/typed/widgets/v1/widgets_client.go --
// Code generated by client-gen. DO NOT EDIT.

package v1

import v1 "example.com/widgets/api/v1"

type WidgetsV1Interface interface{ WidgetSets() v1.WidgetSet }

type WidgetsV1Client struct{}

func (c *WidgetsV1Client) WidgetSets() v1.WidgetSet { return v1.WidgetSet{} }
-- client/clientset.go --
// Code generated by client-gen. DO NOT EDIT.

package client

import (
	othersv1alpha1 "example.com/widgets/client/typed/others/v1alpha1"
	widgetsv1 "example.com/widgets/client/typed/widgets/v1"
)

type Interface interface {
	OthersV1alpha1() othersv1alpha1.OthersV1alpha1Interface
	WidgetsV1() widgetsv1.WidgetsV1Interface
}

type Clientset struct {
	othersV1alpha1 *othersv1alpha1.OthersV1alpha1Client
	widgetsV1      *widgetsv1.WidgetsV1Client
}

func (c *Clientset) WidgetsV1() widgetsv1.WidgetsV1Interface {
	return c.widgetsV1
}
-- main.go --
package main

import (
	"example.com/widgets/client"
	"example.com/other"
)

func use(c client.Interface, o other.Clientset) {
	c.WidgetsV1().WidgetSets()
	c.OthersV1alpha1()
}
`},
		{name: "a package of another group that uses the one that moves", rules: promote, extra: true, in: `-- others/v1alpha1/types.go --
// +groupName=others.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	widgets "example.com/widgets/api/v1alpha1"
)

var GroupVersion = schema.GroupVersion{Group: "others.example.com", Version: "v1alpha1"}

type Other struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Set widgets.WidgetSet
}

func init() { SchemeBuilder.Register(&Other{}) }
`, want: `-- others/v1alpha1/types.go --
// +groupName=others.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	widgets "example.com/widgets/api/v1"
)

var GroupVersion = schema.GroupVersion{Group: "others.example.com", Version: "v1alpha1"}

type Other struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Set widgets.WidgetSet
}

func init() { SchemeBuilder.Register(&Other{}) }
`},
		{name: "informers: a method that is only the version", rules: promote, extra: true, in: `-- informers/widgets/interface.go --
// Code generated by informer-gen. DO NOT EDIT.

package widgets

import "example.com/widgets/informers/widgets/v1alpha1"

// V1alpha1 returns a v1alpha1.Interface.
type Interface interface{ V1alpha1() v1alpha1.Interface }
-- informers/widgets/v1alpha1/interface.go --
// Code generated by informer-gen. DO NOT EDIT.

package v1alpha1

import "example.com/widgets/api/v1alpha1"

type Interface interface{ WidgetSets() v1alpha1.WidgetSet }
-- informers/others/interface.go --
package others

type Interface interface{ V1alpha1() int }
-- a/a.go --
package a

import (
	"example.com/widgets/informers/others"
	"example.com/widgets/informers/widgets"
)

func use(o others.Interface, w widgets.Interface) (int, any) { return o.V1alpha1(), w.V1alpha1().WidgetSets() }
`, want: `-- informers/widgets/interface.go --
// Code generated by informer-gen. DO NOT EDIT.

package widgets

import "example.com/widgets/informers/widgets/v1"

// V1 returns a v1.Interface.
type Interface interface{ V1() v1.Interface }
-- informers/others/interface.go --
package others

type Interface interface{ V1alpha1() int }
-- a/a.go --
package a

import (
	"example.com/widgets/informers/others"
	"example.com/widgets/informers/widgets"
)

func use(o others.Interface, w widgets.Interface) (int, any) { return o.V1alpha1(), w.V1().WidgetSets() }
`},
		{name: "texts: CRD, CSV, webhook, PROJECT, paths, samples", rules: promote, extra: true, in: `-- config/crd/widgetsets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgetsets.widgets.example.com
spec:
  group: widgets.example.com
  versions:
  - name: v1alpha1
    served: true
    schema:
      name: v1alpha1
---
spec:
  group: other.example.com
  versions:
  - name: v1alpha1
-- bundle/csv.yaml --
spec:
  customresourcedefinitions:
    owned:
    - kind: WidgetSet
      name: widgetsets.widgets.example.com
      version: v1alpha1
    - kind: Other
      name: others.other.example.com
      version: v1alpha1
-- config/webhook.yaml --
webhooks:
- clientConfig:
    service:
      path: /validate-widgets-example-com-v1alpha1-widgetset
  rules:
  - apiGroups:
    - widgets.example.com
    apiVersions:
    - v1alpha1
  - apiGroups:
    - other.example.com
    apiVersions:
    - v1alpha1
-- PROJECT --
domain: example.com
resources:
- api:
    crdVersion: v1
  domain: example.com
  group: widgets
  kind: WidgetSet
  path: example.com/widgets/api/v1alpha1
  version: v1alpha1
- domain: example.com
  group: other
  kind: Other
  version: v1alpha1
-- Makefile --
gen: ; deepcopy ./api/v1alpha1 $(ROOT)/api/v1alpha1/... other/api/v1alpha1
get: ; kubectl get widgetsets.v1alpha1.widgets.example.com v1alpha1.widgets.example.com
-- config/samples/widgets_v1alpha1_widgetset.yaml --
apiVersion: widgets.example.com/v1alpha1
kind: WidgetSet
-- config/samples/kustomization.yaml --
resources:
- widgets_v1alpha1_widgetset.yaml
-- CHANGELOG.md --
widgets.example.com/v1alpha1 is new.
`, want: `-- config/crd/widgetsets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgetsets.widgets.example.com
spec:
  group: widgets.example.com
  versions:
  - name: v1
    served: true
    schema:
      name: v1alpha1
---
spec:
  group: other.example.com
  versions:
  - name: v1alpha1
-- bundle/csv.yaml --
spec:
  customresourcedefinitions:
    owned:
    - kind: WidgetSet
      name: widgetsets.widgets.example.com
      version: v1
    - kind: Other
      name: others.other.example.com
      version: v1alpha1
-- config/webhook.yaml --
webhooks:
- clientConfig:
    service:
      path: /validate-widgets-example-com-v1-widgetset
  rules:
  - apiGroups:
    - widgets.example.com
    apiVersions:
    - v1
  - apiGroups:
    - other.example.com
    apiVersions:
    - v1alpha1
-- PROJECT --
domain: example.com
resources:
- api:
    crdVersion: v1
  domain: example.com
  group: widgets
  kind: WidgetSet
  path: example.com/widgets/api/v1
  version: v1
- domain: example.com
  group: other
  kind: Other
  version: v1alpha1
-- Makefile --
gen: ; deepcopy ./api/v1 $(ROOT)/api/v1/... other/api/v1alpha1
get: ; kubectl get widgetsets.v1.widgets.example.com v1.widgets.example.com
-- config/samples/widgets_v1_widgetset.yaml --
apiVersion: widgets.example.com/v1
kind: WidgetSet
-- config/samples/kustomization.yaml --
resources:
- widgets_v1_widgetset.yaml
-- CHANGELOG.md --
widgets.example.com/v1alpha1 is new.
`},
		{name: "a version and a kind at once", extra: true, rules: append([]Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "GadgetGroup"}}, promote...), in: `-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

func Convert_v1alpha1_WidgetSet(in *v1alpha1.WidgetSet) {}
`, want: `-- a/a.go --
package a

import "example.com/widgets/api/v1"

func Convert_v1_GadgetGroup(in *v1.GadgetGroup) {}
-- api/v1/register.go --
// Package v1 is the API.
// +groupName=widgets.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "widgets.example.com", Version: "v1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
	AddToScheme   = SchemeBuilder.AddToScheme
)
`},
	})
}
