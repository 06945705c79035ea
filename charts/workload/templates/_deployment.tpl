{{- /*
The Deployment of a service. Argument: a dict of
  root      the chart's root context
  name      the deployable's word
  values    its values (replicas, resources, env, ...)
  env       environment that the chart computes, name -> value
  secrets   environment from Secrets, name -> {name, key}
  envFrom   environment from whole Secrets, list as in a container
  http      port of an HTTP door, if it has one
  mounts    volumes: list of {name, path, readOnly, source}
  singleton two pods at once would fight over a volume
  needsApi  the pod talks to the API server
  beside    name of a deployable on whose node it has to run
  checksum  of what it reads at its start only
*/ -}}
{{- define "workload.deployment" -}}
{{- $prefix := upper .name -}}
{{- $scaled := (.values.autoscaling | default dict).enabled -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "workload.fullname" . }}
  labels: {{- include "workload.labels" . | nindent 4 }}
spec:
  {{- if not $scaled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    {{- if .singleton }}
    type: Recreate
    {{- else }}
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
    {{- end }}
  selector:
    matchLabels: {{- include "workload.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "workload.labels" . | nindent 8 }}
        {{- with .root.Values.pod.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- if or .root.Values.pod.annotations .checksum }}
      annotations:
        {{- with .checksum }}
        checksum/config: {{ . }}
        {{- end }}
        {{- with .root.Values.pod.annotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "workload.fullname" . }}
      automountServiceAccountToken: {{ .needsApi | default false }}
      # A Service named `seed` would otherwise set SEED_PORT to something that is no port.
      enableServiceLinks: false
      terminationGracePeriodSeconds: 45
      securityContext: {{- include "workload.podSecurity" . | nindent 8 }}
      {{- include "workload.placement" . | nindent 6 }}
      containers:
        - name: {{ .name }}
          image: {{ include "workload.image" . }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          securityContext: {{- include "workload.containerSecurity" . | nindent 12 }}
          ports:
            - name: grpc
              containerPort: 8080
            - name: metrics
              containerPort: 9090
            {{- with .http }}
            - name: http
              containerPort: {{ . }}
            {{- end }}
          env:
            - name: {{ $prefix }}_HOST
              value: "0.0.0.0"
            - name: {{ $prefix }}_PORT
              value: "8080"
            - name: {{ $prefix }}_METRICS_PORT
              value: "9090"
            - name: {{ $prefix }}_LOG_LEVEL
              value: {{ .root.Values.logLevel | quote }}
            - name: {{ $prefix }}_PRESTOP_SECONDS
              value: "5"
            {{- with .root.Values.telemetry.otlpEndpoint }}
            - name: {{ $prefix }}_OTLP_ENDPOINT
              value: {{ . | quote }}
            - name: {{ $prefix }}_TRACE_RATIO
              value: {{ $.root.Values.telemetry.traceRatio | quote }}
            {{- end }}
            {{- range $name, $value := .env }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
            {{- range $name, $from := .secrets }}
            - name: {{ $name }}
              valueFrom:
                secretKeyRef:
                  name: {{ $from.name }}
                  key: {{ $from.key }}
            {{- end }}
            {{- if .needsApi }}
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            {{- end }}
            {{- range $name, $value := .values.env }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
          {{- with .envFrom }}
          envFrom: {{- toYaml . | nindent 12 }}
          {{- end }}
          startupProbe:
            grpc:
              port: 8080
              service: liveness
            periodSeconds: 2
            failureThreshold: 60
          readinessProbe:
            grpc:
              port: 8080
            periodSeconds: 5
          livenessProbe:
            grpc:
              port: 8080
              service: liveness
            periodSeconds: 20
            failureThreshold: 6
          resources: {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- range .mounts }}
            - name: {{ .name }}
              mountPath: {{ .path }}
              {{- if .readOnly }}
              readOnly: true
              {{- end }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: 256Mi
        {{- range .mounts }}
        - name: {{ .name }}
          {{- toYaml .source | nindent 10 }}
        {{- end }}
      {{- with .beside }}
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector:
                matchLabels: {{- include "workload.selector" (dict "root" $.root "name" .) | nindent 18 }}
      {{- end }}
      {{- if or $scaled (gt (int .values.replicas) 1) }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "workload.selector" . | nindent 14 }}
      {{- end }}
{{- end -}}
