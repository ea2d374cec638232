import type { Logger } from "pino";
import type { RateLimit } from "../domain/rate-limit.ts";
import type { Operations, RequestTake, RequestTaken } from "../operations/operations.ts";
import type { Clock } from "../platform/clock.ts";
import type { HeapUse } from "../platform/heap.ts";
import type { Random } from "../platform/random.ts";
import type { Timers } from "../platform/timers.ts";
import type { Authenticator } from "./admission/authenticate.ts";
import type { ShedReason } from "./load/shed-load.ts";

export interface HttpLimits {
  /** How many requests may be under way at once. */
  readonly maxRequests: number;
  /** The server turns requests away once the event loop is later than this. */
  readonly maxLoopDelayMs: number;
  /** How many requests each client address may send to the OAuth endpoints. */
  readonly tokenRequestLimit: RateLimit;
  /** The server believes `X-Forwarded-For` from these proxies. In CIDR notation. */
  readonly trustProxies: readonly string[];
  readonly publicUrl: string | null;
}

/** Counts the requests that the server turns away. */
export interface HttpObserver {
  shed(reason: ShedReason): void;
  /** A request was over the limit of its account, or a token request over the limit of its address. */
  limited(): void;
}

export interface HttpOptions {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  /** The issuer named in access tokens: the URL at which callers reach the service. */
  readonly issuer: () => string;
  readonly takeRequests: (takes: readonly RequestTake[]) => Promise<RequestTaken[]>;
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly readHeap: () => HeapUse;
  readonly observer: HttpObserver;
  readonly logger: Logger;
  readonly random: Random;
  readonly readiness: () => Promise<{
    readonly ready: boolean;
    readonly reasons: readonly string[];
  }>;
  /** Null if another listener serves the metrics. */
  readonly metricsText:
    | (() => Promise<{ readonly contentType: string; readonly body: string }>)
    | null;
  readonly version: string;
  /** False on a node that only delivers. Such a node serves health and metrics, and nothing else. */
  readonly answersCallers: boolean;
  /** False while the service starts. Meanwhile callers get 503 and are told to try again. */
  readonly hasStarted: () => boolean;
  readonly bodyLimits?: BodyLimits;
  readonly bodyBudgetBytes?: number;
  readonly timeLimits?: TimeLimits;
}

/** In bytes. The longest legal payload must fit, even if every character is escaped into 12 bytes. */
export interface BodyLimits {
  /** For operations that take a few short fields. */
  readonly small: number;
  readonly single: number;
  readonly batch: number;
}

export const defaultBodyLimits: BodyLimits = {
  small: 16_384,
  single: 1_048_576,
  batch: 16 * 1_048_576,
};

/** How many bytes of bodies may be under way at once. */
export const defaultBodyBudgetBytes = 256 * 1_048_576;

/** The server closes the connection of a client that takes longer, so that no client holds one for ever. */
export interface TimeLimits {
  readonly headersMs: number;
  /** To send a whole request, with its body. */
  readonly requestMs: number;
  /** Between two pieces of a body. */
  readonly bodyQuietMs: number;
  /** Between two requests. Longer than load balancers wait, so that they never reuse a connection that the server has closed. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. Longer than any operation: the test of a target may take 5 min. */
  readonly quietMs: number;
  /** How often the server looks for headers and requests that took too long. */
  readonly lookEveryMs: number;
}

export const defaultTimeLimits: TimeLimits = {
  headersMs: 20_000,
  requestMs: 60_000,
  bodyQuietMs: 10_000,
  keepAliveMs: 72_000,
  quietMs: 330_000,
  lookEveryMs: 5_000,
};
