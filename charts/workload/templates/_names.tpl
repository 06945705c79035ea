{{- define "workload.fullname" -}}
{{- printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "workload.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{- define "workload.labels" -}}
{{ include "workload.selector" . }}
app.kubernetes.io/part-of: gyeol
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "workload.image" -}}
{{- $image := .root.Values.image -}}
{{- $own := .values.image | default dict -}}
{{- $repository := $own.repository | default (printf "%s/gyeol-%s" $image.registry (.imageName | default .name)) -}}
{{- if $own.digest -}}
{{ $repository }}@{{ $own.digest }}
{{- else -}}
{{ $repository }}:{{ $own.tag | default $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* Security contexts that the restricted pod security standard asks for. */ -}}
{{- define "workload.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "workload.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}
