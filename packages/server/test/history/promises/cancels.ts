import type { Context } from "../context.ts";
import { attemptsOf, mayFollow } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { ChangeAsked } from "../history.ts";
import type { Report } from "../violation.ts";

/** G9: after the answer to a cancellation, no attempt runs and none starts until a reschedule. */
export function checkCancels(log: MessageLog, context: Context, report: Report): void {
  const { bounds, deaths, seenApartMs } = context;
  const { clockUncertaintyMs: apartMs } = bounds;
  for (const change of log.changes) {
    if (change.verb !== "cancel" || change.answer.kind !== "ok") continue;
    const { answeredAt, answer } = change;
    for (const receipt of log.receipts) {
      const { startedAt, endedAt } = receipt;
      if (revivedBy(log, change, Math.max(startedAt, answeredAt)) || deaths.explainLate(receipt)) {
        continue;
      }
      if (startedAt > answeredAt) {
        report(
          "G9",
          `was attempted ${startedAt - answeredAt} ms after its cancellation was answered`,
        );
      } else if (
        (endedAt ?? Infinity) > answeredAt + seenApartMs &&
        !deaths.explainOverlap(receipt, answeredAt)
      ) {
        report(
          "G9",
          `was being attempted when its cancellation was answered, since ${answeredAt - startedAt} ms`,
        );
      }
    }
    // A message that can be cancelled has only failures on record, so the counted attempts came before.
    for (const { number, startTime } of attemptsOf(log)) {
      if (number <= answer.message.deliveryFailureCount) continue;
      if (revivedBy(log, change, startTime + apartMs)) continue;
      report("G9", `has attempt ${number} on record, which its cancellation does not know of`);
    }
  }
}

function revivedBy({ changes }: MessageLog, cancel: ChangeAsked, at: number): boolean {
  return changes.some(
    (change) => change.verb === "reschedule" && change.askedAt <= at && mayFollow(change, cancel),
  );
}
