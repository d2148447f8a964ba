{{- define "graphloom.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "graphloom.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "graphloom.labels" -}}
{{ include "graphloom.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* The name of the secret with environment variables; empty without one. */ -}}
{{- define "graphloom.secret" -}}
{{- if .Values.existingSecret }}{{ .Values.existingSecret }}{{ else if .Values.secrets }}{{ include "graphloom.name" . }}{{ end }}
{{- end }}
