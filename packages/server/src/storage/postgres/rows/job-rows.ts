import { isLive, jobMessageStages } from "../../../domain/job.ts";
import type { Job, JobMessageStage } from "../../../domain/job.ts";
import type { Row } from "../connections/connections.ts";
import type { GivenColumns } from "./given-columns.ts";

/** What a job occupies until it ends. No other job of its account may occupy the same meanwhile. */
export function occupiedBy({ filter }: Pick<Job, "filter">): string {
  return filter.targetId ?? "";
}

/** The columns that change with a job, in the order of `changingJobColumns`. */
export function changingJobValues(job: Job, retentionMs: number): unknown[] {
  return [
    isLive(job.state) ? occupiedBy(job) : null,
    job.state === "RUNNING",
    job.endTime === null ? null : job.endTime + retentionMs,
    JSON.stringify(job),
  ];
}

export const changingJobColumns = ["occupies", "running", "expiration_time", "job"];

export function readJob(row: Row): Job {
  return JSON.parse(row["job"] as string) as Job;
}

/** A message that a job has met. */
export interface MetMessage {
  /** The key of the message's row. */
  readonly key: string;
  readonly stage: JobMessageStage;
  /** Only of a watched message. */
  readonly attemptCount?: number;
}

export function stageNumber(stage: JobMessageStage): number {
  return jobMessageStages.indexOf(stage);
}

export const metColumns: GivenColumns<MetMessage> = {
  message_id: { type: "uuid", of: ({ key }) => key },
  stage: { type: "smallint", of: ({ stage }) => stageNumber(stage) },
  attempt_count: { type: "int", of: ({ attemptCount }) => attemptCount },
};
