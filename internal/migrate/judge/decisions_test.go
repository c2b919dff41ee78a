package judge

// A decision of the tables: of the names of a text, in a file, under a setting;
// each with its verdict, one on a line.
type decision struct {
	path string
	setting
	in   string // without its first line break
	want string
}

// decisions are what is decided about the names of a text.
var decisions = []decision{
	{"a.yaml", setting{}, `
apiVersion: old.example.com/v1
kind: Thing
`, `
old.example.com/v1: move new.example.org/v1 Thing
`},
	{"a.yaml", setting{}, `
apiVersion: split.example.com/v1
kind: Apple
---
apiVersion: split.example.com/v1
kind: Berry
---
apiVersion: split.example.com/v1
kind: Other
`, `
split.example.com/v1: move a.example.org/v1 Apple
split.example.com/v1: move b.example.org/v2 Berry
split.example.com/v1: stay
`},
	{"a.yaml", setting{}, `
apiVersion: split.example.com/v1
name: x
`, `
split.example.com/v1: person
`},
	{"a.yaml", setting{}, `
apiVersion: gone.example.com/v1
kind: Ghost
`, `
gone.example.com/v1: person
`},
	{"a.yaml", setting{}, `
apiVersion: same.example.com/v1beta1
kind: Pear
---
apiVersion: same.example.com/v1
kind: Pear
---
apiVersion: same.example.com/v1beta1
kind: Fig
`, `
same.example.com/v1beta1: move same.example.com/v1 Pear
same.example.com/v1: none
same.example.com/v1beta1: stay
`},
	{"a.yaml", setting{}, `
apiVersion: same.example.com/v1alpha1
kind: Quince
---
apiVersion: same.example.com/v1
kind: Medlar
---
apiVersion: same.example.com/v1
kind: Quince
`, `
same.example.com/v1alpha1: move same.example.com/v1 Medlar
same.example.com/v1: none
same.example.com/v1: stay
`},
	{"a.yaml", setting{}, `
metadata:
  labels:
    old.example.com/x: a
    apple.old.example.com: b
    pear.old.example.com: c
    same.example.com/mark: d
    kept.old.example.com: e
`, `
old.example.com/x: key new.example.org/
apple.old.example.com: key apple.new.example.org
pear.old.example.com: stay
same.example.com/mark: key same.example.com/sign
kept.old.example.com: stay kept-value
`},
	{"a.yaml", setting{}, `
metadata:
  finalizers: [old.example.com/x, pear.old.example.com]
`, `
old.example.com/x: key new.example.org/
pear.old.example.com: stay
`},
	{"a.yaml", setting{}, `
group: kept.old.example.com
other: bare.old.example.com
`, `
kept.old.example.com: stay kept-value
bare.old.example.com: stay kept-value
`},
	{"a.yaml", setting{}, `
x: someone@old.example.com
y: https://old.example.com/x
z: a.old.example.com.au
`, `
old.example.com: stay
old.example.com: stay
a.old.example.com.au: stay
`},
	{"a.yaml", setting{dual: true}, `
apiVersion: old.example.com/v1
kind: Thing
metadata:
  labels: {old.example.com/x: a}
`, `
old.example.com/v1: stay dual-mode
old.example.com/x: stay dual-mode
`},
	{"role.yaml", setting{dual: true}, `
kind: ClusterRole
rules:
- apiGroups: [old.example.com]
  resources: [things]
`, ""},
	{"templates/a.yaml", setting{}, `
{{- if .Capabilities.APIVersions.Has "x/v1" }}
apiVersion: old.example.com/v1
{{- else }}
apiVersion: x/v1
{{- end }}
kind: Thing
`, `
old.example.com/v1: stay template-choice
`},
	{"templates/a.yaml", setting{off: "template-choice"}, `
{{- if .Capabilities.APIVersions.Has "x/v1" }}
apiVersion: old.example.com/v1
{{- else }}
apiVersion: x/v1
{{- end }}
kind: Thing
`, `
old.example.com/v1: move new.example.org/v1 Thing
`},
	{"api/v1beta1/a.yaml", setting{}, `
apiVersion: same.example.com/v1beta1
kind: Pear
`, `
same.example.com/v1beta1: stay version-folder
`},
	{"api/v1beta1/a.yaml", setting{off: "version-folder"}, `
apiVersion: same.example.com/v1beta1
kind: Pear
`, `
same.example.com/v1beta1: move same.example.com/v1 Pear
`},
	{"api/v1beta1/a.yaml", setting{}, `
apiVersion: both.example.com/v1beta1
kind: Plum
`, `
both.example.com/v1beta1: person version-folder
`},
	{"api/v1beta1/a.yaml", setting{}, `
apiVersion: old.example.com/v1beta1
kind: Thing
`, `
old.example.com/v1beta1: move new.example.org/v1beta1 Thing
`},
	{"api/v1/a.yaml", setting{}, `
apiVersion: same.example.com/v1beta1
kind: Pear
`, `
same.example.com/v1beta1: move same.example.com/v1 Pear
`},
	{"api/v1beta1/a.go", setting{}, `
package api

const G = "both.example.com"
`, `
both.example.com: person version-folder
`},
	{"api/v1beta1/a.go", setting{off: "version-folder"}, `
package api

const G = "both.example.com"
`, `
both.example.com: move plums.example.org
`},
	{"api/v1beta1/a.go", setting{}, `
package v1beta1

const G = "both.example.com"
const V = "same.example.com/v1beta1"
`, `
both.example.com: person version-package
same.example.com/v1beta1: stay version-package
`},
	{"api/v1beta1/a.go", setting{off: "version-package"}, `
package v1beta1

const G = "both.example.com"
`, `
both.example.com: person version-folder
`},
	{"a.go", setting{}, `
package v1beta1

const V = "same.example.com/v1beta1"
`, `
same.example.com/v1beta1: stay version-package
`},
	{"a.go", setting{}, `
package a

const LegacyGroup = "old.example.com"
const Group = "old.example.com"
`, `
old.example.com: stay past-constant
old.example.com: move new.example.org
`},
	{"a.go", setting{off: "past-constant"}, `
package a

const LegacyGroup = "old.example.com"
`, `
old.example.com: move new.example.org
`},
	{"a.yaml", setting{}, `
legacyGroup: old.example.com
group: old.example.com
`, `
old.example.com: move new.example.org
old.example.com: move new.example.org
`},
	{"pears.v1beta1.md", setting{}, "```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\n```\n", `
same.example.com/v1beta1: stay version-document
`},
	{"pears.v1beta1.md", setting{off: "version-document"}, "```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\n```\n", `
same.example.com/v1beta1: move same.example.com/v1 Pear
`},
	{"pears.v1beta1.yaml", setting{}, `
apiVersion: same.example.com/v1beta1
kind: Pear
`, `
same.example.com/v1beta1: move same.example.com/v1 Pear
`},
	{"proposals/a.md", setting{}, "```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\n---\napiVersion: old.example.com/v1\nkind: Thing\n```\n`old.example.com/x` same.example.com/mark: a\n", `
same.example.com/v1beta1: stay proposal
old.example.com/v1: move new.example.org/v1 Thing
old.example.com/x: key new.example.org/
same.example.com/mark: stay
`},
	{"proposals/a.md", setting{}, "the label `same.example.com/mark` and `old.example.com/x`\n", `
same.example.com/mark: stay
old.example.com/x: key new.example.org/
`},
	{"proposals/a.md", setting{off: "proposal"}, "the label `same.example.com/mark`\n", `
same.example.com/mark: key same.example.com/sign
`},
	{"proposals/a.yaml", setting{}, `
apiVersion: same.example.com/v1beta1
kind: Pear
`, `
same.example.com/v1beta1: move same.example.com/v1 Pear
`},
	{"a.yaml", setting{}, `
kind: APIService
metadata:
  name: v1beta1.same.example.com
`, `
v1beta1.same.example.com: stay api-service
`},
	{"a.yaml", setting{}, `
kind: APIService
metadata:
  name: v1beta1.both.example.com
`, `
v1beta1.both.example.com: move plums.example.org/v1
`},
	{"a.md", setting{}, `
[x](api.md#same.example.com/v1beta1.Pear) [y](https://example.net/blob/main/a.md#old.example.com/v1.Thing) [z](https://example.net/a.md#old.example.com/v1.Thing) [w](https://example.net/v1.2/a.md#old.example.com/v1.Thing)
`, `
same.example.com/v1beta1.Pear: stay version-reference
old.example.com/v1.Thing: stay pinned-link
old.example.com/v1.Thing: move new.example.org/v1 Thing
old.example.com/v1.Thing: stay pinned-link
`},
	{"a.md", setting{off: "pinned-link"}, `
[y](https://example.net/blob/main/a.md#old.example.com/v1.Thing)
`, `
old.example.com/v1.Thing: move new.example.org/v1 Thing
`},
	{"a.txt", setting{}, `
It was "old.example.com".
It is "old.example.com".
The group "old.example.com" is former.
see was.x.io: "old.example.com"
`, `
old.example.com: stay past-words
old.example.com: move new.example.org
old.example.com: move new.example.org
old.example.com: move new.example.org
`},
	{"a.txt", setting{off: "past-words"}, `
It was "old.example.com".
`, `
old.example.com: move new.example.org
`},
	{"a.txt", setting{}, `
deprecated: same.example.com/v1beta1, Pear
use same.example.com/v1beta1, Pear
same.example.com/v1beta1 Pear before Kubernetes 1.9
`, `
same.example.com/v1beta1: stay when-words
same.example.com/v1beta1: move same.example.com/v1 Pear
same.example.com/v1beta1: stay when-words
`},
	{"a.txt", setting{off: "when-words"}, `
deprecated: same.example.com/v1beta1, Pear
`, `
same.example.com/v1beta1: move same.example.com/v1 Pear
`},
	{"a.txt", setting{}, `
old.example.com/v1 became new.example.org/v1
old.example.com/v1
new.example.org/v1 was old.example.com/v1
`, `
old.example.com/v1: stay both-names
old.example.com/v1: move new.example.org/v1
old.example.com/v1: stay both-names
`},
	{"a.txt", setting{off: "both-names"}, `
old.example.com/v1 became new.example.org/v1
`, `
old.example.com/v1: move new.example.org/v1
`},
	{"a.txt", setting{}, `
old.example.com/v1 became new.example.org/v1beta1
`, `
old.example.com/v1: move new.example.org/v1
`},
	{"a.sh", setting{}, `
kubectl get things.old.example.com,things.new.example.org
`, `
things.old.example.com: move new.example.org things
`},
	{"a.yaml", setting{}, `
metadata:
  labels: {old.example.com/x: a, new.example.org/x: a}
`, `
old.example.com/x: stay
`},
	{"a.yaml", setting{off: "both-names"}, `
metadata:
  labels: {old.example.com/x: a, new.example.org/x: a}
`, `
old.example.com/x: person
`},
	{"a.yaml", setting{}, `
metadata:
  labels: {old.example.com/x: a, new.example.org/xy: a}
`, `
old.example.com/x: key new.example.org/
`},
	{"a.txt", setting{}, `
GET /apis/same.example.com/v1beta1/${R}
GET /apis/same.example.com/v1beta1/pears
GET /apis/same.example.com/v1beta1/namespaces/x/{r}
GET /apis/old.example.com/v1/${R}
`, `
same.example.com/v1beta1: person
same.example.com/v1beta1: move same.example.com/v1 pears
same.example.com/v1beta1: person
old.example.com/v1: move new.example.org/v1
`},
	{"crd.yaml", setting{}, `
kind: CustomResourceDefinition
metadata:
  name: apples.split.example.com
spec:
  group: split.example.com
  names: {kind: Apple, plural: apples}
  versions: [{name: v1}]
`, `
apples.split.example.com: move a.example.org/v1 Apple
split.example.com: move a.example.org/v1 Apple
`},
	{"crd.yaml", setting{}, `
kind: CustomResourceDefinition
metadata:
  name: pears.same.example.com
spec:
  group: same.example.com
  names: {kind: Pear, plural: pears}
  versions: [{name: v1beta1}, {name: v1}]
`, `
pears.same.example.com: none
same.example.com: none
`},
	{"crd.yaml", setting{}, `
kind: CustomResourceDefinition
metadata:
  name: plums.both.example.com
spec:
  group: both.example.com
  names: {kind: Plum, plural: plums}
  versions: [{name: v1beta1}, {name: v1}]
`, `
plums.both.example.com: person
both.example.com: person
`},
	{"a.go", setting{}, `
package a

import "old.example.com/pkg/api"
import "example.net/old.example.com/v1"
`, `
old.example.com/pkg: person
old.example.com/v1: person
`},
	{"a.go", setting{}, `
package a

import "same.example.com/pkg/api"
`, `
same.example.com/pkg: none
`},
	{"a.go", setting{}, `
package a

import "example.net/client/gone.example.com/v1"
`, `
gone.example.com/v1: stay
`},
	{"zz_generated.go", setting{}, `
// Code generated by client-gen. DO NOT EDIT.
package v1beta1

const V = "same.example.com/v1beta1"
const G = "old.example.com"
`, `
same.example.com/v1beta1: stay
old.example.com: person
`},
	{"a.yaml", setting{}, `
x: things.old.example.com/name
y: pears/old.example.com/x
`, `
things.old.example.com/name: stay
old.example.com/x: key new.example.org/
`},
	{"a.txt", setting{}, `
old.example.com/apple-x is a word, apple.old.example.com too
`, `
old.example.com/apple-x: key new.example.org/
apple.old.example.com: key apple.new.example.org
`},
	{"kept/a.yaml", setting{}, `
apiVersion: old.example.com/v1
kind: Thing
metadata:
  labels: {old.example.com/x: a}
`, `
old.example.com/v1: stay kept-path
old.example.com/x: stay
`},
	{"a.yaml", setting{}, `
apiVersion: new.example.org/v1
kind: Thing
---
apiVersion: unknown.example.com/v1
kind: Pear
`, ""},
	{"values.yaml", setting{}, `
apiGroups: [split.example.com]
resources: [apples, berries]
`, ""},
	{"a.go", setting{}, `
package a

// +kubebuilder:webhook:groups=old.example.com,versions=v1
var x = schema.GroupVersionKind{Group: "same.example.com", Version: "v1beta1", Kind: "Pear"}
`, `
same.example.com: move same.example.com/v1 Pear
`},
	{"a.py", setting{}, `
x = {"apiGroups": ["parts.example.com"], "resources": ["jobs"]}
y = {"apiGroups": ["parts.example.com"], "resources": ["runs"]}
z = {"apiGroups": ["parts.example.com"], "resources": ["figs"]}
`, `
parts.example.com: move new.example.org tasks
parts.example.com: move runs.example.org runs
parts.example.com: move new.example.org
`},
	{"a.yaml", setting{}, `
x:
  group: parts.example.com
  resources: [jobs/status]
y:
  group: parts.example.com
  resource: jobs
  resources: [jobs]
z:
  group: parts.example.com
  resources: [figs]
`, `
parts.example.com: person
parts.example.com: move new.example.org tasks
parts.example.com: move new.example.org figs
`},
	{"audit.yaml", setting{}, `
apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  resources:
  - group: parts.example.com
    resources: [jobs]
  - group: parts.example.com
    resources: [figs, runs]
  - group: parts.example.com
    resources: [figs]
`, `
parts.example.com: person
parts.example.com: person
parts.example.com: move new.example.org figs
`},
	{"a.txt", setting{}, `
the figs.old.example.com, the pears.same.example.com and same.example.com/v1beta1/pears
`, `
figs.old.example.com: wait new.example.org figs
pears.same.example.com: none
same.example.com/v1beta1: wait same.example.com/v1 pears
`},
	{"api/v1beta1/a.txt", setting{}, `
the pears.v1beta1.same.example.com and a/same.example.com/v1beta1/pears
`, `
pears.v1beta1.same.example.com: stay version-folder
same.example.com/v1beta1: stay
`},
	{"kept/a.txt", setting{}, `
the figs.old.example.com
`, `
figs.old.example.com: stay
`},
	{"a.yaml", setting{}, `
kind: APIService
metadata:
  name: v1.named.example.com
`, `
v1.named.example.com: none
`},
	{"a.go", setting{}, `
package v1

const K = "same.example.com/mark"
const L = "old.example.com/x"
`, `
same.example.com/mark: key same.example.com/sign
old.example.com/x: key new.example.org/
`},
	{"a.go", setting{}, `
package v1beta1

const K = "same.example.com/mark"
`, `
same.example.com/mark: key same.example.com/sign
`},
	{"a.go", setting{}, `
package v2

const K = "same.example.com/mark"
`, `
same.example.com/mark: stay
`},
	{"zz_generated.go", setting{}, `
// Code generated by client-gen. DO NOT EDIT.
package v2

const V = "same.example.com/v1beta1"
`, `
same.example.com/v1beta1: person
`},
	{"zz_generated.go", setting{}, `
// Code generated by client-gen. DO NOT EDIT.
package v1beta1

const V = "both.example.com/v1beta1"
`, `
both.example.com/v1beta1: person
`},
}
