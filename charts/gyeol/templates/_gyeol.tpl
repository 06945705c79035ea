{{- define "gyeol.natsUrl" -}}
{{- if .Values.nats.embedded -}}
nats://{{ .Release.Name }}-nats:4222
{{- else -}}
{{ required "nats.url is needed when nats.embedded is false" .Values.nats.url }}
{{- end -}}
{{- end -}}

{{- define "gyeol.natsSecret" -}}
{{- .Values.nats.existingSecret | default (printf "%s-nats-users" .Release.Name) -}}
{{- end -}}

{{- /* Environment that every service with a JetStream door has. Argument: dict root, name. */ -}}
{{- define "gyeol.busEnv" -}}
{{- $prefix := upper .name -}}
{{ $prefix }}_NATS_URL: {{ include "gyeol.natsUrl" .root | quote }}
{{ $prefix }}_NATS_CREDENTIALS: /etc/gyeol/nats/user.nk
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
