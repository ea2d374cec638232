import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import type { NextStep } from "../../domain/retry-policy.ts";
import { someJob } from "../../domain/testing/some-job.ts";
import { farFuture, limitMessages, note, resultOf } from "../../storage/conformance/harness.ts";
import { every, hourly } from "../../storage/conformance/schedules/schedule-harness.ts";
import { openSqliteStore } from "../../storage/sqlite/open-sqlite-store.ts";
import type { Holder, NewTarget, Store } from "../../storage/store.ts";

export const accountId = "acc_one";
export const day = 86_400_000;
export const oddPayload =
  'NUL \0, emoji 🙂, lone quote \', "double", back\\slash, {braces}, \u2028 end';

export interface EventfulFolder {
  readonly path: string;
  /** The messages, by what happened to them. */
  readonly messageIds: Readonly<Record<string, string>>;
  /** Opens the store again, to change something. */
  open(): Promise<Store>;
  remove(): void;
}

const retention = { retentionMs: 14 * day, idempotencyRetentionMs: day };

/** A data folder in which everything that can happen has happened, made by the store itself. */
export async function eventfulFolder(): Promise<EventfulFolder> {
  const path = mkdtempSync(join(tmpdir(), "postdate-migrate-"));
  const open = (): Promise<Store> => openSqliteStore({ dataDir: path, ...retention });
  const store = await open();
  await store.keepEncryptionCheck("sealed");
  const keys = { readable: ["key_a", "key_b"], firstKeyId: "key_a" };
  await store.useEncryptionKey({ nodeId: "embedded", keyId: "key_b", ...keys });
  for (const account of [accountId, "acc_two"]) await store.ensureAccount(account, `Of ${account}`);
  await limitMessages(store, accountId, 13);
  for (const [keyId, name] of [
    ["key_b", "nul \0 in it"],
    ["key_A", "emoji 🙂"],
  ] as const) {
    const scopes = ["scheduler.all.read"] as const;
    await store.createKey({ accountId, keyId, name, scopes, hash: `hash of ${keyId}` }, note());
  }
  const holder = await store.join("embedded", "all");
  const messageIds = await makeMessages(store, holder);
  await makeJobs(store, holder);
  await makeSchedules(store);
  await makeCredentials(store);
  await makeEvents(store, holder);
  await suspendAndRemove(store);
  await store.close();
  return { path, messageIds, open, remove: () => rmSync(path, { recursive: true }) };
}

async function makeCredentials(store: Store): Promise<void> {
  const client = { accountId, clientId: "client_b", name: "rotated", secretHash: "first hash" };
  const scopes = ["scheduler.all.read", "scheduler.messages.readwrite"] as const;
  await store.createClient({ ...client, scopes }, note({ requestId: null }));
  const rotation = { ...client, secretHash: "second hash", overlapMs: 30 * day };
  await store.rotateClientSecret(rotation, note({ action: "client.secret-rotated" }));
  await store.createClient({ ...client, clientId: "client_A", scopes: [] }, note());
  await store.revokeToken(accountId, "token of client_b", store.clock.now() + day);
  const key = { publicKey: '{"kty":"EC"}', sealedPrivateKey: "sealed" };
  const made = note({ action: "signing-key.created", accountId: null });
  await store.addSigningKey({ ...key, keyId: "sig_2" }, null, made);
  await store.addSigningKey(
    { ...key, keyId: "sig_1" },
    "sig_2",
    note({ detail: { "\0": ["🙂"] } }),
  );
}

export const runningJob = { accountId, jobId: "job_of_two" };

/** One that has had its first step, and one that has ended. */
async function makeJobs(store: Store, holder: Holder): Promise<void> {
  const shift = someJob({ ...runningJob, action: "shift", byMs: -1, ratePerSecond: 1 });
  await store.createJob(shift, { key: "one:job", fingerprint: "print" }, note());
  await store.takeJobs(holder, 1);
  const entryIds = { endEntryId: "end", removalEntryId: "removal" };
  const step = await store.advanceJob({ ...runningJob, holder, ...entryIds });
  if (step.kind !== "advanced" || step.job.done !== 1) throw new Error(`a step: ${step.kind}`);
  const other = { accountId: "acc_two", jobId: "job_of_three" };
  const filter = { targetId: null, labels: ["a:1"] };
  await store.createJob(someJob({ ...other, filter, note: "of \0 and 🙂" }), null, note());
  await store.changeJob(other, { kind: "stop" }, note());
}

export const movedSchedule = { accountId: "acc_two", scheduleId: "moved" };
export const triggeredSchedule = { accountId: "acc_two", scheduleId: "triggered" };

/** One with a run, one that is paused, and one whose only message was moved. */
async function makeSchedules(store: Store): Promise<void> {
  const [triggered, paused] = [triggeredSchedule, { accountId: "acc_two", scheduleId: "Paused" }];
  const yearly = hourly({ cron: ["0 0 29 2 *"], timeZone: "Europe/Berlin", payload: oddPayload });
  for (const ref of [triggered, paused]) {
    await store.createSchedule({ ...ref, definition: yearly }, note());
  }
  await store.changeSchedule(triggered, { kind: "trigger" }, note());
  const pause = { kind: "pause", note: "of \0 and 🙂", until: null } as const;
  await store.changeSchedule(paused, pause, note());
  const once = every(1_000, { maxRuns: 1 });
  const made = await store.createSchedule({ ...movedSchedule, definition: once }, note());
  const messageId = made.kind === "created" ? made.schedule.lastRun!.messageId! : made.kind;
  const later = { delayMs: 365 * day };
  await store.rescheduleMessage({
    accountId: "acc_two",
    messageId,
    deliveryTime: later,
    waitMs: 0,
  });
}

/** A webhook that has got one of two events, and a target that fails. */
async function makeEvents(store: Store, holder: Holder): Promise<void> {
  const ref = { accountId, endpointId: "Hook" };
  const filter = {
    types: ["target.*", "message.*"],
    targetIds: ["Zulu", "t"],
    labels: { "\0": "🙂" },
  };
  const sealed = { sealedSettings: "sealed address", sealedSecrets: "sealed secret" };
  const order = { ...ref, kind: "webhook", filter, ...sealed, maxBatch: 9 } as const;
  await store.createEndpoint(order, note({ action: "event-endpoint.created" }));
  const zulu = { accountId, targetId: "Zulu" };
  const failingAfter = { attempts: 7, ms: 8 };
  await store.updateTarget(zulu, { failingAfter }, null, note({ action: "target.updated" }));
  const { targetKey } = (await store.getTarget(zulu))!;
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  const next = { kind: "retry", delayMs: day } as const;
  await store.recordAttempts(holder, [resultOf(claims[0]!, next)]);
  await store.takeWebhooks(holder, 1);
  const sent = { kind: "delivered", position: 1, mark: null, sent: true } as const;
  await store.recordBatch(holder, ref, 1, sent);
}

/** One suspended account with a due message, and one removed account. */
async function suspendAndRemove(store: Store): Promise<void> {
  for (const account of ["acc_suspended", "acc_removed"]) {
    const key = { keyId: `key of ${account}`, name: "first", scopes: [], hash: account };
    const limits = { monthlyMessageLimit: 5, requestLimit: { max: 9, intervalMs: 1_000 } };
    await store.createAccount({ accountId: account, name: account, ...limits }, key, [note()]);
    await makeTarget(store, "t", account);
    const request = { accountId: account, targetId: "t", deliveryTime: 1, payload: account };
    await store.scheduleMessages([{ ...request, options: null, idempotency: null }]);
    await store.updateAccount(account, { state: "SUSPENDED" }, note({ accountId: account }));
  }
  await store.removeAccount("acc_removed", note({ accountId: "acc_removed" }));
}

async function makeTarget(store: Store, targetId: string, account = accountId) {
  const made: NewTarget = {
    accountId: account,
    targetId,
    kind: "webhook",
    sealedSettings: `settings of ${account}/${targetId}`,
    sealedSecrets: `secrets of ${account}/${targetId}`,
    retryPolicy: defaultRetryPolicy,
    maxConcurrency: 7,
    rateLimit: { max: 1_000, intervalMs: 1_000 },
    paused: false,
  };
  const target = await store.createTarget(made, note({ accountId: account, subjectId: targetId }));
  if (typeof target === "string") throw new Error(`${targetId}: ${target}`);
  return target;
}

async function makeMessages(store: Store, holder: Holder) {
  const ids: Record<string, string> = {};
  const target = await makeTarget(store, "t");
  await makeTarget(store, "t", "acc_two");
  const removed = await makeTarget(store, "removed");
  const recreated = await makeTarget(store, "recreated");
  await makeTarget(store, "Zulu");

  const schedule = async (
    what: string,
    targetId = "t",
    payload = what,
    due = 1,
  ): Promise<string> => {
    const idempotency = { key: `one:${what}`, fingerprint: `print of ${what}` };
    const account = what === "of another account" ? "acc_two" : accountId;
    const options =
      what === "with options"
        ? { key: "k'\"", labels: { a: "1", b: "two: 2" }, notAfterMs: 5, contentType: "text/html" }
        : null;
    const request = {
      ...{ accountId: account, targetId, deliveryTime: due, payload },
      ...{ options, idempotency },
      ...(options !== null && {
        wantedKey: { key: options.key, onConflict: "reject" as const, maxWaitMs: null },
      }),
    };
    const [result] = await store.scheduleMessages([request]);
    if (result?.kind !== "scheduled") throw new Error(`${what}: ${result?.kind}`);
    return (ids[what] = result.message.messageId);
  };
  const attempt = async (targetKey: number, next: NextStep, response: string | null) => {
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    const { messageId, version, attemptNumber: number, dueAt: startTime } = claims[0]!;
    const isDone = next.kind === "delivered";
    const outcome = isDone ? "DELIVERED" : "BAD_STATUS";
    const statusCode = isDone ? 204 : 503;
    const error = isDone ? null : "it answered 503";
    const times = { startTime, endTime: startTime + 9 };
    const made = { number, ...times, outcome, statusCode, error, response } as const;
    await store.recordAttempts(holder, [{ messageId, version, attempt: made, next }]);
  };

  await schedule("delivered");
  await attempt(target.targetKey, { kind: "delivered" }, "thanks \0 🙂");
  await schedule("dead");
  await attempt(target.targetKey, { kind: "retry", delayMs: 0 }, "");
  await attempt(target.targetKey, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }, null);
  await schedule("retrying");
  await attempt(target.targetKey, { kind: "retry", delayMs: day }, "later");
  const cancelled = await schedule("cancelled");
  await store.cancelMessage({ accountId, messageId: cancelled, waitMs: 0 });
  const rescheduled = await schedule("rescheduled");
  const deliveryTime = Date.UTC(9000, 0, 1);
  await store.rescheduleMessage({ accountId, messageId: rescheduled, waitMs: 0, deliveryTime });
  await schedule("odd", "t", oddPayload);
  await schedule("empty", "Zulu", "");
  await schedule("with options", "Zulu", "x", farFuture);
  await schedule("of another account");
  for (const { targetId, targetKey } of [removed, recreated]) {
    await schedule(`for ${targetId}`, targetId);
    await attempt(targetKey, { kind: "delivered" }, null);
    await store.removeTarget({ accountId, targetId }, note());
  }
  await makeTarget(store, "recreated");
  await schedule("again for recreated", "recreated");
  return ids;
}
