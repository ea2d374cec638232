import type { SigningSecrets } from "../../domain/target.ts";
import { formatTime } from "../../domain/times.ts";
import type { AddressPolicy } from "../network/address-policy.ts";
import { literalAddress } from "../network/host-lookup.ts";
import type { Delivery } from "../target-kind.ts";
import { checkWebhookSettings } from "./check-webhook-settings.ts";
import { textsToHide } from "./response-excerpt.ts";
import { signatureHeader } from "./signing.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

/** What all attempts with the same settings share. */
export interface RequestPlan {
  readonly origin: string;
  readonly path: string;
  readonly hostname: string;
  /** The URL itself contains an address, and the policy refuses it. */
  readonly isRefused: boolean;
  /** Names and values alternate, which is the fastest form for undici. */
  readonly headers: readonly string[];
  /** The settings have a `traceparent` of their own, which stands. */
  readonly hasTraceParent: boolean;
  /** Texts that must not be stored from a response. */
  readonly hidden: readonly string[];
}

export interface PlanOptions {
  readonly userAgent: string;
  readonly addressPolicy: AddressPolicy;
}

/** Undefined for settings that the checks would refuse. */
export function planRequest(
  settings: WebhookSettings,
  { userAgent, addressPolicy }: PlanOptions,
): RequestPlan | undefined {
  if (checkWebhookSettings(settings, { most: Infinity }).length > 0) return undefined;
  const url = new URL(settings.url);
  const literal = literalAddress(url.hostname);
  const headers = ["content-type", settings.contentType];
  const names = new Set(Object.keys(settings.headers).map((name) => name.toLowerCase()));
  if (!names.has("user-agent")) headers.push("user-agent", userAgent);
  for (const [name, value] of Object.entries(settings.headers)) headers.push(name, value);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    hostname: url.hostname,
    isRefused: literal !== null && !addressPolicy.allows(literal),
    headers,
    hasTraceParent: names.has("traceparent"),
    hidden: textsToHide(settings.headers),
  };
}

export interface SignedDelivery extends Delivery {
  readonly secrets: SigningSecrets;
}

export function hasSecrets(delivery: Delivery): delivery is SignedDelivery {
  return delivery.secrets !== null;
}

export function headersOf(plan: RequestPlan, delivery: SignedDelivery): string[] {
  const timestamp = String(Math.floor(delivery.startTime / 1_000));
  const headers = plan.headers.slice();
  headers.push(
    "webhook-id",
    delivery.messageId,
    "webhook-timestamp",
    timestamp,
    "webhook-signature",
    signatureHeader(delivery, timestamp),
    "postdate-attempt",
    String(delivery.attemptNumber),
    "postdate-target",
    delivery.targetId,
    "postdate-original-delivery-time",
    formatTime(delivery.originalDeliveryTime),
  );
  if (delivery.schedule !== null) {
    const { scheduleId, runTime } = delivery.schedule;
    headers.push("postdate-schedule", scheduleId, "postdate-run-time", formatTime(runTime));
  }
  if (delivery.traceParent !== null && !plan.hasTraceParent) {
    headers.push("traceparent", delivery.traceParent);
  }
  return headers;
}
