import type { Attempt } from "../domain/attempt.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { NextStep } from "../domain/retry-policy.ts";

/**
 * Who claims: a node, in one of its memberships. A membership lasts from the node's joining until it
 * leaves, joins again, or its lease ends. A later one of the same node has a higher epoch.
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
  /** How long ago it last showed that it lives. */
  readonly heartbeatAgeMs: number;
  readonly inFlight: number;
}

/** A part of the time line: behind `after`, up to and with `until`. */
export interface DueWindow {
  /** Null: from the beginning. */
  readonly after: DuePosition | null;
  readonly until: Instant;
  /** How many messages to look at, at most. A store that need not look at each may ignore it. */
  readonly limit: number;
}

/** Messages stand on the time line by their instant, and at one instant by their target. */
export interface DuePosition {
  readonly time: Instant;
  readonly targetKey: number;
}

/** A target that is not paused, with its earliest unclaimed message in the part looked at. */
export interface DueTarget {
  readonly accountId: string;
  readonly targetKey: number;
  /** Whoever holds an older copy of the target must not rely on it. */
  readonly revision: number;
  readonly dueAt: Instant;
}

export interface Upcoming {
  readonly targets: readonly DueTarget[];
  /** Where the limit cut it short; null: the whole window was looked at. */
  readonly reached: DuePosition | null;
}

/** A part of the targets by their keys, and what they have waiting up to and with `until`. */
export interface TargetWindow {
  /** Null: from the first one. */
  readonly after: number | null;
  readonly until: Instant;
  /** How many targets to look at, at most. */
  readonly limit: number;
}

export interface UpcomingByTarget {
  /** Targets that are not paused and have something waiting, each with its earliest. */
  readonly targets: readonly DueTarget[];
  /** Where the limit cut it short; null: no target is behind those that were looked at. */
  readonly reached: number | null;
}

/** What became of memberships whose lease has run out. */
export interface EndedMemberships {
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
  /** For how long it is useless to ask again for what is due: the rate, or another node, is in the way. */
  readonly closedMs: number;
}

export interface AttemptResult {
  readonly messageId: string;
  /** The version the message was claimed at. */
  readonly version: number;
  readonly attempt: Attempt;
  readonly next: NextStep;
}

export type RecordResult =
  | {
      readonly kind: "recorded";
      /** What became of it. */
      readonly message: Pick<Message, "state" | "nextDeliveryTime">;
    }
  /** The claim is no longer the holder's: somebody else decides, and nothing was written. */
  | { readonly kind: "stale" };

export interface DeliveryStore {
  /** Starts a membership of this node; every claim of its earlier ones is void from here on. */
  join(nodeId: string, role: NodeRole): Promise<Holder>;
  /** Prolongs a membership by a whole lease; false: it was over already, and is not revived. */
  renew(holder: Holder): Promise<boolean>;
  /** Ends a membership; what it still held can be claimed again at once. */
  leave(holder: Holder): Promise<void>;
  /** Every node that is alive, the longest first. */
  listNodes(): Promise<NodeView[]>;
  /** Voids the claims of memberships whose lease has run out. */
  endLapsedMemberships(): Promise<EndedMemberships>;
  /** Which targets have something due, and from when on. */
  upcoming(window: DueWindow): Promise<Upcoming>;
  /**
   * The same, asked of one target after the other. The cost grows with the targets that are looked at,
   * and not with what waits at any of them.
   */
  upcomingByTarget(window: TargetWindow): Promise<UpcomingByTarget>;
  /**
   * Claims what is due now, the longest due first, at most `limit` of each target and no more than its
   * concurrency and rate leave beside claims and tests, none of a paused target, and none that is
   * claimed already. Where one process has the store to itself, its `limit` is what the concurrency
   * leaves, for it knows sooner than the store which attempts have ended. The cost grows with what is
   * claimed, not with what waits.
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
