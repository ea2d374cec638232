import type { RateLimit } from "../domain/rate-limit.ts";
import type { TrustedIssuer } from "../domain/trusted-issuer.ts";

/** Everything an operator can set, read and checked. `schema.ts` says where each comes from. */
export interface Settings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: the metrics are shown where callers are answered. 0: any free port. */
  readonly metricsPort: number | null;
  /** Null: where callers are answered. */
  readonly metricsHost: string | null;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Whether a start brings an older schema up to date, or refuses it. */
  readonly schemaUpgrade: SchemaUpgrade;
  /** Whether this node answers callers, delivers, or both. */
  readonly role: Role;
  /** In CIDR notation, each with its prefix length. */
  readonly allowCidrs: readonly string[];
  /** Null: one is generated at the first start. */
  readonly rootKey: string | null;
  /** A file to be made for a generated root key; null: it is shown. */
  readonly writeRootKey: string | null;
  /** Null: nobody manages accounts. */
  readonly operatorKey: string | null;
  /** 32 bytes. Null: one is generated once and kept in the data directory. */
  readonly encryptionKey: Uint8Array | null;
  readonly retentionMs: number;
  readonly cancelWaitMs: number;
  readonly maxInFlight: number;
  readonly drainTimeoutMs: number;
  readonly nodeLeaseMs: number;
  readonly idempotencyRetentionMs: number;
  /** What a new account may schedule in a calendar month; null: as much as it likes. */
  readonly monthlyMessageLimit: number | null;
  /** What a new account may send; null: as many requests as it likes. */
  readonly requestLimit: RateLimit | null;
  /** Requests under way at once; what comes beyond is turned away. */
  readonly maxRequests: number;
  /** The event loop may be so late; beyond, requests are turned away. */
  readonly maxLoopDelayMs: number;
  /** Where callers reach the service, without a slash at the end; null: where it listens. */
  readonly publicUrl: string | null;
  /** In CIDR notation. */
  readonly trustProxies: readonly string[];
  readonly tokenLifetimeMs: number;
  /** For each client address. */
  readonly tokenRequestLimit: RateLimit;
  readonly signingKeyRotationMs: number;
  readonly trustedIssuers: readonly TrustedIssuer[];
  readonly auditRetentionMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export const roles = ["all", "api", "dispatch"] as const;
type Role = (typeof roles)[number];

export const schemaUpgrades = ["auto", "manual"] as const;
type SchemaUpgrade = (typeof schemaUpgrades)[number];

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

export const logFormats = ["auto", "json", "pretty"] as const;
type LogFormat = (typeof logFormats)[number];
