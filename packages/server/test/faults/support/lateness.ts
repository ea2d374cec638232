import type { Asked, Receipt } from "../../history/history.ts";

export interface Lateness {
  readonly dueAt: number;
  /** Infinity if it never came. */
  readonly lateMs: number;
}

/**
 * How late the first attempt of each message to a target was. It counts from the due time, or from the
 * schedule call if that came later, until the target received it.
 */
export function latenessAt(
  targetId: string,
  asked: readonly Asked[],
  receipts: readonly Receipt[],
): Lateness[] {
  const seenAt = new Map<string, number>();
  for (const { messageId, startedAt } of receipts) {
    seenAt.set(messageId, Math.min(startedAt, seenAt.get(messageId) ?? Infinity));
  }
  return asked.flatMap((call): Lateness[] => {
    if (call.verb !== "schedule" || call.targetId !== targetId) return [];
    if (call.answer.kind !== "ok") return [];
    const { messageId, schedulingTime, originalDeliveryTime } = call.answer.message;
    const dueAt = Math.max(originalDeliveryTime, schedulingTime);
    return [{ dueAt, lateMs: (seenAt.get(messageId) ?? Infinity) - dueAt }];
  });
}

/** The 99th percentile. */
export function at99(late: readonly Lateness[]): number {
  const inOrder = late.map(({ lateMs }) => lateMs).toSorted((one, other) => one - other);
  const value = inOrder[Math.ceil(inOrder.length * 0.99) - 1];
  if (value === undefined) throw new Error("there is nothing to take the 99th percentile of");
  return value;
}
