import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import type { NextStep } from "../../domain/retry-policy.ts";
import { openSqliteStore } from "../../storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../../storage/store.ts";

export const accountId = "acc_one";
export const day = 86_400_000;
export const oddPayload =
  'NUL \0, emoji 🙂, lone quote \', "double", back\\slash, {braces}, \u2028 end';

export interface EventfulFolder {
  readonly path: string;
  /** Messages by what became of them. */
  readonly messageIds: Readonly<Record<string, string>>;
  /** The store again, for whoever wants to change something. */
  open(): Promise<Store>;
  remove(): void;
}

const retention = { retentionMs: 14 * day, idempotencyRetentionMs: day };

/** A data folder where everything has happened that can happen, made by the store itself. */
export async function eventfulFolder(): Promise<EventfulFolder> {
  const path = mkdtempSync(join(tmpdir(), "postdate-migrate-"));
  const open = (): Promise<Store> => openSqliteStore({ dataDir: path, ...retention });
  const store = await open();
  await store.keepEncryptionCheck("sealed");
  for (const account of [accountId, "acc_two"]) await store.ensureAccount(account);
  await store.setMonthlyMessageLimit(accountId, 12);
  for (const [keyId, name] of [
    ["key_b", "nul \0 in it"],
    ["key_A", "emoji 🙂"],
  ] as const) {
    const scopes = ["scheduler.all.read"] as const;
    await store.createKey({ accountId, keyId, name, scopes, hash: `hash of ${keyId}` });
  }
  const holder = await store.join("embedded", "all");
  const messageIds = await makeMessages(store, holder);
  await store.close();
  return { path, messageIds, open, remove: () => rmSync(path, { recursive: true }) };
}

async function makeTarget(store: Store, targetId: string, account = accountId) {
  const target = await store.createTarget({
    accountId: account,
    targetId,
    kind: "webhook",
    sealedSettings: `settings of ${account}/${targetId}`,
    sealedSecrets: `secrets of ${account}/${targetId}`,
    retryPolicy: defaultRetryPolicy,
    maxConcurrency: 7,
    rateLimit: { max: 1_000, intervalMs: 1_000 },
    paused: false,
  });
  if (target === "exists") throw new Error(`there is a target ${targetId}`);
  return target;
}

async function makeMessages(store: Store, holder: Awaited<ReturnType<Store["join"]>>) {
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
    const request = { accountId: account, targetId, deliveryTime: due, payload, idempotency };
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
  await attempt(target.targetKey, { kind: "dead-letter" }, null);
  await schedule("retrying");
  await attempt(target.targetKey, { kind: "retry", delayMs: day }, "later");
  const cancelled = await schedule("cancelled");
  await store.cancelMessage({ accountId, messageId: cancelled, waitMs: 0 });
  const rescheduled = await schedule("rescheduled");
  const deliveryTime = Date.UTC(9000, 0, 1);
  await store.rescheduleMessage({ accountId, messageId: rescheduled, waitMs: 0, deliveryTime });
  await schedule("odd", "t", oddPayload);
  await schedule("empty", "Zulu", "");
  await schedule("of another account");
  for (const { targetId, targetKey } of [removed, recreated]) {
    await schedule(`for ${targetId}`, targetId);
    await attempt(targetKey, { kind: "delivered" }, null);
    await store.removeTarget({ accountId, targetId });
  }
  await makeTarget(store, "recreated");
  await schedule("again for recreated", "recreated");
  return ids;
}
