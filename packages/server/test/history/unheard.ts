import type { Context } from "./context.ts";
import { endOf } from "./faults.ts";
import type { Receipt } from "./history.ts";
import type { MessageLog } from "./message-log.ts";

/** Whether the sender may not have received the target's answer. */
export function mayBeUnheard(receipt: Receipt, log: MessageLog, context: Context): boolean {
  const { startedAt, endedAt } = receipt;
  return isSlow(receipt, log, context) || isDisturbed(receipt, endedAt ?? startedAt, context);
}

/** Whether the answer may have come after the sender stopped waiting. */
export function isSlow(
  { startedAt, endedAt }: Receipt,
  { timeoutMs }: MessageLog,
  { bounds }: Context,
): boolean {
  const tookMs = (endedAt ?? Infinity) - startedAt;
  return tookMs + bounds.clockUncertaintyMs >= (timeoutMs ?? 0);
}

/** Whether a fault hit the sender before it wrote the outcome. */
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
