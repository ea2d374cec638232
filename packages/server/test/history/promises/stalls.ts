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
 * G13 and G15: while something of a target is due by the store's clock, and nothing of it is under way,
 * its next attempt follows within what its limits ask for. A backlog drains at its own pace, a limit that
 * was raised is raised, and a clock that is set holds up nothing that it still shows to be due.
 */
export function checkStalls(
  { targets, receipts, faults }: History,
  logs: readonly MessageLog[],
  context: Context,
): Violation[] {
  const nameOf = (of: { readonly accountId: string; readonly targetId: string }): string =>
    `${of.accountId}/${of.targetId}`;
  // An account's own targets may well stand in each other's way.
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

/** When it was due and not yet attempted for the first time: when a retry is due, nobody outside knows. */
function waitsOf(log: MessageLog, { clock, seenApartMs, takenAt }: Context): Wait[] {
  const { messageId, final, receipts, changes, dueAt } = log;
  const waitsStill = final?.message.state === "SCHEDULED" && final.attempts.length === 0;
  const until = receipts[0]?.startedAt ?? (waitsStill ? takenAt : -Infinity);
  const from = creationOf(log).until + seenApartMs;
  if (!(from < until) || changes.some(({ askedAt }) => askedAt <= until)) return [];
  return clock.showing(dueAt + seenApartMs, from, until).map((time) => ({ ...time, messageId }));
}

/** Faults, and as long after each as it may take to get over them. */
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
    // From each of these on it may take its time anew.
    ...pace.map(({ from }) => ({ from, until: from })),
    ...clock.steps.map(({ at }) => ({ from: at, until: at })),
  ].toSorted((one, other) => one.from - other.from);
  let longest: Stall | undefined;
  for (const wait of waits) {
    for (const alone of without(wait, busy)) {
      const { gapMs } = pace.findLast(({ from }) => from <= alone.from) ?? closed;
      const wasSet = clock.steps.some(({ at }) => at <= alone.from);
      // Node and store count by themselves, and one may find its count empty after the other has.
      const allowedMs = (wasSet ? 2 * gapMs : gapMs) + bounds.stallMs;
      const tooLongMs = alone.until - alone.from - allowedMs;
      if (tooLongMs <= (longest?.tooLongMs ?? 0)) continue;
      longest = { ...alone, messageId: wait.messageId, tooLongMs };
    }
  }
  return longest;
}

/** What is left of a time, given the others in the order in which they begin. */
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
