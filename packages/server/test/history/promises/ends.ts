import type { Context } from "../context.ts";
import type { MatchedAttempts } from "../match-attempts.ts";
import { isSuccess } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G3: every message ends with every attempt on record, and is DELIVERED only if its target accepted it. */
export function checkEnds(
  log: MessageLog,
  matched: MatchedAttempts,
  context: Context,
  report: Report,
): void {
  if (log.final == null) return;
  const { message, attempts } = log.final;
  for (const [index, { number }] of attempts.entries()) {
    if (number !== index + 1) {
      report("G3", `has attempt ${number} on record where attempt ${index + 1} should be`);
      break;
    }
  }
  for (const { number, outcome, statusCode } of attempts) {
    const status = matched.receiptOf.get(number)?.status ?? null;
    if (outcome === "DELIVERED" && !isSuccess(status)) {
      report("G3", `has attempt ${number} on record as DELIVERED, and its target never took it`);
    } else if (outcome === "BAD_STATUS" && status === null) {
      report(
        "G3",
        `has attempt ${number} on record with ${statusCode}, which its target never gave`,
      );
    }
  }
  const delivered = attempts.some(({ outcome }) => outcome === "DELIVERED");
  if (message.state === "DELIVERED" && !delivered) {
    report("G3", "is DELIVERED with no success on record");
  }
  const unsettledMs = overdueMs(log, context);
  if (unsettledMs > 0) {
    report("G3", `has not ended ${unsettledMs} ms after it was due and all was well again`);
  }
}

function overdueMs({ final, mayWait }: MessageLog, context: Context): number {
  const { bounds, takenAt, lastFaultEnd } = context;
  const dueAt = final?.message.nextDeliveryTime;
  if (bounds.mode === "safety" || dueAt == null || mayWait) return 0;
  const passedMs = takenAt - Math.max(dueAt + bounds.clockUncertaintyMs, lastFaultEnd);
  return passedMs <= bounds.settleMs ? 0 : passedMs;
}
