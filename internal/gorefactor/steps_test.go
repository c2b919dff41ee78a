package gorefactor

import "testing"

// promote steps the version of the tree's API.
var promote = []Rule{{Group: "widgets.example.com", Version: "v1alpha1", ToVersion: "v1"}}

// A version steps with its folder, the imports of it, and what is named after it.
func TestVersionMoves(t *testing.T) {
	runTrees(t, group, []treeCase{
		{name: "an import of a folder in that of the version", rules: promote, extra: true, in: `-- api/v1alpha1/rule/rule.go --
// Package rule is of the API in v1alpha1.
package rule

type Rule struct{}
-- main.go --
package main

import rulev1alpha1 "example.com/widgets/api/v1alpha1/rule"

var _ rulev1alpha1.Rule
`, want: `-- api/v1/rule/rule.go --
// Package rule is of the API in v1.
package rule

type Rule struct{}
-- main.go --
package main

import rulev1 "example.com/widgets/api/v1/rule"

var _ rulev1.Rule
`},
		{name: "package, imports, aliases, comments, literals", rules: promote, extra: true, in: `-- main.go --
package main

import (
	widgetsv1alpha1 "example.com/widgets/api/v1alpha1"
	"example.com/widgets/internal/a"
)

// AddAPI registers widgetsv1alpha1.WidgetSet.
func AddAPI(o *widgetsv1alpha1.WidgetSet) { a.Use(o.Spec, "widgets.example.com/v1alpha1", "apps/v1alpha1") }
-- internal/a/a.go --
package a

import "example.com/widgets/api/v1alpha1"

// Use takes a v1alpha1.WidgetSetSpec of version v1alpha1.
func Use(spec v1alpha1.WidgetSetSpec, names ...string) any {
	return schema.GroupVersionKind{Group: "widgets.example.com", Version: "v1alpha1", Kind: "WidgetSet"}
}
-- old/v1alpha0/convert.go --
package v1alpha0

import "example.com/widgets/api/v1alpha1"

// Of v1alpha1 (v1alpha1), not apps/v1alpha1, of which "v1alpha1" is data.
var Old = []any{v1alpha1.WidgetSet{}, "v1alpha1 "}
-- use/use.go --
package use

import api "example.com/widgets/api/v1alpha1"
import other "k8s.io/other/v1alpha1"

// Of v1alpha1.
var Other, More = api.WidgetSet{}, other.Other{}
-- gen.sh --
client-gen "api:v1alpha0,v1alpha1" other:v1alpha1
-- api/v1alpha1/v1alpha1_suite_test.go --
package v1alpha1_test

import . "example.com/widgets/api/v1alpha1"

var version, key = "v1alpha1", "example.com/original-v1alpha1-spec"
`, want: `-- main.go --
package main

import (
	widgetsv1 "example.com/widgets/api/v1"
	"example.com/widgets/internal/a"
)

// AddAPI registers widgetsv1.WidgetSet.
func AddAPI(o *widgetsv1.WidgetSet) { a.Use(o.Spec, "widgets.example.com/v1", "apps/v1alpha1") }
-- internal/a/a.go --
package a

import "example.com/widgets/api/v1"

// Use takes a v1.WidgetSetSpec of version v1.
func Use(spec v1.WidgetSetSpec, names ...string) any {
	return schema.GroupVersionKind{Group: "widgets.example.com", Version: "v1alpha1", Kind: "WidgetSet"}
}
-- old/v1alpha0/convert.go --
package v1alpha0

import "example.com/widgets/api/v1"

// Of v1 (v1), not apps/v1alpha1, of which "v1" is data.
var Old = []any{v1.WidgetSet{}, "v1alpha1 "}
-- use/use.go --
package use

import api "example.com/widgets/api/v1"
import other "k8s.io/other/v1alpha1"

// Of v1alpha1.
var Other, More = api.WidgetSet{}, other.Other{}
-- gen.sh --
client-gen "api:v1alpha0,v1" other:v1alpha1
-- api/v1/v1alpha1_suite_test.go --
package v1_test

import . "example.com/widgets/api/v1"

var version, key = "v1", "example.com/original-v1alpha1-spec"
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
		{name: "a comment about an upgrade names two versions", rules: promote, extra: true, in: `-- main.go --
package main

import widgets "example.com/widgets/api/v1alpha1"

// Main knows v1alpha1.
// Objects of v1alpha1 are stored as v1beta1; see v1alpha1.WidgetSet.
// +kubebuilder:webhook:name=vwidgetset-v1alpha1.kb.io,admissionReviewVersions=v1beta1
func Main(w widgets.WidgetSet) {}
`, want: `-- main.go --
package main

import widgets "example.com/widgets/api/v1"

// Main knows v1.
// Objects of v1alpha1 are stored as v1beta1; see v1.WidgetSet.
// +kubebuilder:webhook:name=vwidgetset-v1.kb.io,admissionReviewVersions=v1beta1
func Main(w widgets.WidgetSet) {}
`},
		{name: "the new name is taken in a file", rules: promote, extra: true, in: `-- a/a.go --
package a

import (
	"example.com/widgets/api/v1alpha1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{v1alpha1.WidgetSet{}, v1.Pod{}}
-- c/c.go --
package c

import (
	"example.com/widgets/api/v1alpha1"
	widgetsv1alpha1 "example.com/widgets/api/v1alpha1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{v1alpha1.WidgetSet{}, widgetsv1alpha1.WidgetSet{}, v1.Pod{}}
`, want: `-- a/a.go --
package a

import (
	widgetsv1 "example.com/widgets/api/v1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{widgetsv1.WidgetSet{}, v1.Pod{}}
-- c/c.go --
package c

import (
	apiv1 "example.com/widgets/api/v1"
	widgetsv1 "example.com/widgets/api/v1"
	v1 "k8s.io/api/core/v1"
)

var _ = []any{apiv1.WidgetSet{}, widgetsv1.WidgetSet{}, v1.Pod{}}
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

func use(c client.Interface, o others) {
	c.WidgetsV1alpha1().WidgetSets()
	c.OthersV1alpha1()
}

type others struct {
	own   client.Interface
	other *other.Clientset
}

func (o others) use() {
	o.own.WidgetsV1alpha1()
	o.other.WidgetsV1alpha1()
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

func use(c client.Interface, o others) {
	c.WidgetsV1().WidgetSets()
	c.OthersV1alpha1()
}

type others struct {
	own   client.Interface
	other *other.Clientset
}

func (o others) use() {
	o.own.WidgetsV1()
	o.other.WidgetsV1alpha1()
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
-- informers/internalinterfaces/factory.go --
// Code generated by informer-gen. DO NOT EDIT.

package internalinterfaces

import "example.com/widgets/informers/widgets/v1alpha1"

type Factory interface{ Get() v1alpha1.Interface }
-- informers/others/interface.go --
// Code generated by informer-gen. DO NOT EDIT.

package others

import "example.com/widgets/informers/internalinterfaces"

type Interface interface {
	Factory() internalinterfaces.Factory
	V1alpha1() int
}
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
-- informers/internalinterfaces/factory.go --
// Code generated by informer-gen. DO NOT EDIT.

package internalinterfaces

import "example.com/widgets/informers/widgets/v1"

type Factory interface{ Get() v1.Interface }
-- informers/others/interface.go --
// Code generated by informer-gen. DO NOT EDIT.

package others

import "example.com/widgets/informers/internalinterfaces"

type Interface interface {
	Factory() internalinterfaces.Factory
	V1alpha1() int
}
-- a/a.go --
package a

import (
	"example.com/widgets/informers/others"
	"example.com/widgets/informers/widgets"
)

func use(o others.Interface, w widgets.Interface) (int, any) { return o.V1alpha1(), w.V1().WidgetSets() }
`},
	})
}
