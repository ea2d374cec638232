{{/* The pod, the same for both stores but for where the data is. */}}
{{- define "postdate.pod" -}}
metadata:
  labels:
    {{- include "postdate.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "postdate.fullname" . }}
  automountServiceAccountToken: false
  # Otherwise a release named "postdate" finds POSTDATE_PORT=tcp://… in its environment.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    # A change of every file's group at each start would take long on a large volume.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: postdate
      image: {{ include "postdate.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: ["serve"]
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        privileged: false
        capabilities:
          drop: ["ALL"]
      env:
        - name: POSTDATE_HOST
          value: "0.0.0.0"
        - name: POSTDATE_PORT
          value: "7070"
        - name: POSTDATE_METRICS_PORT
          value: "7071"
        - name: POSTDATE_LOG_FORMAT
          value: "json"
        {{- if eq .Values.store "sqlite" }}
        # A folder of its own: the root of a volume may belong to root, and be open to a group.
        - name: POSTDATE_DATA_DIR
          value: "/var/lib/postdate/data"
        {{- else }}
        {{- include "postdate.secretVariable" (dict "variable" "POSTDATE_DATABASE_URL" "key" (required "store: postgresql needs secrets.keys.databaseUrl" .Values.secrets.keys.databaseUrl)) | nindent 8 }}
        {{- end }}
        {{- include "postdate.secretVariable" (dict "variable" "POSTDATE_ROOT_KEY" "key" .Values.secrets.keys.rootKey) | nindent 8 }}
        {{- include "postdate.secretVariable" (dict "variable" "POSTDATE_ENCRYPTION_KEY" "key" .Values.secrets.keys.encryptionKey) | nindent 8 }}
        {{- include "postdate.secretVariable" (dict "variable" "POSTDATE_ENCRYPTION_OTHER_KEYS" "key" .Values.secrets.keys.encryptionOtherKeys) | nindent 8 }}
        {{- include "postdate.secretVariable" (dict "variable" "POSTDATE_OPERATOR_KEY" "key" .Values.secrets.keys.operatorKey) | nindent 8 }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: http
          containerPort: 7070
          protocol: TCP
        - name: metrics
          containerPort: 7071
          protocol: TCP
      startupProbe:
        httpGet:
          path: /healthz
          port: http
        {{- toYaml .Values.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet:
          path: /healthz
          port: http
        {{- toYaml .Values.probes.liveness | nindent 8 }}
      readinessProbe:
        httpGet:
          path: /readyz
          port: http
        {{- toYaml .Values.probes.readiness | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: secrets
          mountPath: /run/secrets/postdate
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- if eq .Values.store "sqlite" }}
        - name: data
          mountPath: /var/lib/postdate
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: secrets
      secret:
        secretName: {{ required "secrets.existingSecret is needed" .Values.secrets.existingSecret | quote }}
        # Readable to the group of the pod, nobody else.
        defaultMode: 288
    # Compiled code is kept here, so that a restart is quicker.
    - name: tmp
      emptyDir:
        sizeLimit: 256Mi
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
  {{- else if eq .Values.store "postgresql" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "postdate.selectorLabels" . | nindent 10 }}
  {{- end }}
{{- end -}}
