import type { FailingAfter } from "./failing-after.ts";
import type { Instant } from "./message.ts";
import type { RetryPolicy } from "./retry-policy.ts";
import type { RateLimit } from "./rate-limit.ts";

/** A kind of target by its name, such as `webhook`. */
export type TargetKindName = string;

/** The settings of a target. Only its kind reads them; all other code passes them on. */
export type TargetSettings = Readonly<Record<string, unknown>>;

/** Opened signing secrets. Outside an attempt they exist only sealed. */
export interface SigningSecrets {
  readonly current: string;
  /** Only the secret before the last rotation. It signs until `previousUntil`. */
  readonly previous: string | null;
  readonly previousUntil: Instant | null;
}

export interface Target {
  /** The store's internal id: short, stable, never shown. */
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
  /** When `target.failing` is told; null: as for every target. */
  readonly failingAfter: FailingAfter | null;
  readonly creationTime: Instant;
  readonly updateTime: Instant;
  /** Grows with every change, so that a copy can be recognised as outdated. */
  readonly revision: number;
}

export const targetIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
export const defaultMaxConcurrency = 50;
