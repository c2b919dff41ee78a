package gorefactor

import "testing"

const gadgetTypes = `-- api/v1alpha1/gadgetgroup_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// GadgetGroupSpec is what a GadgetGroup wants.
type GadgetGroupSpec struct {
	Size int ` + "`json:\"size\"`" + `
}

// GadgetGroup is the Schema for the gadgetgroups API.
type GadgetGroup struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec GadgetGroupSpec
}

// GadgetGroupList lists GadgetGroups.
type GadgetGroupList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []GadgetGroup
}

func init() { SchemeBuilder.Register(&GadgetGroup{}, &GadgetGroupList{}) }
`

// A kind of several words: its family, what is derived from it, and all words.
func TestKindOfSeveralWords(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "types, file", rules: gadget, want: gadgetTypes},
		{name: "a rule of another group changes nothing", rules: []Rule{{Group: "other.example.com", Kind: "WidgetSet", ToKind: "GadgetGroup"}}},
		{name: "a rule of another version changes nothing", rules: []Rule{{Group: "widgets.example.com", Version: "v1", Kind: "WidgetSet", ToKind: "GadgetGroup"}}},
		{name: "names of metrics stay, and names of objects that manifests keep", rules: gadget, extra: true, in: `-- main.go --
package main

const (
	widgetSetSubsystem = "widget_set"
	metric             = "widget_set_ready_total"
	server             = "widget-set-server"
	other              = "widget-set-other"
)

func main() { println(widgetSetSubsystem, metric, server, other) }
-- metrics.txt --
widget_set_ready_total{name="x"} 1
-- deploy.yaml --
kind: Deployment
metadata: {name: widget-set-server-1}
`, want: `-- main.go --
package main

const (
	gadgetGroupSubsystem = "widget_set"
	metric               = "widget_set_ready_total"
	server               = "gadget-group-server"
	other                = "gadget-group-other"
)

func main() { println(gadgetGroupSubsystem, metric, server, other) }
`},
		{name: "controller: package, receiver, alias, columns", rules: gadget, extra: true, in: `-- internal/controller/widgetset/widgetset_controller.go --
// Package widgetset reconciles WidgetSets.
package widgetset

import (
	"context"

	widgetv1 "example.com/widgets/api/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
)

// WidgetSetReconciler reconciles a WidgetSet.
type WidgetSetReconciler struct {
	Client        ctrl.Client
	WidgetSetName string ` + "`json:\"widgetSetName\"`" + `
}

func (r *WidgetSetReconciler) Reconcile(ctx context.Context, req ctrl.Request) error {
	var widgetSet widgetv1.WidgetSet
	if err := r.Client.Get(ctx, req, &widgetSet); err != nil {
		return ctrl.Errorf("widget-set-controller: no WidgetSet: %w", err)
	}
	return ctrl.Set(&widgetSet, widgetv1.WidgetSetSpec{Size: widgetSet.Spec.Size})
}
-- main.go --
package main

import "example.com/widgets/internal/controller/widgetset"

func main() { _ = widgetset.WidgetSetReconciler{} }
`, want: `-- internal/controller/gadgetgroup/gadgetgroup_controller.go --
// Package gadgetgroup reconciles GadgetGroups.
package gadgetgroup

import (
	"context"

	widgetv1 "example.com/widgets/api/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
)

// GadgetGroupReconciler reconciles a GadgetGroup.
type GadgetGroupReconciler struct {
	Client        ctrl.Client
	WidgetSetName string ` + "`json:\"widgetSetName\"`" + `
}

func (r *GadgetGroupReconciler) Reconcile(ctx context.Context, req ctrl.Request) error {
	var gadgetGroup widgetv1.GadgetGroup
	if err := r.Client.Get(ctx, req, &gadgetGroup); err != nil {
		return ctrl.Errorf("gadget-group-controller: no GadgetGroup: %w", err)
	}
	return ctrl.Set(&gadgetGroup, widgetv1.GadgetGroupSpec{Size: gadgetGroup.Spec.Size})
}
-- main.go --
package main

import "example.com/widgets/internal/controller/gadgetgroup"

func main() { _ = gadgetgroup.GadgetGroupReconciler{} }
`},
		{name: "interface, method, embedded field, type switch, dot import", rules: gadget, extra: true, in: `-- a/a.go --
package a

import . "example.com/widgets/api/v1alpha1"

type lister interface{ WidgetSets() []WidgetSet }

type impl struct{ *WidgetSetList }

func (i impl) WidgetSets() []WidgetSet { return i.WidgetSetList.Items }

func use(l lister, x any) int {
	switch widgetSet := x.(type) {
	case *WidgetSet:
		return widgetSet.Spec.Size
	case *WidgetSetList:
		return len(widgetSet.Items)
	}
	return len(l.WidgetSets())
}
`, want: `-- a/a.go --
package a

import . "example.com/widgets/api/v1alpha1"

type lister interface{ GadgetGroups() []GadgetGroup }

type impl struct{ *GadgetGroupList }

func (i impl) GadgetGroups() []GadgetGroup { return i.GadgetGroupList.Items }

func use(l lister, x any) int {
	switch gadgetGroup := x.(type) {
	case *GadgetGroup:
		return gadgetGroup.Spec.Size
	case *GadgetGroupList:
		return len(gadgetGroup.Items)
	}
	return len(l.GadgetGroups())
}
`},
		{name: "files with build constraints, tests, generic types", rules: gadget, extra: true, in: `-- a/a_linux.go --
package a

import "example.com/widgets/api/v1alpha1"

func newWidgetSet() *v1alpha1.WidgetSet { return &v1alpha1.WidgetSet{} }
-- a/a_windows.go --
package a

import "example.com/widgets/api/v1alpha1"

func newWidgetSet() *v1alpha1.WidgetSet { return nil }
-- a/box.go --
package a

type box[T any] struct{ widgetSet T }

func (b box[T]) getWidgetSet() T { return b.widgetSet }
-- a/a_test.go --
package a_test

import (
	"testing"

	"example.com/other/ptr"
	"example.com/widgets/api/v1alpha1"
)

func TestWidgetSet(t *testing.T) {
	for _, tc := range []struct {
		widgetSet *v1alpha1.WidgetSet
	}{
		{widgetSet: ptr.To(v1alpha1.WidgetSet{})},
	} {
		ptr.Use(tc.widgetSet, ptr.List[v1alpha1.WidgetSet](map[string]any{"a": v1alpha1.WidgetSetSpec{}}))
	}
}
-- a/in_test.go --
package a

var _ = newWidgetSet().Spec.Size + box[int]{widgetSet: 1}.getWidgetSet()
`, want: `-- a/a_linux.go --
package a

import "example.com/widgets/api/v1alpha1"

func newGadgetGroup() *v1alpha1.GadgetGroup { return &v1alpha1.GadgetGroup{} }
-- a/a_windows.go --
package a

import "example.com/widgets/api/v1alpha1"

func newGadgetGroup() *v1alpha1.GadgetGroup { return nil }
-- a/box.go --
package a

type box[T any] struct{ gadgetGroup T }

func (b box[T]) getGadgetGroup() T { return b.gadgetGroup }
-- a/a_test.go --
package a_test

import (
	"testing"

	"example.com/other/ptr"
	"example.com/widgets/api/v1alpha1"
)

func TestGadgetGroup(t *testing.T) {
	for _, tc := range []struct {
		gadgetGroup *v1alpha1.GadgetGroup
	}{
		{gadgetGroup: ptr.To(v1alpha1.GadgetGroup{})},
	} {
		ptr.Use(tc.gadgetGroup, ptr.List[v1alpha1.GadgetGroup](map[string]any{"a": v1alpha1.GadgetGroupSpec{}}))
	}
}
-- a/in_test.go --
package a

var _ = newGadgetGroup().Spec.Size + box[int]{gadgetGroup: 1}.getGadgetGroup()
`},
		{name: "types of other modules are not renamed", rules: gadget, extra: true, in: `-- a/a.go --
package a

import "example.com/other"

var x = other.WidgetSetOptions{WidgetSetSize: 1}

func f() { other.NewWidgetSetClient().Do() }
`, want: `-- a/a.go --
package a

import "example.com/other"

var x = other.WidgetSetOptions{WidgetSetSize: 1}

func f() { other.NewWidgetSetClient().Do() }
`},
		{name: "a longer kind of the tree is another kind", rules: gadget, extra: true, in: `-- api/v1alpha1/role_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSetRole is for a WidgetSet.
type WidgetSetRole struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec WidgetSetRoleSpec
}

type WidgetSetRoleSpec struct{ WidgetSets []WidgetSet }
`, want: `-- api/v1alpha1/role_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSetRole is for a GadgetGroup.
type WidgetSetRole struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec WidgetSetRoleSpec
}

type WidgetSetRoleSpec struct{ GadgetGroups []GadgetGroup }
`},
		{name: "abbreviations follow the type", extra: true, rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "GadgetGroup", Alias: map[string]string{"ws": "gg"}}}, in: `-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

func newTestWS(ws *v1alpha1.WidgetSet) *v1alpha1.WidgetSet {
	var oldWs, ws2 = ws.Spec, "ws"
	_ = ws2
	return &v1alpha1.WidgetSet{Spec: oldWs}
}

func other(ws string) string { return ws }
`, want: `-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

func newTestGG(gg *v1alpha1.GadgetGroup) *v1alpha1.GadgetGroup {
	var oldGg, ws2 = gg.Spec, "ws"
	_ = ws2
	return &v1alpha1.GadgetGroup{Spec: oldGg}
}

func other(ws string) string { return ws }
`},
		{name: "initials of three words", extra: true, rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSetRole", ToKind: "GadgetGroup", Alias: map[string]string{"wsr": "gg"}}}, in: `-- api/v1alpha1/role_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type WidgetSetRole struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type WidgetSetRoleList struct {
	metav1.TypeMeta
	Items []WidgetSetRole
}
-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

// use takes a WSR.
func use(*v1alpha1.WidgetSetRole) {}
-- a/b.go --
package a

func name(wsrName string, wsrs int) string { return wsrName }
-- a/c.go --
package a

type WidgetServiceRunner struct{}

func run(wsr WidgetServiceRunner) { _ = wsr }
-- b/b.go --
package b

func name(wsrName string) string { return wsrName }
`, want: `-- api/v1alpha1/role_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type GadgetGroup struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type GadgetGroupList struct {
	metav1.TypeMeta
	Items []GadgetGroup
}
-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

// use takes a GG.
func use(*v1alpha1.GadgetGroup) {}
-- a/b.go --
package a

func name(wsrName string, wsrs int) string { return wsrName }
-- a/c.go --
package a

type WidgetServiceRunner struct{}

func run(wsr WidgetServiceRunner) { _ = wsr }
-- b/b.go --
package b

func name(wsrName string) string { return wsrName }
`},
		{name: "the surface alone", extra: true, rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "GadgetGroup", Surface: true}}, in: `-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

// newWidgetSet makes a WidgetSet, and no WidgetSetList.
func newWidgetSet() (widgetSet v1alpha1.WidgetSet) { return }
-- apply/widgetset.go --
// Code generated by applyconfiguration-gen. DO NOT EDIT.

package apply

// WidgetSetApplyConfiguration is applied.
type WidgetSetApplyConfiguration struct {
	Spec *WidgetSetSpecApplyConfiguration
}

// WidgetSetSpecApplyConfiguration is applied.
type WidgetSetSpecApplyConfiguration struct{}
-- README.md --
A WidgetSet.
`, want: `-- a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

// newWidgetSet makes a WidgetSet, and no WidgetSetList.
func newWidgetSet() (widgetSet v1alpha1.GadgetGroup) { return }
-- apply/gadgetgroup.go --
// Code generated by applyconfiguration-gen. DO NOT EDIT.

package apply

// GadgetGroupApplyConfiguration is applied.
type GadgetGroupApplyConfiguration struct {
	Spec *WidgetSetSpecApplyConfiguration
}

// WidgetSetSpecApplyConfiguration is applied.
type WidgetSetSpecApplyConfiguration struct{}
-- api/v1alpha1/gadgetgroup_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSetSpec is what a GadgetGroup wants.
type WidgetSetSpec struct {
	Size int ` + "`json:\"size\"`" + `
}

// GadgetGroup is the Schema for the widgetsets API.
type GadgetGroup struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec WidgetSetSpec
}

// GadgetGroupList lists WidgetSets.
type GadgetGroupList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []GadgetGroup
}

func init() { SchemeBuilder.Register(&GadgetGroup{}, &GadgetGroupList{}) }
-- README.md --
A WidgetSet.
`},
	})
}
