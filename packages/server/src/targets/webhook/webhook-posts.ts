import { Agent, Pool } from "undici";
import type { AttemptReport } from "../../domain/attempt.ts";
import type { Instant } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Network } from "../network/network.ts";
import type { CheckedSettings } from "../target-kind.ts";
import { AbortListeners } from "./abort-listeners.ts";
import { checkWebhookSettings } from "./check-webhook-settings.ts";
import { Connection } from "./connection.ts";
import { IdleConnections } from "./idle-connections.ts";
import { planRequest, type RequestPlan } from "./request-plan.ts";
import { WebhookAttempt } from "./webhook-attempt.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

export interface WebhookPostsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly network: Network;
  /** Sent unless the receiver's own headers replace it. */
  readonly userAgent: string;
  /** How many connections are kept for later attempts, of all receivers together. */
  readonly mostIdleConnections: number;
}

/** One POST, planned and signed. */
export interface WebhookPost {
  readonly accountId: string;
  readonly plan: RequestPlan;
  /** Names and values alternate. */
  readonly headers: string[];
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  /** When the attempt starts, by the store's clock. */
  readonly startTime: Instant;
  readonly signal: AbortSignal;
  readonly resolve: (report: AttemptReport) => void;
}

/** How messages and events reach webhooks: one set of connections, and the same rules for all. */
export interface WebhookPosts {
  /** Adds everything that is wrong with the settings of a new or changed webhook. */
  check(
    checked: CheckedSettings<WebhookSettings>,
    accountId: string,
  ): Promise<CheckedSettings<WebhookSettings>>;
  /** Undefined for settings that the checks would refuse. */
  planOf(settings: WebhookSettings): RequestPlan | undefined;
  post(post: WebhookPost): void;
  close(): Promise<void>;
}

/**
 * Turns off undici's timeouts, which neither cover a whole attempt nor are exact. The attempt has its own.
 */
const connectionOptions = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16 * 1_024,
  // Most servers keep an idle connection longer than this, so few are reused just as they close.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  useMilo: false,
} as const;

export function createWebhookPosts(options: WebhookPostsOptions): WebhookPosts {
  const { clock, timers, network, userAgent } = options;
  const idle = new IdleConnections(options.mostIdleConnections);
  const rules = { policy: network.policy, lookup: network.lookup, timers, idle };
  const listeners = new AbortListeners();
  const plans = new WeakMap<WebhookSettings, RequestPlan>();
  const agent = new Agent({
    ...connectionOptions,
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...poolOptions,
        factory: (poolOrigin, clientOptions) => new Connection(poolOrigin, clientOptions, rules),
      }),
  });

  return {
    async check({ settings, problems }, accountId) {
      const found = [...problems, ...checkWebhookSettings(settings)];
      if (found.some(({ field }) => field === "url")) return { settings, problems: found };
      const { hostname } = new URL(settings.url);
      const isAllowed = await network.allowsHost(hostname, accountId);
      return { settings, problems: isAllowed ? found : [...found, refusedAddress(hostname)] };
    },
    planOf(settings) {
      const known = plans.get(settings);
      if (known !== undefined) return known;
      const plan = planRequest(settings, { userAgent, addressPolicy: network.policy });
      if (plan !== undefined) plans.set(settings, plan);
      return plan;
    },
    post({ accountId, plan, headers, body, timeoutMs, startTime, signal, resolve }) {
      const attempt = new WebhookAttempt({
        accountId,
        clock,
        timers,
        listeners,
        signal,
        timeoutMs,
        startTime,
        hidden: plan.hidden,
        resolve,
      });
      const { origin, path } = plan;
      agent.dispatch({ origin, path, method: "POST", headers, body }, attempt);
    },
    close: () => agent.destroy(),
  };
}

function refusedAddress(hostname: string): Problem {
  return {
    code: codes.addressNotAllowed,
    message: `Use a host with a public address: ${hostname} is refused unless the operator allows its address with --allow-cidr.`,
    field: "url",
  };
}
