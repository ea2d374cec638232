import type { Caller } from "../../domain/access.ts";
import type { JobCursor } from "../../domain/job.ts";
import type { Message } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import type { JobLook, Store } from "../../storage/store.ts";
import { hasTarget, missingTarget, readJobRequest } from "./job-request.ts";
import type { JobRequest } from "./job-request.ts";

export interface PreviewJobOptions {
  readonly store: Pick<Store, "lookForJob" | "getTarget" | "clock">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** Accounts take turns at each look, so that no preview delays others for longer than one look. */
  readonly looksInTurn: Pick<PlacesInTurn, "run">;
  /** Aborts when the server stops and cannot wait any longer. */
  readonly stopping: AbortSignal;
}

export interface JobPreview {
  readonly count: number;
  /** False: there may be more. */
  readonly exact: boolean;
  readonly sample: readonly Message[];
}

const mostCounted = 100_000;
const sampleSize = 10;
/** A filter may match a few of millions. */
const longestMs = 5_000;

/** Counts what a job would change, slice by slice, and ends early once nobody waits for the answer. */
export async function previewJob(
  { store, clock, timers, looksInTurn, stopping }: PreviewJobOptions,
  caller: Caller,
  request: JobRequest,
  callerGone: AbortSignal,
): Promise<JobPreview> {
  const { accountId } = caller;
  const order = await readJobRequest(store, caller, request);
  const { targetId } = order.filter;
  if (targetId !== null && !(await hasTarget(store, accountId, targetId))) {
    throw new RequestRefused(missingTarget(request, targetId));
  }
  const deadline = clock.monotonic() + longestMs;
  const isOver = (): boolean =>
    stopping.aborted || callerGone.aborted || clock.monotonic() >= deadline;
  const time = store.clock.now();
  const sample: Message[] = [];
  let count = 0;
  let after: JobCursor | null = null;
  do {
    const look: JobLook = await looksInTurn.run(accountId, async () => {
      const began = clock.monotonic();
      const asked = { time, after, sample: sampleSize - sample.length };
      const seen = await store.lookForJob({ order: { ...order, accountId }, ...asked });
      // Rests for as long as it worked, so that half of the store's time is left to others.
      if (seen.lookedUntil !== null) await pause(timers, clock.monotonic() - began, callerGone);
      return seen;
    });
    count += look.count;
    sample.push(...look.sample);
    after = look.lookedUntil;
  } while (after !== null && count < mostCounted && !isOver());
  return {
    count: Math.min(count, mostCounted),
    exact: after === null && count <= mostCounted,
    sample,
  };
}

/** At any time the store looks for two previews at most, and for one of an account. */
export const previewPlaces = { places: 2, placesOfOne: 1 };
