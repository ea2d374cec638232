import type { StepEffect } from "../domain/job-steps.ts";
import type { JobCursor } from "../domain/job.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { PlannedByJob } from "./job-store.ts";
import { PlannedMessages } from "./planned-messages.ts";
import type { StepTally } from "./step-tally.ts";

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
  #planned: PlannedMessages = new PlannedMessages();

  /** The job has changed this message. */
  countDone(targetKey: number, message: Message): void {
    this.done++;
    const dueAt = message.nextDeliveryTime;
    if (dueAt !== null) this.#planned.add({ targetKey, dueAt }, message);
  }

  /** A backfill has made these runs, or tried to: each run time has a row now. */
  countRuns(step: StepTally): void {
    const { CREATED, SKIPPED } = step.runs;
    this.met = CREATED + SKIPPED;
    this.done = CREATED;
    this.changed = SKIPPED;
    this.#planned = step;
  }

  get planned(): PlannedByJob[] {
    return this.#planned.planned;
  }

  get nextBound(): Instant | null {
    return this.#planned.nextBound;
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
