import type { Attempt } from "../domain/attempt.ts";
import type { GivenBound, MessageOptions } from "../domain/message-options.ts";
import type { KeyOutcome, WantedKey } from "../domain/message-key.ts";
import type { IdTimes, MessageSearch } from "../domain/message-search.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { WantedTime } from "../domain/wanted-time.ts";

export interface MessageRef {
  readonly accountId: string;
  readonly messageId: string;
}

export interface KeyRef {
  readonly accountId: string;
  readonly targetId: string;
  readonly key: string;
}

export interface ScheduleRequest {
  readonly accountId: string;
  readonly targetId: string;
  /** A delay counts from the message's `schedulingTime`. */
  readonly deliveryTime: WantedTime;
  /** Well-formed text. Its UTF-8 bytes are delivered. */
  readonly payload: string;
  /** Null for a plain message. Header values in it are sealed. */
  readonly options: MessageOptions | null;
  /** Left out without a key; `options` then has none either. */
  readonly wantedKey?: WantedKey;
  readonly idempotency: Idempotency | null;
}

export interface Idempotency {
  readonly key: string;
  /** A repeat has the same key and must have the same fingerprint. */
  readonly fingerprint: string;
}

export type ScheduleResult =
  | {
      readonly kind: "scheduled";
      readonly message: Message;
      readonly targetKey: number;
      readonly keyOutcome?: KeyOutcome;
    }
  /**
   * The same request has used the idempotency key before. Answers with its message as it was first answered.
   */
  | { readonly kind: "repeated"; readonly message: Message; readonly keyOutcome?: KeyOutcome }
  /** Another scheduled message has the key, and stays as it is. */
  | { readonly kind: "kept"; readonly message: Message; readonly keyOutcome: "kept" }
  /** The same, but the request asked to be refused then. */
  | { readonly kind: "key-taken"; readonly messageId: string }
  /**
   * An attempt at the message that has the key is in flight. Nothing has changed: ask again. The id is null if
   * that message changed too often while the store looked at it.
   */
  | { readonly kind: "held"; readonly messageId: string | null }
  | { readonly kind: "key-reused" }
  | { readonly kind: "no-target" }
  /** The account has used up its monthly limit. */
  | { readonly kind: "over-quota" }
  /** No attempt could start before its `notAfter`. */
  | { readonly kind: "too-late" };

export type ChangeResult =
  | { readonly kind: "changed"; readonly message: Message; readonly targetKey: number }
  | { readonly kind: "not-found" }
  /** The state of the message does not allow the change. */
  | { readonly kind: "refused"; readonly message: Message }
  /** No attempt could start before its `notAfter`. */
  | { readonly kind: "too-late"; readonly message: Message }
  /** It has ended, and another scheduled message has its key. */
  | { readonly kind: "key-taken"; readonly messageId: string }
  /** The message's target was removed, so nothing could be delivered. */
  | { readonly kind: "no-target" }
  /**
   * An attempt was still in flight after `waitMs`. The message has not changed, and this call will
   * not change it.
   */
  | { readonly kind: "in-flight" };

export interface CancelRequest extends MessageRef {
  /** How long to wait for the outcome of an attempt in flight. */
  readonly waitMs: number;
}

export interface RescheduleRequest extends CancelRequest {
  /** A delay counts from the call's arrival, not from the end of an attempt that it waits for. */
  readonly deliveryTime: WantedTime;
  /** Another `notAfter`, or null for none. Left out: the message keeps its own. */
  readonly bound?: GivenBound | null;
  /** Refused if the message has ended. Otherwise a cancelled message or a dead letter comes back. */
  readonly whileScheduled?: true;
}

export interface ListRequest {
  readonly accountId: string;
  readonly targetId: string;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /** The last item of the previous page. The list continues after it. */
  readonly after: { readonly time: Instant; readonly messageId: string } | null;
  readonly limit: number;
}

export interface FindRequest extends MessageSearch {
  readonly accountId: string;
  /** No message that matches has an id with another time. */
  readonly idTimes: IdTimes;
  /** Where an earlier call ended: an id. The search continues after it. */
  readonly after: string | null;
  readonly limit: number;
}

export interface FindResult {
  readonly messages: readonly Message[];
  /** The id up to which the call has looked, whoever's it is. Null: there is nothing behind it. */
  readonly lookedUntil: string | null;
}

export interface MessageStore {
  /**
   * Each request stands alone: a refused one does not affect the others. Answers come in the order
   * of the requests. Accepted ones count against their account's monthly limit, in the month of
   * their `schedulingTime`. Where the limit runs out, the earlier requests are admitted and the
   * later ones are not.
   */
  scheduleMessages(requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]>;
  getMessage(ref: MessageRef): Promise<Message | undefined>;
  /** The scheduled message that has this key. */
  findByKey(ref: KeyRef): Promise<Message | undefined>;
  getPayload(ref: MessageRef): Promise<string | undefined>;
  /**
   * In the order of their numbers; undefined if there is no such message. Older ones than the latest
   * `mostAttemptsKept` have left the record.
   */
  listAttempts(ref: MessageRef): Promise<readonly Attempt[] | undefined>;
  /**
   * The answer is final, also with an attempt in flight: the call waits for its outcome. If the
   * attempt fails, the cancellation replaces the next step, in the same commit.
   */
  cancelMessage(request: CancelRequest): Promise<ChangeResult>;
  /** As `cancelMessage`. */
  rescheduleMessage(request: RescheduleRequest): Promise<ChangeResult>;
  /** By `nextDeliveryTime`, then `messageId`. An unknown target has no messages. */
  listScheduledMessages(request: ListRequest): Promise<Message[]>;
  /** By `deadLetterTime`, then `messageId`. */
  listDeadLetters(request: ListRequest): Promise<Message[]>;
  /**
   * By `messageId`. Looks at a bounded number of messages, of whichever account, so it may end before it has
   * found as many as the limit. If it has found that many, it has looked until the last one.
   */
  findMessages(request: FindRequest): Promise<FindResult>;
}
