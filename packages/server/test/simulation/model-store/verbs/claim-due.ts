import type { Instant, TrackedMessage } from "../../../../src/domain/message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../../../src/domain/rate-limit.ts";
import type {
  Claim,
  ClaimedTarget,
  ClaimRequest,
  ClaimResult,
  Holder,
} from "../../../../src/storage/store.ts";
import type { StoredMessage } from "../message-table.ts";
import type { Context } from "../database-state.ts";
import type { KeptTarget } from "../target-table.ts";
import { isClosed } from "./upcoming.ts";

/** The answer to a claim, with the messages as they were when they were claimed. */
export interface ClaimAnswer extends ClaimResult {
  readonly messages: readonly TrackedMessage[];
}

/** If another holder keeps a target from being claimed, the node may ask again after this time. */
const askAgainMs = 20;

interface Claimer {
  readonly epoch: number;
  readonly generation: number;
}

export function claimDue({ state }: Context) {
  const { clock, rules, messages, claims, targets, tests, memberships } = state;

  /** The messages that have been due the longest, one more than wanted, without those that are held. */
  function findDue(targetKey: number, room: number, now: Instant): StoredMessage[] {
    return messages
      .scheduledOf(targetKey)
      .all()
      .filter(({ messageId }) => claims.get(messageId) === undefined)
      .map(({ messageId }) => messages.get(messageId)!)
      .filter(({ message }) => rules.mayAttempt(message, now))
      .take(room + 1)
      .filter(({ message }) => message.nextDeliveryTime! <= now)
      .toArray();
  }

  function nextAfter(targetKey: number, now: Instant): Instant | null {
    const later = { time: now + 1, targetKey, messageId: "" };
    return messages.scheduledOf(targetKey).firstFrom(later)?.time ?? null;
  }

  function claimFrom(kept: KeptTarget, asked: number, by: Claimer, now: Instant) {
    const { targetKey, revision, rateLimit, maxConcurrency } = kept.target;
    if (isClosed(state, kept))
      return { taken: [], claimed: { targetKey, revision, nextDueAt: null, closedMs: 0 } };
    const allowed =
      rateLimit === null ? Infinity : rules.rateAllowance(rateLimit, kept.fullAt, now);
    const free = maxConcurrency - claims.countOf(targetKey) - tests.countOf(targetKey);
    const room = Math.max(0, Math.min(asked, free, allowed));
    const due = findDue(targetKey, room, rules.dueUntil(now));
    const taken = due.slice(0, room);
    for (const { message } of taken) {
      const { messageId, version } = message;
      claims.take({ messageId, targetKey, version, ...by });
    }
    if (rateLimit !== null) {
      // The rate is used up further than today's limit allows. It must be reduced for good, or the target
      // would stay closed.
      const isOutdated = rules.isOutdated(rateLimit, kept.fullAt, now);
      if (taken.length > 0 || isOutdated) {
        kept.fullAt = spendRate(rateLimit, kept.fullAt, now, taken.length);
      }
    }
    const dueAt = due[room]?.message.nextDeliveryTime ?? nextAfter(targetKey, now);
    // A limit matters only if it was reached. If there is room left, the next message does not wait for it.
    const isHeldUp = dueAt !== null && dueAt <= now && room < asked && taken.length >= room;
    const closedMs = isHeldUp ? opensAt(kept, now) - now : 0;
    return { taken, claimed: { targetKey, revision, nextDueAt: dueAt, closedMs } };
  }

  return (holder: Holder, requests: readonly ClaimRequest[], generation: number): ClaimAnswer => {
    const by = { epoch: holder.epoch, generation };
    const now = clock.now();
    const isAlive = memberships.has(holder.epoch);
    const taken: StoredMessage[] = [];
    const claimedTargets = requests.map(({ targetKey, limit }): ClaimedTarget => {
      const kept = targets.liveByKey(targetKey);
      if (kept === undefined) return { targetKey, revision: 0, nextDueAt: null, closedMs: 0 };
      if (!isAlive) return { targetKey, revision: 0, nextDueAt: now, closedMs: askAgainMs };
      const from = claimFrom(kept, limit, by, now);
      taken.push(...from.taken);
      return from.claimed;
    });
    return {
      now,
      claims: taken.map(claimOf),
      targets: claimedTargets,
      messages: taken.map(({ message }) => message),
    };
  };
}

function opensAt({ target: { rateLimit }, fullAt }: KeptTarget, now: Instant): Instant {
  const isRate = rateLimit !== null && rateAllowance(rateLimit, fullAt, now) === 0;
  return isRate ? rateOpensAt(rateLimit, fullAt, now) : now + askAgainMs;
}

function claimOf({ message, targetKey, payload }: StoredMessage): Claim {
  return {
    messageId: message.messageId,
    targetKey,
    version: message.version,
    dueAt: message.nextDeliveryTime!,
    planningTime: message.planningTime,
    originalDeliveryTime: message.originalDeliveryTime,
    attemptNumber: message.attemptCount + 1,
    attemptsThisRound: message.attemptsThisRound,
    payload,
    options: message.options,
  };
}
