import type { DatabaseSync } from "node:sqlite";
import { jobMessageStages } from "../../../domain/job.ts";
import type { JobMessageStage } from "../../../domain/job.ts";

export interface OpenMessage {
  readonly messageKey: number;
  readonly attemptCount: number | null;
}

/** The messages that jobs have met. */
export class JobMessages {
  readonly #select;
  readonly #selectOpen;
  readonly #put;
  readonly #delete;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare("SELECT 1 FROM job_messages WHERE job_key = ? AND message_key = ?");
    // The index holds only these rows, and SQLite must see it.
    this.#selectOpen = db.prepare(
      `SELECT message_key, attempt_count FROM job_messages
       WHERE job_key = ? AND stage = ? AND stage > 0 ORDER BY message_key LIMIT ?`,
    );
    this.#selectOpen.setReturnArrays(true);
    this.#put = db.prepare(
      `INSERT INTO job_messages (job_key, message_key, stage, attempt_count) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET stage = excluded.stage, attempt_count = excluded.attempt_count`,
    );
    this.#delete = db.prepare(
      `DELETE FROM job_messages WHERE (job_key, message_key) IN
         (SELECT job_key, message_key FROM job_messages WHERE job_key = ? LIMIT ?)`,
    );
  }

  has(jobKey: number, messageKey: number): boolean {
    return this.#select.get(jobKey, messageKey) !== undefined;
  }

  put(
    jobKey: number,
    messageKey: number,
    stage: JobMessageStage,
    attemptCount: number | null = null,
  ): void {
    this.#put.run(jobKey, messageKey, jobMessageStages.indexOf(stage), attemptCount);
  }

  inStage(
    jobKey: number,
    stage: Exclude<JobMessageStage, "handled">,
    limit: number,
  ): OpenMessage[] {
    const rows = this.#selectOpen.all(jobKey, jobMessageStages.indexOf(stage), limit);
    return (rows as unknown as [number, number | null][]).map(([messageKey, attemptCount]) => ({
      messageKey,
      attemptCount,
    }));
  }

  /** Removes up to `limit` rows of a job. */
  remove(jobKey: number, limit: number): number {
    return Number(this.#delete.run(jobKey, limit).changes);
  }
}
