package find

import "testing"

// What a name is in a template, and what its actions leave of the text.
func TestTemplates(t *testing.T) { reads(t, templatesRead) }

var templatesRead = []reading{
	{"a chart", "templates/a.yaml", `
{{- if .Values.on }}
apiVersion: old.example.com/v1
kind: Apple
metadata:
  name: {{ .Release.Name }}
  labels: {{- include "x" . | nindent 4 }}
{{- end }}
`, `
2:13 api-version old.example.com/v1 of Apple with Apple
`},
	{"a version that is filled in", "templates/a.yaml", `
apiVersion: old.example.com/{{ .Values.version }}
kind: Apple
`, `
1:13 version-head old.example.com of Apple with Apple
`},
	{"a group that is filled in", "templates/a.yaml", `
apiVersion: {{ .Values.group | default "old.example.com" }}/v1
kind: Apple
`, `
1:41 group old.example.com loose Apple
`},
	{"what a chart asks the cluster", "templates/a.yaml", `
{{- if .Capabilities.APIVersions.Has "old.example.com/v1" }}
apiVersion: old.example.com/v1
{{- else if .Capabilities.APIVersions.Has "old.example.com/v1/Apple" }}
apiVersion: next.example.com/v1
{{- end }}
kind: Apple
`, `
1:39 said-version old.example.com/v1
2:13 api-version old.example.com/v1 of Apple with Apple
3:44 group old.example.com/v1/Apple
4:13 api-version next.example.com/v1 of Apple with Apple
`},
	{"permissions in a range", "templates/a.yaml", `
rules:
{{- range .Values.groups }}
- apiGroups: ["old.example.com", {{ . | quote }}]
  resources: [apples]
{{- end }}
`, `
3:16 permissions old.example.com
`},
	{"lookups and helpers", "templates/_helpers.tpl", `
{{- define "x.apiVersion" -}}
{{- print "old.example.com/v1" -}}
{{- end }}
{{- $x := lookup "old.example.com/v1" "Apple" .Release.Namespace "y" }}
{{/* of old.example.com */}}
`, `
2:12 said-version old.example.com/v1
4:19 said-version old.example.com/v1 of Apple
5:9 mention old.example.com
`},
	{"Jinja", "a.yaml.j2", `
apiVersion: old.example.com/v1
kind: {{ kind }}
{% if x %}
group: old.example.com
{% endif %}
`, `
1:13 api-version old.example.com/v1 loose Apple Cherry
4:8 group old.example.com with {{ kind }}
`},
	{"ERB", "a.yaml.erb", `
apiVersion: old.example.com/v1
kind: <%= kind %>
`, `
1:13 api-version old.example.com/v1 loose Apple Cherry
`},
	{"an action that does not end", "a.tpl", `
apiVersion: old.example.com/v1
kind: {{ .Kind
`, `
1:13 api-version old.example.com/v1 loose Apple Cherry
`},
	{"labels by a template", "templates/a.yaml", `
metadata:
  labels:
    old.example.com/name: {{ .x }}
    {{ .key }}: old.example.com
`, `
3:5 yaml-key old.example.com/name
4:17 label-word old.example.com
`},
}
