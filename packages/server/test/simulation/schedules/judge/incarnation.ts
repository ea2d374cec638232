import type { Run } from "../../../../src/domain/schedules/run.ts";
import type { ScheduleDefinition } from "../../../../src/domain/schedules/schedule.ts";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import { runTimesOf } from "../oracle/meaning.ts";
import type { ScheduleHistory } from "./schedule-history.ts";

export type Changed = Extract<ScheduleEvent, { kind: "changed" }>;

/** A run as it is on record, and when that was written. */
export interface RecordedRun extends Run {
  readonly decidedAt: number;
  /** Also if a backfill has replaced the row since. */
  readonly isDecidedByTime: boolean;
  /** Its schedule had a limit of dead letters then. */
  readonly isWatched: boolean;
}

/** A time in which run times count: after the one instant, up to and including the other. */
export interface Stretch {
  readonly payload: string;
  readonly after: number;
  /** Infinity: it goes on. */
  until: number;
  /** What ended it. */
  endedBy: "pause" | "edit" | "removal" | "itself" | null;
  /** Up to here the schedule had come before, if the clock was set back since; -Infinity: it was not. */
  readonly reached: number;
  /** The latest run time that a backfill had made by its beginning. It does not come again. */
  readonly backfilledUntil: number;
}

const lookAheadMs = 2 * 3_600_000;

/** One schedule from its creation to its end, as its events tell it. */
export class Incarnation {
  readonly scheduleKey: number;
  readonly accountId: string;
  readonly scheduleId: string;
  readonly #history: ScheduleHistory;
  readonly creationTime: number;
  definition: ScheduleDefinition;
  /** Before the last edit. */
  earlierDefinition: ScheduleDefinition;
  pause: { readonly until: number | null; readonly isOwn: boolean } | null = null;
  readonly skips = new Set<number>();
  /** Before the last change. */
  earlierSkips: ReadonlySet<number> = new Set();
  readonly runs = new Map<number, RecordedRun>();
  /** Every run by time that was ever made, also if it was taken back. */
  readonly everMade: RecordedRun[] = [];
  /** How many runs by time were made and not taken back, after each commit. */
  readonly madeCounts: { readonly at: number; readonly count: number }[] = [];
  /** When messages are due that callers have moved, by their ids. */
  readonly movedTo = new Map<string, number>();
  readonly stretches: Stretch[] = [];
  readonly #times = new Map<string, readonly number[]>();
  /** By the payload of an edit that does not say when: the payload of the definition that does. */
  readonly #meantBy = new Map<string, string>();
  readonly #limits = new Map<string, Pick<ScheduleDefinition, "maxRuns" | "overlap">>();
  lastChange: Changed | undefined;
  removalTime: number | undefined;
  /** The latest instant at which anything was committed about it. */
  #reached = -Infinity;

  constructor(created: Extract<ScheduleEvent, { kind: "created" }>, history: ScheduleHistory) {
    this.#history = history;
    this.scheduleKey = created.scheduleKey;
    this.accountId = created.accountId;
    this.scheduleId = created.scheduleId;
    this.creationTime = created.at;
    this.definition = this.earlierDefinition = created.definition;
    this.#begin(created.at);
  }

  get name(): string {
    return `${this.accountId}/${this.scheduleId} (${this.scheduleKey})`;
  }

  /** All run times that a definition names in this world, by its payload. */
  timesOf(payload: string): readonly number[] {
    const { meanings, beginTime, endTime } = this.#history;
    let times = this.#times.get(payload);
    if (times === undefined) {
      const meaning = meanings.get(this.#meantBy.get(payload) ?? payload)!;
      const from = Math.min(beginTime, this.creationTime);
      times = runTimesOf(meaning, this.creationTime, from, endTime + lookAheadMs);
      this.#times.set(payload, times);
    }
    return times;
  }

  isRunTime(payload: string, time: number): boolean {
    return this.timesOf(payload).includes(time);
  }

  /** To be told of each commit after it was followed. */
  committed(at: number): void {
    this.#reached = Math.max(this.#reached, at);
  }

  /** The stretch that goes on, if one does. */
  get current(): Stretch | undefined {
    const last = this.stretches.at(-1);
    return last?.until === Infinity ? last : undefined;
  }

  /** A pause may have ended by itself before this event. */
  endPause(at: number): void {
    if (this.pause?.until == null || this.pause.until > at) return;
    this.#begin(this.pause.until - 1);
    this.#forgetSkipsBefore(this.pause.until);
    this.pause = null;
  }

  /**
   * During a pause there is no run to call off. So nothing remembers a skip whose time has passed then, should the
   * clock be set back.
   */
  #forgetSkipsBefore(instant: number): void {
    if (this.pause === null) return;
    for (const time of this.skips) {
      if (time < instant && !this.runs.has(time)) this.skips.delete(time);
    }
  }

  change(event: Changed): void {
    const { at, change } = event;
    this.endPause(at);
    this.lastChange = event;
    this.earlierSkips = new Set(this.skips);
    switch (change.kind) {
      case "define":
        this.#keepMeaning(change.definition);
        this.earlierDefinition = this.definition;
        this.definition = change.definition;
        for (const time of this.skips) {
          if (!this.isRunTime(change.definition.payload, time)) this.skips.delete(time);
        }
        if (this.pause === null) {
          this.#end(at, "edit");
          this.#begin(at);
        } else {
          this.#undoAfter(at);
        }
        return;
      case "pause":
        this.#forgetSkipsBefore(at);
        this.#end(at, "pause");
        this.pause = { until: change.until, isOwn: false };
        // A call that came late. What passed before it, during an earlier pause perhaps, is over.
        if (change.until !== null && change.until <= at) {
          this.pause = null;
          this.#begin(at);
        }
        return;
      case "resume":
        if (this.pause !== null) {
          this.#undoAfter(at);
          this.#begin(at);
        }
        this.#forgetSkipsBefore(at);
        this.pause = null;
        return;
      case "skip":
        this.skips.add(change.time);
        return;
      case "unskip":
        this.skips.delete(change.time);
        return;
      default:
        return;
    }
  }

  pauseItself(at: number): void {
    this.endPause(at);
    this.#end(at, "itself");
    this.pause = { until: null, isOwn: true };
  }

  remove(at: number): void {
    this.endPause(at);
    this.#end(at, "removal");
    this.removalTime = at;
    this.pause = null;
  }

  maxRunsOf(payload: string): number | null {
    return this.#limits.get(payload)?.maxRuns ?? null;
  }

  overlapOf(payload: string): ScheduleDefinition["overlap"] {
    return this.#limits.get(payload)?.overlap ?? this.definition.overlap;
  }

  /** A caller does not know what it edits if an earlier change of its own has come late. */
  #keepMeaning(definition: ScheduleDefinition): void {
    const before = this.definition.payload;
    if (timesText(definition) !== timesText(this.definition) || definition.payload === before)
      return;
    this.#meantBy.set(definition.payload, this.#meantBy.get(before) ?? before);
  }

  #begin(after: number): void {
    const { payload, maxRuns, overlap } = this.definition;
    this.#limits.set(payload, { maxRuns, overlap });
    const reached = this.#reached > after ? this.#reached : -Infinity;
    const backfilled = [...this.runs.values()].filter(
      ({ trigger, outcome }) => trigger === "BACKFILL" && outcome === "CREATED",
    );
    const backfilledUntil = Math.max(...backfilled.map(({ runTime }) => runTime));
    const untilNow = { until: Infinity, endedBy: null };
    this.stretches.push({ payload, after, ...untilNow, reached, backfilledUntil });
  }

  #end(at: number, endedBy: Stretch["endedBy"]): void {
    const { current } = this;
    if (current !== undefined) Object.assign(current, { until: at, endedBy });
    if (endedBy === "pause" || endedBy === "edit") this.#undoAfter(at);
  }

  /** If the clock was set back, what counted after this instant is to come once more. */
  #undoAfter(at: number): void {
    for (const stretch of this.stretches) stretch.until = Math.min(stretch.until, at);
  }
}

/** What of a definition says when. */
function timesText(definition: ScheduleDefinition): string {
  const { cron, everyMs, at, timeZone, startTime, endTime, except } = definition;
  return JSON.stringify([cron, everyMs, at, timeZone, startTime, endTime, except]);
}
