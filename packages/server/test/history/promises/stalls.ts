import type { Context } from "../context.ts";
import { endOf } from "../faults.ts";
import type { History, Pace, Receipt } from "../history.ts";
import { creationOf } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Violation } from "../violation.ts";

interface Time {
  readonly from: number;
  readonly until: number;
}

/**
 * G13 and G15: while a target has a due message by the store's clock and no attempt under way, its next
 * attempt follows as soon as its limits allow. A backlog drains at its own pace, a raised limit takes
 * effect, and a clock that is set delays nothing that is still due by it.
 */
export function checkStalls(
  { targets, receipts, faults }: History,
  logs: readonly MessageLog[],
  context: Context,
): Violation[] {
  const nameOf = (of: { readonly accountId: string; readonly targetId: string }): string =>
    `${of.accountId}/${of.targetId}`;
  // Targets of one account may delay each other.
  const hanging = new Set(
    faults.flatMap((fault) => (fault.kind === "hang" ? [fault.accountId] : [])),
  );
  const logsOf = Map.groupBy(logs, nameOf);
  const ownerOf = new Map(logs.map((log) => [log.messageId, nameOf(log)]));
  const receiptsOf = Map.groupBy(receipts, ({ messageId }) => ownerOf.get(messageId) ?? "");
  const troubled = troubledTimes(context);
  return targets.flatMap((target): Violation[] => {
    if (target.pace === undefined || hanging.has(target.accountId)) return [];
    const own = logsOf.get(nameOf(target)) ?? [];
    const waits = own.flatMap((log) => waitsOf(log, context));
    if (waits.length === 0) return [];
    const kept = { pace: target.pace, receipts: receiptsOf.get(nameOf(target)) ?? [], troubled };
    const longest = longestStall(waits, kept, context);
    return longest === undefined ? [] : [violationOf(longest, context)];
  });
}

interface Wait extends Time {
  readonly messageId: string;
}

/**
 * The times when a message was due and not yet attempted. Only the first attempt counts, because an
 * observer does not know when a retry is due.
 */
function waitsOf(log: MessageLog, { clock, seenApartMs, takenAt }: Context): Wait[] {
  const { messageId, final, receipts, changes, plannedBy } = log;
  const waitsStill = final?.message.state === "SCHEDULED" && final.attempts.length === 0;
  const waitedUntil = receipts[0]?.startedAt ?? (waitsStill ? takenAt : -Infinity);
  if (changes.some(({ askedAt }) => askedAt <= waitedUntil)) return [];
  const notAfter = final?.message.options?.notAfter ?? Infinity;
  // A bound is a time of the store's clock, which after a step is no time of the observers.
  if (notAfter < Infinity && clock.steps.length > 0) return [];
  const until = Math.min(waitedUntil, notAfter - seenApartMs);
  const from = creationOf(log).until + seenApartMs;
  if (!(from < until)) return [];
  return clock
    .showing(plannedBy + seenApartMs, from, until)
    .map((time) => ({ ...time, messageId }));
}

/** The times of faults, each with the time that the recovery may take. */
function troubledTimes({ faults, bounds }: Context): Time[] {
  const { takeoverMs, restartMs, settleMs } = bounds;
  const overMs = Math.max(takeoverMs ?? restartMs, Math.min(settleMs, 30_000));
  return faults
    .filter(({ kind }) => kind !== "hang")
    .map((fault) => ({ from: fault.at, until: endOf(fault) + overMs }));
}

interface Kept {
  readonly pace: readonly Pace[];
  readonly receipts: readonly Receipt[];
  readonly troubled: readonly Time[];
}

const closed = { gapMs: Infinity };

interface Stall extends Wait {
  readonly tooLongMs: number;
}

function longestStall(
  waits: readonly Wait[],
  { pace, receipts, troubled }: Kept,
  { bounds, clock }: Context,
): Stall | undefined {
  const busy: Time[] = [
    ...troubled,
    ...receipts.map(({ startedAt, endedAt }) => ({ from: startedAt, until: endedAt ?? Infinity })),
    // The allowed wait starts again at each of these instants.
    ...pace.map(({ from }) => ({ from, until: from })),
    ...clock.steps.map(({ at }) => ({ from: at, until: at })),
  ].toSorted((one, other) => one.from - other.from);
  let longest: Stall | undefined;
  for (const wait of waits) {
    for (const alone of without(wait, busy)) {
      const { gapMs } = pace.findLast(({ from }) => from <= alone.from) ?? closed;
      const wasSet = clock.steps.some(({ at }) => at <= alone.from);
      // Node and store count separately, and one may find its limit used up after the other.
      const allowedMs = (wasSet ? 2 * gapMs : gapMs) + bounds.stallMs;
      const tooLongMs = alone.until - alone.from - allowedMs;
      if (tooLongMs <= (longest?.tooLongMs ?? 0)) continue;
      longest = { ...alone, messageId: wait.messageId, tooLongMs };
    }
  }
  return longest;
}

/** What is left of a time without the others, which are in order of their starts. */
function without({ from, until }: Time, others: readonly Time[]): Time[] {
  const left: Time[] = [];
  let begin = from;
  for (const other of others) {
    if (other.from >= until) break;
    if (other.until < begin) continue;
    if (other.from > begin) left.push({ from: begin, until: other.from });
    begin = Math.max(begin, other.until);
  }
  if (begin < until) left.push({ from: begin, until });
  return left;
}

function violationOf(stall: Stall, { clock }: Context): Violation {
  const { messageId, from, until, tooLongMs } = stall;
  const afterStep = clock.steps.some(({ at }) => at <= from);
  const waited = `lay there due for ${until - from} ms, with nothing under way at its target`;
  return {
    promise: afterStep ? "G13" : "G15",
    messageId,
    says: `${waited}, ${tooLongMs} ms too long${afterStep ? " after the clock was set" : ""}`,
  };
}
