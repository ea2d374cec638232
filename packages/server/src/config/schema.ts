import * as kinds from "./kinds-of-value.ts";
import { trustedIssuers } from "./trusted-issuers.ts";
import {
  logFormats,
  logLevels,
  roles,
  schemaUpgrades,
  traceRelations,
  traceSamplers,
  type Settings,
} from "./settings.ts";

/** One setting: where it comes from, which values it accepts, and its default. */
export interface Setting<Value> {
  /**
   * Null for a secret, which a flag would show in the list of processes, and for a variable that OpenTelemetry
   * has named.
   */
  readonly flag: `--${string}` | null;
  readonly env: `POSTDATE_${string}` | `OTEL_${string}`;
  readonly kind: kinds.KindOfValue<NonNullable<Value>>;
  /** Repeating the flag adds to the value. */
  readonly repeatable?: boolean;
  readonly default: Value;
  /** The default, as an operator would write it, or as a sentence. */
  readonly defaultText: string;
  readonly description: string;
  readonly secret: boolean;
}

export type Schema = { readonly [Name in keyof Settings]: Setting<Settings[Name]> };

/** The one list of settings. Flags, environment, reference and start-up summary all come from it. */
export const schema: Schema = {
  host: {
    flag: "--host",
    env: "POSTDATE_HOST",
    kind: kinds.text("address", "an address or a host name"),
    default: "127.0.0.1",
    defaultText: "127.0.0.1",
    description: "The address to listen on. `0.0.0.0` or `::` opens the service to the network.",
    secret: false,
  },
  port: {
    flag: "--port",
    env: "POSTDATE_PORT",
    kind: kinds.wholeNumber(0, 65_535),
    default: 7070,
    defaultText: "7070",
    description: "The port to listen on. 0 takes any free port, and the ready line names it.",
    secret: false,
  },
  metricsPort: {
    flag: "--metrics-port",
    env: "POSTDATE_METRICS_PORT",
    kind: kinds.wholeNumber(0, 65_535),
    default: null,
    defaultText: "none: `/metrics` is on the port of the service",
    description:
      "A separate port for `/metrics`. The port of the service then answers it with 404. 0 takes any free port, and the log names it.",
    secret: false,
  },
  metricsHost: {
    flag: "--metrics-host",
    env: "POSTDATE_METRICS_HOST",
    kind: kinds.text("address", "an address or a host name"),
    default: null,
    defaultText: "the value of `--host`",
    description: "The address that `--metrics-port` listens on.",
    secret: false,
  },
  metricsPerTarget: {
    flag: "--metrics-per-target",
    env: "POSTDATE_METRICS_PER_TARGET",
    kind: kinds.wholeNumber(0, 1_000),
    default: 0,
    defaultText: "0",
    description:
      "How many targets have metrics of their own: those with the most attempts lately. With 0, no metric names a target. Whoever may read `/metrics` then sees the ids of accounts and targets, so use it with `--metrics-port` and a firewall.",
    secret: false,
  },
  dataDir: {
    flag: "--data-dir",
    env: "POSTDATE_DATA_DIR",
    kind: kinds.text("path", "a directory; it is created if it does not exist"),
    default: "./postdate-data",
    defaultText: "./postdate-data",
    description: "Where the embedded store keeps its files. Only one server at a time can use it.",
    secret: false,
  },
  databaseUrl: {
    flag: "--database-url",
    env: "POSTDATE_DATABASE_URL",
    kind: kinds.databaseUrl,
    default: null,
    defaultText: "none: the embedded store",
    description:
      "The PostgreSQL database to use instead of the embedded store. A node has up to 18 connections to it. Everybody on the machine can see the flag in the list of processes, so put a password into the variable, into its file, into `PGPASSWORD` or into a file that `PGPASSFILE` names.",
    secret: true,
  },
  schemaUpgrade: {
    flag: "--schema-upgrade",
    env: "POSTDATE_SCHEMA_UPGRADE",
    kind: kinds.oneOf(schemaUpgrades, "mode"),
    default: "auto",
    defaultText: "auto",
    description:
      "What a node does when it starts on an older schema: `auto` upgrades it, `manual` refuses to start until you have run `postdate schema upgrade`.",
    secret: false,
  },
  role: {
    flag: "--role",
    env: "POSTDATE_ROLE",
    kind: kinds.oneOf(roles, "role"),
    default: "all",
    defaultText: "all",
    description:
      "What this node does: `api` answers callers, `dispatch` delivers, `all` does both. `api` and `dispatch` need a database URL, because other nodes do the rest.",
    secret: false,
  },
  allowCidrs: {
    flag: "--allow-cidr",
    env: "POSTDATE_ALLOW_CIDRS",
    kind: kinds.addressRanges,
    repeatable: true,
    default: [],
    defaultText: "none: public addresses only",
    description: "Addresses that the service may deliver to, besides public ones.",
    secret: false,
  },
  rootKey: {
    flag: null,
    env: "POSTDATE_ROOT_KEY",
    kind: kinds.rootKey,
    default: null,
    defaultText: "generated at the first start and shown once",
    description:
      "The API key that may do everything on the default account. A new value replaces the old key.",
    secret: true,
  },
  writeRootKey: {
    flag: "--write-root-key",
    env: "POSTDATE_WRITE_ROOT_KEY",
    kind: kinds.text("path", "a file that does not exist yet"),
    default: null,
    defaultText: "none: a generated root key is shown in the log and stays there",
    description:
      "The file that the first start writes the generated root key to. Only its owner can read it. The log then names the file, not the key.",
    secret: false,
  },
  operatorKey: {
    flag: null,
    env: "POSTDATE_OPERATOR_KEY",
    kind: kinds.operatorKey,
    default: null,
    defaultText: "none: accounts cannot be managed",
    description:
      "The key that manages accounts (`postdate account …`, `/v1/accounts`). It belongs to no account and cannot read or schedule messages. Use the same key on every node.",
    secret: true,
  },
  encryptionKey: {
    flag: null,
    env: "POSTDATE_ENCRYPTION_KEY",
    kind: kinds.encryptionKey,
    default: null,
    defaultText: "generated once into the data directory; none with a database URL",
    description:
      "Seals the signing secrets and the settings of targets in the store. Nobody can read them without this key. With a database URL you must set it, to the same value on every node.",
    secret: true,
  },
  otherEncryptionKeys: {
    flag: null,
    env: "POSTDATE_ENCRYPTION_OTHER_KEYS",
    kind: kinds.encryptionKeys,
    default: [],
    defaultText: "none",
    description:
      "Keys whose values the server can read besides those of `POSTDATE_ENCRYPTION_KEY`, separated by commas: while the key is exchanged, the next one and then the one before. Use the same keys on every node.",
    secret: true,
  },
  retentionMs: {
    flag: "--retention",
    env: "POSTDATE_RETENTION",
    kind: kinds.duration("1s", "3650d"),
    default: 14 * 24 * 3_600_000,
    defaultText: "14d",
    description:
      "How long a message stays readable after it was delivered, dead-lettered or cancelled.",
    secret: false,
  },
  cancelWaitMs: {
    flag: "--cancel-wait",
    env: "POSTDATE_CANCEL_WAIT",
    kind: kinds.duration("0s", "60s"),
    default: 5_000,
    defaultText: "5s",
    description: "How long cancel and reschedule wait for the outcome of an attempt in flight.",
    secret: false,
  },
  maxInFlight: {
    flag: "--max-in-flight",
    env: "POSTDATE_MAX_IN_FLIGHT",
    kind: kinds.wholeNumber(1, 20_000),
    default: 1_000,
    defaultText: "1000",
    description:
      "How many attempts run at once, over all targets. An account that has none running may start one more.",
    secret: false,
  },
  drainTimeoutMs: {
    flag: "--drain-timeout",
    env: "POSTDATE_DRAIN_TIMEOUT",
    kind: kinds.duration("0s", "10m"),
    default: 20_000,
    defaultText: "20s",
    description: "How long a stopping node waits for attempts in flight before it interrupts them.",
    secret: false,
  },
  nodeLeaseMs: {
    flag: "--node-lease",
    env: "POSTDATE_NODE_LEASE",
    kind: kinds.duration("1s", "15s"),
    default: 10_000,
    defaultText: "10s",
    description:
      "On a shared database: how long a node may be silent before other nodes take over what it holds. Use the same value on every node.",
    secret: false,
  },
  idempotencyRetentionMs: {
    flag: "--idempotency-retention",
    env: "POSTDATE_IDEMPOTENCY_RETENTION",
    kind: kinds.duration("1m", "365d"),
    default: 24 * 3_600_000,
    defaultText: "24h",
    description: "How long the service remembers an `Idempotency-Key`.",
    secret: false,
  },
  monthlyMessageLimit: {
    flag: "--monthly-message-limit",
    env: "POSTDATE_MONTHLY_MESSAGE_LIMIT",
    kind: kinds.wholeNumber(0, 1_000_000_000_000),
    default: null,
    defaultText: "none: unlimited",
    description:
      "How many messages a new account may schedule in a calendar month (UTC). The default account is new at the first start. Existing accounts keep their limit; `postdate account update` changes it.",
    secret: false,
  },
  requestLimit: {
    flag: "--request-limit",
    env: "POSTDATE_REQUEST_LIMIT",
    kind: kinds.rateLimit,
    default: null,
    defaultText: "none: unlimited",
    description:
      "How many requests a new account may send, on all nodes together. Existing accounts keep their limit; `postdate account update` changes it.",
    secret: false,
  },
  maxRequests: {
    flag: "--max-requests",
    env: "POSTDATE_MAX_REQUESTS",
    kind: kinds.wholeNumber(1, 100_000),
    default: 2_000,
    defaultText: "2000",
    description:
      "How many requests this node answers at once. Accounts share them: one account may have at most eight ninths, and an account that has none running is always let in. Callers without a credential share a quarter as many, apart from these, and so do callers whose credential has yet to be verified; both are shared by address. The node refuses further requests with 503.",
    secret: false,
  },
  maxLoopDelayMs: {
    flag: "--max-loop-delay",
    env: "POSTDATE_MAX_LOOP_DELAY",
    kind: kinds.duration("100ms", "1h"),
    default: 500,
    defaultText: "500ms",
    description:
      "How late the event loop may be, twice in a row, before the node refuses requests with 503 until it is on time again. Raise it on a machine that does other work as well.",
    secret: false,
  },
  publicUrl: {
    flag: "--public-url",
    env: "POSTDATE_PUBLIC_URL",
    kind: kinds.webUrl,
    default: null,
    defaultText: "the address it listens on",
    description:
      "The address where callers reach the service. It is the issuer of its access tokens. If it begins with `https`, browsers can sign in through a proxy that ends TLS. Use the same value on every node.",
    secret: false,
  },
  trustProxies: {
    flag: "--trust-proxy",
    env: "POSTDATE_TRUST_PROXIES",
    kind: kinds.addressRanges,
    repeatable: true,
    default: [],
    defaultText: "none",
    description:
      "Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` the service trusts.",
    secret: false,
  },
  tokenLifetimeMs: {
    flag: "--token-lifetime",
    env: "POSTDATE_TOKEN_LIFETIME",
    kind: kinds.duration("1m", "24h"),
    default: 3_600_000,
    defaultText: "1h",
    description: "How long an access token from `/oauth/token` is valid.",
    secret: false,
  },
  tokenRequestLimit: {
    flag: "--token-request-limit",
    env: "POSTDATE_TOKEN_REQUEST_LIMIT",
    kind: kinds.rateLimit,
    default: { max: 120, intervalMs: 60_000 },
    defaultText: "120/1m",
    description:
      "How many requests each client address may send to `/oauth/token` and `/oauth/revoke` of this node, and how many times it may sign in (`POST /v1/session`).",
    secret: false,
  },
  signingKeyRotationMs: {
    flag: "--signing-key-rotation",
    env: "POSTDATE_SIGNING_KEY_ROTATION",
    kind: kinds.duration("1h", "365d"),
    default: 30 * 24 * 3_600_000,
    defaultText: "30d",
    description:
      "How long the service signs access tokens with one key before it makes a new one. The old key stays published until its last token has expired.",
    secret: false,
  },
  trustedIssuers: {
    flag: "--trusted-issuers",
    env: "POSTDATE_TRUSTED_ISSUERS",
    kind: trustedIssuers,
    default: [],
    defaultText: "none",
    description:
      "Other issuers whose access tokens the service accepts, as a JSON list of `{issuer, audience, accountClaim, scopeClaim, jwksUri, algorithms}`. The first two are required. `accountClaim` names the claim that says which account a token is for (default: `postdate_account`).",
    secret: false,
  },
  auditRetentionMs: {
    flag: "--audit-retention",
    env: "POSTDATE_AUDIT_RETENTION",
    kind: kinds.duration("1d", "3650d"),
    default: 400 * 24 * 3_600_000,
    defaultText: "400d",
    description: "How long the service keeps entries of the audit log.",
    secret: false,
  },
  otlpEndpoint: {
    flag: null,
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    kind: kinds.webUrl,
    default: null,
    defaultText: "none: no tracing",
    description:
      "The OpenTelemetry collector that spans go to, for example `http://localhost:4318`. They go to `/v1/traces` below it, by OTLP over HTTP as JSON. Without it the service takes no part in traces. [Tracing](../operations/tracing.md) has more.",
    secret: false,
  },
  otlpHeaders: {
    flag: null,
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    kind: kinds.otlpHeaders,
    default: null,
    defaultText: "none",
    description: "Headers for the collector, such as a credential.",
    secret: true,
  },
  traceSampler: {
    flag: null,
    env: "OTEL_TRACES_SAMPLER",
    kind: kinds.oneOf(traceSamplers, "sampler"),
    default: "parentbased_always_on",
    defaultText: "parentbased_always_on",
    description:
      "Which requests and attempts have a span. With `parentbased_…` the caller decides for its request and the attempts that follow from it; the rest of the name decides for the others.",
    secret: false,
  },
  traceSampleRatio: {
    flag: null,
    env: "OTEL_TRACES_SAMPLER_ARG",
    kind: kinds.ratio,
    default: 1,
    defaultText: "1",
    description: "The part that the samplers with `traceidratio` take.",
    secret: false,
  },
  traceRelation: {
    flag: "--trace-relation",
    env: "POSTDATE_TRACE_RELATION",
    kind: kinds.oneOf(traceRelations, "relation"),
    default: "link",
    defaultText: "link",
    description:
      "How attempts belong to the call that scheduled their message: `link` gives each attempt a trace of its own with a link to the call, `parent` puts the attempts into the trace of the call.",
    secret: false,
  },
  eventRetentionMs: {
    flag: "--event-retention",
    env: "POSTDATE_EVENT_RETENTION",
    kind: kinds.duration("1h", "90d"),
    default: 7 * 24 * 3_600_000,
    defaultText: "7d",
    description:
      "How long the service keeps events for those who read them, and for webhooks that do not take them.",
    secret: false,
  },
  eventLimit: {
    flag: "--event-limit",
    env: "POSTDATE_EVENT_LIMIT",
    kind: kinds.wholeNumber(1_000, 1_000_000_000_000),
    default: 100_000_000,
    defaultText: "100000000",
    description:
      "How many events an account keeps, so that a busy one cannot fill the disk. Beyond it the oldest go before their retention is over, and whoever has not read them is told of a gap.",
    secret: false,
  },
  logLevel: {
    flag: "--log-level",
    env: "POSTDATE_LOG_LEVEL",
    kind: kinds.oneOf(logLevels, "level"),
    default: "info",
    defaultText: "info",
    description: "The lowest level of log line that is still written.",
    secret: false,
  },
  logFormat: {
    flag: "--log-format",
    env: "POSTDATE_LOG_FORMAT",
    kind: kinds.oneOf(logFormats, "format"),
    default: "auto",
    defaultText: "auto",
    description: "How log lines look. `auto` is `pretty` on a terminal and `json` elsewhere.",
    secret: false,
  },
};

export const settingNames = Object.keys(schema) as (keyof Settings)[];
