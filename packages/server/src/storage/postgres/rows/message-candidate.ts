import { scheduled } from "../../../domain/transitions.ts";
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

export function keptAs(
  { request, messageId }: MessageCandidate,
  targetKey: number,
  schedulingTime: number,
): KeptMessage {
  const { targetId, deliveryTime } = request;
  const message = scheduled({ messageId, targetId, deliveryTime }, schedulingTime);
  return { kind: "scheduled", message, targetKey };
}
