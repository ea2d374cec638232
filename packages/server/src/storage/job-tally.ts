import type { StepEffect } from "../domain/job-steps.ts";
import type { JobCursor } from "../domain/job.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { PlannedByJob } from "./job-store.ts";

/** Counts what one step of a job does. */
export class JobTally {
  met = 0;
  done = 0;
  changed = 0;
  inFlight = 0;
  waiting = 0;
  watched = 0;
  delivered: readonly boolean[] = [];
  lookedForOutcomes = false;
  readonly #planned = new Map<number, Instant>();
  #nextBound: Instant | null = null;

  /** The job has changed this message. */
  countDone(targetKey: number, { nextDeliveryTime, options }: Message): void {
    this.done++;
    if (nextDeliveryTime === null) return;
    const earliest = this.#planned.get(targetKey) ?? Infinity;
    this.#planned.set(targetKey, Math.min(earliest, nextDeliveryTime));
    const bound = options?.notAfter;
    if (bound !== undefined) this.#nextBound = Math.min(this.#nextBound ?? bound, bound);
  }

  get planned(): PlannedByJob[] {
    return [...this.#planned].map(([targetKey, dueAt]) => ({ targetKey, dueAt }));
  }

  get nextBound(): Instant | null {
    return this.#nextBound;
  }

  /** `cursor`: where a walk is now, null at its end; undefined without a walk. */
  effect(cursor: JobCursor | null | undefined): StepEffect {
    const { met, done, changed, inFlight, waiting, watched, delivered, lookedForOutcomes } = this;
    return {
      ...{ met, done, changed, inFlight, waiting, watched, delivered, lookedForOutcomes },
      ...(cursor !== undefined && { cursor }),
    };
  }
}
