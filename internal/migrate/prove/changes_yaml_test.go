package prove

// changesOfYAML are of manifests.
var changesOfYAML = []change{
	{name: "a group", file: "a.yaml", before: `
apiVersion: old.example.com/v1
kind: X
`, after: `
apiVersion: new.example.org/v1
kind: X
`},
	{name: "a kind's own group", file: "a.yaml", before: `
apiVersion: split.example.com/v1
kind: Apple
`, after: `
apiVersion: a.example.org/v1
kind: Apple
`},
	{name: "another kind's group", file: "a.yaml", before: `
apiVersion: split.example.com/v1
kind: Apple
`, after: `
apiVersion: b.example.org/v1
kind: Apple
`, why: "no rule makes b.example.org/v1"},
	{name: "a group without its version", file: "a.yaml", before: `
apiVersion: split.example.com/v1
kind: Berry
`, after: `
apiVersion: b.example.org/v1
kind: Berry
`, why: "no rule makes b.example.org/v1"},
	{name: "a kind with its version", file: "a.yaml", before: `
apiVersion: same.example.com/v1alpha1
kind: QuinceList
`, after: `
apiVersion: same.example.com/v1
kind: MedlarList
`},
	{name: "a version without its kind", file: "a.yaml", before: `
apiVersion: same.example.com/v1alpha1
kind: Quince
`, after: `
apiVersion: same.example.com/v1
kind: Quince
`, why: "no rule makes"},
	{name: "a reference in parts", file: "a.yaml", before: `
apiGroup: same.example.com
apiVersion: v1alpha1
kind: Quince
`, after: `
apiGroup: same.example.com
apiVersion: v1
kind: Medlar
`},
	{name: "another group's reference in parts", file: "a.yaml", before: `
apiGroup: split.example.com
apiVersion: v1alpha1
kind: Quince
`, after: `
apiGroup: split.example.com
apiVersion: v1
kind: Medlar
`, why: "no rule makes"},
	{name: "a group for a variable that is not set", file: "a.yaml", before: `
apiVersion: ${API:-split.example.com}/v1
kind: Apple
`, after: `
apiVersion: ${API:-a.example.org}/v1
kind: Apple
`},
	{name: "another kind's group for such a variable", file: "a.yaml", before: `
apiVersion: ${API:-split.example.com}/v1
kind: Apple
`, after: `
apiVersion: ${API:-b.example.org}/v1
kind: Apple
`, why: "no rule makes"},
	{name: "both branches of a choice", file: "a.tpl", before: `
apiVersion: {{ if .a }}split.example.com/v1{{ else }}old.example.com{{ end }}
kind: Apple
`, after: `
apiVersion: {{ if .a }}a.example.org/v1{{ else }}new.example.org{{ end }}
kind: Apple
`},
	{name: "another kind's group in a branch", file: "a.tpl", before: `
apiVersion: {{ if .a }}split.example.com/v1{{ else }}old.example.com/v1{{ end }}
kind: Apple
`, after: `
apiVersion: {{ if .a }}b.example.org/v1{{ else }}new.example.org/v1{{ end }}
kind: Apple
`, why: "no rule makes"},
	{name: "a choice with its kinds", file: "a.tpl", before: `
apiVersion: {{ if .a }} split.example.com/v1 {{ else }}same.example.com/v1alpha1{{ end }}
kind: {{ if .a }}Apple{{ else }}Quince{{ end }}
`, after: `
apiVersion: {{ if .a }} a.example.org/v1 {{ else }}same.example.com/v1{{ end }}
kind: {{ if .a }}Apple{{ else }}Medlar{{ end }}
`},
	{name: "a choice with the group of another branch's kind", file: "a.tpl", before: `
apiVersion: {{ if .a }} split.example.com/v1 {{ else }} old.example.com/v1 {{ end }}
kind: {{ if .a }}Apple{{ else }}Pear{{ end }}
`, after: `
apiVersion: {{ if .a }} b.example.org/v1 {{ else }} new.example.org/v1 {{ end }}
kind: {{ if .a }}Apple{{ else }}Pear{{ end }}
`, why: "no rule makes {{ if .a }} b.example.org"},
	{name: "a kind whose version is filled in", file: "a.tpl", before: `
apiVersion: same.example.com/{{ .v }}
kind: Quince
`, after: `
apiVersion: same.example.com/{{ .v }}
kind: Medlar
`},
	{name: "a kind whose version is filled in behind its letter", file: "a.tpl", before: `
apiVersion: same.example.com/v{{ .v }}
kind: Quince
`, after: `
apiVersion: same.example.com/v{{ .v }}
kind: Medlar
`},
	{name: "a kind whose apiVersion is a variable", file: "a.tpl", before: `
{{- $api := "split.example.com/v1" -}}
apiVersion: {{ $api }}
kind: Apple
---
apiVersion: {{- $api | quote }}
kind: Apple
`, after: `
{{- $api := "a.example.org/v1" -}}
apiVersion: {{ $api }}
kind: Apple
---
apiVersion: {{- $api | quote }}
kind: Apple
`},
	{name: "a kind whose variable goes elsewhere", file: "a.tpl", before: `
{{- $api := "same.example.com/v1alpha1" -}}
apiVersion: {{ $api }}
kind: Quince
`, after: `
{{- $api := "same.example.com/v1alpha1" -}}
apiVersion: {{ $api }}
kind: Medlar
`, why: "no rule makes"},
	{name: "a kind whose apiVersion is filled in", file: "a.tpl", before: `
apiVersion: {{ .api }}
kind: Quince
`, after: `
apiVersion: {{ .api }}
kind: Medlar
`, why: "no rule makes|comes from nowhere"},
	{name: "another kind's group before a version that is filled in", file: "a.tpl", before: `
apiVersion: split.example.com/{{ .v }}
kind: Apple
`, after: `
apiVersion: b.example.org/{{ .v }}
kind: Apple
`, why: "no rule makes"},
	{name: "a reference by itself", file: "a.yaml", before: `
a: same.example.com/v1alpha1
`, after: `
a: same.example.com/v1beta1
`, why: "comes from nowhere"},
	{name: "a version of another rule", file: "a.yaml", before: `
a: same.example.com/v1alpha1
b: v1beta1
`, after: `
a: a.example.org/v1
b: v1
`, why: "no rule"},
	{name: "a word that grows", file: "a.yaml", before: `
a: old.example.com
`, after: `
a: new.example.orgs
`, why: "comes from nowhere"},
	{name: "a key of a prefix", file: "a.yaml", before: `
{old.example.com/a: 1}
`, after: `
{new.example.org/a: 1}
`},
	{name: "a type", file: "a.yaml", before: `
a: old.example.com
b: 1
`, after: `
a: new.example.org
b: "1"
`, why: "the int \"1\" would become"},
	{name: "an anchor", file: "a.yaml", before: `
a: &x old.example.com
`, after: `
a: new.example.org
`, why: "would"},
	{name: "an alias", file: "a.yaml", before: `
a: &a 1
b: &b 2
c: old.example.com
d: *a
`, after: `
a: &a 1
b: &b 2
c: new.example.org
d: *b
`, why: "the alias a would become b"},
	{name: "an order", file: "a.yaml", before: `
a: old.example.com
b: 2
c: 3
`, after: `
a: new.example.org
c: 3
b: 2
`, why: "key"},
	{name: "a document less", file: "a.yaml", before: `
a: old.example.com
---
b: 1
`, after: `
a: new.example.org
`, why: "would vanish"},
	{name: "a comment less", file: "a.yaml", before: `
# note
a: old.example.com
`, after: `
a: new.example.org
`, why: "would be lost"},
	{name: "no YAML", file: "a.yaml", before: `
a: old.example.com
`, after: `
a: new.example.org: [
`, why: "would not parse"},
	{name: "a blank line", file: "a.yaml", before: `
a: old.example.com
`, after: `

a: new.example.org
`, why: "blank lines"},
	{name: "the last line", file: "a.yaml", before: `
a: old.example.com
`, after: "a: new.example.org", why: "end of the last line"},
	{name: "ends of lines", file: "a.yaml", before: "a: old.example.com\r\nb: 1\r\n", after: "a: new.example.org\nb: 1\r\n", why: "ends of lines"},
	{name: "JSON in a string", file: "a.yaml", before: `
a: '{"apiVersion": "split.example.com/v1", "kind": "Apple"}'
`, after: `
a: '{"apiVersion": "b.example.org/v1", "kind": "Apple"}'
`, why: "no rule makes"},
	{name: "broken JSON in a string", file: "a.yaml", before: `
a: '{"g": "old.example.com"}'
`, after: `
a: '{"g": "new.example.org}'
`, why: "would"},
	{name: "YAML in a string", file: "a.yaml", before: `
a: |
  g: old.example.com
  # c
  b: 1
`, after: `
a: |
  g: new.example.org
  # c
  b: 1
`},
	{name: "a document in a list", file: "a.yaml", before: `
a: |
  - b: old.example.com
    kind: |
      - x: 1
`, after: `
a: |
  - b: new.example.org
    kind: |
      - x: b
`, why: "would become"},
	{name: "an item of a list less", file: "a.yaml", before: `
a: [old.example.com, new.example.org]
`, after: `
a: [new.example.org]
`},
	{name: "an item that was there once", file: "a.yaml", before: `
a: [old.example.com, x]
`, after: `
a: [new.example.org]
`, why: "would vanish"},
	{name: "an item more", file: "a.yaml", before: `
a: [old.example.com]
`, after: `
a: [old.example.com, new.example.org]
`, why: "items would become"},
	{name: "an item more in dual mode", file: "a.yaml", mode: "d", before: `
a: [old.example.com]
`, after: `
a: [old.example.com, new.example.org]
`},
	{name: "a strange item in dual mode", file: "a.yaml", mode: "d", before: `
a: [old.example.com]
x: y
`, after: `
a: [old.example.com, x]
x: y
`, why: "come from nowhere"},
	{name: "an item twice in dual mode", file: "a.yaml", mode: "d", before: `
a: [old.example.com]
`, after: `
a: [old.example.com, new.example.org, new.example.org]
`, why: "there twice"},
	{name: "an entry by name", file: "a.yaml", before: `
a:
- name: x.old.example.com
  b: 1
- name: x.new.example.org
  b: 2
`, after: `
a:
- name: x.new.example.org
  b: 2
`},
	{name: "a CRD", file: "a.yaml", before: `
kind: CustomResourceDefinition
metadata: {name: apples.old.example.com}
spec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1, storage: true}]}
`, after: `
kind: CustomResourceDefinition
metadata: {name: apples.new.example.org}
spec: {group: new.example.org, names: {plural: apples}, versions: [{name: v1, storage: true}]}
`},
	{name: "a CRD's name alone", file: "a.yaml", before: `
kind: CustomResourceDefinition
metadata: {name: apples.old.example.com}
spec: {group: old.example.com, names: {plural: apples}}
`, after: `
kind: CustomResourceDefinition
metadata: {name: apples.new.example.org}
spec: {group: old.example.com, names: {plural: apples}}
`, why: "the name should be"},
	{name: "a CRD that was wrong", file: "a.yaml", before: `
kind: CustomResourceDefinition
metadata: {name: x.old.example.com}
spec: {group: old.example.com, names: {plural: apples}}
`, after: `
kind: CustomResourceDefinition
metadata: {name: x.new.example.org}
spec: {group: new.example.org, names: {plural: apples}}
`},
}
