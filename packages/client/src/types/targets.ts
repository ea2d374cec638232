import type { Attempt } from "./messages.ts";

/** How long to wait after a failed attempt: a delay that grows by a factor, or a list of delays. */
export type Backoff =
  | { kind: "exponential"; initialMs: number; factor: number; maxMs: number; jitter: number }
  | { kind: "list"; delaysMs: number[]; jitter: number };

/** A backoff to set. Parts that are left out take their defaults. */
export type GivenBackoff =
  | { kind: "exponential"; initialMs?: number; factor?: number; maxMs?: number; jitter?: number }
  | { kind: "list"; delaysMs: number[]; jitter?: number };

/** When a failed delivery is attempted again. */
export interface RetryPolicy {
  /** The most attempts that a message gets. */
  maxAttempts: number;
  backoff: Backoff;
  /** Statuses after which no further attempt is made, besides 410. */
  finalStatuses: number[];
  /** How long a target can delay the next attempt with `Retry-After`. */
  maxRetryAfterMs: number;
}

/** A retry policy to set. Parts that are left out take their defaults. */
export interface GivenRetryPolicy {
  maxAttempts?: number;
  backoff?: GivenBackoff;
  finalStatuses?: number[];
  maxRetryAfterMs?: number;
}

/** At most `max` in each span of `intervalMs`. */
export interface RateLimit {
  max: number;
  intervalMs: number;
}

/** When a target counts as failing: so many attempts in a row have failed, and the first of them ended so long ago. */
export interface FailingAfter {
  attempts: number;
  ms: number;
}

/** Where messages are delivered, and how. Never with a secret. */
export interface Target {
  targetId: string;
  kind: string;
  /** The address that attempts are sent to, by POST. */
  url: string;
  /** Headers that every attempt carries. Their values are never shown: each is `"set"`. */
  headers: Record<string, string>;
  /** The `Content-Type` of every attempt. */
  contentType: string;
  /** How long one attempt may take. */
  timeoutMs: number;
  retryPolicy: RetryPolicy;
  /** How many attempts may run at once. */
  maxConcurrency: number;
  /** How many attempts may start in a span of time; null: no limit. */
  rateLimit: RateLimit | null;
  /** While true, messages stay scheduled and no attempt starts. */
  paused: boolean;
  /** When the event `target.failing` is told. */
  failingAfter: FailingAfter;
  creationTime: string;
  updateTime: string;
}

/** A target with its current signing secret, which is shown once. */
export interface TargetWithSecret extends Target {
  secret: string;
}

/** A new target. Only `url` is required. */
export interface CreateTarget {
  /** 1 to 64 letters, digits, `_` and `-`; generated if it is left out. */
  targetId?: string;
  kind?: "webhook";
  url: string;
  /** Names and values have at most 8,192 characters together. */
  headers?: Record<string, string>;
  contentType?: string;
  timeoutMs?: number;
  retryPolicy?: GivenRetryPolicy;
  maxConcurrency?: number;
  rateLimit?: RateLimit | null;
  paused?: boolean;
  failingAfter?: FailingAfter;
  /** `whsec_` and 24 to 64 bytes in base64. Generated if it is left out. */
  secret?: string;
}

/** The fields to change. Null restores a default; fields that are left out stay as they are. */
export interface UpdateTarget {
  url?: string;
  /** Replaces all headers. The value `"set"` keeps the current value of a header. */
  headers?: Record<string, string> | null;
  contentType?: string | null;
  timeoutMs?: number | null;
  retryPolicy?: GivenRetryPolicy | null;
  maxConcurrency?: number | null;
  rateLimit?: RateLimit | null;
  paused?: boolean | null;
  failingAfter?: FailingAfter | null;
}

export interface RotateSecret {
  /** The new secret. Generated if it is left out. */
  secret?: string;
  /** How long the old secret also signs attempts; 24 hours by default. */
  overlapMs?: number;
}

export interface TestTarget {
  payload?: string;
}

/** The attempt of a test. */
export interface TestResult {
  targetId: string;
  messageId: string;
  attempt: Attempt;
}
