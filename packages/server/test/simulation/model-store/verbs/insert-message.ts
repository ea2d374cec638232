import type { Instant } from "../../../../src/domain/instant.ts";
import { isOutrun } from "../../../../src/domain/message-options.ts";
import type { TrackedMessage } from "../../../../src/domain/message.ts";
import { scheduled } from "../../../../src/domain/transitions.ts";
import { formatMessageId } from "../../../../src/platform/message-ids.ts";
import type { ScheduleRequest } from "../../../../src/storage/store.ts";
import type { Context } from "../database-state.ts";
import { teller } from "./events/tell.ts";

/** The one instant at which a message is taken, and whether the account's limit allows it. */
export interface Taking {
  readonly now: Instant;
  admit(): boolean;
}

export type InsertedMessage =
  | { readonly kind: "scheduled"; readonly message: TrackedMessage; readonly targetKey: number }
  | { readonly kind: "over-quota" }
  | { readonly kind: "too-late" };

type Content = Pick<ScheduleRequest, "accountId" | "targetId" | "payload" | "options">;

export function insertMessage(context: Context) {
  const { ids, messages } = context.state;
  const tell = teller(context);
  return (
    { accountId, targetId, payload, options }: Content,
    targetKey: number,
    deliveryTime: Instant,
    { now, admit }: Taking,
  ): InsertedMessage => {
    const messageId = formatMessageId(ids.next().bytes);
    const message = scheduled({ messageId, targetId, deliveryTime, options }, now);
    if (isOutrun(message.options, deliveryTime, now)) return { kind: "too-late" };
    if (!admit()) return { kind: "over-quota" };
    const acceptedBy = context.node.nodeId;
    const stored = { accountId, targetKey, acceptedBy, payload, attempts: [], message };
    messages.insert(stored);
    tell.scheduled(stored);
    return { kind: "scheduled", message, targetKey };
  };
}
