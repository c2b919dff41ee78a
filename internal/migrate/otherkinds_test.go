package migrate

import "strings"

// othersObjects are of another group, but for one rule.
const othersObjects = `-- testdata/a.yaml --
apiVersion: other.example.net/v1
kind: BigWidget
---
kind: Role
rules:
- apiGroups: [other.example.net]
  resources: [bigwidgets/status]
- apiGroups: [old.example.com]
  resources: [bigwidgets/status]
---
roleRef: {apiGroup: other.example.net, kind: BigWidget}
`

// sharedCases are about kinds that objects of other groups have, too.
var sharedCases = []goCase{
	{
		name:  "objects of other groups keep a kind of several words", // openkruise, mongodb
		in:    []string{strings.NewReplacer("Widget", "BigWidget", "widget", "bigwidget").Replace(goOwner), othersObjects},
		rules: "  - id: kind\n    from: {group: old.example.com, kind: BigWidget}\n    to: {kind: Gadget}\n",
		after: strings.Replace(othersObjects, "[old.example.com]\n  resources: [bigwidgets", "[old.example.com]\n  resources: [gadgets", 1),
	},
	{
		name: "a kind that every cluster has, of several words, is renamed where its group is named", // openkruise, metacontroller
		in: []string{strings.NewReplacer("Widget", "StatefulSet", "widget", "statefulset").Replace(goOwner), `-- testdata/a.yaml --
apiVersion: apps/v1
kind: StatefulSet
-- testdata/a.sh --
kubectl get statefulsets
kubectl get statefulsets.old.example.com
-- testdata/a.md --
A StatefulSet, or the stateful set of old.example.com/v1, StatefulSet.
`},
		rules: "  - id: kind\n    from: {group: old.example.com, kind: StatefulSet}\n    to: {kind: Gadget}\n",
		after: `-- testdata/a.yaml --
apiVersion: apps/v1
kind: StatefulSet
-- testdata/a.sh --
kubectl get statefulsets
kubectl get gadgets.old.example.com
`,
	},
}
