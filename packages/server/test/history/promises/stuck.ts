import { putOff } from "../context.ts";
import type { Context } from "../context.ts";
import type { Death } from "../deaths.ts";
import type { Receipt } from "../history.ts";
import type { MatchedAttempts } from "../match-attempts.ts";
import { attemptsOf, creationOf, effectBy } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/**
 * G7: messages that a dead node held are attempted again in time, and so are those that fell due meanwhile.
 */
export function checkStuck(
  log: MessageLog,
  matched: MatchedAttempts,
  context: Context,
  report: Report,
): void {
  for (const receipt of log.mayWait ? [] : matched.unrecorded)
    checkHeld(log, receipt, context, report);
  checkFirst(log, context, report);
}

function checkHeld(log: MessageLog, receipt: Receipt, context: Context, report: Report): void {
  const { startedAt, attemptNumber } = receipt;
  const next = log.receipts.find(
    (other) => other.startedAt > startedAt && other.attemptNumber === attemptNumber,
  );
  const isOpen = log.final?.message.state === "SCHEDULED" && attemptsOf(log).length < attemptNumber;
  if (next === undefined && !isOpen) return;
  const nextAt = next?.startedAt ?? context.takenAt;
  if (isMoved(log, startedAt, nextAt)) return;
  // The responsible death is unknown, so the one that allows the most time counts.
  const waits = context.deaths
    .explainMissing(receipt, nextAt)
    .map((death) => waitAfter(death, startedAt, context));
  const longest = waits.toSorted((one, other) => other.until - one.until)[0];
  if (longest !== undefined) checkInTime(nextAt, longest, context, report);
}

function waitAfter(death: Death, startedAt: number, context: Context): Wait {
  const { takeoverMs, restartMs } = context.bounds;
  const deadline =
    takeoverMs === null ? death.backAt + restartMs : Math.max(death.began, startedAt) + takeoverMs;
  return { death, until: putOff(deadline, death.began, death.node, context) };
}

/** Messages that were due and not yet attempted, though a node may already have held them. */
function checkFirst(log: MessageLog, context: Context, report: Report): void {
  if (log.final == null || log.mayWait || context.deaths.all.length === 0) return;
  const firstReceipt = log.receipts[0]?.startedAt ?? Infinity;
  const firstAttempt = attemptsOf(log)[0]?.startTime ?? Infinity;
  const waits = log.final.message.state === "SCHEDULED";
  const first = Math.min(firstReceipt, firstAttempt, waits ? context.takenAt : Infinity);
  const { until } = creationOf(log);
  const due = Math.max(log.plannedBy, until);
  if (first === Infinity || until === Infinity || isMoved(log, -Infinity, first)) return;
  const death = context.deaths.all.find(({ began, backAt }) => began <= first && backAt >= due);
  if (death === undefined) return;
  const { takeoverMs, restartMs, settleMs } = context.bounds;
  const since = Math.max(due, takeoverMs === null ? death.backAt : death.began);
  const deadline = since + Math.max(takeoverMs ?? restartMs, settleMs);
  const wait = { death, until: putOff(deadline, due, death.node, context) };
  checkInTime(first, wait, context, report);
}

/** How long a message may wait after a death. */
interface Wait {
  readonly death: Death;
  readonly until: number;
}

function checkInTime(at: number, { death, until }: Wait, context: Context, report: Report): void {
  if (at <= until + context.bounds.clockUncertaintyMs) return;
  const what = at === context.takenAt ? "had not been attempted again" : "was attempted again only";
  report("G7", `${what} ${at - death.began} ms after its node had died, ${at - until} ms too late`);
}

/** Whether a change may have postponed the message meanwhile. */
function isMoved({ changes }: MessageLog, from: number, to: number): boolean {
  return changes.some(
    (change) =>
      change.answer.kind !== "refused" && change.askedAt <= to && effectBy(change) >= from,
  );
}
