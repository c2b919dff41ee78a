package find

import "testing"

// Parts of an API that are named one by one, and which of them belong together.
func TestNamedParts(t *testing.T) { reads(t, namedPartsRead) }

var namedPartsRead = []reading{
	{"environment of a container", "a.yaml", `
env:
- {name: APPLE_GROUP, value: old.example.com}
- {name: APPLE_VERSION, value: v1}
- {name: APPLE_KIND, value: Apple}
- {name: PEAR_VERSION, value: v1}
`, `
2:30 group old.example.com of v1 Apple with v1 with Apple
`},
	{"settings of a chart", "values.yaml", `
api:
  group: old.example.com
  version: v1
  kind: Apple
other:
  group: next.example.com
  version: v1
`, `
2:10 group old.example.com of v1 Apple with Apple with v1
6:10 group next.example.com of v1 with v1
`},
	{"calls one below the other", "a.py", `
@kopf.on.create("old.example.com/v1", kind="Apple")
@kopf.on.create(group="old.example.com", plural="cherries")
`, `
1:18 literal old.example.com/v1 of Apple with Apple
2:24 literal old.example.com of cherries with cherries
`},
	{"settings by dots", "application.properties", `
apple.api.group=old.example.com
apple.api.version=v1
cherry.api.version=v2
`, `
1:17 group old.example.com of v1 with v1 loose v2
`},
	{"settings by dashes", "run.sh", `
ctl --api-group=old.example.com --api-version=v1 --kind Apple
ctl --group old.example.com --resource apples
`, `
1:17 group old.example.com of v1 Apple with v1
2:13 group old.example.com of apples with apples
`},
	{"variables of a Makefile", "Makefile", `
API_GROUP := old.example.com
API_VERSION := v1
API_KIND := Apple
OTHER_VERSION := v2
`, `
1:14 group old.example.com of v1 Apple with v1 with Apple loose v2
`},
	{"a mapping that is asked for", "a.go", `
package a

var (
	x, _ = m.RESTMapping(schema.GroupKind{Group: "old.example.com", Kind: "Apple"}, "v1")
	y, _ = m.Mapped(schema.GroupKind{Group: "old.example.com", Kind: "Apple"}, "v1")
	z, _ = m.RESTMapping(schema.GroupKind{Group: "old.example.com", Kind: "Apple"}, "v1x")
	w, _ = m.RESTMapping(At{Group: "old.example.com", Kind: "Apple", Version: "v2"}, "v1")
)
`, `
4:48 literal old.example.com of v1 Apple with Apple with v1
5:43 literal old.example.com of Apple with Apple
6:48 literal old.example.com of Apple with Apple
7:34 literal old.example.com of v2 Apple with v2 with Apple
`},
	{"two groups side by side", "a.go", `
package a

const (
	AppleGroup   = "old.example.com"
	AppleVersion = "v1"
	FigGroup     = "next.example.com"
	FigVersion   = "v1"
)
`, `
4:18 literal old.example.com of v1 with v1
6:18 literal next.example.com of v1 with v1
`},
	{"a version of something else", "a.go", `
package a

const (
	Group        = "old.example.com"
	ImageVersion = "v1"
	Kind         = "Cherry"
)
`, `
4:18 literal old.example.com of Cherry with Cherry loose v1 v1
`},
	{"two kinds of one group", "a.py", `
GROUP = "old.example.com"
APPLE_KIND = "Apple"
CHERRY_KIND = "Cherry"
`, `
1:10 literal old.example.com loose Apple Cherry Apple
`},
	{"arguments of a call", "a.py", `
client.get(group="old.example.com", version="v1", plural="apples", namespace=ns)
client.get("old.example.com", "v1", ns, "apples")
client.get(version="v1", group="old.example.com")
`, `
1:19 literal old.example.com of v1 apples with v1 with apples
2:13 literal old.example.com of v1 apples with v1 with apples
3:33 literal old.example.com of v1 with v1
`},
	{"a list of kinds", "a.ts", `
const apis = [
  { group: 'old.example.com', kinds: ['Apple', 'Cherry'] },
  { group: 'next.example.com', version: 'v1', kind: 'Fig' },
];
`, `
2:13 literal old.example.com loose Apple
3:13 literal next.example.com of v1 Fig with v1 with Fig
`},
	{"a builder of Rust", "a.rs", `
let gvk = GroupVersionKind::gvk("old.example.com", "v1", "Apple");
let ar = ApiResource { group: "old.example.com".into(), version: "v1".into(), kind: "Apple".into(), plural: "apples".into() };
`, `
1:34 literal old.example.com of v1 Apple with v1 with Apple
2:32 literal old.example.com of v1 Apple apples with v1 with Apple with apples
`},
	{"a resource of Terraform", "main.tf", `
resource "x" "y" {
  api_group   = "old.example.com"
  api_version = "v1"
  kind        = "Apple"
}
variable "group" {
  default = "old.example.com"
}
`, `
2:18 literal old.example.com of v1 Apple with v1 with Apple
7:14 literal old.example.com
`},
	{"a map of groups to resources", "a.go", `
package a

var all = map[string][]string{
	"old.example.com": {"apples", "cherries"},
	"next.example.com": {"figs"},
}
`, `
4:3 literal old.example.com
5:3 literal next.example.com
`},
	{"what tests compare", "a.go", `
package a

func f() {
	if gvk.Group != "old.example.com" || gvk.Kind != "Apple" {
		t.Errorf("got %v", gvk)
	}
	assert.Equal(t, "old.example.com", obj.Group)
	Expect(obj.APIVersion).To(Equal("old.example.com/v1"))
}
`, `
4:19 literal old.example.com of Apple with Apple
7:19 literal old.example.com
8:35 literal old.example.com/v1
`},
	{"a switch", "a.go", `
package a

func f(g string) bool {
	switch g {
	case "old.example.com", "next.example.com":
		return true
	}
	return strings.HasSuffix(g, ".old.example.com")
}
`, `
5:8 literal old.example.com
5:27 literal next.example.com
8:32 doubt old.example.com
`},
	{"owners and references", "a.go", `
package a

var owner = metav1.OwnerReference{APIVersion: "old.example.com/v1", Kind: "Apple", Name: "x"}
var ref = corev1.TypedLocalObjectReference{APIGroup: ptr.To("old.example.com"), Kind: "Cherry", Name: "y"}
`, `
3:48 literal old.example.com/v1 of Apple with Apple
4:62 literal old.example.com of Cherry with Cherry
`},
	{"CRDs by their names", "a.go", `
package a

const crd = "apples.old.example.com"

var crds = []string{"apples.old.example.com", "cherries.old.example.com", "next.example.com_figs.yaml"}
`, `
3:14 resource apples.old.example.com
5:22 resource apples.old.example.com
5:48 resource cherries.old.example.com
5:76 crd-file next.example.com_figs.yaml
`},
	{"a format of a path", "a.go", `
package a

var a = fmt.Sprintf("/apis/old.example.com/v1/namespaces/%s/apples/%s", ns, name)
var b = path.Join("apis", "old.example.com", "v1", "apples")
var c = "https://" + host + "/apis/old.example.com/" + version + "/apples"
`, `
3:28 rest-path old.example.com/v1 of apples with apples
4:28 literal old.example.com of v1 apples with v1 with apples
5:36 rest-path old.example.com of apples with apples
`},
	{"metrics and logs", "a.go", `
package a

var log = ctrl.Log.WithName("old.example.com")
var metric = "old_example_com_total"
var tracer = otel.Tracer("old.example.com")
`, `
3:30 named-other old.example.com
5:27 named-other old.example.com
`},
	{"a selector", "a.go", `
package a

var s = labels.SelectorFromSet(labels.Set{"old.example.com/name": "x"})
var l = client.MatchingLabels{"old.example.com/name": name}
var r = "old.example.com/name=x,app"
`, `
3:44 key old.example.com/name
4:32 key old.example.com/name
5:10 key old.example.com/name
`},
}
