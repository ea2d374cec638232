import * as kinds from "./kinds-of-value.ts";
import { trustedIssuers } from "./trusted-issuers.ts";
import { logFormats, logLevels, roles, schemaUpgrades, type Settings } from "./settings.ts";

/** One setting: where it comes from, what it may be, and what it is without anybody setting it. */
export interface Setting<Value> {
  /** Null where a flag would show a secret in the list of processes. */
  readonly flag: `--${string}` | null;
  readonly env: `POSTDATE_${string}`;
  readonly kind: kinds.KindOfValue<NonNullable<Value>>;
  /** Repeating the flag adds to the value. */
  readonly repeatable?: boolean;
  readonly default: Value;
  /** The default, as one would write it or as a sentence. */
  readonly defaultText: string;
  readonly description: string;
  readonly secret: boolean;
}

export type Schema = { readonly [Name in keyof Settings]: Setting<Settings[Name]> };

/** The one list of settings: flags, environment, reference and start-up summary all come from it. */
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
    description: "The port to listen on. 0 takes any free one, which the ready line names.",
    secret: false,
  },
  metricsPort: {
    flag: "--metrics-port",
    env: "POSTDATE_METRICS_PORT",
    kind: kinds.wholeNumber(0, 65_535),
    default: null,
    defaultText: "none: `/metrics` is on the port of the service",
    description:
      "A port of its own for `/metrics`, which the port of the service then does not answer. 0 takes any free one, which the log names.",
    secret: false,
  },
  metricsHost: {
    flag: "--metrics-host",
    env: "POSTDATE_METRICS_HOST",
    kind: kinds.text("address", "an address or a host name"),
    default: null,
    defaultText: "that of `--host`",
    description: "The address that `--metrics-port` listens on.",
    secret: false,
  },
  dataDir: {
    flag: "--data-dir",
    env: "POSTDATE_DATA_DIR",
    kind: kinds.text("path", "a directory; it is created where it does not exist"),
    default: "./postdate-data",
    defaultText: "./postdate-data",
    description: "Where the embedded store keeps its files. One server at a time uses it.",
    secret: false,
  },
  databaseUrl: {
    flag: "--database-url",
    env: "POSTDATE_DATABASE_URL",
    kind: kinds.databaseUrl,
    default: null,
    defaultText: "none: the embedded store",
    description:
      "The PostgreSQL database to use in place of the embedded store. A node has up to 12 connections to it. The list of processes shows the flag to everybody on the machine: a password belongs in the variable, in its file, in `PGPASSWORD` or in a file that `PGPASSFILE` names.",
    secret: true,
  },
  schemaUpgrade: {
    flag: "--schema-upgrade",
    env: "POSTDATE_SCHEMA_UPGRADE",
    kind: kinds.oneOf(schemaUpgrades, "mode"),
    default: "auto",
    defaultText: "auto",
    description:
      "What a start does with a schema older than its own: `auto` upgrades it, `manual` refuses to start until `postdate schema upgrade` was run.",
    secret: false,
  },
  role: {
    flag: "--role",
    env: "POSTDATE_ROLE",
    kind: kinds.oneOf(roles, "role"),
    default: "all",
    defaultText: "all",
    description:
      "What this node does: `api` answers callers, `dispatch` delivers, `all` does both. Only with a database URL, where other nodes do the rest.",
    secret: false,
  },
  allowCidrs: {
    flag: "--allow-cidr",
    env: "POSTDATE_ALLOW_CIDRS",
    kind: kinds.addressRanges,
    repeatable: true,
    default: [],
    defaultText: "none: public addresses only",
    description: "Addresses that messages may be delivered to, besides public ones.",
    secret: false,
  },
  rootKey: {
    flag: null,
    env: "POSTDATE_ROOT_KEY",
    kind: kinds.rootKey,
    default: null,
    defaultText: "generated at the first start and shown once",
    description:
      "The API key that may do everything on the default account. Setting it replaces the one before.",
    secret: true,
  },
  writeRootKey: {
    flag: "--write-root-key",
    env: "POSTDATE_WRITE_ROOT_KEY",
    kind: kinds.text("path", "a file that does not exist yet"),
    default: null,
    defaultText: "none: a generated root key is shown in the log",
    description:
      "Where the first start writes the root key that it generates, in a file readable for its owner alone. The log then names the file, not the key.",
    secret: false,
  },
  operatorKey: {
    flag: null,
    env: "POSTDATE_OPERATOR_KEY",
    kind: kinds.operatorKey,
    default: null,
    defaultText: "none: nobody manages accounts",
    description:
      "The key that manages accounts (`postdate account …`, `/v1/accounts`). It belongs to no account and opens none. The same on every node.",
    secret: true,
  },
  encryptionKey: {
    flag: null,
    env: "POSTDATE_ENCRYPTION_KEY",
    kind: kinds.encryptionKey,
    default: null,
    defaultText: "generated once into the data directory; none with a database URL",
    description:
      "Seals the signing secrets and the settings of targets in the store. Without the key that sealed them they cannot be read. With a database URL it must be set, to the same value on every node.",
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
      "How many attempts run at once, over all targets. An account that has none under way may begin one beyond it.",
    secret: false,
  },
  drainTimeoutMs: {
    flag: "--drain-timeout",
    env: "POSTDATE_DRAIN_TIMEOUT",
    kind: kinds.duration("0s", "10m"),
    default: 20_000,
    defaultText: "20s",
    description: "How long a stop waits for attempts in flight before it gives them back.",
    secret: false,
  },
  nodeLeaseMs: {
    flag: "--node-lease",
    env: "POSTDATE_NODE_LEASE",
    kind: kinds.duration("1s", "15s"),
    default: 10_000,
    defaultText: "10s",
    description:
      "On a shared database: how long a node may be silent before others take over what it holds. The same on every node.",
    secret: false,
  },
  idempotencyRetentionMs: {
    flag: "--idempotency-retention",
    env: "POSTDATE_IDEMPOTENCY_RETENTION",
    kind: kinds.duration("1m", "365d"),
    default: 24 * 3_600_000,
    defaultText: "24h",
    description: "How long an `Idempotency-Key` is remembered.",
    secret: false,
  },
  monthlyMessageLimit: {
    flag: "--monthly-message-limit",
    env: "POSTDATE_MONTHLY_MESSAGE_LIMIT",
    kind: kinds.wholeNumber(0, 1_000_000_000_000),
    default: null,
    defaultText: "none: as many as it likes",
    description:
      "How many messages a new account may schedule in a calendar month (UTC). The default account is new at the first start. Accounts that exist keep the limit they have; `postdate account update` changes it.",
    secret: false,
  },
  requestLimit: {
    flag: "--request-limit",
    env: "POSTDATE_REQUEST_LIMIT",
    kind: kinds.rateLimit,
    default: null,
    defaultText: "none: as many as it likes",
    description:
      "How many requests a new account may send, on all nodes together. Accounts that exist keep the limit they have; `postdate account update` changes it.",
    secret: false,
  },
  maxRequests: {
    flag: "--max-requests",
    env: "POSTDATE_MAX_REQUESTS",
    kind: kinds.wholeNumber(1, 100_000),
    default: 2_000,
    defaultText: "2000",
    description:
      "How many requests this node answers at once, shared by accounts: one alone may have eight ninths of them, and one that has none under way is always let in. Callers without a credential have a quarter as many of their own, and so have those whose credential has yet to be verified; both are shared by address. What comes beyond is turned away with 503.",
    secret: false,
  },
  maxLoopDelayMs: {
    flag: "--max-loop-delay",
    env: "POSTDATE_MAX_LOOP_DELAY",
    kind: kinds.duration("100ms", "1h"),
    default: 500,
    defaultText: "500ms",
    description:
      "How late the event loop may be, twice in a row, before requests are turned away with 503 until it is on time again. Raise it on a machine that is shared with other work.",
    secret: false,
  },
  publicUrl: {
    flag: "--public-url",
    env: "POSTDATE_PUBLIC_URL",
    kind: kinds.webUrl,
    default: null,
    defaultText: "the address it listens on",
    description:
      "Where callers reach the service. It is the issuer of its access tokens. The same on every node.",
    secret: false,
  },
  trustProxies: {
    flag: "--trust-proxy",
    env: "POSTDATE_TRUST_PROXIES",
    kind: kinds.addressRanges,
    repeatable: true,
    default: [],
    defaultText: "none",
    description: "Proxies whose `X-Forwarded-For` is believed.",
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
      "How many requests each client address may send to `/oauth/token` and `/oauth/revoke` of this node.",
    secret: false,
  },
  signingKeyRotationMs: {
    flag: "--signing-key-rotation",
    env: "POSTDATE_SIGNING_KEY_ROTATION",
    kind: kinds.duration("1h", "365d"),
    default: 30 * 24 * 3_600_000,
    defaultText: "30d",
    description:
      "After how long access tokens are signed with a new key. The old one stays published until its last token has expired.",
    secret: false,
  },
  trustedIssuers: {
    flag: "--trusted-issuers",
    env: "POSTDATE_TRUSTED_ISSUERS",
    kind: trustedIssuers,
    default: [],
    defaultText: "none",
    description:
      "Other issuers whose access tokens are accepted, as a JSON list of `{issuer, audience, accountClaim, scopeClaim, jwksUri, algorithms}`; the first two are needed. The claim named by `accountClaim` (`postdate_account`) says which account a token is for.",
    secret: false,
  },
  auditRetentionMs: {
    flag: "--audit-retention",
    env: "POSTDATE_AUDIT_RETENTION",
    kind: kinds.duration("1d", "3650d"),
    default: 400 * 24 * 3_600_000,
    defaultText: "400d",
    description: "How long entries of the audit log are kept.",
    secret: false,
  },
  logLevel: {
    flag: "--log-level",
    env: "POSTDATE_LOG_LEVEL",
    kind: kinds.oneOf(logLevels, "level"),
    default: "info",
    defaultText: "info",
    description: "The least important kind of log line that is still written.",
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
