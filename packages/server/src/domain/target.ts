import type { Instant } from "./message.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { RateLimit } from "./rate-limit.ts";

/** A kind of target by its name, such as `webhook`. */
export type TargetKindName = string;

/** What the kind keeps of a target. Only the kind itself reads it; everything else hands it on. */
export type TargetSettings = Readonly<Record<string, unknown>>;

/** Signing secrets in the clear; outside an attempt they exist only sealed. */
export interface SigningSecrets {
  readonly current: string;
  /** The secret before the last rotation alone, good for signing until `previousUntil`. */
  readonly previous: string | null;
  readonly previousUntil: Instant | null;
}

export interface Target {
  /** The store's own handle: short, stable, never shown. */
  readonly targetKey: number;
  readonly accountId: string;
  readonly targetId: string;
  readonly kind: TargetKindName;
  /** The kind's settings and the signing secrets, sealed: headers may hold credentials too. */
  readonly sealedSettings: string;
  readonly sealedSecrets: string;
  readonly retryPolicy: RetryPolicy;
  readonly maxConcurrency: number;
  readonly rateLimit: RateLimit | null;
  readonly paused: boolean;
  readonly creationTime: Instant;
  readonly updateTime: Instant;
  /** Grows with every change, so that whoever holds a copy can tell that it is old. */
  readonly revision: number;
}

export const targetIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
export const defaultMaxConcurrency = 50;
