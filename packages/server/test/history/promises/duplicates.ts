import type { Attempt } from "../../../src/domain/attempt.ts";
import type { Context } from "../context.ts";
import type { Receipt } from "../history.ts";
import type { MatchedAttempts } from "../match-attempts.ts";
import { attemptsOf, isSuccess } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import { isDisturbed, isSlow } from "../unheard.ts";
import type { Report } from "../violation.ts";

/** G5: what the target observed is on record, unless the sender could not record it. */
export function checkDuplicates(
  log: MessageLog,
  matched: MatchedAttempts,
  context: Context,
  report: Report,
): void {
  for (const { webhookId, attemptNumber } of log.receipts) {
    if (webhookId === log.messageId) continue;
    report("G5", `came with the webhook-id ${webhookId} (attempt ${attemptNumber})`);
  }
  if (log.final == null) checkUnknown(log, context, report);
  for (const receipt of matched.unrecorded) checkMissing(log, receipt, context, report);
  for (const attempt of attemptsOf(log)) {
    const receipt = matched.receiptOf.get(attempt.number);
    if (receipt !== undefined) checkRecorded(log, attempt, receipt, context, report);
  }
}

function checkMissing(log: MessageLog, receipt: Receipt, context: Context, report: Report): void {
  const { startedAt, attemptNumber } = receipt;
  const { deaths, takenAt } = context;
  const next = log.receipts.find((other) => other !== receipt && other.startedAt >= startedAt);
  const underWay = takenAt < deaths.recordedBy(receipt);
  if (underWay && next === undefined && log.final?.message.state === "SCHEDULED") return;
  if (deaths.explainMissing(receipt, next?.startedAt ?? Infinity).length > 0) return;
  if (log.receipts.length === 1) {
    report(
      "G3",
      `was attempted, and that is not on record though nothing kept it from being written`,
    );
  } else {
    const which = `attempt ${attemptNumber}, ${startedAt - log.receipts[0]!.startedAt} ms after the first`;
    report(
      "G5",
      `came ${log.receipts.length} times, once more than a fault accounts for (${which})`,
    );
  }
}

/** If there is no record any more: a message that the target accepted in time is not sent again. */
function checkUnknown(log: MessageLog, context: Context, report: Report): void {
  for (const receipt of log.receipts.slice(0, -1)) {
    const { status, startedAt, endedAt } = receipt;
    if (!isSuccess(status) || isSlow(receipt, log, context)) continue;
    const until = (endedAt ?? startedAt) + context.bounds.recordMs;
    if (!isDisturbed(receipt, until, context)) {
      report("G5", `was taken with ${status}, and came ${log.receipts.length} times`);
    }
  }
}

/** The record has the target's answer, unless the answer came too late or the sender was gone. */
function checkRecorded(
  log: MessageLog,
  attempt: Attempt,
  receipt: Receipt,
  context: Context,
  report: Report,
): void {
  const { status, startedAt, endedAt } = receipt;
  if (status === null || status === attempt.statusCode) return;
  if (attempt.outcome !== "DELIVERED" && attempt.statusCode === null) {
    if (attempt.outcome === "TIMEOUT" && isSlow(receipt, log, context)) return;
    if (isDisturbed(receipt, Math.max(endedAt ?? startedAt, attempt.endTime), context)) return;
  }
  const onRecord = attempt.statusCode ?? attempt.outcome;
  report(
    isSuccess(status) ? "G5" : "G3",
    `was answered with ${status}, and attempt ${attempt.number} is on record with ${onRecord}`,
  );
}
