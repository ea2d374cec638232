import { afterEach, expect } from "vitest";
import type { Instant, Message } from "../../../domain/message.ts";
import type { Run } from "../../../domain/schedules/run.ts";
import type { ScheduleDefinition } from "../../../domain/schedules/schedule.ts";
import type { ScheduleChange } from "../../../domain/schedules/steps.ts";
import type {
  AdvancedSchedules,
  ChangeScheduleResult,
  Claim,
  CreateScheduleResult,
  Holder,
  RunView,
  ScheduleRef,
  ScheduleView,
  Store,
} from "../../store.ts";
import {
  account,
  exhausted,
  hour,
  makeTarget,
  note,
  otherAccount,
  refTo,
  resultOf,
} from "../harness.ts";
import type { StoreOptions } from "../harness.ts";

/** Where a store keeps its data, with a clock that stands still until the test sets it. */
export interface ClockedLocation {
  /** Opens the store once more, as another node. Those that nodes cannot share are opened again after a close. */
  open(options: ClockedStoreOptions): Promise<Store>;
  setNow(time: Instant): Promise<void>;
  remove(): Promise<void>;
}

export interface ClockedStoreOptions extends StoreOptions {
  /** The version of the time-zone data that the node has, such as "2026a". This process's own by default. */
  readonly timeZoneVersion?: string;
}

/** At first the clock shows this time. */
export type MakeClockedLocation = (time: Instant) => Promise<ClockedLocation>;

export const second = 1_000;
export const minute = 60 * second;
/** Of a Monday. Tests begin then, if they do not say otherwise. */
export const noon: Instant = Date.UTC(2026, 10, 16, 12);

/** At this hour of that day. */
export const at = (hours: number, minutes = 0, ms = 0): Instant =>
  Date.UTC(2026, 10, 16, hours, minutes, 0, ms);

/** Runs each hour, at its beginning, unless `change` says otherwise. */
export function hourly(change: Partial<ScheduleDefinition> = {}): ScheduleDefinition {
  return {
    targetId: "t",
    payload: "tick",
    message: null,
    cron: ["0 * * * *"],
    everyMs: null,
    at: null,
    timeZone: "UTC",
    startTime: null,
    endTime: null,
    maxRuns: null,
    except: [],
    flexWindowMs: 0,
    overlap: "allow",
    catchUp: { mode: "last", windowMs: 366 * 24 * hour },
    pauseAfterDeadLetters: null,
    ...change,
  };
}

/** Runs after each interval. The first run is one interval after the creation. */
export function every(everyMs: number, change: Partial<ScheduleDefinition> = {}) {
  return hourly({ cron: null, everyMs, ...change });
}

/** A run with a message, as lists show it. */
export function madeRun(runTime: Instant, change: Partial<RunView> = {}): unknown {
  return {
    ...{ runTime, trigger: "TIME", outcome: "CREATED", reason: null },
    ...{ messageId: expect.any(String), messageState: "SCHEDULED" },
    ...change,
  };
}

/** A run without one. */
export function skippedRun(runTime: Instant, reason: Run["reason"]): unknown {
  const none = { messageId: null, messageState: null };
  return { runTime, trigger: "TIME", outcome: "SKIPPED", reason, ...none };
}

/** A run whose time passed while nobody made runs. */
export function missedRun(runTime: Instant, reason: Run["reason"]): unknown {
  return { ...(skippedRun(runTime, reason) as Run), outcome: "MISSED" };
}

export const scheduleNote = (subjectId: string, accountId = account) =>
  note({ action: "schedule.updated", accountId, subjectId });

export const refOf = (scheduleId: string, accountId = account): ScheduleRef => ({
  accountId,
  scheduleId,
});

/** A store with the targets "t" and "other", one node that has joined, and a clock that the test sets. */
export class ScheduleWorld {
  store: Store;
  readonly targetKey: number;
  holder: Holder;
  readonly #location: ClockedLocation;
  readonly #openAnother: (options?: Partial<ClockedStoreOptions>) => Promise<Store>;
  #now: Instant;

  constructor(
    opened: { readonly store: Store; readonly targetKey: number; readonly holder: Holder },
    place: {
      readonly location: ClockedLocation;
      readonly openAnother: (options?: Partial<ClockedStoreOptions>) => Promise<Store>;
      readonly now: Instant;
    },
  ) {
    this.store = opened.store;
    this.targetKey = opened.targetKey;
    this.holder = opened.holder;
    this.#location = place.location;
    this.#openAnother = place.openAnother;
    this.#now = place.now;
  }

  get now(): Instant {
    return this.#now;
  }

  /** Opens the store as one more node; only for stores that nodes share. */
  openAnother(options?: Partial<ClockedStoreOptions>): Promise<Store> {
    return this.#openAnother(options);
  }

  /** Closes the store, opens it again on the same data, and joins again. */
  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await this.#openAnother();
    this.holder = await this.store.join("node", "all");
  }

  async goTo(time: Instant): Promise<void> {
    this.#now = time;
    await this.#location.setNow(time);
  }

  pass(ms: number): Promise<void> {
    return this.goTo(this.#now + ms);
  }

  tryToCreate(
    scheduleId: string,
    definition = hourly(),
    accountId = account,
  ): Promise<CreateScheduleResult> {
    const made = { accountId, scheduleId, definition };
    return this.store.createSchedule(
      made,
      note({ action: "schedule.created", accountId, subjectId: scheduleId }),
    );
  }

  async create(
    scheduleId: string,
    definition = hourly(),
    accountId = account,
  ): Promise<ScheduleView> {
    const result = await this.tryToCreate(scheduleId, definition, accountId);
    if (result.kind !== "created") throw new Error(`not created: ${result.kind}`);
    return result.schedule;
  }

  /**
   * Creates a schedule whose run of 13:00 was made, is delivered between 13:10 and 13:50, and that runs each hour.
   * Answers with its id. The clock shows 13:00 afterwards.
   */
  async createDelayed(change: Partial<ScheduleDefinition> = {}): Promise<string> {
    await this.goTo(at(13) - second);
    for (let count = 0; ; count++) {
      const scheduleId = `delayed-${count}`;
      await this.create(scheduleId, hourly({ flexWindowMs: hour, ...change }));
      const [message] = await this.messages(scheduleId);
      const delayMs = message!.originalDeliveryTime - at(13);
      if (delayMs > 10 * minute && delayMs < 50 * minute) {
        await this.goTo(at(13));
        return scheduleId;
      }
      await this.remove(scheduleId);
    }
  }

  tryToChange(scheduleId: string, change: ScheduleChange): Promise<ChangeScheduleResult> {
    return this.store.changeSchedule(refOf(scheduleId), change, scheduleNote(scheduleId));
  }

  async change(scheduleId: string, change: ScheduleChange) {
    const result = await this.tryToChange(scheduleId, change);
    if (result.kind !== "changed") throw new Error(`not changed: ${result.kind}`);
    return result;
  }

  define(scheduleId: string, definition: ScheduleDefinition) {
    return this.change(scheduleId, { kind: "define", definition, ifRevision: null });
  }

  pause(scheduleId: string, until: Instant | null = null) {
    return this.change(scheduleId, { kind: "pause", note: null, until });
  }

  resume(scheduleId: string) {
    return this.change(scheduleId, { kind: "resume" });
  }

  remove(scheduleId: string): Promise<ScheduleView | undefined> {
    const action = "schedule.removed";
    return this.store.removeSchedule(refOf(scheduleId), note({ action, subjectId: scheduleId }));
  }

  async schedule(scheduleId: string, accountId = account): Promise<ScheduleView> {
    const found = await this.store.getSchedule(refOf(scheduleId, accountId));
    if (found === undefined) throw new Error(`there is no schedule ${scheduleId}`);
    return found;
  }

  /** The newest first. */
  async runs(scheduleId: string, accountId = account): Promise<RunView[]> {
    const page = { before: null, limit: 10_000 };
    const found = await this.store.listRuns({ ...refOf(scheduleId, accountId), ...page });
    if (found === undefined) throw new Error(`there is no schedule ${scheduleId}`);
    return found;
  }

  /** Messages of runs that were created, in the order of the runs. */
  async messages(scheduleId: string): Promise<Message[]> {
    const runs = (await this.runs(scheduleId)).toReversed();
    const made = runs.flatMap(({ messageId }) => (messageId === null ? [] : [{ messageId }]));
    return Promise.all(made.map(async (each) => (await this.store.getMessage(refTo(each)))!));
  }

  advanceOnce(limit = 1_000, holder = this.holder): Promise<AdvancedSchedules> {
    return this.store.advanceSchedules(holder, limit);
  }

  /** As the engine does: again while there is something to do now. Answers with all of it together. */
  async advance(): Promise<Pick<AdvancedSchedules, "advanced" | "runs" | "nextLookTime">> {
    let advanced = 0;
    const runs = { CREATED: 0, SKIPPED: 0, MISSED: 0 };
    for (;;) {
      const step = await this.advanceOnce();
      advanced += step.advanced;
      for (const outcome of ["CREATED", "SKIPPED", "MISSED"] as const) {
        runs[outcome] += step.runs[outcome];
      }
      if (step.nextLookTime === null || step.nextLookTime > step.now) {
        return { advanced, runs, nextLookTime: step.nextLookTime };
      }
    }
  }

  /** Lives: moves the clock, and advances at each instant at which there is something to do, up to this one. */
  async liveUntil(time: Instant): Promise<void> {
    for (;;) {
      const { nextLookTime } = await this.advance();
      if (nextLookTime === null || nextLookTime > time) break;
      await this.goTo(nextLookTime);
    }
    await this.goTo(time);
    await this.advance();
  }

  /** Claims all due messages of the target "t". */
  async claim(): Promise<readonly Claim[]> {
    const request = [{ targetKey: this.targetKey, limit: 1_000 }];
    return (await this.store.claimDue(this.holder, request)).claims;
  }

  async record(claims: readonly Claim[], outcome: "delivered" | "dead"): Promise<void> {
    const next = outcome === "delivered" ? ({ kind: "delivered" } as const) : exhausted;
    await this.store.recordAttempts(
      this.holder,
      claims.map((claim) => resultOf(claim, next)),
    );
  }

  /** Delivers all that is due, or makes dead letters of it. Answers with the ids of the messages. */
  async finish(outcome: "delivered" | "dead" = "delivered"): Promise<string[]> {
    const claims = await this.claim();
    await this.record(claims, outcome);
    return claims.map(({ messageId }) => messageId);
  }

  /** Judges until nothing is left to look at now. Answers with the ids of the schedules that it paused. */
  async judge(): Promise<string[]> {
    const paused: string[] = [];
    for (;;) {
      const judged = await this.store.judgeRuns(this.holder, 100);
      paused.push(...judged.paused.map(({ scheduleId }) => scheduleId));
      if (judged.looked < 100) return paused;
    }
  }
}

/** A membership does not end because a test moves the clock by years. */
const longLeaseMs = 100 * 366 * 24 * hour;

/** Opens worlds for tests, each in its own location with two accounts, and cleans up afterwards. */
export function scheduleWorldsOf(makeLocation: MakeClockedLocation) {
  const leftovers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const clear of leftovers.splice(0).toReversed()) await clear();
  });
  return async ({
    now = noon,
    ...options
  }: Partial<ClockedStoreOptions> & { readonly now?: Instant } = {}): Promise<ScheduleWorld> => {
    const location = await makeLocation(now);
    leftovers.push(() => location.remove());
    const openAnother = async (changed: Partial<ClockedStoreOptions> = {}): Promise<Store> => {
      const common = { retentionMs: 24 * hour, idempotencyRetentionMs: 24 * hour };
      const opened = await location.open({
        ...{ ...common, leaseMs: longLeaseMs, auditRetentionMs: longLeaseMs },
        ...options,
        ...changed,
      });
      leftovers.push(() => opened.close());
      return opened;
    };
    const store = await openAnother();
    await store.ensureAccount(account, "One");
    await store.ensureAccount(otherAccount, "Two");
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 1_000 });
    await makeTarget(store, "other");
    await makeTarget(store, "t", { accountId: otherAccount });
    const holder = await store.join("node", "all");
    return new ScheduleWorld({ store, targetKey, holder }, { location, openAnother, now });
  };
}
