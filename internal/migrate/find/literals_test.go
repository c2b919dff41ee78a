package find

import "testing"

// What a string in Go is, and what the strings around it tell of it.
func TestLiteralsInGo(t *testing.T) { reads(t, literalsInGoRead) }

var literalsInGoRead = []reading{
	{"fields of a literal", "a.go", `
package a

var gvk = schema.GroupVersionKind{
	Group:   "old.example.com",
	Version: "v1",
	Kind:    "Apple",
}
`, `
4:12 literal old.example.com of v1 Apple with v1 with Apple
`},
	{"hosts that are put together", "a.go", `
package a

var a = Route{Fqdn: class + "-" + "figs.old.example.com", Kind: class + "figs.old.example.com"}
var b = envoy.VirtualHost("figs.old.example.com", r)
var c = envoy.Resource("figs.old.example.com", r)
`, `
3:36 host-name figs.old.example.com
3:74 perhaps-resource figs.old.example.com of figs
4:28 host-name figs.old.example.com
5:25 perhaps-resource figs.old.example.com of figs
`},
	{"names that are filled in before the group", "a.go", `
package a

var names = []string{
	fmt.Sprintf("%s.%s", name, "old.example.com"),
	fmt.Sprintf("%s.%s.svc", name, "old.example.com"),
	fmt.Sprintf("%[2]s.%[1]s", "old.example.com", host()),
	fmt.Sprintf("https://%s.%s/x", host, "old.example.com"),
	fmt.Sprintf("%s@%s", who, "old.example.com"),
	name + "." + "old.example.com",
	hosts[i] + "." + "old.example.com" + ".svc",
	strings.Join([]string{name, "old.example.com"}, "."),
	fmt.Sprintf("%s.%s.svc", "things", "old.example.com"),

	fmt.Sprintf("%s.%s", crd.Spec.Names.Plural, "old.example.com"),
	fmt.Sprintf("kubectl get %s.%s", x, "old.example.com"),
	fmt.Sprintf("%s.%s.yaml", "things", "old.example.com"),
	resource + "." + "old.example.com",
}
var crdName = fmt.Sprintf("%s.%s", name, "old.example.com")
`, `
4:30 doubt old.example.com
5:34 doubt old.example.com
6:30 doubt old.example.com
7:40 doubt old.example.com
8:29 doubt old.example.com
9:16 doubt old.example.com
10:20 doubt old.example.com
11:31 doubt old.example.com
12:38 doubt old.example.com
14:47 literal old.example.com
15:39 literal old.example.com
16:39 literal old.example.com
17:20 literal old.example.com
19:43 literal old.example.com
`},
	{"fields by their places", "a.go", `
package a

var gvr = schema.GroupVersionResource{"old.example.com", "v1", "apples"}
var gk = schema.GroupKind{"old.example.com", "Apple"}
`, `
3:40 literal old.example.com of v1 apples with v1 with apples
4:28 literal old.example.com of Apple with Apple
`},
	{"conditions one after the other", "a.go", `
package a

func f() {
	if gk.Group == "old.example.com" && gk.Kind == "Cherry" {
	}
	if gk.Kind == "Apple" && gk.Group == "old.example.com" {
	}
	if gk.Group == "old.example.com" && gk.Kind == "Apple" || gk.Group == "old.example.com" && gk.Kind == "Cherry" {
	}
}
`, `
4:18 literal old.example.com of Cherry with Cherry
6:40 literal old.example.com of Apple with Apple
8:18 literal old.example.com of Apple with Apple
8:73 literal old.example.com of Cherry with Cherry
`},
	{"assignments one after the other", "a.go", `
package a

func f() {
	a.Group = "old.example.com"
	a.Kind = "Cherry"
	b.Group = "old.example.com"
	b.Kind = "Apple"
}
`, `
4:13 literal old.example.com of Cherry with Cherry
6:13 literal old.example.com of Apple with Apple
`},
	{"entries one after the other", "a.py", `
KINDS = {"Cherry": "old.example.com", "Apple": "old.example.com"}
`, `
1:21 literal old.example.com loose Cherry Apple
1:49 literal old.example.com loose Apple
`},
	{"a resource and its subresources", "a.go", `
package a

var a = NewRule("get").Groups("old.example.com").Resources("apples", "apples/status", "cherries/status")
`, `
3:32 literal old.example.com of apples with apples with apples apart apples apples/status cherries/status
`},
	{"constants side by side", "a.go", `
package a

const (
	Group   = "old.example.com"
	Version = "v1"
	Kind    = "Apple"
	Plural  = "apples"
)
`, `
4:13 literal old.example.com of v1 Apple apples with v1 with Apple with apples
`},
	{"a version some lines below", "a.go", `
package a

const Group = "old.example.com"

const a = 1
const b = 2
const c = 3

const Version = "v1"
`, `
3:16 literal old.example.com of v1 with v1
`},
	{"a call behind a literal", "a.go", `
package a

var gvk = schema.GroupVersion{Group: "old.example.com", Version: "v1"}.WithKind("Apple")
var gvr = schema.GroupVersion{Group: "old.example.com", Version: "v1"}.WithResource("apples")
`, `
3:39 literal old.example.com of v1 Apple with v1 with Apple
4:39 literal old.example.com of v1 apples with v1 with apples apart apples
`},
	{"an object that is made by calls", "a.go", `
package a

func f(u *unstructured.Unstructured) {
	u.SetAPIVersion("old.example.com/v1")
	u.SetKind("Apple")
	other.SetKind("Cherry")
}
`, `
4:19 literal old.example.com/v1 of Apple with Apple
`},
	{"a group joined to its version", "a.go", `
package a

var a = "old.example.com" + "/" + "v1"
var b = "old.example.com/" + "v1"
var c = "old.example.com/" + Version
var d = "apples." + "old.example.com"
var e = "apples" + "." + "old.example.com"
`, `
3:10 literal old.example.com of v1 with v1
4:10 literal old.example.com of v1 with v1
5:10 literal old.example.com loose v1
6:22 literal old.example.com of apples with apples
7:27 literal old.example.com of apples with apples
`},
	{"a head of versions that is compared", "a.go", `
package a

func f(o Object) bool {
	return strings.HasPrefix(o.APIVersion, "old.example.com/") || strings.HasPrefix(o.Name, "old.example.com/")
}
`, `
4:42 literal old.example.com
4:91 key old.example.com
`},
	{"rules of permissions", "a.go", `
package a

var rules = []rbacv1.PolicyRule{{
	APIGroups: []string{"old.example.com"},
	Resources: []string{"apples", "cherries/status"},
	Verbs:     []string{"get"},
}, {
	Resources: []string{"secrets"},
	APIGroups: []string{""},
}}
`, `
4:23 literal old.example.com apart apples cherries/status
`},
	{"labels, annotations and finalizers", "a.go", `
package a

var m = map[string]string{"old.example.com/name": "x", "old.example.com": "y"}

func f(o client.Object) {
	o.GetLabels()["old.example.com/name"] = "x"
	controllerutil.AddFinalizer(o, "old.example.com/finalizer")
	o.Annotations["apple.old.example.com"] = "y"
}
`, `
3:28 key old.example.com/name
3:57 key-of-map old.example.com
6:17 map-key old.example.com/name
7:34 key old.example.com/finalizer
8:17 map-key apple.old.example.com
`},
	{"names of other things", "a.go", `
package a

const (
	Host           = "old.example.com"
	ImageRegistry  = "old.example.com"
	FieldOwner     = "old.example.com"
	ControllerName = "old.example.com/controller"
	Maintainer     = "me@old.example.com"
	URL            = "https://old.example.com/docs"
	UserAgent      = "old.example.com"
)
`, `
4:20 host-name old.example.com
5:20 named-other old.example.com
6:20 agreed-name old.example.com
7:20 key old.example.com/controller
8:23 email old.example.com
9:28 host old.example.com
10:20 named-other old.example.com
`},
	{"conditions", "a.go", `
package a

var c = metav1.Condition{Type: "old.example.com/Ready", Status: "True"}
const ConditionStored = "old.example.com/Stored"
`, `
3:33 condition old.example.com/Ready
4:26 condition old.example.com/Stored
`},
	{"names of webhooks", "a.go", `
package a

const appleWebhookName = "apple.old.example.com"
var hooks = []Hook{{Name: "mutate.old.example.com"}}
`, `
3:27 webhook-name apple.old.example.com
4:28 perhaps-resource mutate.old.example.com of mutate
`},
	{"imports and modules", "a.go", `
package a

import (
	v1 "old.example.com/v1"
	"example.dev/old.example.com/v1"
)

import "old.example.com/v1/apple"

const Module = "old.example.com/v1"
`, `
4:6 import old.example.com/v1
5:15 import old.example.com/v1
8:9 import old.example.com/v1
10:17 module-path old.example.com/v1
`},
	{"a manifest in a raw string", "a.go", `
package a

var in = ‵
apiVersion: old.example.com/v1
kind: Apple
metadata:
  labels:
    old.example.com/name: x
‵
`, `
4:13 api-version old.example.com/v1 of Apple with Apple
8:5 yaml-key old.example.com/name
`},
	{"JSON in a quoted string", "a.go", `
package a

var in = "{\"apiVersion\":\"old.example.com/v1\",\"kind\":\"Apple\"}"
`, `
3:29 api-version old.example.com/v1 of Apple with Apple
`},
	{"words in a string", "a.go", `
package a

var err = errors.New("no kind Apple in old.example.com/v1")
var path = "/apis/old.example.com/v1/namespaces/default/apples"
var cmd = "kubectl get apples.old.example.com -n x"
`, `
3:40 said-version old.example.com/v1
4:19 rest-path old.example.com/v1 of apples with apples
5:24 resource apples.old.example.com
`},
	{"arguments for kubectl in a list", "a.go", `
package a

var args = []string{"get", "deployment/x", "apple.old.example.com/y"}
var other = []string{"get", "apple.old.example.com/y"}
`, `
3:45 argument apple.old.example.com/y of apple
4:30 key apple.old.example.com/y
`},
	{"a package that is a version", "a.go", `
package v1

const Group = "old.example.com"
const Ref = "old.example.com/v1"
`, `
3:16 literal old.example.com in v1
4:14 literal old.example.com/v1 in v1
`},
	{"comments", "a.go", `
package a

// The group old.example.com/v1 has apples.old.example.com, see https://old.example.com/docs.
// +groupName=old.example.com
// +kubebuilder:rbac:groups=old.example.com,resources=apples,verbs=get;list
func f() {} // old.example.com/v1

// An example:
//
//	apiVersion: old.example.com/v1
//	kind: Apple
//	spec: {}
`, `
3:14 said-version old.example.com/v1
3:37 resource apples.old.example.com
3:73 host old.example.com
4:15 marker old.example.com
5:29 marker old.example.com
6:16 said-version old.example.com/v1
10:16 api-version old.example.com/v1 of Apple with Apple
`},
	{"a policy of CEL", "a.go", `
package a

var rule = "request.resource.group == 'old.example.com' && request.resource.resource == 'apples'"
`, `
3:40 group old.example.com of apples with apples apart apples
`},
}
