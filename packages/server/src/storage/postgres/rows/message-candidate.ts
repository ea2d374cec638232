import { isOutrun, withDeliveryTime } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import { formatMessageId } from "../../../platform/message-ids.ts";
import type { MessageIdGenerator } from "../../../platform/message-ids.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import { uuidOf } from "./message-rows.ts";

/** A message as it will be if it is admitted. */
export interface MessageCandidate {
  readonly request: ScheduleRequest;
  readonly uuid: string;
  readonly messageId: string;
}

export type KeptMessage = Extract<ScheduleResult, { readonly kind: "scheduled" }> & {
  readonly message: TrackedMessage;
};

export type DecidedMessage = KeptMessage | Exclude<ScheduleResult, { readonly kind: "scheduled" }>;

export function candidatesOf(
  ids: MessageIdGenerator,
  requests: readonly ScheduleRequest[],
): MessageCandidate[] {
  return requests.map((request) => {
    const { bytes } = ids.next();
    return { request, uuid: uuidOf(bytes), messageId: formatMessageId(bytes) };
  });
}

/** The candidate with an instant in place of a delay, for a statement that is told the time. */
export function timed(candidate: MessageCandidate, now: number): MessageCandidate {
  const { request } = candidate;
  if (typeof request.deliveryTime === "number") return candidate;
  const deliveryTime = instantOf(request.deliveryTime, now);
  return { ...candidate, request: { ...request, deliveryTime } };
}

/** For a timed candidate: whether no attempt could start before its `notAfter`. */
export function isTooLate({ request }: MessageCandidate, now: number): boolean {
  if (request.options === null) return false;
  const deliveryTime = instantOf(request.deliveryTime, now);
  return isOutrun(withDeliveryTime(request.options, deliveryTime), deliveryTime, now);
}

/** The bigint that a statement gets as the delivery time. Null for a delay. */
export function instantGiven({ request }: MessageCandidate): number | null {
  return typeof request.deliveryTime === "number" ? request.deliveryTime : null;
}

/** Null for an instant. */
export function delayGiven({ request }: MessageCandidate): number | null {
  return typeof request.deliveryTime === "number" ? null : request.deliveryTime.delayMs;
}

/** The message that this candidate becomes if it is scheduled at this time. */
export function messageOf(
  { request, messageId }: MessageCandidate,
  schedulingTime: number,
): TrackedMessage {
  const { targetId, options } = request;
  const deliveryTime = instantOf(request.deliveryTime, schedulingTime);
  return scheduled({ messageId, targetId, deliveryTime, options }, schedulingTime);
}

export function keptAs(
  candidate: MessageCandidate,
  targetKey: number,
  schedulingTime: number,
): KeptMessage {
  return { kind: "scheduled", message: messageOf(candidate, schedulingTime), targetKey };
}

/** The messages that were kept and have options, with their accounts. */
export function withOptions(
  decided: ReadonlyMap<MessageCandidate, DecidedMessage>,
): { readonly accountId: string; readonly message: TrackedMessage }[] {
  return [...decided].flatMap(([{ request }, result]) =>
    result.kind === "scheduled" && request.options !== null
      ? [{ accountId: request.accountId, message: result.message }]
      : [],
  );
}
