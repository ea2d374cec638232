import { isLive } from "../../../src/domain/job.ts";
import type { Job, JobMessageStage } from "../../../src/domain/job.ts";
import type { Instant } from "../../../src/domain/message.ts";
import type { Idempotency, JobRef } from "../../../src/storage/store.ts";

interface MetMessage {
  readonly stage: JobMessageStage;
  /** Of a watched message: its attempts when it was redriven. */
  readonly attemptCount: number;
}

export interface KeptJob {
  job: Job;
  /** Null while it lives. */
  expirationTime: Instant | null;
  /** The epoch of the membership that has it. */
  holder: number | null;
  readonly idempotency: Idempotency | null;
  /** By id, the messages that it has met. */
  readonly met: Map<string, MetMessage>;
}

/** Jobs in the order of their creation. */
export class JobTable {
  #jobs: KeptJob[] = [];
  /** Every job when it was made and after each change of its state. Jobs go; this stays. */
  readonly journal: Job[] = [];

  add(job: Job, idempotency: Idempotency | null): void {
    this.journal.push(job);
    this.#jobs.push({ job, idempotency, expirationTime: null, holder: null, met: new Map() });
  }

  all(): readonly KeptJob[] {
    return this.#jobs;
  }

  find({ accountId, jobId }: JobRef, now: Instant): KeptJob | undefined {
    return this.ofAccount(accountId, now).find(({ job }) => job.jobId === jobId);
  }

  /** Those that have not expired. */
  ofAccount(accountId: string, now: Instant): KeptJob[] {
    return this.#jobs.filter(
      ({ job, expirationTime }) =>
        job.accountId === accountId && (expirationTime === null || expirationTime > now),
    );
  }

  update(kept: KeptJob, job: Job, retentionMs: number): void {
    if (job.state !== kept.job.state) this.journal.push(job);
    kept.job = job;
    if (isLive(job.state)) return;
    kept.expirationTime = job.endTime! + retentionMs;
    kept.met.clear();
  }

  /** Ended jobs of the account that are not among its newest. */
  removeOld(accountId: string, kept: number): void {
    const own = this.#jobs.filter(({ job }) => job.accountId === accountId);
    const old = own.slice(0, -kept).filter(({ job }) => !isLive(job.state));
    if (old.length > 0) this.#jobs = this.#jobs.filter((each) => !old.includes(each));
  }

  removeOf(accountId: string): void {
    this.#jobs = this.#jobs.filter(({ job }) => job.accountId !== accountId);
  }

  removeExpired(now: Instant, limit: number): number {
    const expired = this.#jobs
      .filter(({ expirationTime }) => expirationTime !== null && expirationTime <= now)
      .slice(0, limit);
    this.#jobs = this.#jobs.filter((kept) => !expired.includes(kept));
    return expired.length;
  }

  get nextExpiry(): Instant | null {
    const next = Math.min(...this.#jobs.map(({ expirationTime }) => expirationTime ?? Infinity));
    return next === Infinity ? null : next;
  }
}
