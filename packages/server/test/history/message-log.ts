import type { Attempt } from "../../src/domain/attempt.ts";
import type { Instant, Message } from "../../src/domain/message.ts";
import type { RetryPolicy } from "../../src/domain/retry-policy.ts";
import type { ChangeAsked, FinalMessage, Receipt, ScheduleAsked } from "./history.ts";

/** A message as somebody saw it: by a get, or on a page of a list. */
export interface Sighting {
  readonly askedAt: Instant;
  readonly answeredAt: Instant;
  /** Null: it was not there. */
  readonly message: Message | null;
  readonly by: string;
}

/** All that is known of one message. */
export interface MessageLog {
  readonly messageId: string;
  readonly accountId: string;
  readonly targetId: string;
  readonly payload: string;
  readonly dueAt: Instant;
  /** Every call that may have made it: those with its key, or the one without. */
  readonly schedules: readonly ScheduleAsked[];
  /** In the order in which they were asked. */
  readonly changes: readonly ChangeAsked[];
  readonly sightings: readonly Sighting[];
  /** In the order in which they started. */
  readonly receipts: readonly Receipt[];
  /** Null: it is gone. Undefined: nobody looked. */
  readonly final: FinalMessage | null | undefined;
  readonly retryPolicy: RetryPolicy | null;
  readonly timeoutMs: number | null;
  /** It need not be attempted in time. */
  readonly mayWait: boolean;
}

/** From when on it may have been there, and by when it was; Infinity where nobody was told. */
export function creationOf({ schedules }: MessageLog): { from: Instant; until: Instant } {
  let from = Infinity;
  let until = Infinity;
  for (const { askedAt, answeredAt, answer } of schedules) {
    if (answer.kind === "refused") continue;
    from = Math.min(from, askedAt);
    if (answer.kind === "ok") until = Math.min(until, answeredAt);
  }
  return { from, until };
}

/**
 * The answers that showed it, with when they were asked and given. A repeated schedule shows what was
 * made once, however late it is answered.
 */
export function toldMessages(log: MessageLog): (Sighting & { readonly message: Message })[] {
  const { from, until } = creationOf(log);
  const made = log.schedules.find(({ answer }) => answer.kind === "ok")?.answer;
  const told = log.changes.flatMap((call) =>
    call.answer.kind === "ok" ? [{ ...call, message: call.answer.message, by: call.verb }] : [],
  );
  return [
    ...(made?.kind === "ok"
      ? [{ askedAt: from, answeredAt: until, message: made.message, by: "schedule" }]
      : []),
    ...told,
    ...log.sightings.filter(isThere),
  ];
}

function isThere(sighting: Sighting): sighting is Sighting & { readonly message: Message } {
  return sighting.message !== null;
}

export function attemptsOf({ final }: MessageLog): readonly Attempt[] {
  return final?.attempts ?? [];
}

/** When the effect of a call is certain to be there, if there is one: of a lost answer, never. */
export function effectBy(change: ChangeAsked): Instant {
  return change.answer.kind === "unknown" ? Infinity : change.answeredAt;
}

/** A change that happened, or may have, and may have done so after the other one. */
export function mayFollow(change: ChangeAsked, other: ChangeAsked): boolean {
  return change !== other && change.answer.kind !== "refused" && effectBy(change) >= other.askedAt;
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
