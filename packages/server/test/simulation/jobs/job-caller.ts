import { RequestRefused } from "../../../src/domain/refusals.ts";
import type { Operations } from "../../../src/operations/operations.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import { callerOf } from "../callers/service-line.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import { ProcessDied } from "../world/simulated-node.ts";
import type { ProcessRun } from "../world/simulated-node.ts";
import type { SimulatedTime } from "../world/simulated-time.ts";
import { base } from "./judge-jobs.ts";
import type { ShiftJob, StopAnswer } from "./judge-jobs.ts";

export interface JobCallerOptions {
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  /** The nodes that run now. */
  readonly runs: () => readonly ProcessRun[];
  readonly timesNow: () => ReadonlyMap<string, number>;
  readonly accountId: string;
  readonly targetId: string;
}

const second = 1_000;
const mostJobs = 8;

/** The caller of one target. It has one job after the other shift all messages of the target. */
export class JobCaller {
  readonly #options: JobCallerOptions;
  readonly jobs: ShiftJob[] = [];
  /** Errors other than refusals and an unavailable store. */
  readonly bugs: string[] = [];
  isOver = false;
  #isFinishing = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: JobCallerOptions) {
    this.#options = options;
  }

  begin(): Promise<void> {
    this.#work = this.#shiftAgainAndAgain();
    return this.#work;
  }

  /** Begins no further job, and has the last one end. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    await this.#work;
    this.isOver = true;
  }

  async #shiftAgainAndAgain(): Promise<void> {
    const { random } = this.#options;
    for (let number = 0; number < mostJobs && !this.#isFinishing; number++) {
      await this.#pause(random.between(0, 20) * second);
      await this.#shift(number);
    }
  }

  async #shift(number: number): Promise<void> {
    const { random, accountId, targetId } = this.#options;
    const caller = callerOf(accountId);
    const byMs = random.pick([-1, 1]) * base ** number * second;
    const given = {
      action: "shift",
      filter: { targetId },
      byMs,
      ratePerSecond: random.pick([1, 5, 50, 500, 10_000]),
      maxMessages: random.happens(0.2) ? random.between(1, 300) : undefined,
    } as const;
    const created = await this.#insist((operations) =>
      operations.createJob(
        caller,
        { given, problems: [], targetIn: "filter" },
        `${targetId}-${number}`,
      ),
    );
    if (created === "refused")
      return void this.bugs.push(`job ${number} of ${targetId} was refused`);
    const { jobId } = created.job;
    let stopped: StopAnswer | null = null;
    for (;;) {
      const job = await this.#insist((operations) => operations.getJob(caller, jobId));
      if (job === "refused") return void this.bugs.push(`${jobId} is gone`);
      if (job.endTime !== null) {
        this.jobs.push({ targetId, byMs, final: job, stopped });
        return;
      }
      await this.#pause(random.between(1, 4 * second));
      stopped = (await this.#disturb(jobId)) ?? stopped;
    }
  }

  /** Answers with what a stop was answered, if this was one. */
  async #disturb(jobId: string): Promise<StopAnswer | undefined> {
    const { random, accountId } = this.#options;
    const caller = callerOf(accountId);
    const setRate = (rate: number) =>
      this.#insist((operations) => operations.setJobRate(caller, jobId, rate));
    const resume = () => this.#insist((operations) => operations.resumeJob(caller, jobId));
    if (this.#isFinishing) {
      await resume();
      await setRate(10_000);
      return undefined;
    }
    switch (random.between(1, 10)) {
      case 1:
        return this.#stop(jobId);
      case 2:
        await this.#insist((operations) => operations.pauseJob(caller, jobId));
        await this.#pause(random.between(1, 20 * second));
        await resume();
        return undefined;
      case 3:
        await setRate(random.pick([1, 50, 10_000]));
        return undefined;
      default:
        return undefined;
    }
  }

  async #stop(jobId: string): Promise<StopAnswer | undefined> {
    const { accountId, timesNow } = this.#options;
    const answer = await this.#insist(async (operations) => ({
      job: await operations.stopJob(callerOf(accountId), jobId),
      times: timesNow(),
    }));
    return answer === "refused" ? undefined : answer;
  }

  /** Asks until there is an answer. */
  async #insist<Value>(
    work: (operations: Operations) => Promise<Value>,
  ): Promise<Value | "refused"> {
    const { runs, random } = this.#options;
    for (;;) {
      const up = runs();
      const run = up.length === 0 ? undefined : random.pick(up);
      try {
        if (run !== undefined) {
          const working = new Promise<Value>((resolve) =>
            run.process.whenAwake(() => resolve(work(run.operations))),
          );
          return await Promise.race([working, run.death]);
        }
      } catch (error) {
        if (error instanceof RequestRefused) return "refused";
        const isExpected = error instanceof StoreUnavailable || error instanceof ProcessDied;
        if (!isExpected) this.bugs.push(String((error as Error).stack ?? error));
      }
      await this.#pause(second);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.time.after(ms, resolve));
  }
}
