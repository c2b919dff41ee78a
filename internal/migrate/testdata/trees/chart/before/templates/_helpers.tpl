{{/*
The name of everything.
*/}}
{{- define "batch-queue.fullname" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The apiVersion of AppWrapper: mcad.ibm.com/v1beta1 unless the values say otherwise. */}}
{{- define "batch-queue.apiVersion" -}}
{{- default "mcad.ibm.com/v1beta1" .Values.crd.apiVersion -}}
{{- end -}}

{{- define "batch-queue.quota.apiVersion" -}}
{{- if .Values.quota.enabled -}}
{{- print "ibm.com/v1" -}}
{{- end -}}
{{- end -}}

{{/* Which PodDisruptionBudget the cluster serves. */}}
{{- define "batch-queue.pdb.apiVersion" -}}
{{- if .Capabilities.APIVersions.Has "policy/v1/PodDisruptionBudget" -}}
policy/v1
{{- else -}}
policy/v1beta1
{{- end -}}
{{- end -}}

{{- define "batch-queue.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
{{- with .Values.commonLabels }}
{{ tpl (toYaml .) $ }}
{{- end }}
{{- end -}}
