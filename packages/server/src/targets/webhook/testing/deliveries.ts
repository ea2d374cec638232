import { onTestFinished } from "vitest";
import {
  defaultContentType,
  type SigningSecrets,
  type WebhookSettings,
} from "../../../domain/target.ts";
import { systemClock } from "../../../platform/clock.ts";
import { systemTimers } from "../../../platform/timers.ts";
import type { Delivery, TargetKind } from "../../target-kind.ts";
import { createAddressPolicy } from "../../network/address-policy.ts";
import { createWebhookTarget, type WebhookTargetOptions } from "../webhook-target.ts";

export const accountId = "acc_1";

export const secrets: SigningSecrets = {
  current: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  previous: null,
  previousUntil: null,
};

/** A target kind that may deliver to this machine; it is closed with the test. */
export function openTarget(options: Partial<WebhookTargetOptions> = {}): TargetKind {
  const target = createWebhookTarget({
    clock: systemClock,
    timers: systemTimers,
    addressPolicy: createAddressPolicy(["127.0.0.0/8"]),
    userAgent: "Postdate/1.2.3",
    ...options,
  });
  onTestFinished(() => target.close());
  return target;
}

export function settingsFor(url: string, rest: Partial<WebhookSettings> = {}): WebhookSettings {
  return { url, headers: {}, contentType: defaultContentType, timeoutMs: 5_000, ...rest };
}

export function deliveryTo(
  settings: WebhookSettings | string,
  rest: Partial<Delivery> = {},
): Delivery {
  return {
    accountId,
    messageId: "msg_01",
    targetId: "billing",
    settings: typeof settings === "string" ? settingsFor(settings) : settings,
    secrets,
    payload: Buffer.from("hello"),
    attemptNumber: 1,
    originalDeliveryTime: Date.UTC(2026, 10, 14, 9, 30, 0, 7),
    startTime: systemClock.now(),
    signal: new AbortController().signal,
    ...rest,
  };
}
