import type { Context } from "./context.ts";
import { endOf } from "./faults.ts";
import type { Receipt } from "./history.ts";
import type { MessageLog } from "./message-log.ts";

/** Whether whoever sent this may not have heard what the target answered. */
export function mayBeUnheard(receipt: Receipt, log: MessageLog, context: Context): boolean {
  const { startedAt, endedAt } = receipt;
  return isSlow(receipt, log, context) || isDisturbed(receipt, endedAt ?? startedAt, context);
}

/** The answer may have come when nobody waited for it any more. */
export function isSlow(
  { startedAt, endedAt }: Receipt,
  { timeoutMs }: MessageLog,
  { bounds }: Context,
): boolean {
  const tookMs = (endedAt ?? Infinity) - startedAt;
  return tookMs + bounds.clockUncertaintyMs >= (timeoutMs ?? 0);
}

/** Whoever sent it met with a fault before its outcome was written. */
export function isDisturbed(
  { startedAt, node }: Receipt,
  until: number,
  { faults, bounds }: Context,
): boolean {
  return faults.some((fault) => {
    if (fault.kind === "hang" || fault.at > until + bounds.clockUncertaintyMs) return false;
    if (endOf(fault) < startedAt) return false;
    return fault.node === null || node === null || fault.node === node;
  });
}
