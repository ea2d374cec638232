import type { Message } from "../../../src/domain/message.ts";
import type { Context } from "../context.ts";
import { creationOf, toldMessages } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";
import type { Report } from "../violation.ts";

/** G11 and G2, as far as they need no order of events: constant fields and counts. */
export function checkRecord(log: MessageLog, context: Context, report: Report): void {
  checkRepeats(log, report);
  checkUnchanging(log, context, report);
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
function checkRepeats({ schedules, dueAt }: MessageLog, report: Report): void {
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
    nextDeliveryTime: dueAt,
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    endReason: null,
    options: null,
  };
  const odd = differing(made, first);
  if (odd !== undefined) report("G11", `was acknowledged with an ${odd} of ${first[odd]}`);
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
  for (const message of shown) {
    const changed = differing(fixed, message);
    if (changed === undefined) continue;
    report("G11", `was shown with another ${changed}, which never changes`);
    return;
  }
}

function differing(one: Partial<Message>, other: Message): keyof Message | undefined {
  for (const field in one) {
    if (one[field as keyof Message] !== other[field as keyof Message])
      return field as keyof Message;
  }
  return undefined;
}
