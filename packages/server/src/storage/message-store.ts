import type { Attempt } from "../domain/attempt.ts";
import type { Instant, Message } from "../domain/message.ts";

export interface MessageRef {
  readonly accountId: string;
  readonly messageId: string;
}

export interface ScheduleRequest {
  readonly accountId: string;
  readonly targetId: string;
  readonly deliveryTime: Instant;
  /** Well-formed: its UTF-8 bytes are what is delivered. */
  readonly payload: string;
  readonly idempotency: Idempotency | null;
}

export interface Idempotency {
  readonly key: string;
  /** What a repeat must equal, besides having the key. */
  readonly fingerprint: string;
}

export type ScheduleResult =
  | { readonly kind: "scheduled"; readonly message: Message; readonly targetKey: number }
  /** The key was used before for the same request: its message as it was first answered. */
  | { readonly kind: "repeated"; readonly message: Message }
  | { readonly kind: "key-reused" }
  | { readonly kind: "no-target" }
  /** The account has scheduled as many messages this month as it may. */
  | { readonly kind: "over-quota" };

export type ChangeResult =
  | { readonly kind: "changed"; readonly message: Message; readonly targetKey: number }
  | { readonly kind: "not-found" }
  /** The state does not allow it. */
  | { readonly kind: "refused"; readonly message: Message }
  /** The message's target has been removed: nothing could ever be delivered. */
  | { readonly kind: "no-target" }
  /** An attempt was still running at the end of `waitMs`; nothing has changed, nothing will. */
  | { readonly kind: "in-flight" };

export interface CancelRequest extends MessageRef {
  /** How long to wait for the outcome of an attempt that is in flight. */
  readonly waitMs: number;
}

export interface RescheduleRequest extends CancelRequest {
  readonly deliveryTime: Instant;
}

export interface ListRequest {
  readonly accountId: string;
  readonly targetId: string;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /** The last item of the page before; the list goes on behind it. */
  readonly after: { readonly time: Instant; readonly messageId: string } | null;
  readonly limit: number;
}

export interface MessageStore {
  /**
   * Each request stands alone: one that is refused does not touch the others. Answers in order.
   * Accepted ones count against their account's monthly limit, in the month of their `schedulingTime`;
   * where it runs out, the earlier requests are admitted and the later ones are not.
   */
  scheduleMessages(requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]>;
  getMessage(ref: MessageRef): Promise<Message | undefined>;
  getPayload(ref: MessageRef): Promise<string | undefined>;
  /** In order of their numbers; undefined where there is no such message. */
  listAttempts(ref: MessageRef): Promise<readonly Attempt[] | undefined>;
  /**
   * Decided, also against an attempt in flight: the call waits for the outcome. If that is a failure,
   * the cancellation takes the place of whatever would have come next, in the same commit.
   */
  cancelMessage(request: CancelRequest): Promise<ChangeResult>;
  /** As `cancelMessage`. */
  rescheduleMessage(request: RescheduleRequest): Promise<ChangeResult>;
  /** By `nextDeliveryTime`, then `messageId`. An unknown target has no messages. */
  listScheduledMessages(request: ListRequest): Promise<Message[]>;
  /** By `deadLetterTime`, then `messageId`. */
  listDeadLetters(request: ListRequest): Promise<Message[]>;
}
