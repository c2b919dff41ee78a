package find

import "testing"

// What stands around a name tells what it is, and of which kind; what is near to that
// tells nothing.
func TestSurroundings(t *testing.T) { reads(t, surroundingsRead) }

var surroundingsRead = []reading{
	{"classes and their kind", "A.java", `
@Group("old.example.com")
@Version("v1")
public class Apple extends CustomResource<Spec, Status> {}

@Kind("Cherry")
@Group(value = "old.example.com")
@Version("v1")
public class Fruit extends CustomResource<Spec, Status> {}

@Groups("old.example.com")
public class Cherry {}
`, `
1:9 literal old.example.com of v1 Apple with v1 loose Apple
6:17 literal old.example.com of v1 Cherry with v1 with Cherry
10:10 literal old.example.com
`},
	{"kinds of lists", "a.go", `
package a

var kinds = map[schema.GroupVersionResource]string{
	{Group: "old.example.com", Version: "v1", Resource: "apples"}:   "AppleList",
	{Group: "old.example.com", Version: "v1", Resource: "cherries"}: "Cherries",
	{Group: "old.example.com", Version: "v1", Resource: "figs"}:     "FigList",
}
`, `
4:11 literal old.example.com of v1 Apple apples with v1 with apples with AppleList apart apples
5:11 literal old.example.com of v1 cherries with v1 with cherries apart cherries
6:11 literal old.example.com of v1 figs with v1 with figs apart figs
`},
	{"kinds by their names", "a.go", `
package a

const fruit = "Cherry"

func f(o Object) bool {
	return o.APIVersion == "old.example.com/v1" && o.Kind == kindApple ||
		o.APIVersion == "old.example.com/v1" && o.Kind == fruit ||
		o.APIVersion == "old.example.com/v1" && o.Kind == other
}
`, `
6:26 literal old.example.com/v1 loose Apple
7:20 literal old.example.com/v1 loose Cherry
8:20 literal old.example.com/v1
`},
	{"schemas of properties", "schema.yaml", `
properties:
  apiGroup: {default: old.example.com}
  kind: {enum: [Apple]}
---
properties:
  group: {const: old.example.com}
  kind: {default: Cherry, enum: [Apple, Cherry]}
---
properties:
  group: {enum: [old.example.com]}
  kind: {enum: [Apple, Cherry]}
---
group: {default: old.example.com}
host: {default: old.example.com}
`, `
2:23 group old.example.com of Apple with Apple
6:18 group old.example.com of Cherry with Cherry with Cherry
10:18 group old.example.com
13:18 group old.example.com
14:17 yaml-other old.example.com
`},
	{"kinds of policies", "policy.yaml", `
match:
  kinds: [old.example.com/*/Apple, old.example.com/v1/*, "old.example.com/*/*", old.example.com/v1/Apple/status]
  names: [old.example.com/v1/*]
`, `
2:11 group old.example.com/*/Apple
2:36 every-kind old.example.com/v1
2:59 every-kind old.example.com
2:81 group old.example.com/v1/Apple
3:11 import-like-path old.example.com/v1
`},
	{"wildcards", "a.yaml", `
resources: ["*.old.example.com"]
hosts: ["*.old.example.com"]
sources: ["*.old.example.com"]
`, `
1:16 every-kind old.example.com
2:12 host-name old.example.com
3:14 doubt old.example.com
`},
	{"versions that are escaped", "a.yaml", `
apiVersion: "old.example.com\x2fv1"
kind: Apple
`, `
1:14 api-version old.example.com/v1 of Apple with Apple
`},
	{"aliases of groups", "role.yaml", `
x: &g old.example.com
rules:
- apiGroup: *g
  resources: [apples, cherries]
y: &h old.example.com
host: *h
`, `
1:7 group old.example.com apart apples cherries
5:7 yaml-value old.example.com
`},
	{"signers", "csr.yaml", `
spec: {signerName: apples.old.example.com/kubelet}
rules:
- {resources: [signers], resourceNames: [apples.old.example.com/x, "apples.old.example.com/*"], verbs: [approve]}
- {resources: [signed], resourceNames: [apples.old.example.com/x], verbs: [approve]}
signerName: {default: apples.old.example.com/y}
`, `
1:20 agreed-name apples.old.example.com
3:42 agreed-name apples.old.example.com
3:69 agreed-name apples.old.example.com
4:41 doubt apples.old.example.com
5:23 agreed-name apples.old.example.com
`},
	{"composite resources and claims", "xrd.yaml", `
kind: CompositeResourceDefinition
metadata: {name: apples.old.example.com}
spec:
  group: old.example.com
  names: {kind: Apple, plural: apples}
  claimNames: {kind: Cherry, plural: cherries}
`, `
2:18 crd-name apples.old.example.com loose Cherry cherries
4:10 crd-group old.example.com of Apple with Apple loose Cherry cherries
`},
	{"markers of webhooks and permissions", "a.go", `
package a

// +kubebuilder:webhook:groups=old.example.com,versions=v1,resources=apples;apples/status,name=vapple.old.example.com
// +kubebuilder:webhook:groups=old.example.com,versions=v1;v2,resources=apples;cherries,name=vfruit.old.example.com
// +kubebuilder:webhook:name=vall.old.example.com,resources=*
// +kubebuilder:rbac:groups=apps;old.example.com,resources={apples,"cherries"},verbs=get
type T struct{}
`, `
3:32 marker old.example.com of v1
3:96 webhook-name vapple.old.example.com of apples
4:32 marker old.example.com
4:94 webhook-name vfruit.old.example.com
5:30 webhook-name vall.old.example.com
6:34 marker old.example.com
`},
	{"maps by their keys", "a.py", `
groups["old.example.com"] = 1
hosts["old.example.com"] = 1
x = groups.setdefault("old.example.com", [])
y = seen.setdefault("old.example.com", [])
z = {"old.example.com": 1}
`, `
1:9 literal old.example.com
2:8 key-of-map old.example.com
3:24 literal old.example.com
4:22 key-of-map old.example.com
5:7 key-of-map old.example.com
`},
	{"maps of other languages", "a.rb", `
x = {"old.example.com" => 1}
api_groups = {"old.example.com" => 1}
case x
when "old.example.com" then 1
end
`, `
1:7 key-of-map old.example.com
2:16 literal old.example.com
4:7 literal old.example.com
`},
	{"cells of a notebook", "a.ipynb", `
{"cells": [
{"cell_type": "code", "source": ["%%bash\n", "kubectl get apples.old.example.com\n"]},
{"cell_type": "code", "source": "!kubectl get apples.old.example.com"},
{"cell_type": "code", "source": ["x = 'old.example.com/v1'\n", "host = 'old.example.com'"]},
{"cell_type": "markdown", "source": ["‵‵‵yaml\n", "apiVersion: old.example.com/v1\n", "kind: Apple\n", "‵‵‵"]},
{"cell_type": "raw", "source": "apiVersion: old.example.com/v1\nkind: Apple"}
]}
`, `
2:59 resource apples.old.example.com
3:47 resource apples.old.example.com
4:40 literal old.example.com/v1
4:73 host-name old.example.com
5:64 api-version old.example.com/v1 of Apple with Apple
6:45 api-version old.example.com/v1 of Apple with Apple
`},
	{"what a server lists", "apis.json", `
{"kind": "APIGroupList", "groups": [
{"name": "old.example.com", "versions": [{"groupVersion": "old.example.com/v1", "version": "v1"}]},
{"name": "old.example.com", "preferredVersion": {"groupVersion": "old.example.com/v1"}},
{"name": "old.example.com", "versions": []}
]}
`, `
2:11 group old.example.com
2:60 api-version old.example.com/v1
3:11 group old.example.com
3:67 api-version old.example.com/v1
4:11 yaml-other old.example.com
`},
	{"defaults at the top of a file", "a.yaml", `
default: old.example.com/v1
const: old.example.com
enum: [old.example.com/v1, old.example.com]
value: old.example.com/v1
`, `
1:10 api-version old.example.com/v1
2:8 yaml-value old.example.com
3:8 api-version old.example.com/v1
3:28 yaml-value old.example.com
4:8 api-version old.example.com/v1
`},
	{"defaults at the top of a list", "a.json", `
[{"default": "old.example.com/v1", "enum": ["old.example.com"]}]
`, `
1:15 api-version old.example.com/v1
1:46 yaml-value old.example.com
`},
	{"heads of versions", "a.md", `
object.apiVersion.startsWith("old.example.com/")
object.apiVersion.startsWith("apples.old.example.com/")
object.apiVersion.startsWith("apples.old.example.com")
object.name.startsWith("apples.old.example.com/")
`, `
1:31 compared-head old.example.com/
2:31 another-group apples.old.example.com
3:31 resource apples.old.example.com
4:25 resource apples.old.example.com
`},
	{"functions of scripts", "a.sh", `
restrict_domain "old.example.com"
restrictDomains "old.example.com"
restrict_main "old.example.com"
`, `
1:18 other-name old.example.com
2:18 other-name old.example.com
3:16 literal old.example.com
`},
	{"JSON patches", "a.sh", `
kubectl patch clusterrole x --type=json -p='[{"op":"replace","path":"/rules/0/apiGroups/0","value":"old.example.com"}]'
kubectl patch clusterrole x --type=json -p='[{"op":"add","path":"/rules/0/apiGroups/-","value":"old.example.com"}]'
kubectl patch crd x --type=json -p='[{"op":"replace","path":"/spec/group","value":"old.example.com"}]'
kubectl patch rule x --type=json -p='[{"op":"replace","path":"/spec/groups/0","value":"old.example.com"}]'
`, `
1:101 group old.example.com
2:97 group old.example.com
3:84 group old.example.com
4:88 yaml-value old.example.com
`},
	{"templates that fill in", "templates/a.yaml", `
apiVersion: old.example.com/{{ .Values.version }}
kind: {{ .Values.kind | default "Apple" }}
---
apiVersion: old.example.com/v1
kind: {{ if .Values.cherry }}Cherry{{ else }}Apple{{ end }}
---
apiVersion: old.example.com/v1
kind: {{ default "Cherry" .Values.kind }}
`, `
1:13 version-head old.example.com of Apple with Apple
4:13 api-version old.example.com/v1 loose Cherry Apple
7:13 api-version old.example.com/v1 loose Cherry
`},
	{"tables and cells", "a.md", `
| Group | Kind |
|---|---|
| old.example.com | Apple |
| old.example.com | v1 |
| old.example.com | x |
| of old.example.com | Apple |
`, `
3:3 group old.example.com
4:3 group old.example.com
5:3 doubt old.example.com
6:6 mention old.example.com
`},
	{"what is searched for", "a.sh", `
kubectl get crd -o name | grep old.example.com
grep -q 'old.example.com/' a.yaml
sed -i 's/old.example.com/x/' a.yaml
awk '/old.example.com/ {print}' a.yaml
`, `
1:32 searched old.example.com
2:10 searched old.example.com/
3:11 searched old.example.com/x
4:7 searched old.example.com/
`},
	{"commands and their output", "a.txt", `
$ kubectl get apples -o name
apple.old.example.com/one
$ kubectl apply -f x
apple.old.example.com/one created
apple.old.example.com/one was made
NAME   AGE
apple.old.example.com/one   3d
`, `
2:1 object apple.old.example.com/one
4:1 object apple.old.example.com/one
5:1 key apple.old.example.com/one
7:1 object apple.old.example.com/one
`},
}
