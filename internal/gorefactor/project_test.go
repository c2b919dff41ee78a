package gorefactor

import (
	"strings"
	"testing"
)

// What is written about a kind with the name of the project is about the product, too.
func TestKindWithNameOfProject(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "a kind with the name of the project stays in prose", rules: gadget, in: `-- go.mod --
module example.com/widgetset/widgetset-operator
-- README.md --
The WidgetSet operator runs WidgetSet servers: widgetset://host.
Create a ` + "`WidgetSet`" + ` custom resource.
-- a.yaml --
name: widgetset # of WidgetSet
-- api/v1alpha1/more.go --
package v1alpha1

// WidgetSetUser is a user of the WidgetSet server.
type WidgetSetUser struct{}

func (w *WidgetSet) Users() (widgetSetUsers []WidgetSetUser) { return }
`, want: `-- README.md --
The WidgetSet operator runs WidgetSet servers: widgetset://host.
Create a ` + "`GadgetGroup`" + ` custom resource.
` + strings.NewReplacer("what a GadgetGroup", "what a WidgetSet", "lists GadgetGroups", "lists WidgetSets").Replace(gadgetTypes) + `-- api/v1alpha1/more.go --
package v1alpha1

// WidgetSetUser is a user of the WidgetSet server.
type WidgetSetUser struct{}

func (w *GadgetGroup) Users() (widgetSetUsers []WidgetSetUser) { return }
`, review: []string{"kind-part api/v1alpha1/more.go"}},
	})
}

// What another module gives has no type here; its own types keep their names.
func TestKindOfOneWordBesideOtherModules(t *testing.T) {
	crate := []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}}
	runTrees(t, queue, []treeCase{
		{name: "a variable that gets what another module gives, the logger of a webhook, and types of another module", rules: crate, extra: true, in: `-- a/a.go --
package a

import (
	"example.com/other"

	v1 "example.com/q/api/v1"
)

var queuelog = other.Log("queue-resource")

func index() {
	other.Index(func(obj other.Object) string {
		queue := obj.(*v1.Queue)
		if again, ok := obj.(*v1.Queue); ok {
			return again.Name
		}
		return queue.Name
	})
	queue, err := other.Get()
	queuelog.Info(queue, err)
}
-- api/v1/owner.go --
package v1

type QueueOwner struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`, want: `-- a/a.go --
package a

import (
	"example.com/other"

	v1 "example.com/q/api/v1"
)

var cratelog = other.Log("crate-resource")

func index() {
	other.Index(func(obj other.Object) string {
		crate := obj.(*v1.Crate)
		if again, ok := obj.(*v1.Crate); ok {
			return again.Name
		}
		return crate.Name
	})
	queue, err := other.Get()
	cratelog.Info(queue, err)
}
`},
	})
}
