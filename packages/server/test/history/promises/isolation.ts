import type { Context } from "../context.ts";
import { endOf } from "../faults.ts";
import type { Fault, Hang } from "../faults.ts";
import type { Receipt } from "../history.ts";
import { creationOf } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report, Violation } from "../violation.ts";

/** G8 for one message: it goes to its own target and no other. */
export function checkPlace({ targetId, receipts }: MessageLog, report: Report): void {
  for (const receipt of receipts) {
    if (receipt.targetId !== targetId) {
      report("G8", `went to target ${receipt.targetId}, and belongs to ${targetId}`);
    }
  }
}

interface Late {
  readonly messageId: string;
  readonly lateMs: number;
}

/**
 * G8: while one target hangs, the others of any account are served in time. While any number of targets of
 * one account hang, those of every other account are served in time.
 */
export function checkIsolation(logs: readonly MessageLog[], context: Context): Violation[] {
  const { isolationMs } = context.bounds;
  const hangs = context.faults.filter((fault) => fault.kind === "hang");
  const slow = slowByTarget(logs, isolationMs);
  const found: Violation[] = [];
  for (const [accountId, own] of Map.groupBy(hangs, (hang) => hang.accountId)) {
    const { size } = new Set(own.map(({ targetId }) => targetId));
    const isBeside = (log: MessageLog): boolean =>
      log.accountId !== accountId || (size === 1 && log.targetId !== own[0]!.targetId);
    const late = logs
      .filter((log) => !log.mayWait && isBeside(log))
      .flatMap((log) => latenessBeside(own, log, context, slow.get(placeOf(log)) ?? []))
      .toSorted((one, other) => one.lateMs - other.lateMs);
    const at99 = late[Math.ceil(late.length * 0.99) - 1];
    if (at99 === undefined || at99.lateMs <= isolationMs + context.seenApartMs) continue;
    const { messageId, lateMs } = at99;
    const hung = size === 1 ? `${own[0]!.targetId} hung` : `${size} targets of ${accountId} hung`;
    const others = `the 99th percentile of ${late.length} others`;
    const says = `was ${lateMs} ms late while ${hung}, which is ${others}`;
    found.push({ promise: "G8", messageId, says });
  }
  return found;
}

/** After a call to the store that failed, a node leaves the target alone for this long. */
const storeRetryMs = 1_000;

/** Uses only the first attempt, because an observer does not know when a retry is due. */
function latenessBeside(
  hangs: readonly Hang[],
  log: MessageLog,
  context: Context,
  slow: readonly Receipt[],
): Late[] {
  const { faults, takenAt } = context;
  const waitsStill = log.final?.message.state === "SCHEDULED" && log.final.attempts.length === 0;
  const startedAt = log.receipts[0]?.startedAt ?? (waitsStill ? takenAt : undefined);
  if (startedAt === undefined || log.changes.some(({ askedAt }) => askedAt <= startedAt)) return [];
  // A message scheduled for the past counts as late only from the time of the call.
  const dueAt = Math.max(log.plannedBy, creationOf(log).from);
  if (!hangs.some(({ at, until }) => at <= dueAt && dueAt <= until)) return [];
  const disturbed = faults.some(
    (fault) =>
      fault.kind !== "hang" && fault.at <= startedAt && endOf(fault) + afterMs(fault) >= dueAt,
  );
  // A target that answers slowly has its own concurrency used up, and one that does not answer gets one attempt at
  // a time. Then its messages wait for itself and not for others.
  const waitedForItself = slow.some(
    (receipt) => receipt.startedAt < startedAt && (receipt.endedAt ?? Infinity) >= dueAt,
  );
  return disturbed || waitedForItself
    ? []
    : [{ messageId: log.messageId, lateMs: startedAt - dueAt }];
}

function placeOf({ accountId, targetId }: MessageLog): string {
  return `${accountId} ${targetId}`;
}

/** The attempts that took longer than others may be late. */
function slowByTarget(
  logs: readonly MessageLog[],
  longMs: number,
): ReadonlyMap<string, readonly Receipt[]> {
  const found = new Map<string, Receipt[]>();
  for (const log of logs) {
    const own = log.receipts.filter(
      ({ status, startedAt, endedAt }) =>
        status === null || endedAt === null || endedAt - startedAt > longMs,
    );
    if (own.length > 0) found.set(placeOf(log), [...(found.get(placeOf(log)) ?? []), ...own]);
  }
  return found;
}

function afterMs({ kind }: Fault): number {
  return kind === "store" || kind === "statement" ? storeRetryMs : 0;
}
