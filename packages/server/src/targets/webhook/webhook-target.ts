import { Agent, Pool } from "undici";
import type { AttemptReport } from "../../domain/attempt.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Timers } from "../../platform/timers.ts";
import { AddressRefused } from "../network/network-failures.ts";
import type { Network } from "../network/network.ts";
import type { CheckedSettings, Delivery, TargetKind } from "../target-kind.ts";
import { AbortListeners } from "./abort-listeners.ts";
import { checkWebhookSettings } from "./check-webhook-settings.ts";
import { Connection } from "./connection.ts";
import { failureReport, reportOf, stoppedText } from "./delivery-failures.ts";
import { IdleConnections } from "./idle-connections.ts";
import { hasSecrets, headersOf, planRequest, type RequestPlan } from "./request-plan.ts";
import { WebhookAttempt } from "./webhook-attempt.ts";
import { webhookFailures } from "./webhook-outcomes.ts";
import {
  completeWebhook,
  mergeWebhook,
  overridden,
  viewWebhook,
  type WebhookSettings,
} from "./webhook-settings.ts";

export interface WebhookTargetOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly network: Network;
  /** Sent unless the target's own headers replace it. */
  readonly userAgent: string;
  /** How many connections are kept for later attempts, of all targets together. */
  readonly mostIdleConnections: number;
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

/** Delivers by HTTP POST, signed per Standard Webhooks. */
export function createWebhookTarget(options: WebhookTargetOptions): TargetKind<WebhookSettings> {
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

  async function check(
    { settings, problems }: CheckedSettings<WebhookSettings>,
    accountId: string,
  ): Promise<CheckedSettings<WebhookSettings>> {
    const found = [...problems, ...checkWebhookSettings(settings)];
    if (found.some(({ field }) => field === "url")) return { settings, problems: found };
    const { hostname } = new URL(settings.url);
    const isAllowed = await network.allowsHost(hostname, accountId);
    return { settings, problems: isAllowed ? found : [...found, refusedAddress(hostname)] };
  }

  function deliver(delivery: Delivery<WebhookSettings>): Promise<AttemptReport> {
    return new Promise((resolve) => {
      const { signal, overrides } = delivery;
      const settings =
        overrides === null ? delivery.settings : overridden(delivery.settings, overrides);
      const plan = planOf(settings);
      if (plan === undefined) return resolve(misconfigured("the target's settings are not valid"));
      if (signal.aborted) return resolve(failureReport("CONNECTION_FAILED", stoppedText));
      if (plan.isRefused) return resolve(reportOf(new AddressRefused(plan.hostname)));
      if (!hasSecrets(delivery)) return resolve(misconfigured("the target has no signing secret"));
      let headers: string[];
      try {
        headers = headersOf(plan, delivery);
      } catch {
        return resolve(misconfigured("the target's signing secret is not valid"));
      }
      const { timeoutMs } = settings;
      const attempt = new WebhookAttempt({
        accountId: delivery.accountId,
        clock,
        timers,
        listeners,
        signal,
        timeoutMs,
        startTime: delivery.startTime,
        hidden: plan.hidden,
        resolve,
      });
      const { origin, path } = plan;
      agent.dispatch({ origin, path, method: "POST", headers, body: delivery.payload }, attempt);
    });
  }

  function planOf(settings: WebhookSettings): RequestPlan | undefined {
    const known = plans.get(settings);
    if (known !== undefined) return known;
    const plan = planRequest(settings, { userAgent, addressPolicy: network.policy });
    if (plan !== undefined) plans.set(settings, plan);
    return plan;
  }

  return {
    kind: "webhook",
    signs: true,
    failures: webhookFailures,
    complete: (given, accountId) => check(completeWebhook(given), accountId),
    merge: (kept, change, accountId) => check(mergeWebhook(kept, change), accountId),
    view: viewWebhook,
    deliver,
    close: () => agent.destroy(),
  };
}

function misconfigured(error: string): AttemptReport {
  return failureReport("MISCONFIGURED", error);
}

function refusedAddress(hostname: string): Problem {
  return {
    code: codes.addressNotAllowed,
    message: `Use a host with a public address: ${hostname} is refused unless the operator allows its address.`,
    field: "url",
  };
}
