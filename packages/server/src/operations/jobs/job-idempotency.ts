import { hash } from "node:crypto";
import type { JobOrder } from "../../domain/job.ts";
import type { Idempotency } from "../../storage/store.ts";
import type { GivenJob } from "./given-job.ts";

/**
 * Covers what the caller gave, without the defaults, in one order. Stores keep fingerprints, so a request must
 * have the same one in later versions.
 */
export function idempotencyOfJob(
  key: string | undefined,
  order: JobOrder,
  given: Pick<GivenJob, "ratePerSecond" | "stopAfterFailures">,
): Idempotency | null {
  if (key === undefined) return null;
  const ratePerSecond = given.ratePerSecond ?? null;
  const stopAfterFailures = given.stopAfterFailures ?? null;
  const { action, filter, deliveryTime, byMs, maxMessages, note, removesTarget } = order;
  const { targetId, minTime, maxTime, labels, keyPrefix, deadLetterReason, lastStatusCode } =
    filter;
  const content = [
    ...[action, targetId, minTime, maxTime, labels, keyPrefix, deadLetterReason, lastStatusCode],
    ...[deliveryTime, byMs, ratePerSecond, maxMessages, stopAfterFailures, note, removesTarget],
  ];
  return { key, fingerprint: hash("sha256", JSON.stringify(content), "base64url") };
}
