package gorefactor

import "testing"

// What tools and people write about an API follows it.
func TestWrittenAboutAPI(t *testing.T) {
	crate := []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}}
	runTrees(t, queue, []treeCase{
		{name: "constants and texts of a scaffold", rules: crate, extra: true, in: `-- api/v1/more.go --
package v1

const (
	QueueConditionReady = "Ready"
	QueueKind           = "Queue"
	QueuePath           = "Queue"
)

// +kubebuilder:webhook:name=vqueue.kb.io
var log = logf.Log.WithName("queue-resource")
-- docs/a.md --
Queue is the Schema for the queues API. QueueSpec defines the desired state of Queue.
`, want: `-- api/v1/more.go --
package v1

const (
	CrateConditionReady = "Ready"
	CrateKind           = "Crate"
	QueuePath           = "Queue"
)

// +kubebuilder:webhook:name=vcrate.kb.io
var log = logf.Log.WithName("crate-resource")
-- docs/a.md --
Crate is the Schema for the crates API. CrateSpec defines the desired state of Crate.
`},
	})
	runTrees(t, group, []treeCase{
		{name: "what is written about the package and its types", rules: promote, extra: true, in: `-- a/a.go --
package a

import (
	xv1a1 "example.com/widgets/api/v1alpha1"
	"example.com/x/api/v1alpha1"
)

// A v1alpha1.WidgetSet or v1alpha1.Other, not v1alpha1.Nothing.
var hubv1alpha1 = []any{xv1a1.WidgetSet{}, v1alpha1.Other{}}

var first *xv1a1.WidgetSet
-- docs/a.md --
Package v1alpha1 contains API Schema definitions for the widgets v1alpha1 API group [a](#widgets.example.com%2fv1alpha1)
[id="{p}-example-com-widgets-api-v1alpha1-widgetset"] x-widgets-example-com-v1alpha1[] {"$ref": "#/definitions/v1alpha1.WidgetSet"} other/v1alpha1.WidgetSet
`, want: `-- a/a.go --
package a

import (
	xv1 "example.com/widgets/api/v1"
	"example.com/x/api/v1alpha1"
)

// A v1.WidgetSet or v1alpha1.Other, not v1alpha1.Nothing.
var hubv1alpha1 = []any{xv1.WidgetSet{}, v1alpha1.Other{}}

var first *xv1.WidgetSet
-- docs/a.md --
Package v1 contains API Schema definitions for the widgets v1 API group [a](#widgets.example.com%2fv1)
[id="{p}-example-com-widgets-api-v1-widgetset"] x-widgets-example-com-v1[] {"$ref": "#/definitions/v1.WidgetSet"} other/v1alpha1.WidgetSet
`},
	})
}
