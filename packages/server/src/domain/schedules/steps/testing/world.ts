import type { Instant } from "../../../instant.ts";
import { isOutrun } from "../../../message-options.ts";
import { TimeZones } from "../../../time-zones/time-zones.ts";
import type { Run } from "../../run.ts";
import type { Schedule, ScheduleDefinition } from "../../schedule.ts";
import type {
  EarlierState,
  FirmRun,
  MadeMessage,
  OpenRun,
  RunMessage,
  ScheduleChange,
  SettledStep,
  Step,
  Surroundings,
} from "../../steps.ts";
import { advanced } from "../advanced.ts";
import { backfilled, timesToBackfill } from "../backfilled.ts";
import { changed } from "../changed.ts";
import type { RefusedChange } from "../changed.ts";
import { createdSchedule } from "../created-schedule.ts";
import { isMadeByTime } from "../draft.ts";
import { settled } from "../settled.ts";
import { takenBack } from "../taken-back.ts";

export interface WorldMessage extends RunMessage {
  readonly messageId: string;
  state: "SCHEDULED" | "IN_FLIGHT" | "DELIVERED" | "CANCELLED" | "REPLACED";
}

/** How long a message stays SCHEDULED after its delivery time; Infinity: until the test ends it. */
export type TakesMs = (message: RunMessage) => number;

/** Does with one schedule what a store does, in memory, and checks what no step may do. */
export class World {
  now: Instant;
  schedule: Schedule;
  readonly zones = new TimeZones();
  readonly rows = new Map<Instant, Run>();
  readonly messages = new Map<string, WorldMessage>();
  isOverQuota = false;
  takesMs: TakesMs = () => 0;
  /** How many there were. */
  steps = 0;

  constructor(definition: ScheduleDefinition, now: Instant) {
    this.now = now;
    const ref = { accountId: "acme", scheduleId: "digest" };
    const schedule = createdSchedule(ref, definition, now, this.zones);
    if (schedule === undefined) throw new Error("It has no occurrence");
    this.schedule = schedule;
    this.advance();
  }

  /** The rows in the order of their times, as `09:00:00 TIME CREATED`. */
  get told(): string[] {
    return [...this.rows.values()]
      .toSorted((a, b) => a.runTime - b.runTime)
      .map(
        ({ runTime, trigger, outcome, reason }) =>
          `${clockText(runTime)} ${trigger} ${outcome}${reason === null ? "" : ` ${reason}`}`,
      );
  }

  messageOf(runTime: Instant): WorldMessage | undefined {
    return this.messages.get(this.rows.get(runTime)?.messageId ?? "");
  }

  /** Looks once, whether or not it is time to. */
  advance(): Step {
    const step = advanced(this.schedule, this.#surroundings(false), this.zones);
    this.#execute(step);
    return step;
  }

  /** Lets time pass, and looks whenever the schedule asks for it. */
  runUntil(time: Instant): void {
    for (;;) {
      const look = Math.max(this.now, this.schedule.progress.lookTime ?? Infinity);
      if (look > time) break;
      this.#passUntil(look);
      this.advance();
    }
    this.#passUntil(time);
  }

  /** Lets time pass while nobody looks. */
  outageUntil(time: Instant): void {
    this.#passUntil(time);
  }

  change(change: ScheduleChange): Step | RefusedChange {
    const step = changed(this.schedule, change, this.#surroundings(true), this.zones);
    if (typeof step !== "string") this.#execute(step);
    return step;
  }

  redefine(given: Partial<ScheduleDefinition>): Step | RefusedChange {
    const definition = { ...this.schedule, ...given };
    return this.change({ kind: "define", definition, ifRevision: null });
  }

  /** One step of a backfill. Answers with up to where it got; null: there is nothing behind it. */
  backfill(from: Instant, until: Instant, limit = 200): Instant | null {
    const { schedule, now, zones } = this;
    const times = timesToBackfill(schedule, { from, until }, now, zones);
    const isCreated = (time: Instant) => this.rows.get(time)?.outcome === "CREATED";
    const { step, lookedUntil } = backfilled(schedule, times, isCreated, { limit, now });
    this.#execute(step);
    return lookedUntil;
  }

  /** A caller moves the message of this run. */
  move(runTime: Instant, deliveryTime: Instant): void {
    const message = this.messageOf(runTime)!;
    this.messages.set(message.messageId, { ...message, deliveryTime });
  }

  remove(): readonly string[] {
    return takenBack(this.#surroundings(true));
  }

  /** Messages end by themselves when their time has come. */
  #passUntil(time: Instant): void {
    this.now = time;
    for (const message of this.messages.values()) {
      const isOver = message.deliveryTime + this.takesMs(message) <= time;
      if (message.state === "SCHEDULED" && isOver) message.state = "DELIVERED";
    }
  }

  #surroundings(isForChange: boolean): Surroundings {
    const { now, schedule } = this;
    const rows = [...this.rows.values()].toSorted((a, b) => a.runTime - b.runTime);
    const latest = rows.findLast(({ runTime }) => runTime <= now);
    const openRuns = isForChange ? rows.flatMap((run) => this.#openRun(run)) : [];
    const firmRun = this.#firmRun(rows, openRuns);
    return {
      now,
      openRuns,
      recordedRuns: isForChange ? rows.filter((run) => run.runTime > now || run === latest) : [],
      earlier: this.#stateOf(schedule.progress.earlierMessageId),
      ...(firmRun && { firmRun }),
    };
  }

  #firmRun(rows: readonly Run[], openRuns: readonly OpenRun[]): FirmRun | undefined {
    const openIds = new Set(openRuns.map(({ messageId }) => messageId));
    if (!openIds.has(this.schedule.progress.earlierMessageId ?? "")) return undefined;
    const firm = rows.findLast((run) => isMadeByTime(run) && !openIds.has(run.messageId!));
    if (firm === undefined) return undefined;
    const messageId = firm.messageId!;
    return { runTime: firm.runTime, messageId, state: this.#stateOf(messageId) };
  }

  #stateOf(messageId: string | null): EarlierState {
    const state = this.messages.get(messageId ?? "")?.state;
    if (state === "SCHEDULED") return "scheduled";
    return state === "IN_FLIGHT" ? "in-flight" : "ended";
  }

  #openRun({ runTime, trigger, messageId }: Run): OpenRun[] {
    const message = this.messages.get(messageId ?? "");
    if (message?.state !== "SCHEDULED" || message.deliveryTime <= this.now) return [];
    return [{ runTime, trigger, messageId: message.messageId, dueTime: message.deliveryTime }];
  }

  #execute(step: Step): void {
    this.steps++;
    const ended = [...step.cancelledMessageIds, ...step.supersededMessageIds];
    for (const messageId of ended) this.#end(messageId, "CANCELLED");
    for (const time of step.undoneRunTimes) {
      if (!this.rows.delete(time)) throw new Error(`There is no row of ${clockText(time)}`);
    }
    const kept = settled(
      step,
      step.messages.map((message) => this.#make(message)),
    );
    if (kept.replacedMessageId !== null) this.#end(kept.replacedMessageId, "REPLACED");
    this.#write(kept);
  }

  #make(message: RunMessage): MadeMessage {
    if (this.isOverQuota && message.counts) return { kind: "over-quota" };
    if (isOutrun(message.options, message.deliveryTime, this.now)) return { kind: "too-late" };
    const messageId = `msg_${this.messages.size + 1}`;
    this.messages.set(messageId, { ...message, messageId, state: "SCHEDULED" });
    return { kind: "made", messageId };
  }

  #write({ schedule, runs }: SettledStep): void {
    for (const run of runs) {
      const before = this.messageOf(run.runTime);
      const isTaken = before !== undefined && before.state !== "CANCELLED";
      if (isTaken) throw new Error(`${clockText(run.runTime)} has a message already`);
      this.rows.set(run.runTime, run);
    }
    this.schedule = schedule;
    for (const run of this.rows.values()) {
      const isByTime = run.trigger === "TIME" || run.trigger === "CATCH_UP";
      if (isByTime && run.outcome === "CREATED" && run.runTime > schedule.progress.cursor) {
        throw new Error(`The cursor is behind ${clockText(run.runTime)}`);
      }
    }
  }

  #end(messageId: string, state: WorldMessage["state"]): void {
    const message = this.messages.get(messageId)!;
    if (message.state !== "SCHEDULED") throw new Error(`${messageId} is ${message.state}`);
    message.state = state;
  }
}

/** `09:00:00`, with milliseconds if there are any, and with the day if it is not the first of 2027. */
export function clockText(time: Instant): string {
  const text = new Date(time).toISOString();
  const day = text.startsWith("2027-01-01") ? "" : `${text.slice(5, 10)} `;
  return day + text.slice(11, -1).replace(/\.000$/, "");
}

/** An instant of 1 January 2027 in UTC. */
export function clock(text: string): Instant {
  return Date.parse(`2027-01-01T${text}Z`);
}
