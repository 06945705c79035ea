{{- define "workload.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
  {{- with .values.serviceAccountAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}

{{- /* Headless: a gRPC client has to see every pod to balance over them. A door for people gets an address of its own. */ -}}
{{- define "workload.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
spec:
  {{- if .http }}
  type: ClusterIP
  {{- else }}
  clusterIP: None
  {{- end }}
  selector: {{- include "workload.selector" . | nindent 4 }}
  ports:
    {{- if .http }}
    - name: http
      port: 80
      targetPort: http
    {{- end }}
    - name: grpc
      port: 8080
      targetPort: grpc
      appProtocol: kubernetes.io/h2c
    - name: metrics
      port: 9090
      targetPort: metrics
{{- end -}}

{{- define "workload.disruptionBudget" -}}
{{- if or (.values.autoscaling | default dict).enabled (gt (int .values.replicas) 1) -}}
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

{{- /* By CPU, or by messages that wait: then KEDA asks the monitoring port of the broker. */ -}}
{{- define "workload.autoscaler" -}}
{{- with .values.autoscaling -}}
{{- if and .enabled (eq .by "cpu") -}}
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
          averageUtilization: {{ .cpuPercent }}
{{- else if .enabled -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ include "workload.fullname" $ }}
  labels: {{- include "workload.labels" $ | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ include "workload.fullname" $ }}
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  triggers:
    - type: nats-jetstream
      metadata:
        natsServerMonitoringEndpoint: {{ $.monitoring | quote }}
        account: $G
        stream: GYEOL_WORK
        consumer: {{ $.name }}
        lagThreshold: {{ .waitingPerReplica | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /*
Who may call this service, and whom it may call.
  callers  deployables that may call it; jobs of runs may call what takes calls at all
  outside  it calls addresses that the chart does not know (model endpoints, a database, the API server): egress stays open
*/ -}}
{{- define "workload.networkPolicy" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- if $policy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "workload.selector" . | nindent 6 }}
  policyTypes: [Ingress{{ if not .outside }}, Egress{{ end }}]
  ingress:
    - ports:
        - port: grpc
      from:
        {{- range append (.callers | default list) "probe" }}
        - podSelector:
            matchLabels: {{- include "workload.selector" (dict "root" $.root "name" .) | nindent 14 }}
        {{- end }}
        {{- if .callers }}
        - {{ if not .root.Values.cluster.namespaced }}namespaceSelector: {}
          {{ end }}podSelector:
            matchExpressions:
              - key: gyeol.dev/job
                operator: Exists
        {{- end }}
    {{- if .http }}
    - ports:
        - port: http
      {{- with $policy.httpFrom }}
      from:
        - podSelector:
            matchLabels: {{- include "workload.selector" (dict "root" $.root "name" "probe") | nindent 14 }}
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    - ports:
        - port: metrics
      {{- with $policy.metricsFrom }}
      from: {{- toYaml . | nindent 8 }}
      {{- end }}
  {{- if not .outside }}
  egress:
    - ports:
        - {port: 53, protocol: UDP}
        - {port: 53, protocol: TCP}
    - to:
        - podSelector:
            matchLabels:
              app.kubernetes.io/part-of: gyeol
              app.kubernetes.io/instance: {{ .root.Release.Name }}
    {{- range .ports }}
    - ports:
        - port: {{ . }}
    {{- end }}
    {{- with $policy.egressTo }}
    - to: {{- toYaml . | nindent 8 }}
    {{- end }}
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
