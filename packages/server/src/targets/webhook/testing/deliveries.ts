import { onTestFinished } from "vitest";
import type { Problem } from "../../../domain/refusals.ts";
import type { SigningSecrets } from "../../../domain/target.ts";
import { systemClock } from "../../../platform/clock.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { createAddressPolicy } from "../../network/address-policy.ts";
import { createNetwork, type NetworkOptions } from "../../network/network.ts";
import type { EventSender } from "../../event-sender.ts";
import type { Delivery, TargetKind } from "../../target-kind.ts";
import { completeWebhook, type WebhookSettings } from "../webhook-settings.ts";
import { createEventSender } from "../webhook-events.ts";
import {
  createWebhookPosts,
  type WebhookPosts,
  type WebhookPostsOptions,
} from "../webhook-posts.ts";
import { createWebhookTarget } from "../webhook-target.ts";

export const accountId = "acc_1";

export const secrets: SigningSecrets = {
  current: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  previous: null,
  previousUntil: null,
};

export interface OpenedTarget extends TargetKind<WebhookSettings> {
  /** The problems with the settings of a new target. */
  check(settings: WebhookSettings, accountId: string): Promise<readonly Problem[]>;
}

/** A target kind that may deliver to this machine. It closes with the test. */
export function openTarget(
  changes: Partial<NetworkOptions> = {},
  { mostIdleConnections = 1_000 }: Partial<WebhookPostsOptions> = {},
): OpenedTarget {
  const target = createWebhookTarget(openPosts(changes, { mostIdleConnections }));
  return {
    ...target,
    check: async (settings, account) => (await target.complete(settings, account)).problems,
  };
}

/** Sends events, also to this machine. It closes with the test. */
export function openEventSender(changes: Partial<NetworkOptions> = {}): EventSender {
  return createEventSender(openPosts(changes, { mostIdleConnections: 1_000 }));
}

function openPosts(
  changes: Partial<NetworkOptions>,
  { mostIdleConnections }: Pick<WebhookPostsOptions, "mostIdleConnections">,
): WebhookPosts {
  const options: NetworkOptions = {
    clock: systemClock,
    timers: systemTimers,
    addressPolicy: createAddressPolicy(["127.0.0.0/8"]),
    ...changes,
  };
  const network = createNetwork(options);
  const userAgent = "Postdate/1.2.3";
  const posts = createWebhookPosts({ ...options, network, userAgent, mostIdleConnections });
  onTestFinished(async () => {
    network.close();
    await posts.close();
  });
  return posts;
}

export function settingsFor(url: string, rest: Partial<WebhookSettings> = {}): WebhookSettings {
  return { ...completeWebhook({ url, timeoutMs: 5_000 }).settings, ...rest };
}

export function deliveryTo(
  settings: WebhookSettings | string,
  rest: Partial<Delivery<WebhookSettings>> = {},
): Delivery<WebhookSettings> {
  return {
    accountId,
    messageId: "msg_01",
    targetId: "billing",
    settings: typeof settings === "string" ? settingsFor(settings) : settings,
    overrides: null,
    secrets,
    payload: Buffer.from("hello"),
    attemptNumber: 1,
    originalDeliveryTime: Date.UTC(2026, 10, 14, 9, 30, 0, 7),
    schedule: null,
    traceParent: null,
    startTime: systemClock.now(),
    signal: new AbortController().signal,
    ...rest,
  };
}
