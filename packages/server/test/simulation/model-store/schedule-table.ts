import type { Instant } from "../../../src/domain/message.ts";
import type { Run } from "../../../src/domain/schedules/run.ts";
import type { Schedule } from "../../../src/domain/schedules/schedule.ts";
import { heldLookTime } from "../../../src/storage/held-schedules.ts";
import type { ScheduleRef } from "../../../src/storage/store.ts";

export interface KeptSchedule {
  /** Another one for each schedule, also for one with the id of a schedule that was removed. */
  readonly scheduleKey: number;
  schedule: Schedule;
  /** By run time. */
  readonly runs: Map<Instant, KeptRun>;
  /** Those whose rows have expired while their messages wait. */
  waitingRuns: readonly Run[];
}

export interface KeptRun extends Run {
  readonly expirationTime: Instant;
  /** When to look at what became of its message; null: its end counts no more. */
  judgeTime: Instant | null;
}

/** Schedules in the order of their creation. */
export class ScheduleTable {
  #schedules: KeptSchedule[] = [];
  #lastKey = 0;

  add(schedule: Schedule): KeptSchedule {
    const kept = { scheduleKey: ++this.#lastKey, schedule, runs: new Map(), waitingRuns: [] };
    this.#schedules.push(kept);
    return kept;
  }

  all(): readonly KeptSchedule[] {
    return this.#schedules;
  }

  find({ accountId, scheduleId }: ScheduleRef): KeptSchedule | undefined {
    return this.ofAccount(accountId).find(({ schedule }) => schedule.scheduleId === scheduleId);
  }

  ofAccount(accountId: string): KeptSchedule[] {
    return this.#schedules.filter(({ schedule }) => schedule.accountId === accountId);
  }

  hasTarget(accountId: string, targetId: string): boolean {
    return this.ofAccount(accountId).some(({ schedule }) => schedule.targetId === targetId);
  }

  /** Those to be looked at by now, the longest due first. */
  due(now: Instant): KeptSchedule[] {
    return this.#schedules
      .filter(({ schedule: { progress } }) => (progress.lookTime ?? Infinity) <= now)
      .toSorted((one, other) => lookTimeOf(one) - lookTimeOf(other));
  }

  get nextLookTime(): Instant | null {
    return earliest(this.#schedules.map(lookTimeOf).filter((time) => time !== heldLookTime));
  }

  /** The account was resumed: what was held back meanwhile goes on. */
  release(accountId: string, now: Instant): void {
    for (const kept of this.ofAccount(accountId)) {
      const { progress } = kept.schedule;
      if (progress.lookTime !== heldLookTime) continue;
      kept.schedule = { ...kept.schedule, progress: { ...progress, lookTime: now } };
    }
  }

  remove(kept: KeptSchedule): void {
    this.#schedules = this.#schedules.filter((each) => each !== kept);
  }

  removeOf(accountId: string): void {
    this.#schedules = this.#schedules.filter(({ schedule }) => schedule.accountId !== accountId);
  }

  removeExpiredRuns(now: Instant, limit: number, isWaiting: (run: Run) => boolean): number {
    let removed = 0;
    for (const kept of this.#schedules) {
      const expired = [...kept.runs.values()]
        .filter(({ expirationTime }) => expirationTime <= now)
        .slice(0, limit - removed);
      for (const { runTime } of expired) kept.runs.delete(runTime);
      kept.waitingRuns = [...kept.waitingRuns, ...expired].filter(isWaiting);
      removed += expired.length;
    }
    return removed;
  }

  get nextExpiry(): Instant | null {
    return earliest(
      this.#schedules.flatMap(({ runs }) =>
        [...runs.values()].map(({ expirationTime }) => expirationTime),
      ),
    );
  }
}

function lookTimeOf({ schedule }: KeptSchedule): number {
  return schedule.progress.lookTime ?? Infinity;
}

function earliest(times: readonly number[]): Instant | null {
  const first = times.reduce((least, time) => Math.min(least, time), Infinity);
  return first === Infinity ? null : first;
}

/** Rows without a message, in the order of their times. */
export function unmadeRunsOf({ runs }: KeptSchedule): KeptRun[] {
  return [...runs.values()]
    .filter(({ messageId }) => messageId === null)
    .toSorted((one, other) => one.runTime - other.runTime);
}

/** The rows that have not expired, in the order of their times. */
export function runsOf({ runs }: KeptSchedule, now: Instant): KeptRun[] {
  return [...runs.values()]
    .filter(({ expirationTime }) => expirationTime > now)
    .toSorted((one, other) => one.runTime - other.runTime);
}
