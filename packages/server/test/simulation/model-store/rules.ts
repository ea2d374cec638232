import type { Account } from "../../../src/domain/account.ts";
import { meetHolder } from "../../../src/domain/message-key.ts";
import { isOutrun } from "../../../src/domain/message-options.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { Instant, TrackedMessage } from "../../../src/domain/message.ts";
import { rateAllowance } from "../../../src/domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../../../src/domain/rate-limit.ts";
import { mostOnRecord } from "../../../src/domain/schedules/limits.ts";
import { nextJudgeTime } from "../../../src/domain/schedules/judge-time.ts";
import { advanced } from "../../../src/domain/schedules/steps/advanced.ts";
import { timesToBackfill } from "../../../src/domain/schedules/steps/backfilled.ts";
import { changed } from "../../../src/domain/schedules/steps/changed.ts";
import { judged } from "../../../src/domain/schedules/steps/judged.ts";
import { decideChange } from "../../../src/domain/transitions.ts";
import type { AttemptResult, Holder } from "../../../src/storage/store.ts";
import type { ClaimTable, HeldClaim } from "./claim-table.ts";
import type { KeptJob } from "./job-table.ts";
import type { StoredMessage, TimedEntry, TimedList } from "./message-table.ts";
import { unmadeRunsOf } from "./schedule-table.ts";
import type { KeptSchedule } from "./schedule-table.ts";
import type { Context, NodeMembership, DatabaseState } from "./database-state.ts";

export interface Admission {
  /** Counts one more message if the account's limit has room for it. */
  admit(account: Account, month: string): boolean;
}

/**
 * The decisions of a store that the promises rest on, one function each. `defects.ts` replaces a right one
 * with a wrong one.
 */
export interface Rules {
  /** Whether a result belongs to the current claim. */
  isForClaim(
    claim: HeldClaim | undefined,
    stored: StoredMessage,
    holder: Holder,
    result: AttemptResult,
  ): boolean;
  /** Whether a change has to wait for an attempt in flight. */
  mustWait(claims: ClaimTable, claim: HeldClaim | undefined): boolean;
  readonly decideChange: typeof decideChange;
  admission(state: DatabaseState): Admission | Promise<Admission>;
  /** The entries after the last item of the page before. */
  behind(list: TimedList, last: TimedEntry): IteratorObject<TimedEntry>;
  /** Whether a membership has ended that a node saw silent for its whole lease, in this renewal. */
  isOver(membership: NodeMembership, silentSince: number | undefined, now: Instant): boolean;
  /** Whether a check for lost claims, which may come late, concerns this claim. */
  isLookedAt(claim: HeldClaim, lastGeneration: number): boolean;
  readonly rateAllowance: typeof rateAllowance;
  /** Whether a rate is used up beyond what its limit allows, as after the clock was set back. */
  isOutdated(limit: RateLimit, fullAt: FullAt, now: Instant): boolean;
  /** Messages are due up to this instant. */
  dueUntil(now: Instant): Instant;
  /** Whether an attempt may still start: the message's `notAfter` has not come. */
  mayAttempt(message: TrackedMessage, now: Instant): boolean;
  /** Whether a job meets this message for the first time. */
  isNewTo(kept: KeptJob, messageId: string): boolean;
  /** What is to happen to a schedule by itself, and when a caller changes it. */
  readonly advanced: typeof advanced;
  readonly timesToBackfill: typeof timesToBackfill;
  readonly changed: typeof changed;
  /** What becomes of a schedule when messages of its runs have ended. */
  readonly judged: typeof judged;
  /** When to look again at a message of a run that has not ended; null: never. */
  nextJudgeTime(...given: Parameters<typeof nextJudgeTime>): Instant | null;
  /** A step of a schedule was committed. What would be lost if the schedule had a commit of its own is its cursor. */
  stepTaken(nodeId: string, loseCursor: () => void): void;
  /** An event belongs to the commit that goes on, so it is written at once. */
  writeEvent(nodeId: string, write: () => void): void;
  /** What of a log can be read now. Positions are given in the order of the commits, so that is all of it. */
  readable(log: readonly LoggedEvent[], now: Instant): readonly LoggedEvent[];
  /** The schedule has too many rows without a message. */
  removeUnmade(kept: KeptSchedule): void;
  /** The account was resumed. */
  resumed(state: DatabaseState, accountId: string): void;
  /** Whether the node may compute the times of schedules, beside the nodes that are alive. */
  mayCompute(timeZoneVersion: string, others: readonly NodeMembership[]): boolean;
  /** The scheduled message that has the key. */
  holderOf(state: DatabaseState, targetKey: number, key: string): StoredMessage | undefined;
  readonly meetHolder: typeof meetHolder;
  /** The payload of a message whose content is replaced. */
  newPayload(before: string, wanted: string): string;
  expired(context: Context, now: Instant, limit: number): StoredMessage[];
  /** A node's process has died. */
  crashed(state: DatabaseState, nodeId: string): void;
}

export const rightRules: Rules = {
  isForClaim: (claim, stored, holder, result) =>
    claim?.epoch === holder.epoch &&
    claim.version === result.version &&
    stored.message.version === result.version,
  mustWait: (_claims, claim) => claim !== undefined,
  decideChange,
  admission: ({ usage }) => usage,
  behind: (list, last) => list.from(last).filter(({ messageId }) => messageId !== last.messageId),
  isOver: ({ renewals }, silentSince) => renewals === silentSince,
  isLookedAt: (claim, lastGeneration) => claim.generation <= lastGeneration,
  rateAllowance,
  isOutdated: (limit, fullAt, now) => fullAt > now + limit.intervalMs,
  dueUntil: (now) => now,
  mayAttempt: ({ options }, now) => !isOutrun(options, now, now),
  isNewTo: ({ met }, messageId) => !met.has(messageId),
  advanced,
  timesToBackfill,
  changed,
  judged,
  nextJudgeTime,
  stepTaken: () => {},
  writeEvent: (_nodeId, write) => write(),
  readable: (log) => log,
  removeUnmade(kept) {
    const { length } = unmadeRunsOf(kept);
    for (const { runTime } of unmadeRunsOf(kept).slice(0, Math.max(0, length - mostOnRecord))) {
      kept.runs.delete(runTime);
    }
  },
  resumed: ({ schedules, clock }, accountId) => schedules.release(accountId, clock.now()),
  mayCompute: (timeZoneVersion, others) =>
    others.every((other) => other.timeZoneVersion <= timeZoneVersion),
  holderOf: ({ messages }, targetKey, key) => messages.holderOf(targetKey, key),
  meetHolder,
  newPayload: (_before, wanted) => wanted,
  expired: ({ state: { messages } }, now, limit) =>
    messages.expiring
      .firstWhile(limit, ({ time }) => time <= now)
      .map(({ messageId }) => messages.get(messageId)!),
  crashed: () => {},
};
