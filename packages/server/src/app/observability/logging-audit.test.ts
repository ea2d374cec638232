import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { AuditAction, AuditNote } from "../../domain/audit.ts";
import { account, entriesOf, makeTarget } from "../../storage/conformance/harness.ts";
import {
  byCaller,
  create,
  joinAndTake,
  refOf,
  run,
  start,
  stop,
} from "../../storage/conformance/jobs/job-harness.ts";
import { openSqliteStore } from "../../storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../../storage/store.ts";
import { loggingAudit } from "./logging-audit.ts";

let entries = 0;
function noteOf(action: AuditAction, subjectId: string): AuditNote {
  return {
    entryId: `aud_${++entries}`,
    actor: { kind: "operator", id: "operator" },
    requestId: "req_1",
    action,
    accountId: "shop",
    subjectId,
    detail: { fields: ["name"] },
  };
}

const key = (keyId: string) => ({
  keyId,
  name: "k",
  scopes: ["scheduler.all.read"] as const,
  hash: keyId.repeat(8),
});

async function openLogged(
  levelNow?: () => "info" | "debug",
): Promise<{ store: Store; lines: Record<string, unknown>[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-audit-"));
  const opened = await openSqliteStore({
    dataDir,
    retentionMs: 1_000,
    idempotencyRetentionMs: 1_000,
  });
  onTestFinished(async () => {
    await opened.close();
    await rm(dataDir, { recursive: true });
  });
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { store: loggingAudit(opened, logger, levelNow), lines };
}

test("every entry of the audit log is logged completely and once", async () => {
  const { store, lines } = await openLogged();
  const notes = [noteOf("account.created", "shop"), noteOf("key.created", "key_1")];
  await store.createAccount({ accountId: "shop", name: "Shop" }, key("key_1"), notes);
  const more = [
    noteOf("account.updated", "shop"),
    noteOf("key.revoked", "key_1"),
    noteOf("account.suspended", "shop"),
    noteOf("account.removed", "shop"),
  ] as const;
  await store.updateAccount("shop", { name: "Shop 2" }, more[0]);
  await store.revokeKey("shop", "key_1", more[1]);
  await store.updateAccount("shop", { state: "SUSPENDED" }, more[2]);
  await store.removeAccount("shop", more[3]);
  expect(lines).toMatchObject([...notes, ...more].map((note) => ({ ...note, msg: "audit" })));
});

test("an entry is logged at the level of that moment", async () => {
  let level: "info" | "debug" = "debug";
  const { store, lines } = await openLogged(() => level);
  await store.ensureAccount("shop", "Shop");
  await store.createKey({ accountId: "shop", ...key("key_1") }, noteOf("key.created", "key_1"));
  expect(lines).toEqual([]);
  level = "info";
  await store.createKey({ accountId: "shop", ...key("key_2") }, noteOf("key.created", "key_2"));
  expect(lines).toMatchObject([{ subjectId: "key_2", msg: "audit" }]);
});

test("an operation without effect is not logged", async () => {
  const { store, lines } = await openLogged();
  const note = noteOf("key.created", "x");
  await store.ensureAccount("shop", "Shop");
  expect(await store.createAccount({ accountId: "shop", name: "" }, key("key_1"), [note])).toBe(
    "exists",
  );
  await store.updateAccount("nobody", { name: "x" }, note);
  await store.removeAccount("shop", note);
  await store.removeAccount("nobody", note);
  await store.createKey({ accountId: "nobody", ...key("key_2") }, note);
  await store.revokeKey("shop", "nope", note);
  await store.removeClient("shop", "nope", note);
  await store.removeTarget({ accountId: "shop", targetId: "nope" }, note);
  await store.updateTarget({ accountId: "shop", targetId: "nope" }, {}, null, note);
  await store.removeSigningKey("nope", note);
  expect(lines).toEqual([]);
  await expect(
    store.createKey({ accountId: "shop", ...key("key_3") }, note),
  ).resolves.toBeDefined();
  expect(lines).toHaveLength(1);
});

test("the start and every end of a job are logged as the audit log has them", async () => {
  const { store, lines } = await openLogged();
  await store.ensureAccount(account, "One");
  for (const targetId of ["t", "u"]) await makeTarget(store, targetId);
  const stopped = await start(store);
  expect((await create(store)).kind).toBe("busy");
  await store.changeJob(refOf(stopped), { kind: "pause" }, byCaller());
  await stop(store, stopped);
  await stop(store, stopped);
  const removing = await start(store, { filter: { targetId: "u" }, removesTarget: true });
  await run(store, await joinAndTake(store), removing);
  const entries = (await entriesOf(store)).toReversed().map(({ time: _time, ...entry }) => entry);
  const actions = entries.map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith("job."))).toEqual([
    "job.started",
    "job.ended",
    "job.started",
    "job.ended",
  ]);
  expect(actions).toContain("target.removed");
  const logged = lines.map(({ level: _level, time: _time, msg: _msg, ...note }) => note);
  const byId = (one: object, other: object) =>
    JSON.stringify(one).localeCompare(JSON.stringify(other));
  expect(logged.toSorted(byId)).toEqual(entries.toSorted(byId));
});
