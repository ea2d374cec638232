import type { Context } from "../context.ts";
import { endOf } from "../faults.ts";
import type { ChangeAsked } from "../history.ts";
import { attemptsOf, mayFollow } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G4, as the target saw it: nothing comes before the earliest time that may have held by then. */
export function checkEarly(log: MessageLog, context: Context, report: Report): void {
  const { clock, seenApartMs } = context;
  const firstSeenAt = Math.min(...log.receipts.map(({ startedAt }) => startedAt));
  for (const { startedAt, attemptNumber } of log.receipts) {
    // A retry is due so long after the attempt before it. A clock that was set back since may show a time
    // then that is earlier than the one first asked for.
    if (clock.steps.some(({ at }) => at <= startedAt) && startedAt > firstSeenAt) continue;
    let dueAt = log.dueAt;
    for (const change of log.changes) {
      if (change.dueAt === null || change.answer.kind === "refused") continue;
      if (change.askedAt <= startedAt) dueAt = Math.min(dueAt, change.dueAt);
    }
    // It was due if it was when it was claimed, though the clock has stepped back since.
    const shown = clock.latest(onItsWaySince(startedAt, context), startedAt);
    if (shown + seenApartMs < dueAt) {
      report(
        "G4",
        `was attempted ${dueAt - shown} ms before it was due (attempt ${attemptNumber})`,
      );
    }
  }
}

/** From when on an attempt that was seen at this instant may have been under way: faults hold it up. */
function onItsWaySince(startedAt: number, { bounds, clock, faults }: Context): number {
  if (clock.steps.length === 0) return startedAt;
  let since = startedAt - bounds.sendMs;
  for (const fault of faults.toReversed()) {
    if (fault.kind === "hang" || fault.at > startedAt || endOf(fault) < since) continue;
    since = Math.min(since, fault.at - bounds.sendMs);
  }
  return since;
}

/** G10: nothing comes before the new time, and what had begun before has no say in what is next. */
export function checkReschedules(log: MessageLog, context: Context, report: Report): void {
  const { bounds, clock, deaths } = context;
  const { clockUncertaintyMs: apartMs } = bounds;
  for (const change of log.changes) {
    if (change.dueAt === null || change.answer.kind !== "ok") continue;
    const { dueAt, answeredAt, answer } = change;
    for (const receipt of log.receipts) {
      const { startedAt } = receipt;
      if (startedAt <= answeredAt || startedAt + apartMs >= dueAt) continue;
      if (supersededBy(log, change, startedAt, apartMs) || deaths.explainLate(receipt)) continue;
      report(
        "G10",
        `was attempted ${startedAt - answeredAt} ms after it was rescheduled, ${dueAt - startedAt} ms before the new time`,
      );
    }
    // A message that can be rescheduled has failures alone on record: what is counted came before.
    for (const { number, startTime } of attemptsOf(log)) {
      if (number <= answer.message.deliveryFailureCount) continue;
      // A retry may follow at a time that a clock set back since shows as an earlier one.
      if (startTime + clock.furthestMs >= dueAt) continue;
      if (supersededBy(log, change, startTime, apartMs)) continue;
      report(
        "G10",
        `has attempt ${number} on record, begun ${dueAt - startTime} ms before the time it had been rescheduled to`,
      );
    }
  }
}

/** Another reschedule may have come after it, by this instant, to a time that allows an attempt. */
function supersededBy(
  { changes }: MessageLog,
  change: ChangeAsked,
  at: number,
  apartMs: number,
): boolean {
  return changes.some(
    (other) =>
      other.dueAt !== null &&
      other.dueAt <= at + apartMs &&
      other.askedAt <= at + apartMs &&
      mayFollow(other, change),
  );
}
