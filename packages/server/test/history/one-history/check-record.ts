import { isDeepStrictEqual } from "node:util";
import type { Message } from "../../../src/domain/message.ts";
import type { Context } from "../context.ts";
import { creationOf, toldMessages } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G11 and G2, as far as they need no order of events: constant fields and counts. */
export function checkRecord(log: MessageLog, context: Context, report: Report): void {
  // A key's calls may change what is constant otherwise, and are judged together.
  if (log.messageKey === null) {
    checkRepeats(log, report);
    checkUnchanging(log, context, report);
  }
  if (log.final == null) return;
  const { message, attempts } = log.final;
  const failed = attempts.filter(({ outcome }) => outcome !== "DELIVERED").length;
  if (message.deliveryFailureCount !== failed) {
    report(
      "G11",
      `counts ${message.deliveryFailureCount} failures, and ${failed} failed attempts are on record`,
    );
  }
}

/** A repeated call gets the same answer as the first call. */
function checkRepeats(log: MessageLog, report: Report): void {
  const { schedules, dueAt } = log;
  const [first, ...others] = schedules.flatMap(({ answer }) =>
    answer.kind === "ok" ? [answer.message] : [],
  );
  if (first === undefined) return;
  const made: Message = {
    messageId: first.messageId,
    targetId: first.targetId,
    schedulingTime: first.schedulingTime,
    originalDeliveryTime: dueAt,
    state: "SCHEDULED",
    deliveryFailureCount: 0,
    nextDeliveryTime: isInWindow(log, first) ? first.nextDeliveryTime : dueAt,
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    endReason: null,
    options: askedOptions(log),
  };
  const odd = differing(made, first);
  if (odd !== undefined) {
    report("G11", `was acknowledged with an ${odd} of ${JSON.stringify(first[odd])}`);
  }
  for (const other of others) {
    const differs = differing(first, other);
    if (differs === undefined) continue;
    report("G2", `was answered with another ${differs} when the call was repeated`);
  }
}

function checkUnchanging(log: MessageLog, { bounds }: Context, report: Report): void {
  const { clockUncertaintyMs: apartMs } = bounds;
  const { from, until } = creationOf(log);
  const told = toldMessages(log).map(({ message }) => message);
  const shown = log.final == null ? told : [...told, log.final.message];
  const [first] = shown;
  if (first === undefined) return;
  const { schedulingTime } = first;
  if (schedulingTime < from - apartMs || schedulingTime > until + apartMs) {
    report("G11", `has a schedulingTime outside of the call that scheduled it`);
  }
  const fixed = {
    messageId: log.messageId,
    targetId: log.targetId,
    originalDeliveryTime: log.dueAt,
    schedulingTime,
  };
  const { notAfter: _, notAfterMs: __, ...others } = askedOptions(log) ?? {};
  for (const message of shown) {
    const { notAfter: ___, notAfterMs: ____, ...kept } = message.options ?? {};
    if (!isDeepStrictEqual(kept, others)) {
      report("OPT", "was shown with other options than it was scheduled with");
    }
    const changed = differing(fixed, message);
    if (changed === undefined) continue;
    report("G11", `was shown with another ${changed}, which never changes`);
    return;
  }
}

/** The options as an answer to the call shows them. */
function askedOptions({ options, dueAt }: MessageLog): Message["options"] {
  const { bound, flexWindowMs, ...others } = options;
  const shown = {
    ...others,
    ...bound,
    ...(bound !== undefined && "notAfterMs" in bound && { notAfter: dueAt + bound.notAfterMs }),
    ...(flexWindowMs !== undefined && { flexWindowMs }),
  };
  return Object.keys(shown).length === 0 ? null : shown;
}

function isInWindow(
  { dueAt, plannedBy }: MessageLog,
  { nextDeliveryTime, options }: Message,
): boolean {
  if (nextDeliveryTime === null) return false;
  const lastChance = options?.notAfter ?? Infinity;
  const isInTime = nextDeliveryTime < lastChance || nextDeliveryTime === dueAt;
  return dueAt <= nextDeliveryTime && nextDeliveryTime <= plannedBy && isInTime;
}

function differing(one: Partial<Message>, other: Message): keyof Message | undefined {
  for (const field in one) {
    if (!isDeepStrictEqual(one[field as keyof Message], other[field as keyof Message]))
      return field as keyof Message;
  }
  return undefined;
}
