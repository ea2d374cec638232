import type { Attempt } from "../domain/attempt.ts";
import type { AccessKey, Scope } from "../domain/access.ts";
import type { Instant, Message, TrackedMessage } from "../domain/message.ts";
import type { NextStep } from "../domain/retry-policy.ts";
import type { Target } from "../domain/target.ts";
import type { Usage } from "../domain/usage.ts";

/**
 * The port to whatever keeps messages. Its verbs are the domain's, its promises these:
 *
 * - A verb that resolves has happened, durably; one that rejects with `StoreUnavailable` has happened
 *   once or not at all; any other rejection means that nothing happened.
 * - Verbs on one message happen in one order, and every later verb sees the earlier ones.
 * - The store's clock decides every instant: callers hand in delays, and read `now` from answers.
 * - Verbs may be called concurrently and as often as callers like: a store gathers what arrives
 *   together into one commit, and an idle store commits at once.
 * - Rows past their `expirationTime` do not exist, whether or not they have been removed yet.
 */
export interface Store extends MessageStore, DeliveryStore, TargetStore, AccessStore {
  /** The store's clock, as well as this process can tell. The store itself decides what is due. */
  readonly clock: StoreClock;
  /** Null: this process is the only one on the store. */
  readonly sharing: Sharing | null;
  /** Resolves while the store answers, rejects when it does not. */
  ping(): Promise<void>;
  counts(): Promise<StoreCounts>;
  /** A value that was sealed with the encryption key; null where none was kept yet. */
  encryptionCheck(): Promise<string | null>;
  /** Keeps one, unless there is one already; answers with the one that is kept. */
  keepEncryptionCheck(sealed: string): Promise<string>;
  close(): Promise<void>;
}

/** The store cannot be reached, is full, or is overloaded: worth trying again, unlike a bug. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreUnavailable";
  }
}

export interface StoreClock {
  now(): Instant;
}

/** What a node must do, and may rely on, where others work on the same store. */
export interface Sharing {
  /** A node that has not renewed for so long is dead to the others. */
  readonly leaseMs: number;
  /** For how long a look-up of a credential may be relied on: others may revoke it. */
  readonly credentialMs: number;
}

export interface StoreCounts {
  /** Messages in SCHEDULED. May lag a little on a busy store. */
  readonly pending: number;
}

// ---------------------------------------------------------------------------------------- messages

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

// ---------------------------------------------------------------------------------------- delivery

/** Who claims: a node, in one of its lives. A later life of the node has a higher epoch. */
export interface Holder {
  readonly nodeId: string;
  readonly epoch: number;
}

/** What a node does: answer callers, deliver, or both. */
export type NodeRole = "all" | "api" | "dispatch";

export interface NodeView {
  readonly nodeId: string;
  readonly role: NodeRole;
  readonly joinTime: Instant;
  /** How long ago it last showed that it lives. */
  readonly heartbeatAgeMs: number;
  readonly inFlight: number;
}

/** A part of the time line: behind `after`, up to and with `until`. */
export interface DueWindow {
  /** Null: from the beginning. */
  readonly after: DuePlace | null;
  readonly until: Instant;
  /** How many messages to look at, at most. A store that need not look at each may ignore it. */
  readonly limit: number;
}

/** Messages stand on the time line by their instant, and at one instant by their target. */
export interface DuePlace {
  readonly time: Instant;
  readonly targetKey: number;
}

export interface Upcoming {
  /** Targets that are not paused, each with its earliest unclaimed message in the part looked at. */
  readonly targets: readonly { readonly targetKey: number; readonly dueAt: Instant }[];
  /** Where the limit cut it short; null: the whole window was looked at. */
  readonly reached: DuePlace | null;
}

/** What became of lives whose lease has run out. */
export interface EndedLives {
  readonly count: number;
  /** The targets of messages they held, which can be claimed again. */
  readonly targetKeys: readonly number[];
}

export interface ClaimRequest {
  readonly targetKey: number;
  readonly limit: number;
}

/** The right to make one attempt: at one message, in one version, for one holder. */
export interface Claim {
  readonly messageId: string;
  readonly targetKey: number;
  readonly version: number;
  readonly dueAt: Instant;
  readonly planningTime: Instant;
  readonly originalDeliveryTime: Instant;
  readonly attemptNumber: number;
  readonly attemptsThisRound: number;
  readonly payload: string;
}

export interface ClaimResult {
  /** The store's clock when it claimed. */
  readonly now: Instant;
  readonly claims: readonly Claim[];
  readonly targets: readonly ClaimedTarget[];
}

export interface ClaimedTarget {
  readonly targetKey: number;
  /** Whoever holds an older copy of the target must fetch it anew before sending. */
  readonly revision: number;
  /** The earliest instant of what is left unclaimed; null: nothing, or nothing until resumed. */
  readonly nextDueAt: Instant | null;
}

export interface AttemptResult {
  readonly messageId: string;
  /** The version the message was claimed at. */
  readonly version: number;
  readonly attempt: Attempt;
  readonly next: NextStep;
}

export type RecordResult =
  | { readonly kind: "recorded"; readonly message: TrackedMessage }
  /** The claim is no longer the holder's: somebody else decides, and nothing was written. */
  | { readonly kind: "stale" };

export interface DeliveryStore {
  /** Starts a life of this node; every claim of its earlier lives is void from here on. */
  join(nodeId: string, role: NodeRole): Promise<Holder>;
  /** Prolongs a life by a whole lease; false: it was over already, and is not revived. */
  renew(holder: Holder): Promise<boolean>;
  /** Ends a life; what it still held can be claimed again at once. */
  leave(holder: Holder): Promise<void>;
  /** Every node that is alive, the longest first. */
  listNodes(): Promise<NodeView[]>;
  /** Voids the claims of lives whose lease has run out. */
  endDeadLives(): Promise<EndedLives>;
  /** Which targets have something due, and from when on. */
  upcoming(window: DueWindow): Promise<Upcoming>;
  /**
   * Claims what is due now, the longest due first, at most `limit` of each target, none of a paused
   * target, and none that is claimed already. The cost grows with what is claimed, not with what waits.
   */
  claimDue(holder: Holder, requests: readonly ClaimRequest[]): Promise<ClaimResult>;
  /** Attempt and consequence in one commit, which ends the claim. */
  recordAttempts(holder: Holder, results: readonly AttemptResult[]): Promise<RecordResult[]>;
  /** Gives claims back without an attempt. */
  releaseClaims(holder: Holder, messageIds: readonly string[]): Promise<void>;
  /** Removes a batch of what has expired; `nextExpiry` is when there will be more to do. */
  removeExpired(
    limit: number,
  ): Promise<{ readonly removed: number; readonly nextExpiry: Instant | null }>;
}

// ----------------------------------------------------------------------------------------- targets

export interface TargetRef {
  readonly accountId: string;
  readonly targetId: string;
}

export type NewTarget = Omit<Target, "targetKey" | "creationTime" | "updateTime" | "revision">;

export type TargetChange = Partial<
  Pick<
    Target,
    "sealedSettings" | "sealedSecrets" | "retryPolicy" | "maxConcurrency" | "rateLimit" | "paused"
  >
>;

export type UpdateTargetResult =
  | { readonly kind: "updated"; readonly target: Target }
  | { readonly kind: "not-found" }
  /** Somebody changed it since `revision`: read again. */
  | { readonly kind: "changed-meanwhile" };

export type RemoveTargetResult =
  | { readonly kind: "removed"; readonly target: Target }
  | { readonly kind: "not-found" }
  | { readonly kind: "has-scheduled-messages" };

export interface TargetStore {
  /** A target that was removed may be created again, and finds its old messages. */
  createTarget(target: NewTarget): Promise<Target | "exists">;
  getTarget(ref: TargetRef): Promise<Target | undefined>;
  getTargetByKey(targetKey: number): Promise<Target | undefined>;
  /** By `targetId`, beginning behind `after`. */
  listTargets(
    accountId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<Target[]>;
  /** Applied only to the revision given, unless that is null. */
  updateTarget(
    ref: TargetRef,
    change: TargetChange,
    revision: number | null,
  ): Promise<UpdateTargetResult>;
  removeTarget(ref: TargetRef): Promise<RemoveTargetResult>;
}

// ------------------------------------------------------------------------------------------ access

export interface NewAccessKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the key, in hex: the key itself is never kept. */
  readonly hash: string;
}

export interface AccessStore {
  /**
   * Makes sure that the account exists; says whether it was created just now, with the monthly limit
   * that new accounts have.
   */
  ensureAccount(accountId: string): Promise<{ readonly created: boolean }>;
  /** Holds from here on, for this month too; null lifts it. False where there is no such account. */
  setMonthlyMessageLimit(accountId: string, limit: number | null): Promise<boolean>;
  /** This month's, by the store's clock; undefined where there is no such account. */
  getUsage(accountId: string): Promise<Usage | undefined>;
  createKey(key: NewAccessKey): Promise<AccessKey>;
  /** As `createKey`, taking the place of a key with the same id. */
  replaceKey(key: NewAccessKey): Promise<AccessKey>;
  findKey(hash: string): Promise<AccessKey | undefined>;
  listKeys(accountId: string): Promise<AccessKey[]>;
  /** False where there is no such key. */
  revokeKey(accountId: string, keyId: string): Promise<boolean>;
}
