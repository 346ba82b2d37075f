{{/* Prefix of the names of all objects; suffixes of up to 20 characters still fit after it. */}}
{{- define "varve.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Selects the pods of this release. Must never change, since selectors are immutable. */}}
{{- define "varve.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "varve.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{ include "varve.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Name of the ServiceAccount of a component; the one pod of dev.enabled has one for all. */}}
{{- define "varve.account" -}}
{{ include "varve.fullname" .root }}-{{ ternary "dev" .component .root.Values.dev.enabled }}
{{- end -}}

{{- define "varve.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Mebibytes of the JavaScript heap: a share of the memory limit, so that a full heap is
collected before the container is killed. The schema allows only Mi and Gi. */}}
{{- define "varve.heapMebibytes" -}}
{{- $limit := .resources.limits.memory -}}
{{- $size := int (regexFind "^[0-9]+" $limit) -}}
{{- if hasSuffix "Gi" $limit -}}{{- $size = mul $size 1024 -}}{{- end -}}
{{- div (mul $size .heapPercent) 100 -}}
{{- end -}}

{{/* Protection of the connection to Temporal, by the variables of Temporal's own clients. */}}
{{- define "varve.temporalSecurity" -}}
{{- with .Values.temporal.tls }}
{{- if .enabled }}
- name: TEMPORAL_TLS
  value: 'true'
{{- with .serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- with .authoritySecretName }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_DATA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: ca.crt } }
{{- end }}
{{- with .clientSecretName }}
- name: TEMPORAL_TLS_CLIENT_CERT_DATA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.crt } }
- name: TEMPORAL_TLS_CLIENT_KEY_DATA
  valueFrom: { secretKeyRef: { name: {{ . }}, key: tls.key } }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.temporal.apiKeySecret }}
{{- if .name }}
- name: TEMPORAL_API_KEY
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- end -}}

{{/* Not empty if models are named without an address. A part without a key would treat that as a
mistake, and only model workers have a key. */}}
{{- define "varve.needsModelAddress" -}}
{{- $named := false -}}
{{- range $name, $_ := .root.Values.settings -}}
{{- if hasPrefix "VARVE_MODEL_" $name -}}{{- $named = true -}}{{- end -}}
{{- end -}}
{{- $given := hasKey .root.Values.settings "OPENAI_BASE_URL" -}}
{{- range .part.extraEnv -}}
{{- if eq .name "OPENAI_BASE_URL" -}}{{- $given = true -}}{{- end -}}
{{- end -}}
{{- if and $named (not $given) -}}yes{{- end -}}
{{- end -}}

{{/* Seconds after which a worker ends by itself. They are fewer than its pod's grace period, so
that the worker can still report what it cut off before it would be killed. */}}
{{- define "varve.workerGrace" -}}
- name: VARVE_GRACE_SECONDS
  value: {{ sub (int .terminationGracePeriodSeconds) 3 | quote }}
{{- end -}}

{{- define "varve.pullSecrets" -}}
{{- with .Values.imagePullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Destination of spans, by OpenTelemetry's variables. The pod name tells pods apart. */}}
{{- define "varve.tracing" -}}
{{- with .Values.tracing }}
{{- if .endpoint }}
- name: VARVE_TRACED_POD
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_TRACES_SAMPLER
  value: parentbased_traceidratio
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .share | quote }}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: k8s.namespace.name={{ $.Release.Namespace }},k8s.pod.name=$(VARVE_TRACED_POD)
{{- with .headersSecret }}
{{- if .name }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Settings that every part reads, and those that a part adds. */}}
{{- define "varve.environment" -}}
- name: NODE_OPTIONS
  value: --max-old-space-size={{ include "varve.heapMebibytes" .part }}
- name: TEMPORAL_ADDRESS
  value: {{ ternary "127.0.0.1:7233" .root.Values.temporal.address .root.Values.dev.enabled }}
- name: TEMPORAL_NAMESPACE
  value: {{ .root.Values.temporal.namespace | quote }}
{{- include "varve.temporalSecurity" .root }}
{{- if .root.Values.dev.enabled }}
- name: VARVE_DATA_DIR
  value: /data
{{- else }}
- name: MONGODB_URI
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.mongodb.uriSecret.name }}
      key: {{ .root.Values.mongodb.uriSecret.key }}
- name: VARVE_MONGODB_DATABASE
  value: {{ .root.Values.mongodb.database | quote }}
{{- end }}
- name: VARVE_LOG_LEVEL
  value: {{ .root.Values.logLevel }}
- name: VARVE_HOST
  value: 0.0.0.0
- name: VARVE_METRICS_PORT
  value: {{ .ports.metrics | quote }}
- name: VARVE_METRICS_OPEN
  value: 'true'
{{- with .ports.probes }}
- name: VARVE_PROBE_PORT
  value: {{ . | quote }}
{{- end }}
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- include "varve.tracing" .root }}
{{- if include "varve.needsModelAddress" . }}
- name: OPENAI_BASE_URL
  value: https://api.openai.com/v1
{{- end }}
{{- if .root.Values.caBundle.configMapName }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/varve/ca/{{ .root.Values.caBundle.key }}
{{- end }}
{{- with .own }}
{{ toYaml . }}
{{- end }}
{{- with .part.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The namespace of the Lease and of the Secrets of ModelProviders. */}}
{{- define "varve.podNamespace" -}}
- name: VARVE_POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
{{- end -}}

{{/* Variables that only the operator reads, and those that only the API reads. */}}
{{- define "varve.operatorVariables" -}}
- name: VARVE_POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
{{ include "varve.podNamespace" . }}
- name: VARVE_LEASE_NAME
  value: {{ include "varve.fullname" . }}-operator
- name: VARVE_WATCH_NAMESPACES
  value: {{ join "," .Values.operator.watchNamespaces | quote }}
- name: VARVE_CLUSTER_ID
  value: {{ .Values.operator.clusterId | quote }}
{{- end -}}

{{- define "varve.apiVariables" -}}
- name: VARVE_API_PORT
  value: '8080'
- name: VARVE_API_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "varve.tokenSecret" . }}
      key: {{ .Values.api.tokenSecret.key }}
{{- if and .Values.api.declaredTenantsOnly (not .Values.dev.enabled) }}
- name: VARVE_DECLARED_ONLY
  value: 'true'
{{- end }}
{{- if .Values.api.tls.secretName }}
- name: VARVE_TLS_CERT
  value: /etc/varve/tls/tls.crt
- name: VARVE_TLS_KEY
  value: /etc/varve/tls/tls.key
{{- end }}
{{- with .Values.api.jwt }}
{{- if .issuer }}
- name: VARVE_JWT_ISSUER
  value: {{ .issuer | quote }}
- name: VARVE_JWT_AUDIENCE
  value: {{ .audience | quote }}
- name: VARVE_JWT_JWKS
  value: {{ .jwks | quote }}
{{- end }}
{{- end }}
{{- with .Values.api.serviceAccounts }}
{{- if .audience }}
{{- $pairs := list }}
{{- range $namespace, $access := .tenants }}
{{- $pairs = append $pairs (printf "%s=%s" $namespace $access) }}
{{- end }}
- name: VARVE_SERVICE_ACCOUNT_AUDIENCE
  value: {{ .audience | quote }}
- name: VARVE_SERVICE_ACCOUNT_TENANTS
  value: {{ join "," $pairs | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The given Secret. With dev.enabled and none given, the one that this chart creates. */}}
{{- define "varve.tokenSecret" -}}
{{- .Values.api.tokenSecret.name | default (printf "%s-api-token" (include "varve.fullname" .)) -}}
{{- end -}}

{{/* Security contexts of a restricted container, and of its pod. */}}
{{- define "varve.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "varve.podSecurity" -}}
{{- range $name, $value := .Values.podSecurityContext }}
{{- if not (kindIs "invalid" $value) }}
{{ toYaml (dict $name $value) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* One part as a container, from the same dictionary as the Deployment below. Probes use the port
of that name, or http; portPrefix distinguishes the ports of parts in one pod. */}}
{{- define "varve.container" -}}
{{- $prefix := default "" .portPrefix -}}
{{- $probePort := print $prefix (ternary "probes" "http" (hasKey .ports "probes")) -}}
{{- $probeScheme := ternary "HTTPS" "HTTP" (not (empty .tlsSecret)) -}}
- name: {{ .component }}
  image: {{ include "varve.image" .root }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args: {{ toJson .args }}
  env:
    {{- include "varve.environment" . | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - name: {{ $prefix }}{{ $name }}
      containerPort: {{ $port }}
    {{- end }}
  {{- $asked := dict "port" $probePort "scheme" $probeScheme }}
  startupProbe:
    httpGet: {{ toJson (merge (dict "path" "/healthz") $asked) }}
    {{- toYaml .part.probes.startup | nindent 4 }}
  livenessProbe:
    httpGet: {{ toJson (merge (dict "path" "/healthz") $asked) }}
    {{- toYaml .part.probes.liveness | nindent 4 }}
  readinessProbe:
    httpGet: {{ toJson (merge (dict "path" "/readyz") $asked) }}
    {{- toYaml .part.probes.readiness | nindent 4 }}
  {{- with .drainSeconds }}
  lifecycle:
    # Calls still arrive until every node knows that the pod is ending.
    preStop:
      sleep: { seconds: {{ . }} }
  {{- end }}
  resources:
    {{- toYaml .part.resources | nindent 4 }}
  securityContext:
    {{- include "varve.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - { name: scratch, mountPath: /var/tmp }
    {{- if .root.Values.dev.enabled }}
    - { name: data, mountPath: /data }
    {{- end }}
    {{- if .root.Values.caBundle.configMapName }}
    - { name: ca-bundle, mountPath: /etc/varve/ca, readOnly: true }
    {{- end }}
    {{- if .tlsSecret }}
    - { name: tls, mountPath: /etc/varve/tls, readOnly: true }
    {{- end }}
    {{- with .part.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* What every part mounts. Dictionary: root, tlsSecret. */}}
{{- define "varve.volumes" -}}
- name: scratch
  emptyDir: { sizeLimit: 64Mi }
{{- with .root.Values.caBundle }}
{{- if .configMapName }}
- name: ca-bundle
  configMap:
    name: {{ .configMapName }}
    items: [{ key: {{ .key }}, path: {{ .key }} }]
{{- end }}
{{- end }}
{{- with .tlsSecret }}
- name: tls
  secret: { secretName: {{ . }} }
{{- end }}
{{- end -}}

{{/* One part as a Deployment. Dictionary: root, part (its values), name, component,
args, own (variables), replicas (null if a scaler decides), hasToken, drainSeconds, tlsSecret
(empty for none). */}}
{{- define "varve.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "varve.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- with .part.deploymentAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if not (kindIs "invalid" .replicas) }}
  replicas: {{ .replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "varve.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  template:
    metadata:
      labels:
        {{- include "varve.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
        {{- with .part.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with .part.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ .name }}
      automountServiceAccountToken: {{ .hasToken }}
      {{- with .part.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .root.Values.podSpec }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ .part.terminationGracePeriodSeconds }}
      securityContext:
        {{- include "varve.podSecurity" .root | trim | nindent 8 }}
      {{- with include "varve.pullSecrets" .root }}
      {{- . | nindent 6 }}
      {{- end }}
      containers:
        {{- include "varve.container" . | nindent 8 }}
      volumes:
        {{- include "varve.volumes" . | nindent 8 }}
        {{- with .part.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "varve.selector" .root | nindent 14 }}
              app.kubernetes.io/component: {{ .component }}
      {{- with .part.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .part.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .part.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
