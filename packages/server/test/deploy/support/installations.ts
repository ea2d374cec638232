import type { Values } from "./render-chart.ts";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

/** Values that installations of the chart give: as little as possible, and everything at once. */
export const installations: Readonly<Record<string, Values>> = {
  "the embedded store, as it comes": {},
  "PostgreSQL, as little as possible": { store: "postgresql" },
  "PostgreSQL with everything": {
    store: "postgresql",
    replicaCount: 3,
    image: { repository: "registry.example.com/postdate", digest, pullPolicy: "Always" },
    imagePullSecrets: [{ name: "registry" }],
    secrets: { existingSecret: "of-the-shop", keys: { operatorKey: "operator-key" } },
    settings: {
      POSTDATE_PUBLIC_URL: "https://postdate.example.com",
      POSTDATE_TRUST_PROXIES: "10.42.0.0/16",
      POSTDATE_MONTHLY_MESSAGE_LIMIT: "1000000",
      POSTDATE_ROLE: "dispatch",
    },
    extraEnv: [{ name: "NODE_EXTRA_CA_CERTS", value: "/etc/postdate/ca/ca.pem" }],
    extraVolumes: [{ name: "ca", configMap: { name: "database-ca" } }],
    extraVolumeMounts: [{ name: "ca", mountPath: "/etc/postdate/ca", readOnly: true }],
    service: { type: "LoadBalancer", port: 80, annotations: { "example.com/zone": "a" } },
    podDisruptionBudget: { maxUnavailable: "50%" },
    networkPolicy: {
      callers: [{ namespaceSelector: { matchLabels: { team: "shop" } } }],
      scrapers: [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }],
      database: [{ ipBlock: { cidr: "10.1.2.3/32" } }],
      databasePort: 6432,
    },
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
    serviceAccount: { annotations: { "example.com/owner": "shop" } },
    podAnnotations: { "example.com/note": 'odd: "text" #1' },
    podLabels: { team: "shop" },
    priorityClassName: "important",
    nodeSelector: { "kubernetes.io/arch": "amd64" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { "app.kubernetes.io/name": "postdate" } },
      },
    ],
  },
  "the embedded store on a class of its own": {
    nameOverride: "scheduler",
    persistence: { size: "100Gi", storageClassName: "fast", accessModes: ["ReadWriteOncePod"] },
    networkPolicy: { enabled: false },
    serviceMonitor: { enabled: true },
    podDisruptionBudget: { enabled: true },
  },
  "a name that is too long": { fullnameOverride: "a-very-long-name-".repeat(6) },
};
