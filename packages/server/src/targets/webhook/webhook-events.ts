import type { AttemptReport } from "../../domain/attempt.ts";
import type { EventPost, EventSender, EventSettings } from "../event-sender.ts";
import { AddressRefused } from "../network/network-failures.ts";
import type { CheckedSettings } from "../target-kind.ts";
import { failureReport, misconfigured, reportOf, stoppedText } from "./delivery-failures.ts";
import type { RequestPlan } from "./request-plan.ts";
import { signatureHeader } from "./signing.ts";
import type { WebhookPosts } from "./webhook-posts.ts";
import { completeWebhook, mergeWebhook, viewWebhook } from "./webhook-settings.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

/** How long a receiver of events may take to answer. */
const timeoutMs = 15_000;

/** Sends events as messages are sent: by HTTP POST, signed per Standard Webhooks. */
export function createEventSender(posts: WebhookPosts): EventSender {
  /** By content type, because it is part of the plan. */
  const known = new WeakMap<EventSettings, Map<string, WebhookSettings>>();

  function settingsOf(settings: EventSettings, contentType: string): WebhookSettings {
    const byType = known.get(settings) ?? new Map<string, WebhookSettings>();
    known.set(settings, byType);
    const before = byType.get(contentType);
    if (before !== undefined) return before;
    const made = { ...settings, contentType, timeoutMs };
    byType.set(contentType, made);
    return made;
  }

  function send(post: EventPost): Promise<AttemptReport> {
    return new Promise((settle) => {
      const resolve = (report: AttemptReport): void => settle(aboutReceiver(report));
      const { accountId, body, startTime, signal } = post;
      const plan = posts.planOf(settingsOf(post.settings, post.contentType));
      if (plan === undefined) return resolve(misconfigured("the settings are not valid"));
      if (signal.aborted) return resolve(failureReport("CONNECTION_FAILED", stoppedText));
      if (plan.isRefused) return resolve(reportOf(new AddressRefused(plan.hostname)));
      let headers: string[];
      try {
        headers = headersOf(plan, post);
      } catch {
        return resolve(misconfigured("the signing secret is not valid"));
      }
      posts.post({ accountId, plan, headers, body, timeoutMs, startTime, signal, resolve });
    });
  }

  return {
    complete: async (given, accountId) =>
      narrowed(await posts.check(completeWebhook(given), accountId)),
    merge: async (kept, change, accountId) =>
      narrowed(await posts.check(mergeWebhook(wholeOf(kept), change), accountId)),
    view: (settings) => onlyEvents(viewWebhook(wholeOf(settings))),
    send,
  };
}

/** The texts of a delivery speak of a target, and here is none. */
function aboutReceiver({ error, ...report }: AttemptReport): AttemptReport {
  return { ...report, error: error?.replaceAll(/\bthe target\b/g, "the receiver") ?? null };
}

function headersOf(plan: RequestPlan, post: EventPost): string[] {
  const timestamp = String(Math.floor(post.startTime / 1_000));
  const { secrets, postId: messageId, body: payload, startTime } = post;
  return [
    ...plan.headers,
    "webhook-id",
    post.postId,
    "webhook-timestamp",
    timestamp,
    "webhook-signature",
    signatureHeader({ secrets, messageId, payload, startTime }, timestamp),
    "postdate-attempt",
    String(post.attemptNumber),
    "postdate-event-endpoint",
    post.endpointId,
  ];
}

function wholeOf(settings: EventSettings): WebhookSettings {
  return { ...completeWebhook({}).settings, ...settings };
}

function onlyEvents({ url, headers }: WebhookSettings): EventSettings {
  return { url, headers };
}

function narrowed({
  settings,
  problems,
}: CheckedSettings<WebhookSettings>): CheckedSettings<EventSettings> {
  return { settings: onlyEvents(settings), problems };
}
