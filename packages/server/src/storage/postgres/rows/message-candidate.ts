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

export type KeptMessage = Extract<ScheduleResult, { readonly kind: "scheduled" }>;

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

/** The bigint that a statement gets as the delivery time. Null for a delay. */
export function instantGiven({ request }: MessageCandidate): number | null {
  return typeof request.deliveryTime === "number" ? request.deliveryTime : null;
}

/** Null for an instant. */
export function delayGiven({ request }: MessageCandidate): number | null {
  return typeof request.deliveryTime === "number" ? null : request.deliveryTime.delayMs;
}

export function keptAs(
  { request, messageId }: MessageCandidate,
  targetKey: number,
  schedulingTime: number,
): KeptMessage {
  const { targetId } = request;
  const deliveryTime = instantOf(request.deliveryTime, schedulingTime);
  const message = scheduled({ messageId, targetId, deliveryTime }, schedulingTime);
  return { kind: "scheduled", message, targetKey };
}
