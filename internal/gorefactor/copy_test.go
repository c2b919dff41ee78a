package gorefactor

import (
	"strings"
	"testing"
)

func TestVersionIsCopied(t *testing.T) {
	rules := []Rule{{Group: "widgets.example.com", Version: "v1alpha1", ToVersion: "v1", Step: Copy}}
	runTrees(t, group, []treeCase{
		{name: "package, conversions, registration", rules: rules, extra: true, in: `-- main.go --
package main

import (
	widgetsv1alpha1 "example.com/widgets/api/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
)

func must(error) {}

func add(s *runtime.Scheme) {
	must(widgetsv1alpha1.AddToScheme(s))
}
-- other/other.go --
package other

import "example.com/widgets/api/v1alpha1"

func init() {
	v1alpha1.AddToScheme(scheme)
}
-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

var _ v1alpha1.WidgetSet
`, want: `-- main.go --
package main

import (
	widgetsv1 "example.com/widgets/api/v1"
	widgetsv1alpha1 "example.com/widgets/api/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
)

func must(error) {}

func add(s *runtime.Scheme) {
	must(widgetsv1alpha1.AddToScheme(s))
	must(widgetsv1.AddToScheme(s))
}
-- other/other.go --
package other

import "example.com/widgets/api/v1alpha1"
import widgetsv1 "example.com/widgets/api/v1"

func init() {
	v1alpha1.AddToScheme(scheme)
	widgetsv1.AddToScheme(scheme)
}
-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

var _ v1alpha1.WidgetSet
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
-- api/v1/widgetset_types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSetSpec is what a WidgetSet wants.
type WidgetSetSpec struct {
	Size int ` + "`json:\"size\"`" + `
}

// WidgetSet is the Schema for the widgetsets API.
// +kubebuilder:storageversion
type WidgetSet struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec WidgetSetSpec
}

// WidgetSetList lists WidgetSets.
type WidgetSetList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []WidgetSet
}

func init() { SchemeBuilder.Register(&WidgetSet{}, &WidgetSetList{}) }
-- api/v1/conversion.go --
package v1

// Hub marks WidgetSet as the version that others convert to.
func (*WidgetSet) Hub() {}
-- api/v1alpha1/conversion.go --
` + converts("v1alpha1", "v1")},
		{name: "the marker of the stored version moves", extra: true, rules: []Rule{{Group: "s.example.com", Version: "v1beta1", ToVersion: "v1", Step: Copy}}, in: `-- s/v1beta1/types.go --
// +groupName=s.example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Foo is a kind.
// +kubebuilder:storageversion
// +kubebuilder:object:root=true
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`, want: `-- s/v1beta1/types.go --
// +groupName=s.example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Foo is a kind.
// +kubebuilder:object:root=true
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
-- s/v1/types.go --
// +groupName=s.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Foo is a kind.
// +kubebuilder:storageversion
// +kubebuilder:object:root=true
type Foo struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`},
		{name: "conversions exist", rules: rules, extra: true, in: "-- api/v1alpha1/conversion.go --\npackage v1alpha1\n\nfunc (*WidgetSet) ConvertFrom() {}\n", review: []string{"conversion-exists api/v1alpha1/conversion.go"}},
		{name: "a hub remains the hub, and a webhook that of its version", rules: rules, extra: true, in: `-- api/v1alpha1/hub.go --
package v1alpha1

// Hub is a hub.
func (*WidgetSet) Hub() {}

// +kubebuilder:webhook:path=/validate-widgets-example-com-v1alpha1-widgetset,versions=v1alpha1,name=vwidgetset.kb.io

// Other is something else.
func (w *WidgetSet) Other() {}
`, want: `-- api/v1/hub.go --
package v1

// Other is something else.
func (w *WidgetSet) Other() {}
-- api/v1/conversion.go --
` + converts("v1", "v1alpha1")},
		{name: "the name of the import is taken", rules: rules, extra: true, in: `-- b/b.go --
package b

import (
	"example.com/widgets/api/v1alpha1"
	widgetsv1 "k8s.io/api/core/v1"
)

func add(pod widgetsv1.Pod) {
	v1alpha1.AddToScheme(scheme)
}
`, want: `-- b/b.go --
package b

import (
	apiwidgetsv1 "example.com/widgets/api/v1"
	"example.com/widgets/api/v1alpha1"
	widgetsv1 "k8s.io/api/core/v1"
)

func add(pod widgetsv1.Pod) {
	v1alpha1.AddToScheme(scheme)
	apiwidgetsv1.AddToScheme(scheme)
}
`},
		{name: "the name of the import is that of the copy, and ends another one", rules: rules, extra: true, in: `-- b/b.go --
package b

import (
	widgetsv1 "example.com/widgets/api/v1alpha1"
	mywidgetsv1 "k8s.io/api/core/v1"
)

func add() {
	_ = widgetsv1.AddToScheme(scheme)
	_ = mywidgetsv1.AddToScheme(scheme)
	if err := widgetsv1.AddToScheme(mywidgetsv1.Scheme); err != nil {
		panic(err)
	}
}
`, want: `-- b/b.go --
package b

import (
	apiwidgetsv1 "example.com/widgets/api/v1"
	widgetsv1 "example.com/widgets/api/v1alpha1"
	mywidgetsv1 "k8s.io/api/core/v1"
)

func add() {
	_ = widgetsv1.AddToScheme(scheme)
	_ = apiwidgetsv1.AddToScheme(scheme)
	_ = mywidgetsv1.AddToScheme(scheme)
	if err := widgetsv1.AddToScheme(mywidgetsv1.Scheme); err != nil {
		panic(err)
	}
	if err := apiwidgetsv1.AddToScheme(mywidgetsv1.Scheme); err != nil {
		panic(err)
	}
}
`},
		{name: "a kind converts", rules: rules, extra: true, in: "-- api/v1alpha1/hub.go --\npackage v1alpha1\n\nfunc (*WidgetSet) ConvertTo(any) error { return nil }\n", review: []string{"conversion-exists api/v1alpha1/hub.go"}},
		{name: "the new version is there already", rules: rules, in: `-- api/v1/types.go --
// +groupName=widgets.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type WidgetSet struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`},
		{name: "the folder has something else", rules: rules, in: "-- api/v1/x.go --\npackage v1\n", review: []string{"folder-taken api/v1alpha1/register.go"}},
	})
}

// converts is the file of a package that converts its WidgetSet to another version, and back.
func converts(name, version string) string {
	return strings.NewReplacer("PACKAGE", name, "VERSION", version).Replace(`package PACKAGE

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	widgetsVERSION "example.com/widgets/api/VERSION"
)

// convertVersion copies the fields of an object into that of another version.
// Both have the same fields: when one of them changes, its conversion must too.
func convertVersion(src, dst any, meta *metav1.TypeMeta) error {
	kept := *meta
	data, err := json.Marshal(src)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, dst); err != nil {
		return err
	}
	*meta = kept
	return nil
}

// ConvertTo converts this version to VERSION.
func (src *WidgetSet) ConvertTo(raw conversion.Hub) error {
	dst := raw.(*widgetsVERSION.WidgetSet)
	return convertVersion(src, dst, &dst.TypeMeta)
}

// ConvertFrom converts VERSION to this version.
func (dst *WidgetSet) ConvertFrom(raw conversion.Hub) error {
	return convertVersion(raw.(*widgetsVERSION.WidgetSet), dst, &dst.TypeMeta)
}
`)
}
