package edit

import "testing"

// A rule whose resources go to different groups becomes a rule for each, with
// what stands around it; where that cannot be said, a person is told.
func TestSplitRules(t *testing.T) {
	rows(t, []row{
		{name: "apart, in lines at the end of a file without a line end", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources:
  - apples
  - pears`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org]
  resources:
  - apples
- apiGroups: [pear.example.org]
  resources:
  - pears`},
		{name: "apart while both are served", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: [apples, pears]
  verbs: [get]
`, want: `
kind: Role
rules:
- apiGroups: [fruit.example.com, apple.example.org]
  resources: [apples]
  verbs: [get]
- apiGroups: [fruit.example.com, pear.example.org]
  resources: [pears]
  verbs: [get]
`},
		{name: "apart, with objects that are named", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: [apples, pears]
  resourceNames: [mine]
`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org]
  resources: [apples]
  resourceNames: [mine]
- apiGroups: [pear.example.org]
  resources: [pears]
  resourceNames: [mine]
`},
		{name: "apart, about objects with the names of CRDs", file: "a.yaml", in: `
kind: ClusterRole
rules:
- apiGroups: [fruit.example.com]
  resources: [apples, pears]
  resourceNames: [apples.fruit.example.com]
`, want: `
kind: ClusterRole
rules:
- apiGroups: [apple.example.org]
  resources: [apples]
  resourceNames: [apples.fruit.example.com]
- apiGroups: [pear.example.org]
  resources: [pears]
  resourceNames: [apples.fruit.example.com]
`},
		{name: "apart, in a list whose comments stand above", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups:
  # of the orchard
  - fruit.example.com
  - apps # not ours

  resources:
  # red
  - apples
  # green
  - pears
  verbs: [get]
- apiGroups: [apps]
  resources: [deployments]
`, want: `
kind: Role
rules:
- apiGroups:
  # of the orchard
  - apple.example.org
  - apps # not ours

  resources:
  # red
  - apples
  verbs: [get]
- apiGroups:
  # of the orchard
  - pear.example.org
  - apps # not ours

  resources:
  # green
  - pears
  verbs: [get]
- apiGroups: [apps]
  resources: [deployments]
`},
		{name: "apart, at the end of a file without a line end", file: "a.yaml", in: `
kind: Role
rules:
- verbs: [get]
  apiGroups: [fruit.example.com]
  resources: [apples, pears]`, want: `
kind: Role
rules:
- verbs: [get]
  apiGroups: [apple.example.org]
  resources: [apples]
- verbs: [get]
  apiGroups: [pear.example.org]
  resources: [pears]`},
		{name: "apart, in a string of JSON", file: "a.yaml", in: `
kind: ConfigMap
data:
  role.json: '{"kind": "Role", "rules": [{"apiGroups": ["fruit.example.com"], "resources": ["apples", "pears"]}]}'
`, want: `
kind: ConfigMap
data:
  role.json: '{"kind": "Role", "rules": [{"apiGroups": ["apple.example.org"], "resources": ["apples"]}, {"apiGroups": ["pear.example.org"], "resources": ["pears"]}]}'
`},
		{name: "apart, in a block of text", file: "a.yaml", in: `
kind: ConfigMap
data:
  role.yaml: |
    kind: Role
    rules:
    - apiGroups: [fruit.example.com]
      resources: [apples, pears]
      verbs: [get]
`, want: `
kind: ConfigMap
data:
  role.yaml: |
    kind: Role
    rules:
    - apiGroups: [apple.example.org]
      resources: [apples]
      verbs: [get]
    - apiGroups: [pear.example.org]
      resources: [pears]
      verbs: [get]
`},
		{name: "apart, in a fence", file: "a.md", in: "A role:\n\n```yaml\nkind: Role\nrules:\n- apiGroups: [fruit.example.com]\n  resources: [apples, pears]\n```\n", want: "A role:\n\n```yaml\nkind: Role\nrules:\n- apiGroups: [apple.example.org]\n  resources: [apples]\n- apiGroups: [pear.example.org]\n  resources: [pears]\n```\n"},
		{name: "apart, not closed", file: "a.yaml", in: `
kind: Role
rules: [{apiGroups: [fruit.example.com], resources: [apples, pears]
`, told: "splits: fruit.example.com"},
	})
}
