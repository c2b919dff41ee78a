package gorefactor

import (
	"strings"
	"testing"
)

// What has a kind of one word in its name, or is named after something that has it.
func TestAboutKindOfOneWord(t *testing.T) {
	crate := []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}}
	runTrees(t, queue, []treeCase{
		{name: "names after others that are renamed", rules: crate, extra: true, in: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type QueueReconciler struct{ q *v1.Queue }

func MakeQueue(name string) *v1.Queue { return nil }

type worker struct{ QueueReconciler, fakeQueueReconciler, queueReconcilers any }

const (
	queueName = "a"
	queueSize = 1
)

func TestMakeQueueTwice() { MakeQueue(queueName); use(queueSize, MakeQueue(queueName)) }

func TestQueueing() { MakeQueue(queueSize) }

type otherQueueReconciler struct{}
`, want: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type CrateReconciler struct{ q *v1.Crate }

func MakeCrate(name string) *v1.Crate { return nil }

type worker struct{ CrateReconciler, fakeCrateReconciler, queueReconcilers any }

const (
	queueName = "a"
	queueSize = 1
)

func TestMakeCrateTwice() { MakeCrate(queueName); use(queueSize, MakeCrate(queueName)) }

func TestQueueing() { MakeCrate(queueSize) }

type otherQueueReconciler struct{}
`},
		{name: "comments of a file that uses the kind", rules: crate, extra: true, in: `-- a/queue_controller.go --
package a

import v1 "example.com/q/api/v1"

type QueueReconciler struct{}

// Reconcile reads a Queue, of all Queues. A queue is not always one.
func (r *QueueReconciler) Reconcile(q *v1.Queue) {
	log.Info("Reconciling Queue", "queue", name(q))
	log.Info("Queue store of the kind: Queue. Queue stores are closed", queueStore)
}

const (
	QueueReady = "Queue is ready"
	queueStore = 1
)
-- b/b.go --
package b

// Other has a Queue.
func Other() { log.Info("Reconciling Queue") }
`, want: `-- a/crate_controller.go --
package a

import v1 "example.com/q/api/v1"

type CrateReconciler struct{}

// Reconcile reads a Crate, of all Crates. A queue is not always one.
func (r *CrateReconciler) Reconcile(q *v1.Crate) {
	log.Info("Reconciling Crate", "queue", name(q))
	log.Info("Queue store of the kind: Queue. Queue stores are closed", queueStore)
}

const (
	QueueReady = "Queue is ready"
	queueStore = 1
)
`},
		{name: "the definition of a kind of another group", rules: crate, in: `-- config/theirs.yaml --
kind: CustomResourceDefinition
spec:
  group: theirs.example.org
  names:
    kind: Queue
  schema:
    description: Queue is the Schema for the queues API
`, want: crateTypes},
		{name: "what kubebuilder names after a kind", rules: crate, extra: true, in: `-- api/v1/queue_webhook.go --
package v1
-- config/rbac/queue_editor_role.yaml --
# permissions for end users to edit queues.
kind: ClusterRole
metadata:
  name: queue-editor-role
rules:
  - apiGroups: [q.example.com]
-- config/rbac/kustomization.yaml --
- queue_editor_role.yaml
- my-queue_editor_role.yaml
-- config/crd/patches/webhook_in_queues.yaml --
metadata:
  name: queues.q.example.com
`, want: `-- api/v1/crate_webhook.go --
package v1
-- config/rbac/crate_editor_role.yaml --
# permissions for end users to edit crates.
kind: ClusterRole
metadata:
  name: crate-editor-role
rules:
  - apiGroups: [q.example.com]
-- config/rbac/kustomization.yaml --
- crate_editor_role.yaml
- my-queue_editor_role.yaml
-- config/crd/patches/webhook_in_crates.yaml --
metadata:
  name: queues.q.example.com
`},
		{name: "headings, and custom resources with the name of a kind of every cluster", rules: []Rule{{Group: "q.example.com", Kind: "Service", ToKind: "AuthConfig"}}, extra: true, in: `-- api/v1/service_types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Service struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type ServiceList struct {
	metav1.TypeMeta
	Items []Service
}
-- docs/a.md --
## A ` + "`Service`" + ` Custom Resource (CR)
A ` + "`Service`" + ` is not a ` + "`Service`" + ` custom resource: [above](#a-service-custom-resource-cr).
`, want: `-- api/v1/authconfig_types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type AuthConfig struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type AuthConfigList struct {
	metav1.TypeMeta
	Items []AuthConfig
}
-- docs/a.md --
## A ` + "`Service`" + ` Custom Resource (CR)
A ` + "`Service`" + ` is not a ` + "`AuthConfig`" + ` custom resource: [above](#a-service-custom-resource-cr).
`},
	})
}

// The project, a product and the client of the group are not the kind, although they have its name.
func TestNamesThatAreNotTheKind(t *testing.T) {
	runTrees(t, queue, []treeCase{
		{name: "the name of the project, a product, and the client of the group", rules: []Rule{{Group: "queue.example.com", Kind: "Queue", ToKind: "Crate"}}, extra: true,
			in: strings.NewReplacer("module example.com/q", "module example.com/big-queues/q", "q.example.com", "queue.example.com").Replace(queue) + `-- api/v1/get.go --
// Copyright The Big-Queues Authors

package v1

// GetBigQueuesImage is the image of Big Queues for a Queue: only Queue 2.0 needs it, by the Cloud Big Queue of a Queue.
func (q *Queue) GetBigQueuesImage() string { return "" }
-- client/queue_client.go --
// Code generated by client-gen. DO NOT EDIT.

package client

import v1 "example.com/big-queues/q/api/v1"

type QueueV1Client struct{}

func (c *QueueV1Client) Queues() *v1.Queue { return nil }
`, want: `-- api/v1/get.go --
// Copyright The Big-Queues Authors

package v1

// GetBigQueuesImage is the image of Big Queues for a Crate: only Queue 2.0 needs it, by the Cloud Big Queue of a Crate.
func (q *Crate) GetBigQueuesImage() string { return "" }
-- client/queue_client.go --
// Code generated by client-gen. DO NOT EDIT.

package client

import v1 "example.com/big-queues/q/api/v1"

type QueueV1Client struct{}

func (c *QueueV1Client) Crates() *v1.Crate { return nil }
`},
	})
}

// A type of the API whose name goes on with words of its own stays until the rule's words
// decide about it; what conventions name after a kind does not.
func TestTypesThatBeginWithTheKind(t *testing.T) {
	const in = `-- api/v1/source.go --
package v1

// QueueSource is where work comes from. It is in QueueSourceList.
type QueueSource struct{ Ref QueueReference }

type QueueSourceList []QueueSource

type QueueReference string
-- a/a.go --
package a

import v1 "example.com/q/api/v1"

func newQueueSource() v1.QueueSource { return v1.QueueSource{Ref: v1.QueueReference("x")} }
`
	held := `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

func newQueueSource() v1.QueueSource { return v1.QueueSource{Ref: v1.CrateReference("x")} }
` + crateTypes + `-- api/v1/source.go --
package v1

// QueueSource is where work comes from. It is in QueueSourceList.
type QueueSource struct{ Ref CrateReference }

type QueueSourceList []QueueSource

type CrateReference string
`
	rule := Rule{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}
	kept, renamed := rule, rule
	kept.Alias = map[string]string{"QueueSource": "QueueSource"}
	renamed.Alias = map[string]string{"QueueSource": "Origin"}
	runTrees(t, queue, []treeCase{
		{name: "not decided", in: in, rules: []Rule{rule}, want: held, review: []string{"kind-part api/v1/source.go"}},
		{name: "kept", in: in, rules: []Rule{kept}, want: held},
		{name: "renamed", in: in, rules: []Rule{renamed}, want: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

func newOrigin() v1.Origin { return v1.Origin{Ref: v1.CrateReference("x")} }
` + crateTypes + `-- api/v1/source.go --
package v1

// Origin is where work comes from. It is in OriginList.
type Origin struct{ Ref CrateReference }

type OriginList []Origin

type CrateReference string
`},
	})
}

// The values of a field stay in its markers as they do in the code.
func TestValuesOfMarkers(t *testing.T) {
	runTrees(t, queue, []treeCase{{name: "values", rules: []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}}, in: `-- api/v1/phase.go --
package v1

// QueuePhase is the phase of a Queue.
// +kubebuilder:validation:Enum=QueueReady;QueueFailed
// +kubebuilder:default=QueueReady
type QueuePhase string

const (
	QueueReady  QueuePhase = "QueueReady"
	QueueFailed QueuePhase = "QueueFailed"
)
`, want: crateTypes + `-- api/v1/phase.go --
package v1

// CratePhase is the phase of a Crate.
// +kubebuilder:validation:Enum=QueueReady;QueueFailed
// +kubebuilder:default=QueueReady
type CratePhase string

const (
	CrateReady  CratePhase = "QueueReady"
	CrateFailed CratePhase = "QueueFailed"
)
`}})
}

// What the package of the API says of the condition of a kind of one word is about it.
func TestConditionOfOneWord(t *testing.T) {
	runTrees(t, queue, []treeCase{
		{name: "a condition in the package of the API", rules: []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}}, extra: true, in: `-- api/v1/conditions.go --
package v1

// QueueReady is a condition, QueueLength is none.
const QueueReady, QueueLength = "Ready", 1
`, want: `-- api/v1/conditions.go --
package v1

// CrateReady is a condition, QueueLength is none.
const CrateReady, QueueLength = "Ready", 1
`},
	})
}
