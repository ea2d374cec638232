import type { Context } from "../context.ts";
import { endOf } from "../faults.ts";
import type { ChangeAsked } from "../history.ts";
import { attemptsOf, earliestDue, mayFollow } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G4, as the target saw it: no attempt comes before the earliest due time that may have been valid. */
export function checkEarly(log: MessageLog, context: Context, report: Report): void {
  const { bounds, clock, seenApartMs } = context;
  const firstSeenAt = Math.min(...log.receipts.map(({ startedAt }) => startedAt));
  for (const { startedAt, attemptNumber } of log.receipts) {
    // A retry is due a fixed time after the attempt before it. If the clock was set back since, that time
    // may look earlier than the one first asked for.
    if (clock.steps.some(({ at }) => at <= startedAt) && startedAt > firstSeenAt) continue;
    let dueAt = log.dueAt;
    for (const change of log.changes) {
      const newDueAt = earliestDue(change, bounds.clockUncertaintyMs);
      if (newDueAt === null || change.answer.kind === "refused") continue;
      if (change.askedAt <= startedAt) dueAt = Math.min(dueAt, newDueAt);
    }
    // The message had to be due when it was claimed. The clock may have stepped back since.
    const shown = clock.latest(onItsWaySince(startedAt, context), startedAt);
    if (shown + seenApartMs < dueAt) {
      report(
        "G4",
        `was attempted ${dueAt - shown} ms before it was due (attempt ${attemptNumber})`,
      );
    }
  }
}

/** The earliest start of an attempt that was seen at this instant. Faults may have delayed it. */
function onItsWaySince(startedAt: number, { bounds, clock, faults }: Context): number {
  if (clock.steps.length === 0) return startedAt;
  let since = startedAt - bounds.sendMs;
  for (const fault of faults.toReversed()) {
    if (fault.kind === "hang" || fault.at > startedAt || endOf(fault) < since) continue;
    since = Math.min(since, fault.at - bounds.sendMs);
  }
  return since;
}

/** G10: no attempt comes before the new time, and an earlier attempt does not decide what comes next. */
export function checkReschedules(log: MessageLog, context: Context, report: Report): void {
  const { bounds, clock, deaths } = context;
  const { clockUncertaintyMs: apartMs } = bounds;
  for (const change of log.changes) {
    const { answeredAt, answer } = change;
    const dueAt = earliestDue(change, apartMs);
    if (dueAt === null || answer.kind !== "ok") continue;
    for (const receipt of log.receipts) {
      const { startedAt } = receipt;
      if (startedAt <= answeredAt || startedAt + apartMs >= dueAt) continue;
      if (supersededBy(log, change, startedAt, apartMs) || deaths.explainLate(receipt)) continue;
      report(
        "G10",
        `was attempted ${startedAt - answeredAt} ms after it was rescheduled, ${dueAt - startedAt} ms before the new time`,
      );
    }
    // A message that can be rescheduled has only failures on record, so the counted attempts came before.
    for (const { number, startTime } of attemptsOf(log)) {
      if (number <= answer.message.deliveryFailureCount) continue;
      // A clock that was set back may show the time of a retry as an earlier one.
      if (startTime + clock.furthestMs >= dueAt) continue;
      if (supersededBy(log, change, startTime, apartMs)) continue;
      report(
        "G10",
        `has attempt ${number} on record, begun ${dueAt - startTime} ms before the time it had been rescheduled to`,
      );
    }
  }
}

/** Whether another reschedule may have come after it, by this instant, to a time that allows an attempt. */
function supersededBy(
  { changes }: MessageLog,
  change: ChangeAsked,
  at: number,
  apartMs: number,
): boolean {
  return changes.some((other) => {
    const dueAt = earliestDue(other, apartMs);
    return (
      dueAt !== null &&
      dueAt <= at + apartMs &&
      other.askedAt <= at + apartMs &&
      mayFollow(other, change)
    );
  });
}
