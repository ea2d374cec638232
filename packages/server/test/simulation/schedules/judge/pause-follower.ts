import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import type { Incarnation } from "./incarnation.ts";
import { isByTime } from "./judge-row.ts";
import { endsOf, isKnownBy } from "./known-ends.ts";
import type { RunEnd } from "./known-ends.ts";
import { lookedAtWithinMs } from "./schedule-history.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";
import { textOf } from "./text-of.ts";

/**
 * Follows one schedule, and asks of each pause by dead letters whether so many runs in a row can have failed, and of each
 * time without a pause whether so many must have. In a row are the runs after the latest one that was delivered, by their
 * run times, but for those that have not ended. When an end becomes known is not on record, so each moment counts
 * that is possible.
 */
export class PauseFollower {
  readonly #history: ScheduleHistory;
  readonly #schedule: Incarnation;
  readonly #messages: ReadonlyMap<string, RunsMessage>;
  /** What was known by then does not count any more: a pause has ended. */
  #countsAfter = -Infinity;
  /** What ended after this counts towards the limit of now. Infinity: not before the end of a pause is noticed. */
  #mustCountAfter = -Infinity;
  #limit: number | null;
  #pause: Incarnation["pause"] = null;
  #askedUntil = -Infinity;

  constructor(
    history: ScheduleHistory,
    schedule: Incarnation,
    messages: ReadonlyMap<string, RunsMessage>,
  ) {
    this.#history = history;
    this.#schedule = schedule;
    this.#messages = messages;
    this.#limit = schedule.definition.pauseAfterDeadLetters;
  }

  /** To be asked before an event is followed, and at the end: whether the schedule should be paused by now. */
  missing(until: number): string[] {
    const from = this.#askedUntil;
    this.#askedUntil = Math.max(from, until);
    const limit = this.#limit;
    if (limit === null || this.#pause !== null || this.#mustCountAfter === Infinity) return [];
    const ends = this.#ends();
    const moments = ends
      .filter(({ isDeadLetter }) => isDeadLetter)
      .map(({ dueToLookAt }) => dueToLookAt + lookedAtWithinMs)
      .filter((moment) => moment > from && moment <= until)
      .toSorted((one, other) => one - other);
    for (const moment of moments) {
      const count = this.#leastAt(moment, ends);
      if (count < limit) continue;
      this.#mustCountAfter = moment;
      const { name } = this.#schedule;
      return [`${name} ${textOf(moment)} is not paused after ${count} dead letters of ${limit}`];
    }
    return [];
  }

  /** To be told of each event after the schedule has followed it. */
  follow(event: ScheduleEvent): string[] {
    const before = this.#pause;
    const { pause, definition } = this.#schedule;
    this.#pause = pause;
    if (event.kind === "paused itself") return this.#judgePause(event.at, before);
    if (definition.pauseAfterDeadLetters !== this.#limit) {
      this.#limit = definition.pauseAfterDeadLetters;
      this.#mustCountAfter = Math.max(this.#mustCountAfter, event.at);
    }
    const isLatePause = event.kind === "changed" && event.change.kind === "pause";
    if (pause === null && (before !== null || isLatePause)) this.#pauseEnded(event, before);
    else if (this.#mustCountAfter === Infinity && isOfTime(event)) {
      this.#mustCountAfter = event.at;
    }
    return [];
  }

  #pauseEnded(event: ScheduleEvent, before: Incarnation["pause"]): void {
    const isByItself = before?.until != null && before.until <= event.at;
    this.#countsAfter = isByItself ? before.until : event.at;
    const isResume = event.kind === "changed" && event.change.kind === "resume";
    // That it ended by itself is noticed when the schedule goes on.
    this.#mustCountAfter = (isResume && !isByItself) || isOfTime(event) ? event.at : Infinity;
  }

  #judgePause(at: number, before: Incarnation["pause"]): string[] {
    const { name } = this.#schedule;
    const say = (what: string): string[] => [`${name} ${textOf(at)} paused itself ${what}`];
    if (before !== null && (before.until === null || before.until > at)) {
      return say("although it was paused");
    }
    if (this.#limit === null) return say("without a limit of dead letters");
    const count = this.#mostAt(at);
    if (count >= this.#limit) return [];
    return say(`after ${count} dead letters in a row, not ${this.#limit}`);
  }

  /** How many dead letters in a row can have been known at this instant. */
  #mostAt(instant: number): number {
    const { setBackMs } = this.#history;
    const ends = this.#ends();
    const delivered = ends.filter(
      (end) => end.isDeadLetter === false && this.#isKnown(end, instant),
    );
    const latest = Math.max(...delivered.map(({ runTime }) => runTime));
    return ends
      .filter(({ isDeadLetter }) => isDeadLetter !== false)
      .filter(({ runTime, endedAt }) => runTime > latest && endedAt - setBackMs <= instant)
      .filter((end) => !this.#isKnown(end, this.#countsAfter)).length;
  }

  /** How many dead letters in a row must have been known at this instant. */
  #leastAt(instant: number, ends: readonly RunEnd[]): number {
    const { setBackMs } = this.#history;
    const delivered = ends.filter(
      ({ isDeadLetter, endedAt }) => isDeadLetter !== true && endedAt - setBackMs <= instant,
    );
    const latest = Math.max(...delivered.map(({ runTime }) => runTime));
    return ends
      .filter(({ isDeadLetter }) => isDeadLetter === true)
      .filter(({ runTime, endedAt }) => {
        return runTime > latest && endedAt - setBackMs > this.#mustCountAfter;
      })
      .filter((end) => this.#isKnown(end, instant)).length;
  }

  #ends(): RunEnd[] {
    return endsOf(this.#history, this.#schedule, this.#messages);
  }

  #isKnown(end: RunEnd, instant: number): boolean {
    return isKnownBy(this.#history, this.#schedule, end, instant);
  }
}

/** A step that decides run times notices that a pause has ended. A run by hand or by a backfill need not. */
function isOfTime(event: ScheduleEvent): boolean {
  return event.kind === "runs" && event.runs.some(isByTime);
}
