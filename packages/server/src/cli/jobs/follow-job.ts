import type { Job } from "@postdate/client";
import { codes } from "../../domain/refusals.ts";
import { pause, type Timers } from "../../platform/timers.ts";
import type { Service } from "../connection/service.ts";

const firstIntervalMs = 100;
const longestIntervalMs = 1_000;

export interface FollowJobOptions {
  readonly service: Service;
  readonly timers: Timers;
  readonly onLook: (job: Job) => void;
  /** Ends the wait at once. */
  readonly signal: AbortSignal;
}

/** Reads a job, less and less often, until it has ended or is paused. Undefined if the signal came before that. */
export async function followJob(
  job: Job,
  { service, timers, onLook, signal }: FollowJobOptions,
): Promise<Job | undefined> {
  let latest = job;
  let intervalMs = firstIntervalMs;
  while (latest.state === "RUNNING") {
    await pause(timers, intervalMs, signal);
    if (signal.aborted) return undefined;
    try {
      latest = await readJob(service, job.jobId, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
    onLook(latest);
    intervalMs = Math.min(intervalMs * 1.5, longestIntervalMs);
  }
  return latest;
}

export function readJob(service: Service, jobId: string, signal?: AbortSignal): Promise<Job> {
  return service.find(
    ({ jobs }) => jobs.get(jobId, { signal }),
    `There is no job ${jobId}. \`postdate jobs list\` shows all that are kept.`,
    codes.jobNotFound,
  );
}
