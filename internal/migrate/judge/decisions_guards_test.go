package judge

// guarded is what a guard keeps, beside the same without it or with the guess switched off.
var guarded = []decision{
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
group: kept.old.example.com
other: bare.old.example.com
`, `
kept.old.example.com: stay kept-value
bare.old.example.com: stay kept-value
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
"old.example.com" is a domain.
`, `
old.example.com: stay past-words
old.example.com: move new.example.org
old.example.com: move new.example.org
old.example.com: move new.example.org
old.example.com: stay past-words
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
	{"a.txt", setting{}, `
old.example.com/v1 is deprecated; use old.example.com/v2
old.example.com/v1 is deprecated; use same.example.com/v2
old.example.com/v1 is deprecated; use old.example.com/v1
grown.example.com/v1beta1 is deprecated; use grown.example.com/v1
old.example.com/v1 is deprecated; use grown.example.com/v2
grown.example.com/v2 is there, v1 is deprecated: grown.example.com/v1beta1
grown.example.com/v2 is deprecated; use grown.example.com/v4
`, `
old.example.com/v1: move new.example.org/v1
old.example.com/v2: move new.example.org/v2
old.example.com/v1: stay when-words
same.example.com/v2: stay
old.example.com/v1: stay when-words
old.example.com/v1: stay when-words
grown.example.com/v1beta1: stay when-words
grown.example.com/v1: stay
old.example.com/v1: stay when-words
grown.example.com/v2: stay when-words
grown.example.com/v2: stay when-words
grown.example.com/v1beta1: stay when-words
grown.example.com/v2: stay when-words
grown.example.com/v4: stay when-words
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
	{"a.yaml", setting{off: "both-names"}, `
metadata:
  labels: {old.example.com/x: a, new.example.org/x: a}
`, `
old.example.com/x: person
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
	{"api/v1beta1/a.txt", setting{}, `
the pears.v1beta1.same.example.com and a/same.example.com/v1beta1/pears
`, `
pears.v1beta1.same.example.com: stay version-folder
same.example.com/v1beta1: stay
`},
}
