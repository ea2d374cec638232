/**
 * Why a message ended, if its state alone does not say it. Stores keep the position in this list: append
 * only. REPLACED belongs to cancelled messages, the others to dead letters.
 *
 * - `FINAL_ANSWER`: the target answered with a status after which no attempt is made.
 * - `ADDRESS_REFUSED`: the target's address is not allowed.
 * - `NOT_AFTER`: its `notAfter` came first.
 * - `REJECTED`: the message could not be sent to this target at all.
 */
export const endReasons = [
  "ATTEMPTS_EXHAUSTED",
  "FINAL_ANSWER",
  "ADDRESS_REFUSED",
  "NOT_AFTER",
  "REJECTED",
  "REPLACED",
] as const;

export type EndReason = (typeof endReasons)[number];

export type DeadLetterReason = Exclude<EndReason, "REPLACED">;
