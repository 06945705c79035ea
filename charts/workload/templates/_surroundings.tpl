{{- define "workload.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
  {{- with (.values.serviceAccount | default dict).annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}

{{- /* Headless: a gRPC client has to see every pod to balance over them. */ -}}
{{- define "workload.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
spec:
  clusterIP: None
  selector: {{- include "workload.selector" . | nindent 4 }}
  ports:
    - name: grpc
      port: 8080
      targetPort: grpc
      appProtocol: kubernetes.io/h2c
    - name: metrics
      port: 9090
      targetPort: metrics
{{- end -}}

{{- define "workload.disruptionBudget" -}}
{{- if gt (int .values.replicas) 1 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "workload.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "workload.autoscaler" -}}
{{- with .values.autoscaling -}}
{{- if .enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "workload.fullname" $ }}
  labels: {{- include "workload.labels" $ | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "workload.fullname" $ }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .targetCPUUtilization }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Who may call this service: `callers` are names of deployables; metrics are open to the namespaces that the values name. */ -}}
{{- define "workload.networkPolicy" -}}
{{- if .root.Values.networkPolicy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "workload.selector" . | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    {{- if .callers }}
    - ports:
        - port: grpc
      from:
        {{- range .callers }}
        - podSelector:
            matchLabels:
              app.kubernetes.io/name: {{ . }}
              app.kubernetes.io/instance: {{ $.root.Release.Name }}
        {{- end }}
        - podSelector:
            matchLabels:
              gyeol.dev/job: "true"
    {{- end }}
    {{- with .http }}
    - ports:
        - port: http
      {{- with $.root.Values.networkPolicy.httpFrom }}
      from: {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    - ports:
        - port: metrics
      {{- with .root.Values.networkPolicy.metricsFrom }}
      from: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
{{- end -}}

{{- define "workload" -}}
{{ include "workload.serviceAccount" . }}
---
{{ include "workload.service" . }}
---
{{ include "workload.deployment" . }}
{{- range $part := list "workload.disruptionBudget" "workload.autoscaler" "workload.networkPolicy" }}
{{- with include $part $ }}
---
{{ . }}
{{- end }}
{{- end }}
{{- end -}}
