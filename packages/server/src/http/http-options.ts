import type { Logger } from "pino";
import type { RateLimit } from "../domain/rate-limit.ts";
import type { Operations } from "../operations/operations.ts";
import type { Clock } from "../platform/clock.ts";
import type { HeapUse } from "../platform/heap.ts";
import type { Random } from "../platform/random.ts";
import type { Timers } from "../platform/timers.ts";
import type { Authenticator } from "./admission/authenticate.ts";
import type { LimitRequestsOptions } from "./admission/limit-requests.ts";
import type { BodyLimits } from "./body/body-limits.ts";
import type { UnroutedMisfitOptions } from "./errors/allowed-methods.ts";
import type { ShedReason } from "./load/shed-load.ts";
import type { ServiceRouteOptions } from "./routes/service.ts";

export interface HttpLimits {
  /** Requests under way at once. */
  readonly maxRequests: number;
  /** The event loop may be so late before requests are turned away. */
  readonly maxLoopDelayMs: number;
  /** Requests to the OAuth endpoints, for each client address. */
  readonly tokenRequestLimit: RateLimit;
  /** Proxies whose `X-Forwarded-For` is believed, in CIDR notation. */
  readonly trustProxies: readonly string[];
  readonly publicUrl: string | null;
}

/** Told of what is turned away. */
export interface HttpObserver {
  shed(reason: ShedReason): void;
  /** A request beyond its account's limit, or one for a token beyond its address's. */
  limited(): void;
}

export interface HttpOptions extends ServiceRouteOptions, UnroutedMisfitOptions {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  /** The issuer of our access tokens: where callers reach the service. */
  readonly issuer: () => string;
  readonly takeRequests: LimitRequestsOptions["takeRequests"];
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly readHeap: () => HeapUse;
  readonly observer: HttpObserver;
  readonly logger: Logger;
  readonly random: Random;
  /** False until the service can do what it is asked for: until then callers are told to come again. */
  readonly hasStarted: () => boolean;
  readonly bodyLimits?: BodyLimits;
  readonly bodyBudgetBytes?: number;
  readonly timeLimits?: TimeLimits;
}

/** Whoever takes longer is cut off, and holds nobody's connection for ever. */
export interface TimeLimits {
  readonly headersMs: number;
  /** With its body. */
  readonly requestMs: number;
  /** Without a byte of a body that is being read. */
  readonly bodyQuietMs: number;
  /** Between two requests. Longer than load balancers wait, so that they never reuse a closed one. */
  readonly keepAliveMs: number;
  /** Without a byte in either direction. Longer than any operation waits: a target's test may take 5 min. */
  readonly quietMs: number;
  /** How often headers and requests are looked at. */
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
