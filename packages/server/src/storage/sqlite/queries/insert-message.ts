import type { Instant } from "../../../domain/instant.ts";
import { isOutrun } from "../../../domain/message-options.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { monthOf } from "../../../domain/usage.ts";
import { formatMessageId } from "../../../platform/message-ids.ts";
import type { ScheduleRequest } from "../../store.ts";
import type { Context } from "./context.ts";

export interface Owner {
  readonly accountKey: number;
  readonly targetKey: number;
}

/** The moment of a call, and the month that it counts for. */
export interface Moment {
  readonly now: Instant;
  readonly month: string;
}

/** The moment of one message. Null: it does not count. */
export interface MessageMoment {
  readonly now: Instant;
  readonly month: string | null;
}

export type InsertedMessage =
  | { readonly kind: "scheduled"; readonly message: TrackedMessage; readonly targetKey: number }
  | { readonly kind: "over-quota" }
  | { readonly kind: "too-late" };

export function momentOf({ clock }: Pick<Context, "clock">): Moment {
  const now = clock.now();
  return { now, month: monthOf(now) };
}

/** Inserts a new message and counts it against the limit of its account. */
export function insertMessage({ ids, messages, usage }: Context) {
  /** Undefined: another scheduled message has its key. */
  return (
    { targetId, payload, options }: Pick<ScheduleRequest, "targetId" | "payload" | "options">,
    owner: Owner,
    deliveryTime: Instant,
    { now, month }: MessageMoment,
  ): InsertedMessage | undefined => {
    const id = ids.next();
    const messageId = formatMessageId(id.bytes);
    const message = scheduled({ messageId, targetId, deliveryTime, options }, now);
    if (isOutrun(message.options, deliveryTime, now)) return { kind: "too-late" };
    const isFull = month !== null && !usage.hasRoom(owner.accountKey, month);
    if (isFull) return { kind: "over-quota" };
    if (!messages.insert(id, owner, message, payload)) return undefined;
    if (month !== null) usage.count(owner.accountKey, month);
    return { kind: "scheduled", message, targetKey: owner.targetKey };
  };
}
