{{- define "gyeol.natsUrl" -}}
{{- if .Values.nats.embedded -}}
nats://{{ .Release.Name }}-nats:4222
{{- else -}}
{{ required "nats.url is needed when nats.embedded is false, for example nats://nats.messaging.svc:4222" .Values.nats.url }}
{{- end -}}
{{- end -}}

{{- define "gyeol.natsMonitoring" -}}
{{- if .Values.nats.embedded -}}
{{ .Release.Name }}-nats.{{ .Release.Namespace }}.svc:8222
{{- else -}}
{{ .Values.nats.monitoring }}
{{- end -}}
{{- end -}}

{{- define "gyeol.natsSecret" -}}
{{- .Values.nats.existingSecret | default (printf "%s-nats-users" .Release.Name) -}}
{{- end -}}

{{- define "gyeol.gatewaySecret" -}}
{{- .Values.gateway.auth.existingSecret | default (printf "%s-gateway-access" .Release.Name) -}}
{{- end -}}

{{- /* Environment that every deployable with a NATS user has. Argument: dict root, name. */ -}}
{{- define "gyeol.busEnv" -}}
{{- $prefix := upper .name -}}
{{ $prefix }}_NATS_URL: {{ include "gyeol.natsUrl" .root | quote }}
{{ $prefix }}_NATS_CREDENTIALS: /etc/gyeol/nats/user.nk
{{ $prefix }}_NATS_REPLICAS: {{ .root.Values.nats.replicas | quote }}
{{- if .root.Values.nats.caConfigMap }}
{{ $prefix }}_NATS_CA: /etc/gyeol/nats-ca/ca.crt
{{- end }}
{{- end -}}

{{- define "gyeol.busMounts" -}}
- name: nats-user
  path: /etc/gyeol/nats
  readOnly: true
  source:
    secret:
      secretName: {{ include "gyeol.natsSecret" .root }}
      defaultMode: 0440
      items:
        - key: {{ .name }}.nk
          path: user.nk
{{- with .root.Values.nats.caConfigMap }}
- name: nats-ca
  path: /etc/gyeol/nats-ca
  readOnly: true
  source:
    configMap:
      name: {{ . }}
{{- end }}
{{- end -}}

{{- define "gyeol.address" -}}
dns:///{{ .root.Release.Name }}-{{ .name }}.{{ .root.Release.Namespace }}.svc:8080
{{- end -}}

{{- /* Ports outside the release that every service may call: its broker and its collector. Argument: the root context. */ -}}
{{- define "gyeol.outerPorts" -}}
{{- if not .Values.nats.embedded }}
{{- range splitList "," .Values.nats.url }}
- {{ regexFind "[0-9]+$" . | default "4222" }}
{{- end }}
{{- end }}
{{- with .Values.telemetry.otlpEndpoint }}
- {{ regexFind "[0-9]+$" . | default "4317" }}
{{- end }}
{{- end -}}

{{- /*
A workload with a NATS user. Argument: a dict as `workload` takes it, whose `env` and `mounts` come on top of the bus's,
and `peers`: deployables that it calls.
*/ -}}
{{- define "gyeol.workload" -}}
{{- $prefix := upper .name -}}
{{- $env := dict -}}
{{- range .peers }}
{{- $_ := set $env (printf "%s_%s_ADDRESS" $prefix (upper .)) (include "gyeol.address" (dict "root" $.root "name" .)) -}}
{{- end }}
{{- $mounts := .mounts | default list -}}
{{- if not .brokerless }}
{{- $env = merge $env (include "gyeol.busEnv" . | fromYaml) -}}
{{- $mounts = concat (include "gyeol.busMounts" . | fromYamlArray) $mounts -}}
{{- end }}
{{- $more := dict
  "env" (merge (.env | default dict) $env)
  "mounts" $mounts
  "ports" (include "gyeol.outerPorts" .root | fromYamlArray | uniq)
  "monitoring" (include "gyeol.natsMonitoring" .root) -}}
{{- include "workload" (merge $more .) -}}
{{- end -}}

{{- define "gyeol.modelsMount" -}}
- name: models
  path: /etc/gyeol/models
  readOnly: true
  source:
    configMap:
      name: {{ .Release.Name }}-models
{{- end -}}

{{- define "gyeol.keySecrets" -}}
{{- range .Values.models.keySecrets }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- end -}}

{{- define "gyeol.artifactsClaim" -}}
{{- .Values.artifacts.pvc.existingClaim | default (printf "%s-artifacts" .Release.Name) -}}
{{- end -}}

{{- define "gyeol.artifactsMount" -}}
{{- if eq .Values.artifacts.kind "pvc" }}
- name: artifacts
  path: /artifacts
  source:
    persistentVolumeClaim:
      claimName: {{ include "gyeol.artifactsClaim" . }}
{{- end }}
{{- end -}}

{{- define "gyeol.artifactsEnvFrom" -}}
{{- if and (eq .Values.artifacts.kind "s3") .Values.artifacts.s3.existingSecret }}
- secretRef:
    name: {{ .Values.artifacts.s3.existingSecret }}
{{- end }}
{{- end -}}

{{- /* True when only one node at a time can mount the artifacts. */ -}}
{{- define "gyeol.artifactsOnOneNode" -}}
{{- if and (eq .Values.artifacts.kind "pvc") (not (has "ReadWriteMany" .Values.artifacts.pvc.accessModes)) -}}
true
{{- end -}}
{{- end -}}

{{- /* A claim that outlives `helm uninstall`: what is on it cannot be made again. Argument: dict root, name, storage. */ -}}
{{- define "gyeol.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  labels: {{- include "workload.labels" . | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
spec:
  accessModes: {{ .storage.accessModes | default (list "ReadWriteOnce") | toJson }}
  {{- with .storage.className }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ .storage.size }}
{{- end -}}
