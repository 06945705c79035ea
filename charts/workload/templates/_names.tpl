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
{{- $pin := index $image.pins .name | default $image.tag | default .root.Chart.AppVersion -}}
{{ $image.registry }}/gyeol-{{ .name }}{{ ternary "@" ":" (hasPrefix "sha256:" $pin) }}{{ $pin }}
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

{{- /* Where pods may run, and what else the values say of every pod. */ -}}
{{- define "workload.placement" -}}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.pod.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pod.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
