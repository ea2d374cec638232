import type { Attempt } from "../domain/attempt.ts";
import type { MessageOptions } from "../domain/message-options.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { NextStep } from "../domain/retry-policy.ts";

/**
 * The one that claims: a node in one of its memberships. A membership lasts from the moment the
 * node joins until it leaves, joins again, or its lease ends. A later membership of the same node
 * has a higher epoch.
 */
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
  /** How long ago the node last renewed its membership. */
  readonly heartbeatAgeMs: number;
  readonly inFlight: number;
}

/** A part of the time line: after `after`, up to and including `until`. */
export interface DueWindow {
  /** Null: from the beginning. */
  readonly after: DuePosition | null;
  readonly until: Instant;
  /** The most messages to look at. A store that need not look at each message may ignore it. */
  readonly limit: number;
}

/** The time line orders messages by their instant, and at one instant by their target. */
export interface DuePosition {
  readonly time: Instant;
  readonly targetKey: number;
}

/** A target that is not paused, with its earliest unclaimed message in the window. */
export interface DueTarget {
  readonly accountId: string;
  readonly targetKey: number;
  /** A caller with an older copy of the target must not rely on it. */
  readonly revision: number;
  readonly dueAt: Instant;
}

export interface Upcoming {
  readonly targets: readonly DueTarget[];
  /** Where the limit ended the look; null: the store looked at the whole window. */
  readonly reached: DuePosition | null;
}

/** A part of the targets, by their keys, and their waiting messages up to and including `until`. */
export interface TargetWindow {
  /** Null: from the first target. */
  readonly after: number | null;
  readonly until: Instant;
  /** The most targets to look at. */
  readonly limit: number;
}

export interface UpcomingByTarget {
  /** Targets that are not paused and have a waiting message, each with its earliest. */
  readonly targets: readonly DueTarget[];
  /** Where the limit ended the look; null: the store looked at every target that is left. */
  readonly reached: number | null;
}

/** Memberships whose lease has ended, and what they held. */
export interface EndedMemberships {
  readonly count: number;
  /** The targets of the messages that they held. These messages can be claimed again. */
  readonly targetKeys: readonly number[];
  /** Whether nodes have died or left since the last call, whoever ended their memberships. */
  readonly areSomeGone: boolean;
  /** How soon the next membership is over if it is not renewed; null: there is none. */
  readonly nextEndMs: number | null;
}

export interface ClaimRequest {
  readonly targetKey: number;
  readonly limit: number;
}

/** The right to make one attempt at one message, in one version, for one holder. */
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
  /** Null for a plain message. */
  readonly options: MessageOptions | null;
}

export interface ClaimResult {
  /** The store's clock at the moment of the claim. */
  readonly now: Instant;
  readonly claims: readonly Claim[];
  readonly targets: readonly ClaimedTarget[];
}

export interface ClaimedTarget {
  readonly targetKey: number;
  /** A caller with an older copy of the target must fetch it again before it sends. */
  readonly revision: number;
  /**
   * The earliest instant among the unclaimed messages; null: there is none, or none until the
   * target is resumed.
   */
  readonly nextDueAt: Instant | null;
  /** How long it is useless to ask again: the rate or another node prevents a claim. */
  readonly closedMs: number;
}

export interface AttemptResult {
  readonly messageId: string;
  /** The version at which the message was claimed. */
  readonly version: number;
  readonly attempt: Attempt;
  readonly next: NextStep;
}

export type RecordResult =
  | {
      readonly kind: "recorded";
      /** The message after the attempt. */
      readonly message: Pick<Message, "state" | "nextDeliveryTime">;
    }
  /** The holder no longer has the claim. Somebody else decides, and the store wrote nothing. */
  | { readonly kind: "stale" };

export interface DeliveryStore {
  /** Starts a membership of this node. Every claim of its earlier memberships becomes void. */
  join(nodeId: string, role: NodeRole): Promise<Holder>;
  /** Extends a membership by a whole lease. False: it had ended already, and stays ended. */
  renew(holder: Holder): Promise<boolean>;
  /** Ends a membership. The messages that it held can be claimed again at once. */
  leave(holder: Holder): Promise<void>;
  /** Every live node, in the order in which they joined. */
  listNodes(): Promise<NodeView[]>;
  /**
   * Ends the memberships that nodes have seen without renewal for the length of their lease, by their own
   * monotonic clocks, and voids their claims.
   */
  endLapsedMemberships(): Promise<EndedMemberships>;
  /** Finds the targets that have messages due, and the instant of the earliest. */
  upcoming(window: DueWindow): Promise<Upcoming>;
  /**
   * The same, target by target. The cost grows with the number of targets looked at, not with the
   * number of messages that wait.
   */
  upcomingByTarget(window: TargetWindow): Promise<UpcomingByTarget>;
  /**
   * Claims due messages, the longest due first: at most `limit` for each target, and no more than
   * its concurrency and rate leave beside claims and tests. Claims nothing for a paused target, and
   * no message that is claimed already or whose `notAfter` has come. Where one process has the store to itself, its `limit` is
   * what the concurrency leaves, because the process knows sooner than the store which attempts
   * have ended. The cost grows with the number of messages claimed, not with the number that wait.
   */
  claimDue(holder: Holder, requests: readonly ClaimRequest[]): Promise<ClaimResult>;
  /** Writes the attempt and its consequence in one commit, which ends the claim. */
  recordAttempts(holder: Holder, results: readonly AttemptResult[]): Promise<RecordResult[]>;
  /** Gives claims back without an attempt. */
  releaseClaims(holder: Holder, messageIds: readonly string[]): Promise<void>;
  /**
   * Ends messages whose `notAfter` has come, as dead letters, and none that is claimed. `nextBound` says when
   * there will be more; null: no message has a bound.
   */
  endOutrun(limit: number): Promise<{ readonly ended: number; readonly nextBound: Instant | null }>;
  /** Removes a batch of expired rows. `nextExpiry` says when there will be more. */
  removeExpired(
    limit: number,
  ): Promise<{ readonly removed: number; readonly nextExpiry: Instant | null }>;
}
