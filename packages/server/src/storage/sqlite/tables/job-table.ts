import type { DatabaseSync } from "node:sqlite";
import { isLive } from "../../../domain/job.ts";
import type { Job } from "../../../domain/job.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Idempotency, JobRef } from "../../store.ts";
import { assignments, insertInto } from "../rows/rows.ts";
import type { Row, ValuesOf } from "../rows/rows.ts";
import type { Accounts } from "./accounts.ts";

export interface StoredJob {
  readonly jobKey: number;
  readonly accountKey: number;
  readonly job: Job;
}

const changing = ["occupies", "running", "emptied", "expiration_time", "job"] as const;
const inserted = [
  ...["account_key", "job_id", "idempotency_key", "fingerprint"],
  ...changing,
] as const;

const mostRemovedAtOnce = 100;

/** Reads and writes single jobs. The domain decides what becomes of them. */
export class JobTable {
  readonly #accounts: Accounts;
  readonly #clock: Clock;
  readonly #retentionMs: number;
  readonly #select;
  readonly #selectOccupant;
  readonly #countLive;
  readonly #selectNewest;
  readonly #deleteOld;
  readonly #selectByKey;
  readonly #freeKey;
  readonly #insert;
  readonly #update;
  readonly #setEmptied;

  constructor(db: DatabaseSync, accounts: Accounts, clock: Clock, retentionMs: number) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#retentionMs = retentionMs;
    const live = "(expiration_time IS NULL OR expiration_time > ?)";
    this.#select = db.prepare(
      `SELECT job_key, job FROM jobs WHERE account_key = ? AND job_id = ? AND ${live}`,
    );
    this.#selectOccupant = db.prepare(
      "SELECT job_id FROM jobs WHERE account_key = ? AND occupies = ?",
    );
    this.#countLive = db.prepare(
      `SELECT count(*) AS live FROM
         (SELECT 1 FROM jobs WHERE account_key = ? AND occupies IS NOT NULL LIMIT ?)`,
    );
    this.#selectNewest = db.prepare(
      "SELECT job FROM jobs WHERE account_key = ? ORDER BY job_id DESC LIMIT 1 OFFSET ?",
    );
    this.#deleteOld = db.prepare(
      `DELETE FROM jobs WHERE job_key IN
         (SELECT job_key FROM jobs
          WHERE account_key = ?1 AND emptied = 1 AND job_id <
            (SELECT job_id FROM jobs WHERE account_key = ?1 ORDER BY job_id DESC LIMIT 1 OFFSET ?2)
          ORDER BY job_id LIMIT ${mostRemovedAtOnce})`,
    );
    this.#selectByKey = db.prepare(
      `SELECT fingerprint, job FROM jobs
       WHERE account_key = ? AND idempotency_key = ? AND ${live}`,
    );
    this.#freeKey = db.prepare(
      `UPDATE jobs SET idempotency_key = NULL, fingerprint = NULL
       WHERE account_key = ? AND idempotency_key = ?`,
    );
    this.#insert = db.prepare(insertInto("jobs", inserted));
    this.#update = db.prepare(`UPDATE jobs SET ${assignments(changing)} WHERE job_key = ?`);
    this.#setEmptied = db.prepare("UPDATE jobs SET emptied = 1 WHERE job_key = ?");
  }

  /** The job, if it exists, belongs to the account and has not expired. */
  find({ accountId, jobId }: JobRef): StoredJob | undefined {
    const accountKey = this.#accounts.keyOf(accountId);
    if (accountKey === undefined) return undefined;
    const row = this.#select.get(accountKey, jobId, this.#clock.now());
    return row && { jobKey: row["job_key"] as number, accountKey, job: readJob(row) };
  }

  /** The job that has not ended and works on this, a target or '' for none. */
  occupant(accountKey: number, occupies: string): string | undefined {
    return this.#selectOccupant.get(accountKey, occupies)?.["job_id"] as string | undefined;
  }

  /** How many jobs of the account have not ended, counted up to `most`. */
  liveCount(accountKey: number, most: number): number {
    return this.#countLive.get(accountKey, most)!["live"] as number;
  }

  /** Of the account's jobs, the newest, the second newest, and so on, from 1. */
  newest(accountKey: number, position: number): Job | undefined {
    const row = this.#selectNewest.get(accountKey, position - 1);
    return row && readJob(row);
  }

  /** Removes jobs that have ended and are not among the newest `kept`. A few at a time: they come one by one. */
  removeOld(accountKey: number, kept: number): void {
    this.#deleteOld.run(accountKey, kept - 1);
  }

  /** The job that was created with this key. */
  byIdempotencyKey(accountKey: number, key: string) {
    const row = this.#selectByKey.get(accountKey, key, this.#clock.now());
    return row && { fingerprint: row["fingerprint"] as string, job: readJob(row) };
  }

  /** A job that had the key long ago gives it up. */
  insert(accountKey: number, job: Job, idempotency: Idempotency | null): void {
    if (idempotency !== null) this.#freeKey.run(accountKey, idempotency.key);
    const { key = null, fingerprint = null } = idempotency ?? {};
    this.#insert.run(accountKey, job.jobId, key, fingerprint, ...this.#valuesOf(job));
  }

  update({ jobKey }: StoredJob, job: Job): void {
    this.#update.run(...this.#valuesOf(job), jobKey);
  }

  setEmptied(jobKey: number): void {
    this.#setEmptied.run(jobKey);
  }

  #valuesOf(job: Job): ValuesOf<typeof changing> {
    return [
      isLive(job.state) ? occupiedBy(job) : null,
      Number(job.state === "RUNNING"),
      0,
      job.endTime === null ? null : job.endTime + this.#retentionMs,
      JSON.stringify(job),
    ];
  }
}

export function occupiedBy({ filter }: Pick<Job, "filter">): string {
  return filter.targetId ?? "";
}

export function readJob(row: Row): Job {
  return JSON.parse(row["job"] as string) as Job;
}
