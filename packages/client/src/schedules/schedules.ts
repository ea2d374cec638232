import type { CallOptions, ScheduleOptions } from "../call-options.ts";
import { check } from "../input-error.ts";
import { countOn } from "../jobs/count-on.ts";
import { PagedList } from "../lists/paged-list.ts";
import {
  find,
  isoTime,
  jsonOf,
  once,
  path,
  repeatable,
  withKey,
} from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { CountFrom, Job } from "../types/jobs.ts";
import type { PageQuery } from "../types/lists.ts";
import type {
  BackfillInput,
  BackfillPreview,
  ListedSchedule,
  NewSchedule,
  Occurrence,
  PauseInput,
  PreviewInput,
  Schedule,
  ScheduleChanges,
  ScheduleInput,
  ScheduleQuery,
  ScheduleRun,
} from "../types/schedules.ts";

const all = "/v1/schedules";

/** Messages that recur. */
export class Schedules {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a schedule. A program that runs again, or that has lost the answer, uses `put` with an id of its own.
   *
   * @example
   * ```ts
   * const { scheduleId, nextRunTime } = await postdate.schedules.create({
   *   targetId: "mail",
   *   json: { digest: "daily" },
   *   cron: "0 9 * * MON-FRI",
   *   timeZone: "Europe/Berlin",
   * });
   * console.log(scheduleId, nextRunTime);
   * ```
   */
  async create(schedule: NewSchedule, options?: CallOptions): Promise<Schedule> {
    return this.#transport.request(once("POST", all, wire(schedule)), options);
  }

  /**
   * Creates the schedule with this id, or replaces it whole.
   *
   * @example
   * ```ts
   * await postdate.schedules.put("weekday-digest", {
   *   targetId: "mail",
   *   json: { digest: "daily" },
   *   cron: "0 9 * * MON-FRI",
   *   timeZone: "Europe/Berlin",
   *   overlap: "skip",
   * });
   * ```
   */
  async put(scheduleId: string, schedule: ScheduleInput, options?: CallOptions): Promise<Schedule> {
    return this.#transport.request(repeatable("PUT", pathOf(scheduleId), wire(schedule)), options);
  }

  /**
   * Changes the given fields. Null restores a default; of `cron`, `everyMs` and `at`, a new one replaces the old one.
   *
   * @example
   * ```ts
   * await postdate.schedules.update("weekday-digest", { cron: "30 8 * * MON-FRI", endTime: null });
   * ```
   */
  async update(
    scheduleId: string,
    changes: ScheduleChanges,
    options?: CallOptions,
  ): Promise<Schedule> {
    return this.#transport.request(repeatable("PATCH", pathOf(scheduleId), wire(changes)), options);
  }

  /**
   * The schedule, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const schedule = await postdate.schedules.get("weekday-digest");
   * console.log(schedule?.nextRunTime, schedule?.lastRun?.outcome);
   * ```
   */
  async get(scheduleId: string, options?: CallOptions): Promise<Schedule | null> {
    return this.#transport.request(find(pathOf(scheduleId), "E-DI-6001"), options);
  }

  /**
   * All schedules, by `scheduleId`.
   *
   * @example
   * ```ts
   * for await (const { scheduleId, pause } of postdate.schedules.list({ paused: true })) {
   *   console.log(scheduleId, pause?.reason);
   * }
   * ```
   */
  list(query?: ScheduleQuery, options?: CallOptions): PagedList<ListedSchedule> {
    return new PagedList(this.#transport, all, query, options);
  }

  /**
   * Removes the schedule. What it has made and is not due yet is cancelled.
   *
   * @example
   * ```ts
   * await postdate.schedules.remove("weekday-digest");
   * ```
   */
  async remove(scheduleId: string, options?: CallOptions): Promise<Schedule> {
    return this.#transport.request(once("DELETE", pathOf(scheduleId)), options);
  }

  /**
   * Makes no run by time until it is resumed, or until a time. What passes meanwhile is not made up for.
   *
   * @example
   * ```ts
   * await postdate.schedules.pause("weekday-digest", { until: new Date("2030-01-07"), note: "holidays" });
   * ```
   */
  async pause(scheduleId: string, pause?: PauseInput, options?: CallOptions): Promise<Schedule> {
    return this.#post(scheduleId, "/pause", pause && wire(pause), options);
  }

  /**
   * Makes runs again, from now on.
   *
   * @example
   * ```ts
   * await postdate.schedules.resume("weekday-digest");
   * ```
   */
  async resume(scheduleId: string, options?: CallOptions): Promise<Schedule> {
    return this.#post(scheduleId, "/resume", undefined, options);
  }

  /**
   * Calls off the run at this time, which must be exactly a run time to come.
   *
   * @example
   * ```ts
   * const schedule = await postdate.schedules.get("weekday-digest");
   * if (schedule?.nextRunTime) await postdate.schedules.skip("weekday-digest", schedule.nextRunTime);
   * ```
   */
  async skip(scheduleId: string, time: Date | string, options?: CallOptions): Promise<Schedule> {
    return this.#post(scheduleId, "/skip", wire({ time }), options);
  }

  /**
   * Takes a skip back.
   *
   * @example
   * ```ts
   * await postdate.schedules.unskip("weekday-digest", "2030-12-25T08:00:00Z");
   * ```
   */
  async unskip(scheduleId: string, time: Date | string, options?: CallOptions): Promise<Schedule> {
    const request = once("POST", `${pathOf(scheduleId)}/unskip`, wire({ time }));
    return this.#transport.request(request, options);
  }

  /**
   * Makes one run now, beside those by time, also of a schedule that is paused.
   *
   * @example
   * ```ts
   * const { messageId } = await postdate.schedules.trigger("weekday-digest");
   * console.log(messageId);
   * ```
   */
  async trigger(scheduleId: string, options?: CallOptions): Promise<ScheduleRun> {
    return this.#transport.request(once("POST", `${pathOf(scheduleId)}/trigger`), options);
  }

  /**
   * What became of the run times of a schedule, the newest first. Those without a message say why; the latest 1,000 of
   * them are kept, and at most 200 more.
   *
   * @example
   * ```ts
   * for await (const { runTime, outcome, reason } of postdate.schedules.runs("weekday-digest")) {
   *   console.log(runTime, outcome, reason);
   * }
   * ```
   */
  runs(scheduleId: string, query?: PageQuery, options?: CallOptions): PagedList<ScheduleRun> {
    return new PagedList(this.#transport, `${pathOf(scheduleId)}/runs`, query, options);
  }

  /**
   * Starts a job that makes the runs of times that are past, each of which has had none. Its messages are due at
   * once.
   *
   * @example
   * ```ts
   * const { jobId } = await postdate.schedules.backfill("weekday-digest", {
   *   from: new Date("2030-01-07"),
   *   to: new Date("2030-01-12"),
   * });
   * const { done } = await postdate.jobs.wait(jobId);
   * console.log(done);
   * ```
   */
  async backfill(
    scheduleId: string,
    backfill: BackfillInput,
    options: ScheduleOptions = {},
  ): Promise<Job> {
    const request = repeatable("POST", `${pathOf(scheduleId)}/backfill`, wire({ ...backfill }));
    return this.#transport.request(withKey(request, options), options);
  }

  /**
   * Counts the run times that a backfill would make, up to some 100,000 and for a few seconds at most, and shows the
   * first ten. Nothing changes. It goes on as `jobs.preview` does.
   *
   * @example
   * ```ts
   * const { count, sample } = await postdate.schedules.previewBackfill("weekday-digest", {
   *   from: new Date("2030-01-07"),
   * });
   * console.log(count, sample[0]);
   * ```
   */
  async previewBackfill(
    scheduleId: string,
    backfill: BackfillInput & CountFrom,
    options?: CallOptions,
  ): Promise<BackfillPreview> {
    return countOn((from) => {
      const body = wire({ ...backfill, dryRun: true, ...from });
      const request = repeatable("POST", `${pathOf(scheduleId)}/backfill`, body);
      return this.#transport.request(request, options);
    });
  }

  /**
   * When a schedule would be due. Nothing is stored. It takes the fields of a schedule; those that say nothing about
   * when, such as `targetId` and `json`, may be left out.
   *
   * @example
   * ```ts
   * const occurrences = await postdate.schedules.preview({
   *   cron: "30 2 * * *",
   *   timeZone: "Europe/Berlin",
   *   from: new Date("2030-03-29"),
   *   count: 3,
   * });
   * for (const { localTime, offset, mark } of occurrences) console.log(localTime, offset, mark);
   * ```
   */
  async preview(schedule: PreviewInput, options?: CallOptions): Promise<Occurrence[]> {
    const request = repeatable("POST", `${all}/preview`, wire(schedule));
    return this.#transport.field("occurrences", request, options);
  }

  #post(
    scheduleId: string,
    change: string,
    body: unknown,
    options?: CallOptions,
  ): Promise<Schedule> {
    return this.#transport.request(repeatable("POST", pathOf(scheduleId) + change, body), options);
  }
}

function pathOf(scheduleId: string): string {
  return path`/v1/schedules/${scheduleId}`;
}

/** As it travels: dates as texts, and a value as the payload. The server checks the rest. */
function wire({ json, ...others }: { json?: unknown; [field: string]: unknown }): unknown {
  for (const [name, value] of Object.entries(others)) {
    // A Date that is none would travel as null, which means the default.
    if (value instanceof Date) others[name] = isoTime(value, name);
  }
  if (json === undefined) return others;
  check(others["payload"] === undefined, "Give either payload or json.");
  return { ...others, payload: jsonOf(json) };
}
