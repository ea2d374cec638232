import { placeBetween } from "../../edges.ts";
import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import { intervalCounts, isEven } from "./interval-counts.ts";
import { runsToCome } from "./runs-to-come.ts";
import type { ForecastSchedule } from "./runs-to-come.ts";
import { SharedCounts } from "./shared-counts.ts";

/** So many runs of one schedule are looked at, one by one. Others have a right to be counted, too. */
const mostRunsOfOne = 100_000;

/** Counts runs to come between edges, in small steps: whoever takes them decides when to rest. */
export class RunCounts {
  readonly #zones: TimeZones;
  readonly #edges: readonly Instant[];
  readonly #shared: SharedCounts;
  #counts: number[];
  #exact = true;

  constructor(zones: TimeZones, edges: readonly Instant[]) {
    this.#zones = zones;
    this.#edges = edges;
    this.#shared = new SharedCounts(edges);
    this.#counts = this.#noCounts();
  }

  /** False: a schedule could not be counted to its end. */
  get exact(): boolean {
    return this.#exact;
  }

  /** What was counted since the last call. */
  take(): readonly number[] {
    const counts = this.#counts;
    this.#counts = this.#noCounts();
    return counts;
  }

  /** Adds the runs of these schedules. Each step takes far less than a millisecond, with rare exceptions. */
  *add(schedules: readonly ForecastSchedule[]): Generator<void, void, undefined> {
    for (const schedule of schedules) {
      yield;
      const { nextRunTime } = schedule;
      if (nextRunTime === null || nextRunTime >= this.#edges.at(-1)!) continue;
      if (isEven(schedule)) this.#addAll(intervalCounts(schedule, this.#edges));
      else yield* this.#addOne(schedule);
    }
  }

  *#addOne(schedule: ForecastSchedule): Generator<void, void, undefined> {
    const known = this.#shared.find(schedule);
    if (known !== undefined) {
      this.#addAll(known);
      return;
    }
    const recurrence = this.#recurrenceOf(schedule);
    if (recurrence === undefined) {
      this.#exact = false;
      return;
    }
    const counts = this.#noCounts();
    const span = { from: this.#edges[0]!, until: this.#edges.at(-1)! };
    let looked = 0;
    for (const time of runsToCome(schedule, recurrence, span)) {
      if (++looked > mostRunsOfOne) {
        this.#exact = false;
        break;
      }
      const place = placeBetween(this.#edges, time);
      if (place >= 0 && place < counts.length) {
        counts[place]!++;
        this.#counts[place]!++;
      }
      yield;
    }
    this.#shared.keep(schedule, counts);
  }

  /** Undefined: this node cannot compute it. */
  #recurrenceOf(schedule: ForecastSchedule): Recurrence | undefined {
    if (this.#zones.find(schedule.timeZone) === undefined) return undefined;
    try {
      return recurrenceOf(schedule, this.#zones);
    } catch {
      return undefined;
    }
  }

  #addAll(counts: readonly number[]): void {
    for (const [place, count] of counts.entries()) this.#counts[place]! += count;
  }

  #noCounts(): number[] {
    return this.#edges.slice(1).map(() => 0);
  }
}
