import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer } from "../../platform/timers.ts";
import type { Holder, JobRef, JobStore, Store } from "../../storage/store.ts";
import { UnderWay } from "../delivery/under-way.ts";
import { pauseAfterFailures } from "./pause-after-failures.ts";
import { runJob } from "./run-job.ts";
import type { RunJobOptions } from "./run-job.ts";

export interface JobRunnerOptions extends Omit<RunJobOptions, "store" | "places" | "stopping"> {
  readonly store: Pick<JobStore, "takeJobs" | "getJob" | "advanceJob"> & Pick<Store, "sharing">;
}

/**
 * How late this node learns of a job that another node created, or held when it died. The longest lease is
 * 15 s, and the job goes on within 20 s.
 */
const lookEveryMs = 4_000;
/** Another node may take some of the jobs that one look has left. */
const lookForMoreMs = 100;
const mostTaken = 100;

/** The embedded store does one thing at a time. Steps side by side would only keep deliveries waiting. */
const embeddedPlaces = { places: 1 };
const sharedPlaces = { places: 4, placesOfOne: 2 };

/**
 * Works on jobs. This node takes every running job that no living node has. However many these are, few
 * steps are under way at once, and accounts take turns.
 */
export class JobRunner implements RunningPart {
  readonly #options: JobRunnerOptions;
  readonly #places: PlacesInTurn;
  /** The jobs that this node works on, and as which holder. */
  readonly #running = new Map<string, Holder>();
  readonly #underWay: UnderWay;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  #isNoted = false;
  #failures = 0;
  /** A node that does not deliver never starts this, and is told of jobs all the same. */
  #isRunning = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#places = new PlacesInTurn(options.store.sharing === null ? embeddedPlaces : sharedPlaces);
    this.#underWay = new UnderWay((error) => options.observer.trouble(error, "working on a job"));
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    this.noteJob();
  }

  /** Steps that are under way end, and no further one begins. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#stopping.abort();
    await this.#looking;
    await this.#underWay.allEnded();
  }

  /** There may be a job to take. */
  noteJob(): void {
    this.#isNoted = true;
    if (this.#looking === undefined) this.#sleep(0);
  }

  #sleep(sleepMs: number): void {
    if (!this.#isRunning) return;
    this.#timer?.cancel();
    this.#timer = this.#options.timers.after(sleepMs, () => {
      this.#isNoted = false;
      this.#looking = this.#look().then((nextMs) => {
        this.#looking = undefined;
        this.#sleep(this.#isNoted ? 0 : nextMs);
      });
    });
  }

  /** Answers with how long to sleep. */
  async #look(): Promise<number> {
    const { store, membership, observer } = this.#options;
    const { holder } = membership;
    if (holder === undefined) return lookEveryMs;
    try {
      const held = await store.takeJobs(holder, mostTaken);
      this.#failures = 0;
      const found = held.filter(({ jobId }) => this.#running.get(jobId) !== holder);
      for (const ref of found) this.#begin(ref, holder);
      return found.length < mostTaken ? lookEveryMs : lookForMoreMs;
    } catch (error) {
      observer.trouble(error, "looking for jobs");
      return pauseAfterFailures(++this.#failures);
    }
  }

  #begin(ref: JobRef, holder: Holder): void {
    const { observer } = this.#options;
    const { jobId } = ref;
    this.#running.set(jobId, holder);
    observer.runningJobs([...this.#running.keys()]);
    const options = { ...this.#options, places: this.#places, stopping: this.#stopping.signal };
    const ended = runJob(options, ref, holder).finally(() => {
      // After a new membership has begun, the job may run again before its earlier run has ended.
      if (this.#running.get(jobId) !== holder) return;
      this.#running.delete(jobId);
      observer.runningJobs([...this.#running.keys()]);
    });
    this.#underWay.track(ended);
  }
}
