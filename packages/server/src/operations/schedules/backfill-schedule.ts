import type { Caller } from "../../domain/access.ts";
import { backfillFilter } from "../../domain/schedules/steps/backfill-job.ts";
import { defaultRates } from "../../domain/job.ts";
import type { JobOrder } from "../../domain/job.ts";
import type { Instant } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Schedule } from "../../domain/schedules/schedule.ts";
import type { BackfillSpan } from "../../domain/schedules/steps/backfilled.ts";
import type { BackfillLook, Store } from "../../storage/store.ts";
import { countInLooks } from "../jobs/count-in-looks.ts";
import type { CountOptions } from "../jobs/count-in-looks.ts";
import { countPage, countWalk, misplacedPageToken, readPlace } from "../jobs/count-page.ts";
import type { CountPage, CountPageOptions } from "../jobs/count-page.ts";
import { idempotencyOfJob } from "../jobs/job-idempotency.ts";
import { startJob } from "../jobs/start-job.ts";
import type { CreatedJob, StartJobOptions } from "../jobs/start-job.ts";
import { idempotencyKeyProblem } from "../messages/idempotency.ts";
import { getSchedule } from "./get-schedule.ts";
import { readBackfillSpan } from "./given-backfill.ts";
import type { GivenBackfill } from "./given-backfill.ts";
import { scheduleNotFound, scheduleRef } from "./schedule-ref.ts";

export interface BackfillRequest {
  readonly scheduleId: string;
  readonly given: GivenBackfill;
  /** The problems of form that earlier checks found. The fields concerned are missing in `given`. */
  readonly problems: readonly Problem[];
}

export interface BackfillOptions extends StartJobOptions {
  readonly store: Pick<Store, "createJob" | "getSchedule" | "clock">;
}

export interface PreviewBackfillOptions extends CountOptions, CountPageOptions {
  readonly store: Pick<Store, "lookForBackfill" | "clock">;
}

export type BackfillPreview = CountPage<Instant>;

/** Starts a job that makes the messages of run times that are past. */
export async function backfillSchedule(
  options: BackfillOptions,
  caller: Caller,
  request: BackfillRequest,
  idempotencyKey: string | undefined,
): Promise<CreatedJob> {
  const badKey = idempotencyKeyProblem(idempotencyKey);
  const { given, scheduleId } = request;
  const span = readSpan(options.store, request, [
    ...(badKey === undefined ? [] : [badKey]),
    ...misplacedPageToken(given.pageToken),
  ]);
  const schedule = await getSchedule(options, caller, scheduleId);
  const order = orderOf(schedule, span, given);
  // As the caller gave it: the target, and what is now, may be others when the request is repeated.
  const maxTime = given.to === undefined ? null : span.until;
  const asked = { ...order, filter: { ...order.filter, targetId: null, maxTime } };
  return startJob(options, caller, order, {
    idempotency: idempotencyOfJob(idempotencyKey, asked, given),
    // Nobody can remove the target of a schedule, so the schedule was removed before.
    noTarget: () => scheduleNotFound,
  });
}

/** Counts the run times that a backfill would make. */
export async function previewBackfill(
  options: PreviewBackfillOptions,
  caller: Caller,
  request: BackfillRequest,
  callerGone: AbortSignal,
): Promise<BackfillPreview> {
  const { store } = options;
  const { from, until } = readSpan(store, request);
  const { scheduleId, given } = request;
  // As the caller gave it: what is now is another time in the next page.
  const asked = [scheduleId, from, given.to === undefined ? null : until];
  const walk = countWalk(caller, "previewBackfill", asked);
  const begin = readPlace(options, walk, given.pageToken) as Instant | null;
  const ref = scheduleRef(caller, scheduleId);
  const asker = { accountId: caller.accountId, gone: callerGone };
  const counted = await countInLooks<Instant, Instant>(
    options,
    asker,
    begin,
    async (after, sample) => {
      const rest = { from: after === null ? from : after + 1, until };
      const look: BackfillLook | undefined = await store.lookForBackfill({
        ...ref,
        ...rest,
        sample,
      });
      if (look === undefined) throw new RequestRefused(scheduleNotFound);
      return look;
    },
  );
  return countPage(options, walk, counted);
}

function readSpan(
  { clock }: Pick<Store, "clock">,
  { given, problems: formProblems }: BackfillRequest,
  further: readonly Problem[] = [],
): BackfillSpan {
  const problems = [...formProblems, ...further];
  const span = readBackfillSpan(given, clock.now(), problems);
  if (span === undefined) throw new RequestRefused(...problems);
  return span;
}

function orderOf(schedule: Schedule, span: BackfillSpan, given: GivenBackfill): JobOrder {
  return {
    action: "backfill",
    filter: backfillFilter(schedule, span),
    ...{ deliveryTime: null, byMs: null, maxMessages: null, stopAfterFailures: null },
    ratePerSecond: given.ratePerSecond ?? defaultRates.backfill,
    note: given.note ?? null,
    removesTarget: false,
  };
}
