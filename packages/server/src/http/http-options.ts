import type { Logger } from "../platform/logger.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import type { SignInLink } from "../domain/session.ts";
import type { Operations } from "../operations/operations.ts";
import type { Clock } from "../platform/clock.ts";
import type { HeapUse } from "../platform/heap.ts";
import type { Timers } from "../platform/timers.ts";
import type { Authenticator } from "./admission/authenticate.ts";
import type { LimitRequestsOptions } from "./admission/limit-requests.ts";
import type { BodyLimits } from "./body/body-limits.ts";
import type { ConsoleRouteOptions } from "./console/console-routes.ts";
import type { UnroutedMisfitOptions } from "./errors/allowed-methods.ts";
import type { ShedReason } from "./load/shed-load.ts";
import type { ServiceRouteOptions } from "./routes/service.ts";
import type { RequestTracer } from "./wire/trace-requests.ts";

export interface HttpLimits {
  /** How many requests may be under way at once. */
  readonly maxRequests: number;
  /** The server turns requests away once the event loop is later than this. */
  readonly maxLoopDelayMs: number;
  /** How many requests each client address may send to the OAuth endpoints, and how many sign-ins. */
  readonly tokenRequestLimit: RateLimit;
  /** The server believes the `X-Forwarded-` headers of these proxies. In CIDR notation. */
  readonly trustProxies: readonly string[];
  readonly publicUrl: string | null;
}

export interface HttpObserver {
  /** There is such a route, and its answers may have these statuses, besides refusals. */
  routed?(method: string, route: string, statuses: readonly number[]): void;
  /** The answer to a request begins. `route` is a pattern such as `/v1/messages/:messageId`. */
  answered(method: string, route: string, status: number, durationMs: number): void;
  /** A request or a connection was turned away. */
  shed(reason: ShedReason): void;
  /** A request was over the limit of its account, or a token request over the limit of its address. */
  limited(): void;
}

export interface HttpOptions
  extends ServiceRouteOptions, UnroutedMisfitOptions, ConsoleRouteOptions {
  readonly operations: Operations;
  readonly authenticator: Authenticator;
  /** The issuer named in access tokens: the URL at which callers reach the service. */
  readonly issuer: () => string;
  /** Null, as usual: browsers sign in with a key alone. */
  readonly signInLink?: SignInLink | null;
  readonly takeRequests: LimitRequestsOptions["takeRequests"];
  readonly limits: HttpLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly readHeap: () => HeapUse;
  readonly observer: HttpObserver;
  /** Null: the service takes no part in traces. */
  readonly tracer: RequestTracer | null;
  readonly logger: Logger;
  /** False while the service starts. Meanwhile callers get 503 and are told to try again. */
  readonly hasStarted: () => boolean;
  readonly bodyLimits?: BodyLimits;
  readonly bodyBudgetBytes?: number;
  readonly timeLimits?: TimeLimits;
}

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
