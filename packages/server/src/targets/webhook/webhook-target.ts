import type { AttemptReport } from "../../domain/attempt.ts";
import { AddressRefused } from "../network/network-failures.ts";
import type { Delivery, TargetKind } from "../target-kind.ts";
import { failureReport, misconfigured, reportOf, stoppedText } from "./delivery-failures.ts";
import { hasSecrets, headersOf } from "./request-plan.ts";
import { webhookFailures } from "./webhook-outcomes.ts";
import type { WebhookPosts } from "./webhook-posts.ts";
import {
  completeWebhook,
  mergeWebhook,
  overridden,
  viewWebhook,
  type WebhookSettings,
} from "./webhook-settings.ts";

/** Delivers by HTTP POST, signed per Standard Webhooks. */
export function createWebhookTarget(posts: WebhookPosts): TargetKind<WebhookSettings> {
  function deliver(delivery: Delivery<WebhookSettings>): Promise<AttemptReport> {
    return new Promise((resolve) => {
      const { signal, overrides } = delivery;
      const settings =
        overrides === null ? delivery.settings : overridden(delivery.settings, overrides);
      const plan = posts.planOf(settings);
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
      posts.post({
        accountId: delivery.accountId,
        plan,
        headers,
        body: delivery.payload,
        timeoutMs: settings.timeoutMs,
        startTime: delivery.startTime,
        signal,
        resolve,
      });
    });
  }

  return {
    kind: "webhook",
    signs: true,
    failures: webhookFailures,
    complete: (given, accountId) => posts.check(completeWebhook(given), accountId),
    merge: (kept, change, accountId) => posts.check(mergeWebhook(kept, change), accountId),
    view: viewWebhook,
    deliver,
    close: () => posts.close(),
  };
}
