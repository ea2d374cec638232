import type { Instant } from "../../../src/domain/message.ts";
import { putOff } from "../context.ts";
import type { Context } from "../context.ts";
import type { AskedBound, ChangeAsked } from "../history.ts";
import { attemptsOf, earliestDue } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** No attempt starts at or after `notAfter`, and soon after it the message has ended. */
export function checkBounds(log: MessageLog, context: Context, report: Report): void {
  if (log.options.bound === undefined && !log.changes.some(({ bound }) => bound != null)) return;
  checkAttempts(log, context, report);
  checkEnd(log, context, report);
}

function checkAttempts(log: MessageLog, context: Context, report: Report): void {
  const { bounds, deaths, clock } = context;
  const { clockUncertaintyMs: apartMs, sendMs } = bounds;
  // Both instants are the store's, so nothing excuses the smallest difference.
  for (const { number, startTime } of attemptsOf(log)) {
    const lateMs = startTime - latestBound(log, startTime, context);
    if (lateMs < 0) continue;
    report("OPT", `has attempt ${number} on record, begun ${lateMs} ms after its notAfter`);
  }
  if (clock.steps.length > 0) return;
  for (const receipt of log.receipts) {
    const { startedAt, attemptNumber } = receipt;
    const lateMs = startedAt - apartMs - sendMs - latestBound(log, startedAt, context);
    if (lateMs < 0 || deaths.explainLate(receipt)) continue;
    report("OPT", `was attempted ${lateMs} ms after its notAfter (attempt ${attemptNumber})`);
  }
}

/** The latest bound that the message may have had at this instant. Infinity if it may have had none. */
function latestBound(log: MessageLog, at: Instant, { bounds }: Context): Instant {
  const { clockUncertaintyMs: apartMs } = bounds;
  const first = log.options.bound ?? null;
  const moves = log.changes.filter(
    ({ dueAt, answer, askedAt }) =>
      dueAt !== null && answer.kind !== "refused" && askedAt <= at + apartMs,
  );
  let latest = boundFrom(first, log.dueAt);
  for (const move of moves) {
    const dueAt = latestDue(move, apartMs);
    const possible =
      move.bound === undefined ? [first, ...boundsBefore(move, moves)] : [move.bound];
    latest = Math.max(latest, ...possible.map((bound) => boundFrom(bound, dueAt)));
  }
  return latest;
}

/** What a move may have kept: also the bound of one that was asked later and took effect before it. */
function boundsBefore(move: ChangeAsked, moves: readonly ChangeAsked[]): (AskedBound | null)[] {
  const until = move.answer.kind === "ok" ? move.answeredAt : Infinity;
  return moves.flatMap(({ bound, askedAt }) =>
    bound === undefined || askedAt > until ? [] : [bound],
  );
}

function boundFrom(bound: AskedBound | null, dueAt: Instant): Instant {
  if (bound === null) return Infinity;
  return "notAfter" in bound ? bound.notAfter : dueAt + bound.notAfterMs;
}

function latestDue(change: ChangeAsked, apartMs: number): Instant {
  const { dueAt, answer } = change;
  if (typeof dueAt === "number") return dueAt;
  if (answer.kind !== "ok") return Infinity;
  return Math.max(
    earliestDue(change, apartMs) ?? -Infinity,
    change.answeredAt + apartMs + dueAt!.delayMs,
  );
}

/** Also if nobody could attempt it: its target is paused, or has other things to do. */
function checkEnd({ final, receipts }: MessageLog, context: Context, report: Report): void {
  const { bounds, takenAt, clock } = context;
  const notAfter = final?.message.options?.notAfter;
  if (final == null || notAfter === undefined || clock.steps.length > 0) return;
  const { state, endReason, deadLetterTime } = final.message;
  const isOpen = state === "SCHEDULED";
  if (isOpen && bounds.mode === "safety") return;
  if (!isOpen && endReason !== "NOT_AFTER") return;
  // An attempt under way decides, and its outcome takes a while to be written.
  const busyUntil = Math.max(
    -Infinity,
    ...receipts.map(({ endedAt }) => (endedAt ?? Infinity) + bounds.recordMs),
  );
  const expected = Math.max(notAfter + bounds.clockUncertaintyMs, busyUntil) + bounds.outrunMs;
  const until = putOff(expected, -Infinity, null, context);
  const endedAt = isOpen ? takenAt : deadLetterTime! - bounds.clockUncertaintyMs;
  const lateMs = endedAt - until;
  if (lateMs <= 0) return;
  const what = isOpen ? "had not ended" : "ended only";
  report("OPT", `${what} ${endedAt - notAfter} ms after its notAfter, ${lateMs} ms too late`);
}
