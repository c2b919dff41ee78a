package gorefactor

import "testing"

// queue is a tree with the kind Queue, and with queues that are something else.
const queue = `-- go.mod --
module example.com/q

go 1.24
-- api/v1/queue_types.go --
// +groupName=q.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// QueueSpec is the spec of a Queue. A queue is not always a Queue.
type QueueSpec struct {
	QueueName string ` + "`json:\"queueName\"`" + `
}

// Queue is the Schema for the queues API.
type Queue struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec QueueSpec
}

type QueueList struct {
	metav1.TypeMeta
	Items []Queue
}
-- README.md --
A Queue is a queue.
`

const crateTypes = `-- api/v1/crate_types.go --
// +groupName=q.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CrateSpec is the spec of a Crate. A queue is not always a Crate.
type CrateSpec struct {
	QueueName string ` + "`json:\"queueName\"`" + `
}

// Crate is the Schema for the crates API.
type Crate struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec CrateSpec
}

type CrateList struct {
	metav1.TypeMeta
	Items []Crate
}
`

// A kind of one word: objects decide, prose does not change.
func TestKindOfOneWord(t *testing.T) {
	crate := []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "Crate"}}
	runTrees(t, queue, []treeCase{
		{name: "types, file, doc comments", rules: crate, want: crateTypes},
		{name: "the folder of a controller, where it uses the API", rules: crate, extra: true, in: `-- main.go --
package main

import "example.com/q/pkg/reconciler/queue"

var _ = queue.QueueName(1, "")
-- Makefile --
test:
	go test ./pkg/reconciler/queue/... ./client/queue
-- pkg/reconciler/queue/names_test.go --
package queue_test
-- pkg/reconciler/queue/names.go --
package queue

import v1 "example.com/q/api/v1"

// QueueName is a name.
func QueueName(queueID int, workQueue string) string { _ = v1.Queue{}; return workQueue }
-- controllers/queue/b.go --
package queue

func QueueName(queueID int) {}
-- client/queue/b.go --
package queue

import v1 "example.com/q/api/v1"

var _ = v1.Queue{}

func QueueName(queueID int) {}
`, want: `-- main.go --
package main

import "example.com/q/pkg/reconciler/crate"

var _ = crate.CrateName(1, "")
-- Makefile --
test:
	go test ./pkg/reconciler/crate/... ./client/queue
-- pkg/reconciler/crate/names_test.go --
package crate_test
-- pkg/reconciler/crate/names.go --
package crate

import v1 "example.com/q/api/v1"

// CrateName is a name.
func CrateName(crateID int, workQueue string) string { _ = v1.Crate{}; return workQueue }
-- client/queue/b.go --
package queue

import v1 "example.com/q/api/v1"

var _ = v1.Crate{}

func QueueName(queueID int) {}
`},
		{name: "what is made of the type, and what only has the word", rules: crate, extra: true, in: `-- a/queue_controller.go --
package a

import v1 "example.com/q/api/v1"

// QueueReconciler reconciles a Queue.
type QueueReconciler struct{ queue []string }

func (r *QueueReconciler) Reconcile(q *v1.Queue) {
	r.queue = append(r.queue, q.Spec.QueueName)
}

// NewQueueReconciler makes a QueueReconciler.
func NewQueueReconciler() *QueueReconciler { return &QueueReconciler{} }

type workQueue struct{ Queue string }

func (w workQueue) AddQueue(queue string) {}

func use(queues v1.QueueList, queueName string) {
	for _, queue := range queues.Items {
		workQueue{Queue: queue.Spec.QueueName}.AddQueue(queueName)
	}
}
-- b/b.go --
package b

// See NewQueueReconciler.
`, want: `-- a/crate_controller.go --
package a

import v1 "example.com/q/api/v1"

// CrateReconciler reconciles a Crate.
type CrateReconciler struct{ queue []string }

func (r *CrateReconciler) Reconcile(q *v1.Crate) {
	r.queue = append(r.queue, q.Spec.QueueName)
}

// NewCrateReconciler makes a CrateReconciler.
func NewCrateReconciler() *CrateReconciler { return &CrateReconciler{} }

type workQueue struct{ Queue string }

func (w workQueue) AddQueue(queue string) {}

func use(crates v1.CrateList, queueName string) {
	for _, crate := range crates.Items {
		workQueue{Queue: crate.Spec.QueueName}.AddQueue(queueName)
	}
}
-- b/b.go --
package b

// See NewCrateReconciler.
`},
		{name: "a method that is called like the kind", rules: crate, extra: true, in: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type job struct{ of *v1.Queue }

// Queue is where the job waits; a Queue has many.
func (j job) Queue() string { return j.of.Spec.QueueName }
`, want: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type job struct{ of *v1.Crate }

// Queue is where the job waits; a Crate has many.
func (j job) Queue() string { return j.of.Spec.QueueName }
`},
		{name: "a name that another package has too", rules: crate, extra: true, in: `-- api/v1/phase.go --
package v1

type QueuePhase string

// QueuePaused is said of a queue that waits.
const QueuePaused QueuePhase = "Paused"

// Ready is not QueuePaused.
func (q *Queue) Ready() {}
-- other/other.go --
package other

// QueuePaused is something else.
const QueuePaused = 1
`, want: `-- api/v1/phase.go --
package v1

type CratePhase string

// CratePaused is said of a queue that waits.
const CratePaused CratePhase = "Paused"

// Ready is not CratePaused.
func (q *Crate) Ready() {}
`},
		{name: "descriptions that are doc comments", rules: crate, extra: true, in: `-- config/crd.yaml --
kind: CustomResourceDefinition
spec:
  names:
    kind: Queue
  schema:
    description: Queue is the Schema for the queues API
    spec:
      description: |-
        QueueSpec is the spec of a Queue. A queue is not
        always a Queue.
      name:
        description: the Queue that it takes
---
kind: CustomResourceDefinition
spec:
  names:
    kind: Other
  schema:
    description: Queue is another
`, want: `-- config/crd.yaml --
kind: CustomResourceDefinition
spec:
  names:
    kind: Queue
  schema:
    description: Crate is the Schema for the crates API
    spec:
      description: |-
        CrateSpec is the spec of a Crate. A queue is not
        always a Crate.
      name:
        description: the Crate that it takes
---
kind: CustomResourceDefinition
spec:
  names:
    kind: Other
  schema:
    description: Queue is another
`},
		{name: "a kind that is code in a document, and the controller of a log", rules: crate, extra: true, in: `-- docs/a.md --
# The ` + "`Queue`" + ` resource
A ` + "`Queue`" + `, two ` + "`Queue`s, `Queue.status`, `Queues`, `Queue a`, [`QueueSpec`](#queuespec)" + `. A Queue.
-- a.proto --
message QueueSpec {}
-- a.txt --
A ` + "`Queue`" + `
-- a/a.go --
package a

func start() {
	log.Error(nil, "unable to create", "controller", "Queue", "name", "Queue")
	log.Error(nil, "unable to create", "webhook", "Queue")
}
`, want: `-- docs/a.md --
# The ` + "`Queue`" + ` resource
A ` + "`Crate`" + `, two ` + "`Crate`s, `Crate.status`, `Crates`, `Queue a`, [`CrateSpec`](#cratespec)" + `. A Queue.
-- a.proto --
message QueueSpec {}
-- a.txt --
A ` + "`Queue`" + `
-- a/a.go --
package a

func start() {
	log.Error(nil, "unable to create", "controller", "Crate", "name", "Queue")
	log.Error(nil, "unable to create", "webhook", "Crate")
}
`},
		{name: "a kind that every cluster has is no code in a document", rules: []Rule{{Group: "q.example.com", Kind: "Service", ToKind: "Crate"}}, extra: true, in: `-- api/v1/service_types.go --
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
A ` + "`Service`" + `
`, want: `-- api/v1/crate_types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Crate struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type CrateList struct {
	metav1.TypeMeta
	Items []Crate
}
-- docs/a.md --
A ` + "`Service`" + `
`},
		{name: "a kind that another API has too is no code in a document", rules: crate, extra: true, in: `-- api/other/v1/types.go --
// +groupName=other.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Queue struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

type QueueList struct {
	metav1.TypeMeta
	Items []Queue
}
-- docs/a.md --
A ` + "`Queue`" + `
-- a/a.go --
package a

func start() { log.Error(nil, "", "controller", "Queue") }
`},
		{name: "a field keeps the name of its key", rules: crate, extra: true, in: `-- api/v1/other.go --
package v1

type Pipeline struct {
	MainQueue *QueueSpec ` + "`json:\"mainQueue,omitempty\"`" + `
	SideQueue QueueSpec
}
`, want: `-- api/v1/other.go --
package v1

type Pipeline struct {
	MainQueue *CrateSpec ` + "`json:\"mainQueue,omitempty\"`" + `
	SideCrate CrateSpec
}
`},
		{name: "methods of one name stay together", rules: crate, extra: true, in: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type a struct{}

func (a) GetQueue() *v1.Queue { return nil }
func (a) ListQueue() *v1.Queue { return nil }

type b struct{}

func (b) GetQueue() string { return "" }
`, want: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type a struct{}

func (a) GetQueue() *v1.Crate { return nil }
func (a) ListCrate() *v1.Crate { return nil }

type b struct{}

func (b) GetQueue() string { return "" }
`},
		{name: "kinds and resources next to names of the API", rules: crate, extra: true, in: `-- api/v1/info.go --
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

const (
	GroupName  = "q.example.com"
	APIVersion = GroupName + "/v1"
)

var GroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
-- b/v1/info.go --
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

var GroupVersion = schema.GroupVersion{Group: "tea.example.com", Version: "v1"}
-- a/a.go --
package a

import (
	tea "example.com/q/b/v1"
	v1 "example.com/q/api/v1"
)

var (
	gvr  = v1.GroupVersion.WithResource("queues")
	gvk  = v1.GroupVersion.WithKind("QueueList")
	meta = metav1.TypeMeta{Kind: "Queue", APIVersion: v1.GroupVersion.String()}
	gk   = schema.GroupKind{Group: v1.GroupName, Kind: "Queue"}
	gr   = schema.GroupResource{Group: v1.GroupVersion.Group, Resource: "queues"}
	obj  = map[string]any{"apiVersion": v1.APIVersion, "kind": "Queue", "group": group()}

	leaves = []any{tea.GroupVersion.WithKind("Queue"), metav1.TypeMeta{Kind: "Queue", APIVersion: tea.GroupVersion.String()}, f("Queue"), v1.GroupVersion.WithName("Queue"), T{Group: v1.GroupName, Name: "Queue"}, v1.GroupVersion.WithKind("\x51ueue")}
)
`, want: `-- a/a.go --
package a

import (
	tea "example.com/q/b/v1"
	v1 "example.com/q/api/v1"
)

var (
	gvr  = v1.GroupVersion.WithResource("crates")
	gvk  = v1.GroupVersion.WithKind("CrateList")
	meta = metav1.TypeMeta{Kind: "Crate", APIVersion: v1.GroupVersion.String()}
	gk   = schema.GroupKind{Group: v1.GroupName, Kind: "Crate"}
	gr   = schema.GroupResource{Group: v1.GroupVersion.Group, Resource: "crates"}
	obj  = map[string]any{"apiVersion": v1.APIVersion, "kind": "Crate", "group": group()}

	leaves = []any{tea.GroupVersion.WithKind("Queue"), metav1.TypeMeta{Kind: "Queue", APIVersion: tea.GroupVersion.String()}, f("Queue"), v1.GroupVersion.WithName("Queue"), T{Group: v1.GroupName, Name: "Queue"}, v1.GroupVersion.WithKind("\x51ueue")}
)
`},
		{name: "the plural with a capital in the comment of a scaffold", rules: crate, extra: true, in: `-- api/v1/more.go --
package v1

// Queue is the Schema for the Queues API
type QueueStatus struct{}
`, want: `-- api/v1/more.go --
package v1

// Crate is the Schema for the Crates API
type CrateStatus struct{}
`},
		{name: "a plural that does not begin with its kind", extra: true, rules: []Rule{{Group: "q.example.com", Kind: "Queue", Plural: "lines", ToKind: "Crate"}}, in: `-- api/v1/more.go --
package v1

// Queue is the Schema for the lines API
type QueueStatus struct{}
`, want: `-- api/v1/more.go --
package v1

// Crate is the Schema for the crates API
type CrateStatus struct{}
`},
		{name: "the new name contains the old: local variables are right as they are", extra: true, rules: []Rule{{Group: "q.example.com", Kind: "Queue", ToKind: "LocalQueue"}}, in: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type manager struct{ queues map[string]*v1.Queue }

func (m *manager) addQueue(queue *v1.Queue) { m.queues[queue.Name] = queue }

func queueKey(queue *v1.Queue) string { return queue.Name }

func ListQueues() (queues v1.QueueList) { return }
`, want: `-- a/a.go --
package a

import v1 "example.com/q/api/v1"

type manager struct{ localQueues map[string]*v1.LocalQueue }

func (m *manager) addLocalQueue(queue *v1.LocalQueue) { m.localQueues[queue.Name] = queue }

func queueKey(queue *v1.LocalQueue) string { return queue.Name }

func ListLocalQueues() (queues v1.LocalQueueList) { return }
`},
	})
}
