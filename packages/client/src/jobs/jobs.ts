import type { CallOptions, ScheduleOptions } from "../call-options.ts";
import { PagedList } from "../lists/paged-list.ts";
import { find, get, path, repeatable, withKey } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { CountFrom, Job, JobInput, JobPreview } from "../types/jobs.ts";
import type { PageQuery } from "../types/lists.ts";
import { countOn } from "./count-on.ts";

export interface WaitOptions extends CallOptions {
  /** Hears how far the job has come, each time that the client looks. */
  readonly onProgress?: ((job: Job) => void) | undefined;
}

const allJobs = "/v1/jobs";
const longestPauseMs = 5_000;

/** Changes of many messages at once. */
export class Jobs {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts a job. It works on by itself, at its own rate, and meets each message once. A target has one job at a
   * time.
   *
   * @example
   * ```ts
   * const { jobId } = await postdate.jobs.create({
   *   action: "shift",
   *   filter: { targetId: "mail", minTime: new Date() },
   *   byMs: 86_400_000,
   * });
   * const { done, skipped } = await postdate.jobs.wait(jobId);
   * console.log(done, skipped);
   * ```
   */
  async create(job: JobInput, options: ScheduleOptions = {}): Promise<Job> {
    return this.#transport.request(withKey(repeatable("POST", allJobs, job), options), options);
  }

  /**
   * Counts the messages that a job would meet, up to some 100,000 and for a few seconds at most, and shows the first
   * ten. Nothing changes. With the `nextPageToken` of a preview as `pageToken` it goes on with the count.
   * `timeoutMs` is for each answer of the service, which takes less than a second.
   *
   * @example
   * ```ts
   * const { count, exact } = await postdate.jobs.preview({
   *   action: "cancel",
   *   filter: { labels: { order: "17" } },
   * });
   * console.log(exact ? count : `at least ${count}`);
   * ```
   */
  async preview(job: JobInput & CountFrom, options?: CallOptions): Promise<JobPreview> {
    return countOn((from) => {
      const request = repeatable("POST", allJobs, { ...job, dryRun: true, ...from });
      return this.#transport.request(request, options);
    });
  }

  /**
   * The job, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const job = await postdate.jobs.get("job_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * console.log(job?.state ?? "no such job");
   * ```
   */
  async get(jobId: string, options?: CallOptions): Promise<Job | null> {
    return this.#transport.request(find(pathOf(jobId), "E-DI-7001"), options);
  }

  /**
   * All jobs, the newest first.
   *
   * @example
   * ```ts
   * for await (const { jobId, action, state } of postdate.jobs.list()) console.log(jobId, action, state);
   * ```
   */
  list(query?: PageQuery, options?: CallOptions): PagedList<Job> {
    return new PagedList(this.#transport, allJobs, query, options);
  }

  /**
   * Ends the job. Once it resolves, the job changes nothing more.
   *
   * @example
   * ```ts
   * const { done } = await postdate.jobs.stop("job_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * console.log(done);
   * ```
   */
  async stop(jobId: string, options?: CallOptions): Promise<Job> {
    return this.#transport.change<Job>(
      repeatable("POST", pathOf(jobId, "/stop")),
      get(pathOf(jobId)),
      ({ state }) => state === "STOPPED",
      options,
    );
  }

  /**
   * Holds the job until it is resumed.
   *
   * @example
   * ```ts
   * await postdate.jobs.pause("job_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * ```
   */
  async pause(jobId: string, options?: CallOptions): Promise<Job> {
    return this.#transport.request(repeatable("POST", pathOf(jobId, "/pause")), options);
  }

  /**
   * Lets a paused job go on.
   *
   * @example
   * ```ts
   * await postdate.jobs.resume("job_01k9xvq8c7e4nv3q0t2m5r8w1z");
   * ```
   */
  async resume(jobId: string, options?: CallOptions): Promise<Job> {
    return this.#transport.request(repeatable("POST", pathOf(jobId, "/resume")), options);
  }

  /**
   * Changes how many messages a second the job may change.
   *
   * @example
   * ```ts
   * await postdate.jobs.setRate("job_01k9xvq8c7e4nv3q0t2m5r8w1z", 200);
   * ```
   */
  async setRate(jobId: string, ratePerSecond: number, options?: CallOptions): Promise<Job> {
    return this.#transport.request(repeatable("PATCH", pathOf(jobId), { ratePerSecond }), options);
  }

  /**
   * Waits until the job has ended or is paused, and looks less and less often: every five seconds in the end.
   * `timeoutMs` is for each look, `signal` for the whole.
   *
   * @example
   * ```ts
   * const job = await postdate.jobs.wait("job_01k9xvq8c7e4nv3q0t2m5r8w1z", {
   *   onProgress: ({ done }) => console.log(done),
   * });
   * if (job.state !== "DONE") console.log(job.state, job.stopReason);
   * ```
   */
  async wait(jobId: string, { onProgress, ...options }: WaitOptions = {}): Promise<Job> {
    const request = get(pathOf(jobId));
    return this.#transport.call({ ...options, timeoutMs: Infinity }, async ({ deadline }) => {
      for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
        const job = await this.#transport.request<Job>(request, options);
        onProgress?.(job);
        if (job.state !== "RUNNING") return job;
        await deadline.pause(pauseMs);
      }
    });
  }
}

function pathOf(jobId: string, change = ""): string {
  return path`/v1/jobs/${jobId}` + change;
}
