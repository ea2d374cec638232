import type { Attempt } from "../../src/domain/attempt.ts";
import type { Instant, Message } from "../../src/domain/message.ts";
import type { RetryPolicy } from "../../src/domain/retry-policy.ts";
import type {
  AskedOptions,
  ChangeAsked,
  Due,
  FinalMessage,
  Receipt,
  ScheduleAsked,
} from "./history.ts";

/** A message as a caller saw it, by a get or on a page of a list. */
export interface Sighting {
  readonly askedAt: Instant;
  readonly answeredAt: Instant;
  /** Null if it was not there. */
  readonly message: Message | null;
  readonly by: string;
}

/** What happened to one message, whatever call made it, and the terms of its target. */
export interface OwnEvents {
  /** In the order of the requests. */
  readonly changes: readonly ChangeAsked[];
  readonly sightings: readonly Sighting[];
  /** In the order of their starts. */
  readonly receipts: readonly Receipt[];
  /** Null if it is gone. Undefined if nobody looked. */
  readonly final: FinalMessage | null | undefined;
  readonly retryPolicy: RetryPolicy | null;
  readonly timeoutMs: number | null;
  /** It need not be attempted in time. */
  readonly mayWait: boolean;
}

/** Everything that is known about one message. */
export interface MessageLog extends OwnEvents {
  readonly messageId: string;
  readonly accountId: string;
  readonly targetId: string;
  /** Null for a message without a key. */
  readonly messageKey: string | null;
  /** With a key: the first one, if it is known. */
  readonly payload: string;
  /** What the call asked for. */
  readonly asked: Due;
  /** By the store's clock. After a delay: the earliest possible, if nobody saw when it was scheduled. */
  readonly dueAt: Instant;
  readonly options: AskedOptions;
  /** The latest time for which it may first have been planned: `dueAt`, unless it has a window. */
  readonly plannedBy: Instant;
  /** Every call that may have made it: all calls with its key, or the one call without a key. */
  readonly schedules: readonly ScheduleAsked[];
}

/**
 * The earliest time that the change may have set, by the store's clock. Null for a cancel. What the store
 * told of a delay is checked elsewhere.
 */
export function earliestDue(
  { dueAt, askedAt, answer }: ChangeAsked,
  clockUncertaintyMs: number,
): Instant | null {
  if (dueAt === null || typeof dueAt === "number") return dueAt;
  const told = answer.kind === "ok" ? answer.message.nextDeliveryTime : null;
  return told ?? askedAt - clockUncertaintyMs + dueAt.delayMs;
}

/** From when it may have existed, and by when it did. Infinity if no caller was told. */
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
 * The answers that showed the message, with the times of request and answer. A repeated schedule shows the
 * message as it was first made, however late the answer comes.
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

/** When the effect of a call is certain to be there, if it has one. Never for a lost answer. */
export function effectBy(change: ChangeAsked): Instant {
  return change.answer.kind === "unknown" ? Infinity : change.answeredAt;
}

/** Whether the change happened, or may have, and possibly after the other one. */
export function mayFollow(change: ChangeAsked, other: ChangeAsked): boolean {
  return change !== other && change.answer.kind !== "refused" && effectBy(change) >= other.askedAt;
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
