import type { ConflictMode, KeyOutcome } from "../../../src/domain/message-key.ts";
import type { Message } from "../../../src/domain/message.ts";
import type { ChangeAsked, FinalMessage, KeyAsked, ScheduleAsked, Told } from "../history.ts";
import { cancel, cancelled, kept, message, ok, schedule } from "./small-history.ts";

/** Parts for histories of the key `k` of target `t`. Its messages are for 1,000, unless a test says otherwise. */

export const options = { key: "k" };

export const held = (shown: Partial<Message> = {}): Message => message({ options, ...shown });

export const outcome = (keyOutcome: KeyOutcome, shown: Partial<Message> = {}): Told => ({
  ...ok(held(shown)),
  keyOutcome,
});

/** A call for the key at this time, answered 10 ms later. It has its own idempotency key and payload. */
export function wants(
  onConflict: ConflictMode,
  askedAt: number,
  payload: string,
  answer: ScheduleAsked["answer"],
  asked: Partial<ScheduleAsked> = {},
): ScheduleAsked {
  return schedule({
    key: payload,
    payload,
    askedAt,
    answeredAt: askedAt + 10,
    wantedKey: { key: "k", onConflict, maxWaitMs: onConflict === "debounce" ? 2_000 : null },
    answer,
    ...asked,
  });
}

/** The message `m` is scheduled with the payload "one". */
export const first = wants("reject", 0, "one", outcome("created"));

export const byKey = (
  verb: KeyAsked["verb"],
  askedAt: number,
  answer: KeyAsked["answer"],
  asked: Partial<KeyAsked> = {},
): KeyAsked => {
  const { messageId: _, ...call } = cancel(askedAt, askedAt + 10, answer);
  return { ...call, verb, targetId: "t", messageKey: "k", ...asked };
};

export const byId = (change: ChangeAsked, messageId: string): ChangeAsked => ({
  ...change,
  messageId,
});

export const keptWith = (payload: string, ...what: Parameters<typeof kept>): FinalMessage => ({
  ...kept(...what),
  payload,
});

/** Ended by a message that took over its key. */
export const replacedAt = (cancellationTime: number, shown: Partial<Message> = {}): Message =>
  cancelled(cancellationTime, { options, endReason: "REPLACED", ...shown });
