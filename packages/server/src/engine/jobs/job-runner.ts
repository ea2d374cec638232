import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Holder, JobRef, JobStore, Store } from "../../storage/store.ts";
import { UnderWay } from "../delivery/under-way.ts";
import { RepeatedLook } from "../../platform/repeated-look.ts";
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
  readonly #looks: RepeatedLook;
  /** A node that does not deliver never starts this, and is told of jobs all the same. */
  #isRunning = false;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#places = new PlacesInTurn(options.store.sharing === null ? embeddedPlaces : sharedPlaces);
    const { timers, observer } = options;
    this.#underWay = new UnderWay((error) => observer.trouble(error, "working on a job"));
    this.#looks = new RepeatedLook({
      timers,
      look: () => this.#look(),
      onFailure: (error) => observer.trouble(error, "looking for jobs"),
    });
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    this.noteJob();
  }

  /** Steps that are under way end, and no further one begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looks.stop();
    await this.#underWay.allEnded();
  }

  /** There may be a job to take. */
  noteJob(): void {
    if (this.#isRunning) this.#looks.hasten();
  }

  /** Answers with how long to rest. */
  async #look(): Promise<number> {
    const { store, membership } = this.#options;
    const { holder } = membership;
    if (holder === undefined) return lookEveryMs;
    const held = await store.takeJobs(holder, mostTaken);
    const found = held.filter(({ jobId }) => this.#running.get(jobId) !== holder);
    for (const ref of found) this.#begin(ref, holder);
    return found.length < mostTaken ? lookEveryMs : lookForMoreMs;
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
