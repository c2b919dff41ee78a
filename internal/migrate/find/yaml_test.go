package find

import "testing"

// What a name is in a manifest, by the keys around it.
func TestYAML(t *testing.T) { reads(t, yamlRead) }

var yamlRead = []reading{
	{"objects and references", "a.yaml", `
apiVersion: old.example.com/v1
kind: Apple
metadata:
  name: x
  ownerReferences:
  - apiVersion: old.example.com/v1
    kind: Cherry
    name: y
spec:
  ref: {apiGroup: old.example.com, kind: Apple, name: z}
  scaleTargetRef:
    kind: Cherry
    apiVersion: "old.example.com/v1"
`, `
1:13 api-version old.example.com/v1 of Apple with Apple
6:17 api-version old.example.com/v1 of Cherry with Cherry
10:19 group old.example.com of v1 Apple with Apple
13:18 api-version old.example.com/v1 of Cherry with Cherry
`},
	{"labels and what is like them", "a.yaml", `
metadata:
  labels:
    old.example.com/name: x
    app: old.example.com
  annotations:
    old.example.com/note: old.example.com/v1
  finalizers:
  - old.example.com/finalizer
spec:
  selector:
    matchExpressions:
    - {key: old.example.com/name, operator: In, values: [old.example.com/v1]}
  topologyKey: old.example.com/zone
`, `
3:5 yaml-key old.example.com/name
4:10 label-word old.example.com
6:5 yaml-key old.example.com/note
6:27 label-value old.example.com/v1
8:5 finalizer old.example.com/finalizer
12:13 key old.example.com/name
12:58 label-value old.example.com/v1
13:16 key old.example.com/zone
`},
	{"permissions", "a.yaml", `
kind: ClusterRole
rules:
- apiGroups: ["old.example.com", apps]
  resources: [apples, apples/status]
  verbs: [get]
- apiGroups:
  - old.example.com
  resources:
  - "*"
  verbs: ["*"]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [apples.old.example.com]
`, `
3:16 permissions old.example.com
7:5 permissions old.example.com
13:19 granted-crd apples.old.example.com
`},
	{"a CRD", "a.yaml", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: apples.old.example.com
spec:
  group: old.example.com
  names: {kind: Apple, plural: apples}
  versions:
  - name: v1
    storage: true
    schema:
      openAPIV3Schema:
        description: An Apple of old.example.com/v1.
`, `
4:9 crd-name apples.old.example.com of v1
6:10 crd-group old.example.com of v1 Apple with Apple with v1
13:34 said-version old.example.com/v1 in v1
`},
	{"a CRD with two versions", "a.yaml", `
kind: CustomResourceDefinition
metadata: {name: apples.old.example.com}
spec:
  group: old.example.com
  names: {kind: Apple, plural: apples}
  versions:
  - {name: v1, storage: true}
  - {name: v2}
`, `
2:18 crd-name apples.old.example.com
4:10 crd-group old.example.com of Apple with Apple
`},
	{"a ClusterServiceVersion", "a.yaml", `
kind: ClusterServiceVersion
metadata:
  annotations:
    alm-examples: '[{"apiVersion": "old.example.com/v1", "kind": "Apple"}]'
spec:
  customresourcedefinitions:
    owned:
    - {kind: Apple, name: apples.old.example.com, version: v1}
    required:
    - {kind: Cherry, name: cherries.old.example.com, version: v1}
  webhookdefinitions:
  - generateName: vapple.old.example.com
    rules:
    - apiGroups: [old.example.com]
      apiVersions: [v1]
      resources: [apples]
`, `
4:37 api-version old.example.com/v1 of Apple with Apple
8:27 owned-crd apples.old.example.com of v1 with Apple with v1
10:28 crd-name cherries.old.example.com of v1 with Cherry with v1
12:19 webhook-name vapple.old.example.com of apples
14:19 permissions old.example.com
`},
	{"webhooks", "a.yaml", `
kind: ValidatingWebhookConfiguration
webhooks:
- name: vapple.old.example.com
  clientConfig: {service: {path: /validate-old-example-com-v1-apple}}
  rules:
  - {apiGroups: [old.example.com], apiVersions: [v1], resources: [apples], operations: [CREATE]}
`, `
3:9 webhook-name vapple.old.example.com of apples
6:18 permissions old.example.com
`},
	{"a kustomization", "kustomization.yaml", `
kind: Kustomization
resources:
- bases/old.example.com_apples.yaml
- old.example.com
patches:
- target: {group: old.example.com, version: v1, kind: Apple}
replacements:
- source: {kind: ConfigMap}
  targets:
  - select: {group: old.example.com, kind: Apple}
`, `
3:9 crd-file old.example.com_apples.yaml
4:3 yaml-value old.example.com
6:19 group old.example.com of v1 Apple with Apple with v1
10:21 group old.example.com of Apple with Apple
`},
	{"an APIService", "a.yaml", `
kind: APIService
metadata: {name: v1.old.example.com}
spec:
  group: old.example.com
  version: v1
  service: {name: x}
`, `
2:18 resource v1.old.example.com
4:10 group old.example.com of v1 with v1
`},
	{"policies", "a.yaml", `
spec:
  match: {any: [{resources: {kinds: [old.example.com/v1/Apple, "old.example.com/*/Cherry"]}}]}
  matchConstraints:
    resourceRules:
    - {apiGroups: [old.example.com], apiVersions: ["*"], resources: [apples], operations: [CREATE]}
  validations:
  - expression: object.apiVersion == 'old.example.com/v1'
`, `
2:38 group old.example.com/v1/Apple
2:65 group old.example.com/*/Cherry
5:20 permissions old.example.com
7:39 said-version old.example.com/v1
`},
	{"what Argo CD names", "a.yaml", `
data:
  resource.customizations.health.old.example.com_Apple: |
    return hs
  resource.exclusions: |
    - apiGroups: [old.example.com]
      kinds: [Apple]
spec:
  ignoreDifferences:
  - {group: old.example.com, kind: Apple}
`, `
2:3 group resource.customizations.health.old.example.com_Apple
5:19 permissions old.example.com
9:13 group old.example.com of Apple with Apple
`},
	{"names of other things", "a.yaml", `
spec:
  host: old.example.com
  hosts: [old.example.com]
  image: old.example.com/v1
  controllerName: old.example.com/controller
  ingressClassName: old.example.com
  email: me@old.example.com
  url: https://old.example.com/v1
`, `
2:9 yaml-other old.example.com
3:11 yaml-other old.example.com
4:10 path old.example.com/v1
5:19 agreed-name old.example.com/controller
6:21 yaml-value old.example.com
7:13 email old.example.com
8:16 host old.example.com
`},
	{"arguments and variables", "a.yaml", `
args: [--api-group, old.example.com, --group=old.example.com, --host=old.example.com]
env:
- {name: API_GROUP, value: old.example.com}
- {name: HOST, value: old.example.com}
`, `
1:21 group-or-key old.example.com
1:46 group old.example.com
1:70 other-name old.example.com
3:28 group old.example.com
4:23 yaml-other old.example.com
`},
	{"quotas and limits", "a.yaml", `
spec:
  hard: {count/apples.old.example.com: 5, old.example.com/gpu: 1}
  limits: {old.example.com/Gpu: 1}
`, `
2:16 resource apples.old.example.com
2:43 yaml-key old.example.com/gpu
3:12 yaml-key old.example.com/Gpu
`},
	{"conditions and events", "a.yaml", `
status:
  conditions:
  - {type: old.example.com/Ready, status: "True"}
  - {type: old.example.com/Done}
  - {type: old.example.com/Apple, kind: Apple}
involvedObject: {apiVersion: old.example.com/v1, kind: Apple}
types:
- {type: old.example.com/Apple}
`, `
3:12 condition old.example.com/Ready
4:12 condition old.example.com/Done
5:12 group old.example.com/Apple
6:30 api-version old.example.com/v1 of Apple with Apple
8:10 group old.example.com/Apple
`},
	{"paths of an API", "openapi.json", `
{"paths": {
"/apis/old.example.com/v1/apples": {"get": {}},
"/pkg/apis/old.example.com/v1": {}
},
"definitions": {"com.example.old.v1.Apple": {"x-kubernetes-group-version-kind": [{"group": "old.example.com", "kind": "Apple", "version": "v1"}]}}}
`, `
2:8 rest-path old.example.com/v1 of apples with apples
3:12 yaml-key old.example.com/v1
5:93 group old.example.com of v1 Apple with Apple with v1
`},
	{"a schema of a property", "a.yaml", `
properties:
  apiGroup: {type: string, default: old.example.com, enum: [old.example.com]}
  host: {type: string, default: old.example.com}
`, `
2:37 group old.example.com
2:61 group old.example.com
3:33 yaml-other old.example.com
`},
	{"the words of a command", "a.yaml", `
command: ["kubectl"]
args:
- get
- figs.old.example.com/x
- plums.old.example.com/{{ .name }}
---
command: [kubectl, label, crd, figs.old.example.com, plums.old.example.com, x.old.example.com=y]
---
args: [get, figs.old.example.com/x]
---
args: ["--group=old.example.com", "--kind=Apple", --version, v1]
---
args: [--api-group, old.example.com, --resource, 'apples']
`, `
4:3 object figs.old.example.com/x of figs
5:3 object plums.old.example.com of plums
7:32 object figs.old.example.com of figs
7:54 object plums.old.example.com of plums
7:77 key x.old.example.com
9:13 key figs.old.example.com/x
11:17 group old.example.com of v1 Apple with Apple with v1
13:21 group-or-key old.example.com of apples with apples
`},
	{"a part of a name", "a.yaml", `
- rule: self.find("^([^/]+)").endsWith("old.example.com")
- rule: self.matches("^.*old.example.com$")
- rule: self.apiGroup.endsWith("old.example.com")
- rule: self.host.endsWith("old.example.com")
- rule: self.crd.endsWith("old.example.com")
`, `
1:41 doubt old.example.com
2:26 doubt old.example.com
3:33 group old.example.com
4:29 other-name old.example.com
5:28 every-kind old.example.com
`},
	{"a JSON patch", "a.yaml", `
- {op: replace, path: /spec/group, value: old.example.com}
- {op: replace, path: /metadata/labels/old.example.com~1name, value: x}
- {op: test, path: /spec/host, value: old.example.com}
`, `
1:43 group old.example.com
2:40 key-pointer old.example.com~1name
3:39 yaml-value old.example.com
`},
	{"documents in strings", "a.yaml", `
data:
  a.yaml: |
    apiVersion: old.example.com/v1
    kind: Apple
  b.json: '{"apiVersion": "old.example.com/v1", "kind": "Cherry"}'
  c.sh: |
    kubectl get apples.old.example.com
  d: "apiVersion: old.example.com/v1\nkind: Apple\n"
`, `
3:17 api-version old.example.com/v1 of Apple with Apple
5:28 api-version old.example.com/v1 of Cherry with Cherry
7:17 resource apples.old.example.com
8:19 api-version old.example.com/v1 of Apple with Apple
`},
	{"a document in a string in a document", "a.yaml", `
data:
  a: |
    kind: ConfigMap
    data:
      b: |
        apiVersion: old.example.com/v1
        kind: Apple
`, `
6:21 api-version old.example.com/v1 of Apple with Apple
`},
	{"comments", "a.yaml", `
# apiVersion: old.example.com/v1
# kind: Apple
a: b # of old.example.com/v1
# the group old.example.com
`, `
1:15 api-version old.example.com/v1 of Apple with Apple
3:11 said-version old.example.com/v1
4:13 group old.example.com
`},
	{"keys that are asked for", "a.yaml", `
? apiVersion
: old.example.com/v1
? kind
: Apple
`, `
2:3 api-version old.example.com/v1 of Apple with Apple
`},
	{"a stream", "a.yaml", `
kind: Apple
apiVersion: old.example.com/v1
---
apiVersion: old.example.com/v1
kind: Cherry
...
`, `
2:13 api-version old.example.com/v1 of Apple with Apple
4:13 api-version old.example.com/v1 of Cherry with Cherry
`},
	{"descriptions", "a.yaml", `
description: Apples of old.example.com, see https://old.example.com.
message: "no matches for kind Apple in old.example.com/v1"
`, `
1:24 mention old.example.com
1:53 host old.example.com
2:40 said-version old.example.com/v1
`},
}
