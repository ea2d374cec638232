import type { LoggedEvent } from "../../../../src/domain/events/event.ts";
import type { Run } from "../../../../src/domain/schedules/run.ts";
import type { ScheduleEvent as Committed } from "../../model-store/schedule-journal.ts";
import type { Snapshot } from "../../model-store/snapshot.ts";

/** Holds the events of schedules against what was committed about them, in the order of the commits. */
export function judgeScheduleEvents({ scheduleJournal, schedules, events: logs }: Snapshot) {
  const about = new Map<string, LoggedEvent[]>();
  for (const [accountId, log] of logs) {
    const own = log.filter(({ type }) => type.startsWith("schedule."));
    for (const [scheduleId, some] of Map.groupBy(own, ({ data }) => data.schedule!.scheduleId)) {
      about.set(`${accountId}/${scheduleId}`, some);
    }
  }
  const nameOf = new Map<number, string>();
  const followers = new Map<string, Follower>();
  const problems: string[] = [];
  for (const entry of scheduleJournal) {
    if (entry.kind === "created") {
      nameOf.set(entry.scheduleKey, `${entry.accountId}/${entry.scheduleId}`);
    }
    const name = nameOf.get(entry.scheduleKey)!;
    const follower = followers.get(name) ?? new Follower(about.get(name) ?? []);
    followers.set(name, follower);
    problems.push(...follower.follow(entry).map((problem) => `the events of ${name}: ${problem}`));
  }
  for (const [name, some] of about) {
    const follower = followers.get(name) ?? new Follower(some);
    problems.push(...follower.rest().map((problem) => `the events of ${name}: ${problem}`));
  }
  for (const { scheduleKey, schedule } of schedules) {
    const name = nameOf.get(scheduleKey)!;
    const told = about.get(name)?.at(-1)?.data.schedule?.revision;
    const { revision } = schedule;
    if (told !== revision) problems.push(`the events of ${name} end with ${told}, not ${revision}`);
  }
  return problems;
}

/** Goes along the events of one schedule's name, commit by commit. */
class Follower {
  readonly #events: readonly LoggedEvent[];
  #next = 0;
  /** Until when it is paused, as was told; null: it is not. */
  #pausedUntil: number | null = null;
  #revision = 0;
  /** When what is followed was committed. */
  #at = 0;
  #isLost = false;

  constructor(events: readonly LoggedEvent[]) {
    this.#events = events;
  }

  follow(entry: Committed): string[] {
    // After the first difference everything would differ.
    if (this.#isLost) return [];
    this.#at = entry.at;
    this.#passEndedPause();
    switch (entry.kind) {
      case "created":
        this.#pausedUntil = null;
        return this.#expect("schedule.created");
      case "changed":
        return this.#change(entry);
      case "paused itself":
        return this.#expectPause(Infinity);
      case "runs":
        return entry.runs.flatMap((run) => this.#expectRun(run));
      case "removed":
        return this.#expect("schedule.removed");
      default:
        return [];
    }
  }

  /** What is left when everything that was committed has been told. */
  rest(): string[] {
    if (this.#isLost) return [];
    this.#passEndedPause();
    const more = this.#events[this.#next];
    return more === undefined ? [] : [`${more.type} at the end, which never happened`];
  }

  #change({ change }: Extract<Committed, { kind: "changed" }>): string[] {
    switch (change.kind) {
      case "pause":
        return this.#expectPause(change.until ?? Infinity);
      case "resume":
        if (this.#pausedUntil === null) return [];
        this.#pausedUntil = null;
        return this.#expect("schedule.resumed");
      case "trigger":
        return [];
      case "skip":
        // Maybe it was called off already, and nothing has changed.
        return this.#isRevision() ? this.#expect("schedule.updated") : [];
      default:
        return this.#expect("schedule.updated");
    }
  }

  #expectPause(until: number): string[] {
    const problems = this.#expect("schedule.paused");
    this.#pausedUntil = until;
    return problems;
  }

  #expectRun(run: Run): string[] {
    const type = `schedule.run_${run.outcome.toLowerCase()}`;
    const { data } = this.#events[this.#next] ?? {};
    const problems = this.#expect(type);
    const told = data?.run;
    if (problems.length > 0 || JSON.stringify(told) === JSON.stringify(run)) return problems;
    return [`${JSON.stringify(told)} is told of ${JSON.stringify(run)}`];
  }

  /** A pause that has ended by itself is told when the next step notices it. */
  #passEndedPause(): void {
    const next = this.#events[this.#next];
    if (next?.type !== "schedule.resumed" || this.#pausedUntil === null) return;
    if (this.#pausedUntil > next.time) return;
    this.#pausedUntil = null;
    // The step that notices it may have been made by a change, which comes next.
    this.#next++;
  }

  /** Whether the next event is of a change in the commit that is followed. */
  #isRevision(): boolean {
    const next = this.#events[this.#next];
    return next?.time === this.#at && next.data.schedule!.revision > this.#revision;
  }

  #expect(type: string): string[] {
    const event = this.#events[this.#next++];
    const revision = event?.data.schedule!.revision ?? 0;
    const before = this.#revision;
    this.#revision = revision;
    // A change that nobody was told of would be seen here.
    const isNext = type === "schedule.created" ? revision === 1 : revision - before <= 1;
    if (event?.type === type && event.time === this.#at && isNext) return [];
    this.#isLost = true;
    return [
      `${event?.type ?? "nothing"} of revision ${revision} at ${event?.time}, where ${type} at ${this.#at} was due after revision ${before}`,
    ];
  }
}
