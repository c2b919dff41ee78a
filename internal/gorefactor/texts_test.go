package gorefactor

import (
	"reflect"
	"slices"
	"testing"
)

// Words outside of Go: what a kind of several words changes, and what it does not.
func TestTexts(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "documents, history, both names on a line", rules: gadget, extra: true, in: `-- README.md --
A WidgetSet, kubectl get widgetsets, widget-set.
WidgetSet is now GadgetGroup.
The Widget Set.
-- CHANGELOG.md --
WidgetSet is new.
-- docs/release-notes/1.md --
WidgetSet is new.
-- install/v1.2.0-rc1/all.yaml --
kind: WidgetSet
-- docs/upgrade-command/all.yaml --
kind: WidgetSet
`, want: `-- README.md --
A GadgetGroup, kubectl get gadgetgroups, gadget-group.
WidgetSet is now GadgetGroup.
The Widget Set.
-- CHANGELOG.md --
WidgetSet is new.
-- docs/release-notes/1.md --
WidgetSet is new.
-- install/v1.2.0-rc1/all.yaml --
kind: WidgetSet
-- docs/upgrade-command/all.yaml --
kind: GadgetGroup
`},
		{name: "a comment begins with the name of a field or function that is not changed", rules: gadget, extra: true, in: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

type Options struct {
	// WidgetSets are those of a WidgetSet.
	WidgetSets []v1alpha1.WidgetSet ` + "`json:\"widgetSets\"`" + `
}
`, want: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

type Options struct {
	// WidgetSets are those of a GadgetGroup.
	WidgetSets []v1alpha1.GadgetGroup ` + "`json:\"widgetSets\"`" + `
}
`},
		{name: "fields and values of other APIs with the kind behind another word, and a function that is renamed", rules: gadget, extra: true, in: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

func newWidgetSet() {
	var cloudWidgetSet v1alpha1.WidgetSet
	use(cloudWidgetSet, "cloudWidgetSet", "newWidgetSet fails")
}
-- a.md --
Set spec.backup.cloudWidgetSet, with --method=cloudWidgetSet; newWidgetSet makes a WidgetSet.
`, want: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

func newGadgetGroup() {
	var cloudGadgetGroup v1alpha1.GadgetGroup
	use(cloudGadgetGroup, "cloudWidgetSet", "newGadgetGroup fails")
}
-- a.md --
Set spec.backup.cloudWidgetSet, with --method=cloudWidgetSet; newGadgetGroup makes a GadgetGroup.
`},
		{name: "owners of fields, leases, released images and names of fields for reflect stay", rules: gadget, extra: true, in: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

type Holder struct {
	WidgetSetRef string ` + "`json:\"widgetSetRef\"`" + `
	Set          v1alpha1.WidgetSet
}

func main() {
	fieldOwner := sprintf("%s/widgetset-controller", "x")
	apply(fieldOwner, client.FieldOwner("widgetset"), Options{LeaderElectionID: "widgetset.lock"})
	check(map[string]string{v1alpha1.NameLabel: "widgetset-a"}, Options{NoteAnnotation: "a WidgetSet"})
	field(Holder{}, "WidgetSetRef", "WidgetSet")
}
-- a.yaml --
image: example/widgetset-controller:v1.2.3
name: widgetset-controller
-- b.yaml --
widgetSetRef:
  description: WidgetSetRef is the name of a WidgetSet
`, want: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

type Holder struct {
	WidgetSetRef string ` + "`json:\"widgetSetRef\"`" + `
	Set          v1alpha1.GadgetGroup
}

func main() {
	fieldOwner := sprintf("%s/widgetset-controller", "x")
	apply(fieldOwner, client.FieldOwner("widgetset"), Options{LeaderElectionID: "widgetset.lock"})
	check(map[string]string{v1alpha1.NameLabel: "gadgetgroup-a"}, Options{NoteAnnotation: "a GadgetGroup"})
	field(Holder{}, "WidgetSetRef", "GadgetGroup")
}
-- a.yaml --
image: example/widgetset-controller:v1.2.3
name: widgetset-controller
-- b.yaml --
widgetSetRef:
  description: WidgetSetRef is the name of a GadgetGroup
`},
		{name: "variables of the environment are named alike, and images without their tag stay", rules: gadget, extra: true, in: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

type Env struct {
	Image v1alpha1.WidgetSet ` + "`env:\"IMAGE_WIDGETSET,required\" json:\"widgetSetImage\"`" + `
	Size  int                ` + "`env:\"WIDGET_SET_SIZE\"`" + `
}

var size = os.Getenv("WIDGET_SET_SIZE")
-- Makefile --
IMAGE_WIDGETSET ?= example/widgetset
WIDGET_SET_SIZE ?= 1
-- a.yaml --
repository: example/widgetset
tag: v1.2.3
name: IMAGE_WIDGETSET
`, want: `-- main.go --
package main

import "example.com/widgets/api/v1alpha1"

type Env struct {
	Image v1alpha1.GadgetGroup ` + "`env:\"IMAGE_WIDGETSET,required\" json:\"widgetSetImage\"`" + `
	Size  int                  ` + "`env:\"GADGET_GROUP_SIZE\"`" + `
}

var size = os.Getenv("GADGET_GROUP_SIZE")
-- Makefile --
IMAGE_WIDGETSET ?= example/widgetset
GADGET_GROUP_SIZE ?= 1
-- a.yaml --
repository: example/widgetset
tag: v1.2.3
name: IMAGE_WIDGETSET
`},
		{name: "the folder of a module and the keys of structs stay", rules: gadget, extra: true, in: `-- sdk/widgetset/config/go.mod --
module example.com/widgets/sdk/widgetset/config
-- sdk/widgetset/config/a.go --
package config

// A Holder has widgetSet.
type Holder struct {
	WidgetSet string ` + "`json:\"widgetSet\"`" + `
}
-- go.work --
use ./sdk/widgetset/config
-- a.yaml --
widgetSet: {kind: WidgetSet}
`, want: `-- sdk/widgetset/config/go.mod --
module example.com/widgets/sdk/widgetset/config
-- sdk/widgetset/config/a.go --
package config

// A Holder has widgetSet.
type Holder struct {
	WidgetSet string ` + "`json:\"widgetSet\"`" + `
}
-- go.work --
use ./sdk/widgetset/config
-- a.yaml --
widgetSet: {kind: GadgetGroup}
`},
		{name: "separated spellings in YAML values are not changed, but those of files are", rules: gadget, extra: true, in: `-- config/a.yaml --
kind: WidgetSet
metadata:
  name: my-widget-set # a widget-set
-- config/b.yaml.tmpl --
kind: WidgetSet
metadata:
  name: widget-set-{{.Name}}
-- config/widget-set.yaml --
kind: Other
-- config/kustomization.yaml --
resources:
- widget-set.yaml
- widgets.example.com_widgetsets.yaml
`, want: `-- config/a.yaml --
kind: GadgetGroup
metadata:
  name: my-widget-set # a widget-set
-- config/b.yaml.tmpl --
kind: GadgetGroup
metadata:
  name: widget-set-{{.Name}}
-- config/gadget-group.yaml --
kind: Other
-- config/kustomization.yaml --
resources:
- gadget-group.yaml
- widgets.example.com_gadgetgroups.yaml
`},
		{name: "what users and stored objects have is not changed: values of a chart, a finalizer, names made of that of an object", rules: gadget, extra: true, in: `-- main.go --
package main

const widgetSetFinalizer = "widgetSetFinalizer"
-- chart/Chart.yaml --
name: chart
-- chart/values.yaml --
widgetSet:
  name: widget-set
a:
  widgetset: {on: true}
-- chart/values.schema.json --
{"properties": {"widgetset": {}}}
-- chart/templates/a.yaml --
name: {{ .Values.widgetSet.name }}{{ .Values.a.widgetset.on }}
widgetSets: 1
a: a widgetset
-- a.md --
--set widgetSet.name=x runs widget-set-0, a widget-set-x, --set a.widgetset=y --set widgetset[0]=z --set widgetset.on=x.
| widgetset | x |
A widgetset.
`, want: `-- main.go --
package main

const gadgetGroupFinalizer = "widgetSetFinalizer"
-- chart/templates/a.yaml --
name: {{ .Values.widgetSet.name }}{{ .Values.a.widgetset.on }}
gadgetGroups: 1
a: a gadgetgroup
`},
		{name: "names in YAML and JSON are not changed, and so are those of code, scripts and documents", rules: gadget, extra: true, in: `-- main.go --
package main

// widget-set-only is a comment.
func main() { println("enable-widget-set", "widget_set") }
-- deploy.yaml --
name: widget-set-agent
args: [--enable-widget-set, --enable-widget-sets]
-- other.yaml --
my-widget-set-only: widget_set
name: widget-set-only
-- run.sh --
kubectl logs deploy/widget-set-agent-x pod/widget-set-agent-1 widget-set-only
-- a.md --
A widget-set has a widget_set, as [another](#another-widget-set) has.
# Another widget set
`, want: `-- main.go --
package main

// widget-set-only is a comment.
func main() { println("enable-widget-set", "widget_set") }
-- run.sh --
kubectl logs deploy/gadget-group-agent-x pod/widget-set-agent-1 widget-set-only
-- a.md --
A gadget-group has a widget_set, as [another](#another-widget-set) has.
# Another widget set
`},
		{name: "names that running clusters have are not changed", rules: gadget, extra: true, in: `-- main.go --
package main

var log = logger.WithName("controller_widgetset")

func main() {
	println("current_widgetset", "my-widgetset", "api/widgetset_types.go")
	printf("widgetset-%s", name)
	println(name + "_widgetset")
	gauge(prometheus.GaugeOpts{Namespace: "widgetset", Name: "ready"}, prometheus.GaugeOpts{Namespace: "app", Name: "widgetset_ready"})
}
-- main_test.go --
package main

const want, fixture = "widgetset-one-widgetset", "other_widgetset"
-- alerts.yaml --
expr: current_widgetset + widgetset_ready + app_widgetset_ready + current_widgetset_total > 0
name: widgetset-one
`, want: `-- main.go --
package main

var log = logger.WithName("controller_gadgetgroup")

func main() {
	println("current_widgetset", "my-gadgetgroup", "api/gadgetgroup_types.go")
	printf("widgetset-%s", name)
	println(name + "_widgetset")
	gauge(prometheus.GaugeOpts{Namespace: "widgetset", Name: "ready"}, prometheus.GaugeOpts{Namespace: "app", Name: "widgetset_ready"})
}
-- main_test.go --
package main

const want, fixture = "widgetset-one-widgetset", "other_widgetset"
-- alerts.yaml --
expr: current_widgetset + widgetset_ready + app_widgetset_ready + current_widgetset_total > 0
name: gadgetgroup-one
`, review: []string{"run-time-name main.go"}},
		{name: "names of feature gates", rules: gadget, extra: true, in: `-- gates.go --
package main

const (
	// WidgetSetHash is a gate of a WidgetSet.
	WidgetSetHash featuregate.Feature = "WidgetSetHash"
	WidgetSet     featuregate.Feature = "WidgetSet"

	WidgetSetOther = "WidgetSetOther"
	otherWidgetSet = "OtherWidgetSet"
)

var gates = map[featuregate.Feature]featuregate.FeatureSpec{
	otherWidgetSet: {}, "HashWidgetSet": {},
}

func main() {
	flag.IntVar(&x, "widget-set-workers", 1, "Workers of a WidgetSet.")
	pflag.Bool("fast-widgetset", true, "Fast.")
	flags.StringVar(y, "widget-set", "", "A WidgetSet.")
}
-- README.md --
Set --widget-set-workers, --fast-widgetset=false, --widget-set; see a widget-set.
-- run.yaml --
args: [--feature-gates=WidgetSetHash=true,OtherWidgetSet=true,HashWidgetSet=true,WidgetSet=true]
featureGates: {WidgetSetOther: true, WidgetSet: false}
kind: WidgetSet
`, want: `-- gates.go --
package main

const (
	// WidgetSetHash is a gate of a GadgetGroup.
	WidgetSetHash featuregate.Feature = "WidgetSetHash"
	WidgetSet     featuregate.Feature = "WidgetSet"

	GadgetGroupOther = "GadgetGroupOther"
	otherWidgetSet   = "OtherWidgetSet"
)

var gates = map[featuregate.Feature]featuregate.FeatureSpec{
	otherWidgetSet: {}, "HashWidgetSet": {},
}

func main() {
	flag.IntVar(&x, "widget-set-workers", 1, "Workers of a GadgetGroup.")
	pflag.Bool("fast-widgetset", true, "Fast.")
	flags.StringVar(y, "widget-set", "", "A GadgetGroup.")
}
-- README.md --
Set --widget-set-workers, --fast-widgetset=false, --widget-set; see a gadget-group.
-- run.yaml --
args: [--feature-gates=WidgetSetHash=true,OtherWidgetSet=true,HashWidgetSet=true,WidgetSet=true]
featureGates: {GadgetGroupOther: true, WidgetSet: false}
kind: GadgetGroup
`, review: slices.Repeat([]string{"feature-gate gates.go"}, 7)},
		{name: "the keys of a chart are Helm's", rules: gadget, extra: true, in: `-- chart/Chart.yaml --
widgetSet: 1
-- chart/templates/a.yaml --
a: {{ .Chart.WidgetSet }} # of a WidgetSet
`, want: `-- chart/templates/a.yaml --
a: {{ .Chart.WidgetSet }} # of a GadgetGroup
`},
		{name: "the article before a name, and pictures", rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "ObjectGroup"}}, extra: true, in: `-- README.md --
A WidgetSet, or a ` + "`WidgetSet`" + `, is not the WidgetSet, but a big one. ![A widgetset](img/widgetset.png)
-- a.go --
package a

// Make makes an a WidgetSet, not extra-a WidgetSet.
func Make() {}
`, want: `-- README.md --
An ObjectGroup, or an ` + "`ObjectGroup`" + `, is not the ObjectGroup, but a big one. ![An objectgroup](img/widgetset.png)
-- a.go --
package a

// Make makes an an ObjectGroup, not extra-a ObjectGroup.
func Make() {}
`},
		{name: "the article before an h", rules: []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "HostedSet"}}, extra: true, in: `-- README.md --
Neither a WidgetSet nor an WidgetSet.
`, want: `-- README.md --
Neither a HostedSet nor a HostedSet.
`},
		{name: "a folder keeps separators, and so does what leads to it", rules: gadget, extra: true, in: `-- docs/widget-set/nav.md --
A WidgetSet.
-- docs/site.yaml --
nav: docs/widget-set/nav.md
-- docs/index.md --
See widget-set/nav.md.
-- pkg/widget-set/a.go --
package set
-- pkg/widget-set/testdata/a.yaml --
kind: WidgetSet
`, want: `-- docs/widget-set/nav.md --
A GadgetGroup.
-- docs/site.yaml --
nav: docs/widget-set/nav.md
-- docs/index.md --
See widget-set/nav.md.
-- pkg/widget-set/testdata/a.yaml --
kind: GadgetGroup
`},
		{name: "locks, modules and binary files", rules: gadget, in: "-- go.sum --\nwidgetset\n-- sub/go.mod --\nmodule example.com/widgetset\n-- a.bin --\n\x00WidgetSet\n-- vendor/x/widgetset.go --\npackage x\n\nvar WidgetSet int\n", want: gadgetTypes},
		{name: "strings of Go, but not tags and imports", rules: gadget, extra: true, in: `-- a/a.go --
package a

import _ "example.com/other/widgetset"

// widgetSets of a WidgetSet.
type a struct {
	b string ` + "`json:\"widgetSets\"`" + `
}

const c, d = "a WidgetSet", ` + "`" + `
{{ .WidgetSet }}
` + "`" + `
`, want: `-- a/a.go --
package a

import _ "example.com/other/widgetset"

// widgetSets of a GadgetGroup.
type a struct {
	b string ` + "`json:\"widgetSets\"`" + `
}

const c, d = "a GadgetGroup", ` + "`" + `
{{ .GadgetGroup }}
` + "`" + `
`},
	})
}

func TestGeneratedFilesAreListedInOrder(t *testing.T) {
	before := world(group + `-- api/v1alpha1/zz_generated.deepcopy.go --
// Code generated by controller-gen. DO NOT EDIT.

package v1alpha1

func (w *WidgetSet) DeepCopy() *WidgetSet { return w }
-- a/bindata.go --
// Code generated by go-bindata. (@generated)

package a

var widgetset_yaml = "kind: WidgetSet"
-- client/widgetset.go --
// Code generated by client-gen. DO NOT EDIT.

package client

type widgetSets struct{}
-- client/informer.go --
// This file was autogenerated by informer-gen. Do not edit it manually!

package client

func WidgetSets() {}
-- hand.go --
package hand

func WidgetSets() {}
-- PROJECT --
# Code generated by tool. DO NOT EDIT.
resources:
- kind: WidgetSet
`)
	_, p := plan(t, before, gadget)
	want := []Generated{
		{"api/v1alpha1/zz_generated.deepcopy.go", "controller-gen"},
		{"client/widgetset.go", "client-gen"},
		{"client/informer.go", "informer-gen"},
		{"a/bindata.go", "go-bindata"},
	}
	if !reflect.DeepEqual(p.Generated, want) {
		t.Errorf("got %v, want %v", p.Generated, want)
	}
}

// The plan of a tree is the same on every run.
func TestPlanIsStable(t *testing.T) {
	tree := world(group + "-- a/widgetset.go --\npackage a\n\nimport \"example.com/widgets/api/v1alpha1\"\n\nvar widgetSet, WidgetSets = v1alpha1.WidgetSet{}, 1\n-- b.md --\nWidgetSet v1alpha1\n")
	rules := append(slices.Clone(gadget), promote...)
	_, first := plan(t, tree, rules)
	for range 5 {
		if _, again := plan(t, tree, rules); !reflect.DeepEqual(again, first) {
			t.Fatalf("the plan is %+v, then %+v", first, again)
		}
	}
}
