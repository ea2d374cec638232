import type { RateLimit } from "../domain/rate-limit.ts";
import type { TrustedIssuer } from "../domain/trusted-issuer.ts";

/** Everything an operator can set, read and checked. `schema.ts` says where each comes from. */
export interface Settings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: the port that answers callers also shows the metrics. 0: any free port. */
  readonly metricsPort: number | null;
  /** Null: the value of `host`. */
  readonly metricsHost: string | null;
  /** How many targets have series of their own; 0: none. */
  readonly metricsPerTarget: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Whether a start upgrades an older schema or refuses it. */
  readonly schemaUpgrade: SchemaUpgrade;
  /** Whether this node answers callers, delivers, or both. */
  readonly role: Role;
  /** In CIDR notation, each with its prefix length. */
  readonly allowCidrs: readonly string[];
  /** Null: one is generated at the first start. */
  readonly rootKey: string | null;
  /** The file for a generated root key; null: the log shows the key. */
  readonly writeRootKey: string | null;
  /** Null: accounts cannot be managed. */
  readonly operatorKey: string | null;
  /** 32 bytes. Null: one is generated once and kept in the data directory. */
  readonly encryptionKey: Uint8Array | null;
  readonly otherEncryptionKeys: readonly Uint8Array[];
  readonly retentionMs: number;
  readonly cancelWaitMs: number;
  readonly maxInFlight: number;
  readonly drainTimeoutMs: number;
  readonly nodeLeaseMs: number;
  readonly idempotencyRetentionMs: number;
  /** How many messages a new account may schedule in a calendar month; null: no limit. */
  readonly monthlyMessageLimit: number | null;
  /** How many requests a new account may send; null: no limit. */
  readonly requestLimit: RateLimit | null;
  /** Requests that run at once. Further requests are refused. */
  readonly maxRequests: number;
  /** How late the event loop may be. Beyond that, requests are refused. */
  readonly maxLoopDelayMs: number;
  /** Where callers reach the service, without a slash at the end; null: the address it listens on. */
  readonly publicUrl: string | null;
  /** In CIDR notation. */
  readonly trustProxies: readonly string[];
  readonly tokenLifetimeMs: number;
  /** For each client address. */
  readonly tokenRequestLimit: RateLimit;
  readonly signingKeyRotationMs: number;
  readonly trustedIssuers: readonly TrustedIssuer[];
  readonly auditRetentionMs: number;
  /** Where spans go, by OTLP over HTTP; null: the service takes no part in traces. */
  readonly otlpEndpoint: string | null;
  /** Sent with spans: `name=value`, separated by commas. */
  readonly otlpHeaders: string | null;
  readonly traceSampler: TraceSampler;
  /** Of the samplers with a ratio. */
  readonly traceSampleRatio: number;
  readonly traceRelation: TraceRelation;
  readonly eventRetentionMs: number;
  readonly eventLimit: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export const roles = ["all", "api", "dispatch"] as const;
type Role = (typeof roles)[number];

export const schemaUpgrades = ["auto", "manual"] as const;
type SchemaUpgrade = (typeof schemaUpgrades)[number];

/** As OpenTelemetry names them. */
export const traceSamplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type TraceSampler = (typeof traceSamplers)[number];

/** How an attempt belongs to the call that scheduled its message: by a link to it, or below it in one trace. */
export const traceRelations = ["link", "parent"] as const;
export type TraceRelation = (typeof traceRelations)[number];

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

export const logFormats = ["auto", "json", "pretty"] as const;
type LogFormat = (typeof logFormats)[number];
