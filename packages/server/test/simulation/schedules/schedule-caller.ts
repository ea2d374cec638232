import { RequestRefused } from "../../../src/domain/refusals.ts";
import { formatTime } from "../../../src/domain/times.ts";
import type { Operations } from "../../../src/operations/operations.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import type { RunView, ScheduleView } from "../../../src/storage/store.ts";
import { callerOf } from "../callers/service-line.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import { ProcessDied } from "../world/simulated-node.ts";
import type { ProcessRun } from "../world/simulated-node.ts";
import type { SimulatedTime } from "../world/simulated-time.ts";
import { drawSchedule } from "./draws/draw-schedule.ts";
import { runTimesOf } from "./oracle/meaning.ts";
import type { Meaning } from "./oracle/meaning.ts";

export interface ScheduleCallerOptions {
  readonly time: SimulatedTime;
  /** By the store's clock. */
  readonly now: () => number;
  readonly random: SeededRandom;
  /** The nodes that answer now. */
  readonly runs: () => readonly ProcessRun[];
  readonly accountId: string;
  readonly targetIds: readonly string[];
  readonly scheduleId: string;
  readonly zone: string;
  /** When the world ends, by `time`. */
  readonly endsAt: number;
  /** Whether it has runs made of times that are past. */
  readonly backfills: boolean;
  /** Whether its schedules are to pause themselves, so that it resumes them. */
  readonly deadLetters: boolean;
  /** Where the meanings of definitions are kept, by their payloads. */
  readonly meanings: Map<string, Meaning>;
}

const second = 1_000;
const minute = 60 * second;

/** A caller with one schedule, who changes it again and again, most often around its run times. */
export class ScheduleCaller {
  readonly #options: ScheduleCallerOptions;
  /** Errors other than refusals and an unavailable store. */
  readonly bugs: string[] = [];
  /** Changes whose answers came, with the time at which they took effect. */
  readonly acknowledged: { readonly scheduleId: string; readonly at: number }[] = [];
  isFinishing = false;
  #definitions = 0;
  #skipped: number[] = [];

  constructor(options: ScheduleCallerOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const { random } = this.#options;
    await this.#pause(random.between(0, 10 * second));
    while (!this.isFinishing) {
      const schedule = await this.#get();
      if (this.isFinishing) return;
      if (schedule === "refused") await this.#create();
      else if (schedule !== "unknown") await this.#change(schedule);
      await this.#waitFor(schedule);
    }
  }

  async #create(): Promise<void> {
    const { accountId, scheduleId } = this.#options;
    const given = { ...this.#draw(), scheduleId };
    await this.#told((operations) => operations.createSchedule(callerOf(accountId), given));
  }

  async #change({ payload, nextRunTime, lastRun, pause }: ScheduleView): Promise<void> {
    const { random, accountId, scheduleId, now, deadLetters } = this.#options;
    const caller = callerOf(accountId);
    const call = (work: (operations: Operations) => Promise<ScheduleView>) => this.#told(work);
    if (deadLetters && pause?.reason === "DEAD_LETTERS" && random.happens(0.5)) {
      return call((operations) => operations.resumeSchedule(caller, scheduleId));
    }
    // Whoever changes it all the time leaves it no time to pause itself.
    if (deadLetters && random.happens(0.6)) return;
    switch (random.between(1, 20)) {
      case 1:
      case 2: {
        const given = this.#draw();
        return call(
          async (operations) => (await operations.putSchedule(caller, scheduleId, given)).schedule,
        );
      }
      case 3:
      case 4:
      case 5: {
        const given = this.#redraw(payload);
        return call((operations) => operations.updateSchedule(caller, scheduleId, given));
      }
      case 6:
      case 7:
      case 8: {
        const forMs = random.pick([null, 100, 20 * second, 5 * minute]);
        const until = forMs === null ? null : formatTime(now() + forMs + random.between(1, second));
        return call((operations) => operations.pauseSchedule(caller, scheduleId, { until }));
      }
      case 9:
      case 10:
      case 11:
        return call((operations) => operations.resumeSchedule(caller, scheduleId));
      case 12:
      case 13:
      case 14: {
        const time = this.#someRunTime(payload) ?? nextRunTime ?? now() + minute;
        this.#skipped.push(time);
        return call((operations) => operations.skipRun(caller, scheduleId, formatTime(time)));
      }
      case 15: {
        const time = random.pick([now() + second, ...this.#skipped.slice(-3)]);
        return call((operations) => operations.unskipRun(caller, scheduleId, formatTime(time)));
      }
      case 16: {
        await this.#ask((operations) => operations.triggerSchedule(caller, scheduleId));
        return;
      }
      case 17: {
        await this.#ask((operations) => operations.removeSchedule(caller, scheduleId));
        if (random.happens(0.5)) await this.#create();
        return;
      }
      case 18: {
        if (lastRun?.messageState === "SCHEDULED") await this.#move(lastRun);
        return;
      }
      default:
        if (this.#options.backfills) await this.#backfill();
    }
  }

  /** Moves the message of the latest run to a later time, most often past the next run times. */
  async #move({ messageId, runTime }: RunView): Promise<void> {
    const { random, accountId, now } = this.#options;
    const laterMs = random.pick([second, 30 * second, 5 * minute, 30 * minute]);
    const time = Math.max(now(), runTime) + laterMs + random.between(1, second);
    const given = { deliveryTime: formatTime(time) };
    await this.#ask((operations) =>
      operations.rescheduleMessage(callerOf(accountId), messageId!, given),
    );
  }

  /** Of the last minutes, mostly slow enough to last until something goes wrong. */
  async #backfill(): Promise<void> {
    const { random, accountId, scheduleId, now } = this.#options;
    const from = formatTime(now() - random.between(0, 10 * minute));
    const given = { from, ratePerSecond: random.pick([1, 5, 1_000]) };
    const request = { scheduleId, given, problems: [] };
    await this.#ask((operations) =>
      operations.backfillSchedule(callerOf(accountId), request, undefined),
    );
  }

  /** A run time of the next minutes, or one that is hardly over. */
  #someRunTime(payload: string): number | undefined {
    const { random, meanings, now } = this.#options;
    const meaning = meanings.get(payload);
    if (meaning === undefined || meaning.rule.kind === "every") return undefined;
    const times = runTimesOf(meaning, now(), now() - minute, now() + 20 * minute);
    return times.length === 0 ? undefined : random.pick(times.slice(0, 6));
  }

  #draw() {
    const { random, targetIds, zone, now, time, endsAt, deadLetters } = this.#options;
    const payload = this.#nextPayload();
    const leftMs = Math.max(2 * minute, Math.floor(endsAt - time.monotonic()));
    const chance = random.fork(payload);
    const options = { payload, targetIds, zone, now: now(), leftMs, deadLetters };
    const drawn = drawSchedule(chance, options);
    this.#options.meanings.set(payload, drawn.meaning);
    return drawn.given;
  }

  /** Changes what does not say when. */
  #redraw(payload: string) {
    const { random, meanings, deadLetters } = this.#options;
    const drawn = this.#draw();
    const { flexWindowMs, overlap, catchUp, maxRuns, pauseAfterDeadLetters } = drawn;
    const given = random.pick([
      ...[{ flexWindowMs }, { overlap }, { catchUp }, { maxRuns }, {}],
      ...(deadLetters ? [{ pauseAfterDeadLetters }] : []),
    ]);
    meanings.set(drawn.payload, meanings.get(payload)!);
    return { ...given, payload: drawn.payload };
  }

  #nextPayload(): string {
    const { accountId, scheduleId } = this.#options;
    return `${accountId}/${scheduleId} #${++this.#definitions}`;
  }

  async #get(): Promise<ScheduleView | "refused" | "unknown"> {
    const { accountId, scheduleId } = this.#options;
    return this.#ask((operations) => operations.getSchedule(callerOf(accountId), scheduleId));
  }

  async #told(work: (operations: Operations) => Promise<ScheduleView>): Promise<void> {
    const { scheduleId } = this.#options;
    const answer = await this.#ask(work);
    if (typeof answer === "string") return;
    this.acknowledged.push({ scheduleId, at: answer.updateTime });
  }

  /** Asks once. A caller whose answer was lost does not know the result, which is a case to test. */
  async #ask<Value>(
    work: (operations: Operations) => Promise<Value>,
  ): Promise<Value | "refused" | "unknown"> {
    const { runs, random } = this.#options;
    const up = runs();
    if (up.length === 0) return "unknown";
    const run = random.pick(up);
    try {
      const working = new Promise<Value>((resolve) =>
        run.process.whenAwake(() => resolve(work(run.operations))),
      );
      return await Promise.race([working, run.death]);
    } catch (error) {
      if (error instanceof RequestRefused) return "refused";
      const isExpected = error instanceof StoreUnavailable || error instanceof ProcessDied;
      if (!isExpected) this.bugs.push(String((error as Error).stack ?? error));
      return "unknown";
    }
  }

  /** Often until right before or after the next run time, when the message is made and not due yet. */
  #waitFor(schedule: ScheduleView | "refused" | "unknown"): Promise<void> {
    const { random, now } = this.#options;
    const next = typeof schedule === "string" ? null : schedule.nextRunTime;
    const leftMs = next === null ? Infinity : next - now();
    const isNear = leftMs < 10 * minute && random.happens(0.6);
    if (isNear) return this.#pause(Math.max(1, leftMs + random.between(-7 * second, 4 * second)));
    return this.#pause(random.between(1, random.pick([second, 20 * second, 5 * minute])));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.time.after(ms, resolve));
  }
}
