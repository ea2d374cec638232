import type { Context } from "../context.ts";
import { endOf } from "../faults.ts";
import type { Hang } from "../faults.ts";
import { creationOf } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report, Violation } from "../violation.ts";

/** G8 for one message: it goes to its own target and to no other. */
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

/** G8: while one target hangs, the others are served in time, whosesoever they are. */
export function checkIsolation(logs: readonly MessageLog[], context: Context): Violation[] {
  const { isolationMs, clockUncertaintyMs } = context.bounds;
  return context.faults.flatMap((hang): Violation[] => {
    if (hang.kind !== "hang") return [];
    const late = logs.flatMap((log) => latenessBeside(hang, log, context));
    late.sort((one, other) => one.lateMs - other.lateMs);
    const at99 = late[Math.ceil(late.length * 0.99) - 1];
    if (at99 === undefined || at99.lateMs <= isolationMs + clockUncertaintyMs) return [];
    const { messageId, lateMs } = at99;
    const others = `the 99th percentile of ${late.length} others`;
    const says = `was ${lateMs} ms late while ${hang.targetId} hung, which is ${others}`;
    return [{ promise: "G8", messageId, says }];
  });
}

/** The first attempt alone: when a retry is due, nobody outside knows. */
function latenessBeside(hang: Hang, log: MessageLog, { faults }: Context): Late[] {
  if (log.targetId === hang.targetId && log.accountId === hang.accountId) return [];
  const [first] = log.receipts;
  if (first === undefined || log.changes.some(({ askedAt }) => askedAt <= first.startedAt)) {
    return [];
  }
  // What was planned for the past is late only from when it was planned.
  const dueAt = Math.max(log.dueAt, creationOf(log).from);
  if (dueAt < hang.at || dueAt > hang.until) return [];
  const disturbed = faults.some(
    (fault) => fault.kind !== "hang" && fault.at <= first.startedAt && endOf(fault) >= dueAt,
  );
  return disturbed ? [] : [{ messageId: log.messageId, lateMs: first.startedAt - dueAt }];
}
