import type { Job } from "../../domain/job.ts";
import type { Instant } from "../../domain/message.ts";
import { newAuditEntryId } from "../../platform/audit-ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Random } from "../../platform/random.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { Holder, JobRef, JobStep, JobStore } from "../../storage/store.ts";
import type { Membership } from "../cluster/membership.ts";
import type { JobObserver } from "./job-observer.ts";
import { pauseAfterFailures } from "../../platform/pause-after-failures.ts";

/** Hears what a job has planned. */
export interface JobDelivery {
  noteDue(accountId: string, targetKey: number, dueAt: Instant): void;
  noteBound(notAfter: Instant): void;
  targetChanged(accountId: string, targetKey: number): void;
}

export interface RunJobOptions {
  readonly store: Pick<JobStore, "getJob" | "advanceJob">;
  readonly membership: Pick<Membership, "holder">;
  readonly delivery: JobDelivery;
  /** Every step takes a place, so that accounts take turns. */
  readonly places: Pick<PlacesInTurn, "run">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly random: Random;
  readonly observer: JobObserver;
  readonly stopping: AbortSignal;
}

/** The job has ended or is paused, or this node no longer has it. */
const over = null;
/** How long to leave an account alone that somebody changes. */
const busyMs = 100;

/** Advances a job step by step, until it is over for this holder or this node stops. Never rejects. */
export async function runJob(options: RunJobOptions, ref: JobRef, holder: Holder): Promise<void> {
  const { store, membership, delivery, places, clock, timers, random, observer, stopping } =
    options;
  const { accountId, jobId } = ref;
  let known: Job | undefined;
  let failures = 0;

  for (;;) {
    const idleMs = await places.run(accountId, turn);
    if (idleMs === over) return;
    if (idleMs > 0) await pause(timers, idleMs, stopping);
  }

  /** Answers with how long the job has nothing to do. */
  async function turn(): Promise<number | null> {
    // The membership makes one holder, so another one means that another membership has begun.
    if (stopping.aborted || membership.holder !== holder) return over;
    const began = clock.monotonic();
    const idleMs = await step();
    const tookMs = clock.monotonic() - began;
    // Each place rests for as long as it worked, so half of the store's time is left to deliveries.
    await pause(timers, tookMs, stopping);
    return idleMs === over ? over : idleMs - tookMs;
  }

  async function step(): Promise<number | null> {
    try {
      known ??= await take();
      if (known === undefined) return over;
      const made = await store.advanceJob({
        ...ref,
        holder,
        endEntryId: newAuditEntryId(random),
        removalEntryId: newAuditEntryId(random),
      });
      failures = 0;
      if (made.kind === "not-held") return over;
      if (made.kind === "busy") return busyMs;
      observer.jobAdvanced(known, made.job);
      known = made.job;
      tell(made);
      return made.idleMs;
    } catch (error) {
      observer.trouble(error, `advancing the job ${jobId}`);
      return pauseAfterFailures(++failures);
    }
  }

  async function take(): Promise<Job | undefined> {
    const job = await store.getJob(ref);
    if (job !== undefined) observer.jobTaken(job);
    return job;
  }

  function tell(made: Extract<JobStep, { kind: "advanced" }>): void {
    for (const { targetKey, dueAt } of made.planned) delivery.noteDue(accountId, targetKey, dueAt);
    if (made.nextBound !== null) delivery.noteBound(made.nextBound);
    if (made.removedTargetKey !== null) delivery.targetChanged(accountId, made.removedTargetKey);
  }
}
