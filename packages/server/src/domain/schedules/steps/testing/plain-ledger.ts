import type { Instant } from "../../../instant.ts";
import { TimeZones } from "../../../time-zones/time-zones.ts";
import { occurrencesOf } from "../../occurrences/occurrences.ts";
import { recurrenceOf } from "../../occurrences/recurrence-of.ts";
import type { Schedule, ScheduleDefinition } from "../../schedule.ts";
import type { ScheduleChange } from "../../steps.ts";
import { spreadTime } from "../run-message.ts";
import { clockText } from "./world.ts";

interface Entry {
  readonly text: string;
  /** When its message is due; null: it has none. */
  readonly dueTime: Instant | null;
}

/**
 * What should be on record of a schedule with `overlap: allow`. It enumerates all run times of its world, looks at
 * every second, and stores nothing about what comes next. It is slow, and knows no bounds.
 */
export class PlainLedger {
  now: Instant;
  readonly #creationTime: Instant;
  readonly #endTime: Instant;
  readonly #zones = new TimeZones();
  readonly #entries = new Map<Instant, Entry>();
  readonly skips = new Set<Instant>();
  #definition: ScheduleDefinition;
  #times: readonly Instant[];
  #decidedUntil: Instant;
  #pausedUntil: Instant | null = null;

  constructor(definition: ScheduleDefinition, now: Instant, endTime: Instant) {
    this.now = this.#creationTime = this.#decidedUntil = now;
    this.#endTime = endTime;
    this.#definition = definition;
    this.#times = this.timesOf(definition);
    this.#look();
  }

  get told(): string[] {
    const entries = [...this.#entries].toSorted(([a], [b]) => a - b);
    return entries.map(([time, { text }]) => `${clockText(time)} ${text}`);
  }

  get made(): number {
    return [...this.#entries.values()].filter(({ dueTime }) => dueTime !== null).length;
  }

  /** The next that is neither decided nor called off. */
  get nextRunTime(): Instant | null {
    if (this.#isPaused && this.#pausedUntil === Infinity) return null;
    if (this.made >= this.#mostRuns) return null;
    const after = this.#isPaused ? this.#pausedUntil! - 1 : this.#decidedUntil;
    return this.#undecided().find((time) => time > after && !this.skips.has(time)) ?? null;
  }

  timesOf(definition: ScheduleDefinition): Instant[] {
    const recurrence = recurrenceOf(
      { ...definition, creationTime: this.#creationTime },
      this.#zones,
    );
    const times = [];
    for (const { time } of occurrencesOf(recurrence, this.#creationTime + 1)) {
      if (time > this.#endTime) break;
      times.push(time);
    }
    return times;
  }

  passUntil(time: Instant, isLookedAt: boolean): void {
    if (!isLookedAt) this.now = time;
    else for (; this.now < time; this.#look()) this.now += 1_000;
  }

  look(): void {
    this.#look();
  }

  /** False: it is refused. */
  change(change: ScheduleChange): boolean {
    this.#endPause();
    switch (change.kind) {
      case "define":
        return this.#define(change.definition);
      case "pause":
        return this.#pause(change.until ?? Infinity);
      case "resume":
        if (this.#isPaused) this.#decidedUntil = this.now;
        this.#pausedUntil = null;
        return this.#look();
      case "skip":
        return this.#skip(change.time);
      case "unskip":
        return this.#unskip(change.time);
      default:
        return true;
    }
  }

  get #isPaused(): boolean {
    return this.#pausedUntil !== null;
  }

  get #mostRuns(): number {
    return this.#definition.maxRuns ?? Infinity;
  }

  #undecided(): readonly Instant[] {
    return this.#times.filter((time) => time > this.#decidedUntil);
  }

  #pending(): readonly Instant[] {
    if (this.#isPaused || this.made >= this.#mostRuns) return [];
    return this.#undecided().filter((time) => time <= this.now);
  }

  #open(): readonly Instant[] {
    const isOpen = ({ dueTime }: Entry) => dueTime !== null && dueTime > this.now;
    return [...this.#entries].filter(([, entry]) => isOpen(entry)).map(([time]) => time);
  }

  #endPause(): void {
    if (this.#pausedUntil === null || this.#pausedUntil > this.now) return;
    this.#decidedUntil = Math.max(this.#decidedUntil, this.#pausedUntil - 1);
    this.#pausedUntil = null;
  }

  #look(): true {
    this.#endPause();
    if (this.#isPaused) return true;
    const { mode, windowMs } = this.#definition.catchUp;
    const reached = this.#undecided().filter((time) => time <= this.now + 5_000);
    const isLate = (time: Instant) => this.now - time > 10_000;
    const late = reached.filter((time) => isLate(time) && !this.skips.has(time));
    for (const time of reached) {
      if (this.made >= this.#mostRuns) break;
      this.#decidedUntil = time;
      const isCaughtUp = mode === "all" || (mode === "last" && time === late.at(-1));
      if (this.skips.has(time)) this.#leaveOut(time, "SKIPPED REQUESTED");
      else if (!isLate(time)) this.#make(time, "TIME", this.#dueTimeOf(time));
      else if (this.now - time > windowMs) this.#leaveOut(time, "MISSED TOO_OLD");
      else if (isCaughtUp) this.#make(time, "CATCH_UP", time);
      else this.#leaveOut(time, "MISSED NOT_CAUGHT_UP");
    }
    return true;
  }

  #dueTimeOf(time: Instant): Instant {
    const schedule = { ...this.#definition, accountId: "acme", scheduleId: "digest" } as Schedule;
    return spreadTime(schedule, time, () => this.#times.find((each) => each > time) ?? null);
  }

  #make(time: Instant, trigger: string, dueTime: Instant): void {
    this.#entries.set(time, { text: `${trigger} CREATED`, dueTime });
  }

  #leaveOut(time: Instant, text: string): void {
    this.#entries.set(time, { text: `TIME ${text}`, dueTime: null });
  }

  #skipPending(times: readonly Instant[], reason: string): void {
    for (const time of times) {
      this.#leaveOut(time, `SKIPPED ${this.skips.has(time) ? "REQUESTED" : reason}`);
    }
  }

  #forgetAfter(time: Instant): void {
    for (const each of this.#entries.keys()) if (each > time) this.#entries.delete(each);
  }

  #pause(until: Instant): true {
    this.#skipPending([...this.#pending(), ...this.#open()], "PAUSED");
    this.#forgetAfter(this.now);
    this.#decidedUntil = this.now;
    this.#pausedUntil = until;
    return true;
  }

  #define(definition: ScheduleDefinition): boolean {
    const times = this.timesOf(definition);
    const open = this.#open();
    const pending = this.#pending();
    const isKept = (time: Instant) =>
      times.includes(time) &&
      !times.some((each) => each >= time && each <= this.now && !pending.includes(each));
    const kept = pending.filter(isKept);
    const hasNext = times.some((time) => time > this.now) || kept.length > 0;
    const isAgain = open.some((time) => time <= this.now && times.includes(time));
    if (!hasNext && (!isAgain || this.#isPaused)) return false;
    this.#definition = definition;
    this.#times = times;
    for (const time of open) this.#entries.delete(time);
    this.#skipPending(
      pending.filter((time) => !kept.includes(time)),
      "EDITED",
    );
    for (const time of open.filter((each) => each <= this.now).toSorted((a, b) => a - b)) {
      const isMade = times.includes(time) && this.made < this.#mostRuns;
      if (isMade) this.#make(time, "TIME", Math.max(this.now, this.#dueTimeOf(time)));
      else this.#leaveOut(time, "SKIPPED EDITED");
    }
    this.#forgetAfter(this.now);
    this.#decidedUntil = kept.length > 0 ? kept[0]! - 1 : this.now;
    for (const time of this.skips) if (!times.includes(time)) this.skips.delete(time);
    return this.#look();
  }

  #skip(time: Instant): boolean {
    const isOver = this.made >= this.#mostRuns;
    const isOpen = this.#open().includes(time);
    const isToCome = this.#isPaused
      ? time > this.now && this.#times.includes(time)
      : !isOver && this.#undecided().includes(time);
    if (!isOpen && !isToCome && !this.#isCalledOff(time)) return false;
    if (isOpen) this.#leaveOut(time, "SKIPPED REQUESTED");
    if (!isOpen || time > this.now) this.skips.add(time);
    return this.#look();
  }

  #isCalledOff(time: Instant): boolean {
    return this.skips.has(time) && (time > this.now || time > this.#decidedUntil);
  }

  #unskip(time: Instant): boolean {
    if (!this.#isCalledOff(time)) return false;
    if (time <= this.#decidedUntil && !this.#isPaused) {
      if (this.made >= this.#mostRuns) return false;
      const isBehind = [...this.#entries].some(([each, { dueTime }]) => each > time && dueTime);
      if (isBehind) this.#make(time, "TIME", this.#dueTimeOf(time));
      else {
        this.#forgetAfter(time - 1);
        this.#decidedUntil = time - 1;
      }
    }
    this.skips.delete(time);
    return this.#look();
  }
}
