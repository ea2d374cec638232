import { Agent, Pool } from "undici";
import type { AttemptReport } from "../../domain/attempt.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { WebhookSettings } from "../../domain/target.ts";
import type { Clock } from "../../platform/clock.ts";
import { concurrentLookups } from "../../platform/thread-pool.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Delivery, TargetKind } from "../target-kind.ts";
import { AbortListeners } from "./abort-listeners.ts";
import type { AddressPolicy } from "../network/address-policy.ts";
import { checkWebhookSettings } from "./check-webhook-settings.ts";
import { Connection } from "./connection.ts";
import { failureReport, reportOf, stoppedText } from "./delivery-failures.ts";
import {
  createFilteredLookup,
  isLocalName,
  literalAddress,
  lookupWithin,
  systemHostLookup,
  type HostLookup,
} from "../network/host-lookup.ts";
import { AddressRefused } from "../network/network-failures.ts";
import { headersOf, planRequest, type RequestPlan } from "./request-plan.ts";
import { createSharedLookup } from "../network/shared-lookup.ts";
import { WebhookAttempt } from "./webhook-attempt.ts";

export interface WebhookTargetOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly addressPolicy: AddressPolicy;
  /** Sent unless the target's own headers say otherwise. */
  readonly userAgent: string;
  /** The system's, unless told otherwise. */
  readonly lookup?: HostLookup;
}

const checkLookupMs = 2_000;
const loopback = "127.0.0.1";

/** The timeouts are ours alone: undici's would neither cover a whole attempt nor be exact. */
const connectionOptions = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16 * 1_024,
  // Shorter than most servers keep an idle connection, so that few are reused just as they close.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 60_000,
  useMilo: false,
} as const;

/** Delivers by HTTP POST, signed per Standard Webhooks. */
export function createWebhookTarget(options: WebhookTargetOptions): TargetKind {
  const { clock, timers, addressPolicy, userAgent } = options;
  const names = createSharedLookup({
    lookup: options.lookup ?? systemHostLookup,
    clock,
    timers,
    places: lookupPlaces(),
  });
  const { lookup } = names;
  const rules = {
    policy: addressPolicy,
    lookup: createFilteredLookup(lookup, addressPolicy),
    timers,
  };
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

  async function check(settings: WebhookSettings, accountId: string): Promise<readonly Problem[]> {
    const problems = checkWebhookSettings(settings);
    if (problems.some(({ field }) => field === "url")) return problems;
    const { hostname } = new URL(settings.url);
    const literal = literalAddress(hostname);
    const found =
      literal === null
        ? await lookupWithin({ lookup, timers, withinMs: checkLookupMs }, { accountId, hostname })
        : [literal];
    const addresses = found.length === 0 && isLocalName(hostname) ? [loopback] : found;
    if (addresses.every((address) => addressPolicy.allows(address))) return problems;
    return [...problems, refusedAddress(hostname)];
  }

  function deliver(delivery: Delivery): Promise<AttemptReport> {
    return new Promise((resolve) => {
      const { settings, signal } = delivery;
      const plan = planOf(settings);
      if (plan === undefined) return resolve(misconfigured("the target's settings are not valid"));
      if (signal.aborted) return resolve(failureReport("CONNECTION_FAILED", stoppedText));
      if (plan.isRefused) return resolve(reportOf(new AddressRefused(plan.hostname)));
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
    const plan = planRequest(settings, { userAgent, addressPolicy });
    if (plan !== undefined) plans.set(settings, plan);
    return plan;
  }

  return {
    kind: "webhook",
    check,
    deliver,
    async close() {
      names.close();
      await agent.destroy();
    },
  };
}

/** One is left to the rest of the process, such as the way to its database, where there are enough. */
function lookupPlaces(): number {
  return Math.max(2, concurrentLookups() - 1);
}

function misconfigured(error: string): AttemptReport {
  return failureReport("MISCONFIGURED", error);
}

function refusedAddress(hostname: string): Problem {
  return {
    code: "E-DI-3005",
    message: `Use a host with a public address: ${hostname} is refused unless the operator allows its address.`,
    field: "url",
  };
}
