import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { isLive } from "../../../domain/job.ts";
import type { Job, NewJob } from "../../../domain/job.ts";
import { someJob } from "../../../domain/testing/some-job.ts";
import type { AskedJob } from "../../../domain/testing/some-job.ts";

import type { Message } from "../../../domain/message.ts";
import type {
  AttemptResult,
  Holder,
  JobRef,
  JobStep,
  ScheduleRequest,
  Store,
} from "../../store.ts";
import {
  account,
  exhausted,
  farFuture,
  makeTarget,
  note,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "../harness.ts";
import type { MakeLocation, Opened, StoreOptions } from "../harness.ts";

export type { AskedJob as Asked };

let jobs = 0;

/** A job that cancels all messages of the target "t", unless `asked` says otherwise. */
export function newJob(asked: AskedJob = {}): NewJob {
  const jobId = `job_${String(++jobs).padStart(26, "0")}`;
  return someJob({ jobId, accountId: account, ...asked });
}

export function startNote({ jobId, accountId }: NewJob) {
  return note({ action: "job.started", accountId, subjectId: jobId });
}

export function create(store: Store, asked: AskedJob = {}) {
  const job = newJob(asked);
  return store.createJob(job, null, startNote(job));
}

export async function start(store: Store, asked: AskedJob = {}): Promise<Job> {
  const result = await create(store, asked);
  if (result.kind !== "created") throw new Error(result.kind);
  return result.job;
}

export function refOf({ accountId, jobId }: JobRef): JobRef {
  return { accountId, jobId };
}

export const byCaller = () => {
  const { entryId, actor, requestId } = note();
  return { entryId, actor, requestId };
};

export const stop = (store: Store, job: JobRef) =>
  store.changeJob(refOf(job), { kind: "stop" }, byCaller());

/** Joins as the only node, and holds all jobs. */
export async function joinAndTake(store: Store): Promise<Holder> {
  const holder = await store.join("node", "all");
  await store.takeJobs(holder, 100);
  return holder;
}

export function advance(store: Store, holder: Holder, job: JobRef): Promise<JobStep> {
  const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
  return store.advanceJob({ ...refOf(job), holder, endEntryId, removalEntryId });
}

/** One step that its holder makes. */
export async function advanced(store: Store, holder: Holder, job: JobRef) {
  const step = await advance(store, holder, job);
  if (step.kind !== "advanced") throw new Error(step.kind);
  return step;
}

/** Takes one step after the other, as the engine does, until the condition holds. */
export async function advanceUntil(
  store: Store,
  holder: Holder,
  job: JobRef,
  isThere: (job: Job) => boolean,
): Promise<Job> {
  for (;;) {
    const step = await advanced(store, holder, job);
    if (isThere(step.job)) return step.job;
    if (step.idleMs === null) throw new Error(`the job is ${step.job.state}`);
    if (step.idleMs > 0) await pause(step.idleMs);
    await store.renew(holder);
  }
}

/** Takes steps until the job has ended, if it has not, and checks what is true of every job that has. */
export async function run(store: Store, holder: Holder, job: JobRef): Promise<Job> {
  const before = (await store.getJob(refOf(job)))!;
  const ended = isLive(before.state)
    ? await advanceUntil(store, holder, job, ({ state }) => !isLive(state))
    : before;
  expectWhole(ended);
  expect(await store.getJob(refOf(job))).toEqual(ended);
  return ended;
}

/** The step that ends a job without messages to wait for. */
export async function lastStep(store: Store, holder: Holder, job: JobRef) {
  for (;;) {
    const step = await advanced(store, holder, job);
    if (step.idleMs === null) return step;
  }
}

/** Starts a job and runs it to its end. */
export async function runNew(store: Store, asked: AskedJob): Promise<Job> {
  const job = await start(store, asked);
  return run(store, await joinAndTake(store), job);
}

export function expectWhole({ matched, done, skipped, endTime }: Job): void {
  expect(done + skipped.changed + skipped.inFlight).toBe(matched);
  expect(endTime).not.toBeNull();
}

export async function scheduleMany(
  store: Store,
  count: number,
  changeOf: (index: number) => Partial<ScheduleRequest> = () => ({}),
): Promise<Message[]> {
  const requests = Array.from({ length: count }, (_, index) => ({
    accountId: account,
    targetId: "t",
    deliveryTime: farFuture + index,
    payload: "",
    options: null,
    idempotency: null,
    ...changeOf(index),
  }));
  const results = await store.scheduleMessages(requests);
  return results.map((result) => {
    if (result.kind !== "scheduled") throw new Error(result.kind);
    return result.message;
  });
}

export const messageOf = async (store: Store, message: Message): Promise<Message> =>
  (await store.getMessage(refTo(message)))!;

export const messagesOf = (store: Store, messages: readonly Message[]): Promise<Message[]> =>
  Promise.all(messages.map((message) => messageOf(store, message)));

/** Makes dead letters of due messages, in this order. Each result may be changed. */
export async function makeDead(
  store: Store,
  targetKey: number,
  count: number,
  changeOf: (index: number) => Partial<ScheduleRequest> = () => ({}),
  ending: (result: AttemptResult, index: number) => AttemptResult = (result) => result,
): Promise<Message[]> {
  const made = await scheduleMany(store, count, (index) => ({
    deliveryTime: past + index,
    ...changeOf(index),
  }));
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: count }]);
  if (claims.length !== count) throw new Error(`claimed ${claims.length} of ${count}`);
  for (const [index, claim] of claims.entries()) {
    await store.recordAttempts(holder, [ending(resultOf(claim, exhausted), index)]);
  }
  return messagesOf(store, made);
}

/** Until the store's clock shows a later millisecond than this. */
export async function clockMovesOn(store: Store, from: number): Promise<void> {
  while ((await schedule(store, "other", farFuture)).schedulingTime <= from);
}

export interface OpenedForJobs extends Opened {
  readonly targetKey: number;
}

/** Stores with the targets "t" and "other". */
export function jobStoresOf(makeLocation: MakeLocation) {
  const open = storesOf(makeLocation);
  return async (options: Partial<StoreOptions> = {}): Promise<OpenedForJobs> => {
    const opened = await open(options);
    const { targetKey } = await makeTarget(opened.store, "t", { maxConcurrency: 1_000 });
    await makeTarget(opened.store, "other");
    return { ...opened, targetKey };
  };
}
