import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { account, hour, makeTarget, note } from "../conformance/harness.ts";
import { describeSchedules } from "../conformance/schedules/describe-schedules.ts";
import { every, madeRun, refOf, second } from "../conformance/schedules/schedule-harness.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { clockedFolder } from "./testing/clocked-folder.ts";

describeSchedules("sqlite", clockedFolder, { shared: false });

test("the store's thread makes runs by its own clock, and every verb passes to it and back", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-schedules-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const store = await openSqliteStore({ dataDir, retentionMs: hour, idempotencyRetentionMs: hour });
  onTestFinished(() => store.close());
  await store.ensureAccount(account, "One");
  await makeTarget(store, "t");
  const holder = await store.join("node", "all");
  const definition = every(second, { pauseAfterDeadLetters: 1 });
  const ref = refOf("a");
  const created = await store.createSchedule({ ...ref, definition }, note());
  if (created.kind !== "created") throw new Error(created.kind);
  const page = { before: null, limit: 100 };
  await expect
    .poll(async () => {
      await store.advanceSchedules(holder, 100);
      return (await store.listRuns({ ...ref, ...page }))!.length;
    })
    .toBeGreaterThan(6);
  const runs = (await store.listRuns({ ...ref, ...page }))!.toReversed();
  const since = created.schedule.creationTime;
  expect(runs).toEqual(runs.map((_, index) => madeRun(since + (index + 1) * second)));
  const paused = await store.changeSchedule(
    ref,
    { kind: "pause", note: null, until: null },
    note({ action: "schedule.paused" }),
  );
  expect(paused).toMatchObject({ kind: "changed", schedule: { nextRunTime: null } });
  const all = { accountId: account, targetId: "t", paused: true, after: null, limit: 9 };
  const { payload: _, ...listed } = (await store.getSchedule(ref))!;
  expect(await store.listSchedules(all)).toEqual([listed]);
  expect(await store.judgeRuns(holder, 9)).toMatchObject({ paused: [] });
  expect(await store.removeSchedule(ref, note())).toMatchObject(ref);
  expect(await store.getSchedule(ref)).toBeUndefined();
});
