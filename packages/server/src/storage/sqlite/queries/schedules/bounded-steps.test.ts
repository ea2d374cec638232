import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mostSchedules } from "../../../../domain/schedules/limits.ts";
import { account, newTarget, note, otherAccount } from "../../../conformance/harness.ts";
import {
  at,
  every,
  hourly,
  noon,
  second,
} from "../../../conformance/schedules/schedule-harness.ts";
import type { Holder } from "../../../store.ts";
import { ClockedExecutor, SetClock } from "../../testing/clocked-executor.ts";

let dataDir: string;
let clock: SetClock;
let executor: ClockedExecutor;
let holder: Holder;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-schedules-"));
  clock = new SetClock(noon);
  executor = new ClockedExecutor(dataDir, clock);
  for (const accountId of [account, otherAccount]) {
    executor.run("ensureAccount", accountId, accountId);
    executor.run("createTarget", newTarget("t", { accountId }), note());
  }
  holder = executor.run("join", "node", "all");
});

afterEach(() => {
  executor.close();
  rmSync(dataDir, { recursive: true });
});

function create(scheduleId: string, definition = hourly(), accountId = account) {
  return executor.run("createSchedule", { accountId, scheduleId, definition }, note());
}

/** Adds schedules as the first one is, without the time that their creation would take. */
function copy(count: number): void {
  executor.database.db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO schedules (account_key, schedule_id, target_id, paused, look_time, state)
    SELECT account_key, schedule_id || i, target_id, paused, look_time, state
    FROM n CROSS JOIN (SELECT * FROM schedules ORDER BY schedule_key LIMIT 1);
    INSERT INTO schedule_definitions
    SELECT schedule_key, json_set(definition, '$.scheduleId', schedule_id), payload
    FROM schedules s JOIN (SELECT definition, payload FROM schedule_definitions LIMIT 1)
    WHERE s.schedule_key NOT IN (SELECT schedule_key FROM schedule_definitions)`);
}

const advance = () => executor.run("advanceSchedules", holder, 1_000);

test("a call gives way to others after a few milliseconds, and the next one goes on", () => {
  create("s");
  copy(199);
  clock.wall = at(13);
  clock.lookMs = 0.1;
  const advanced: number[] = [];
  for (let isMore = true; isMore;) {
    const step = advance();
    advanced.push(step.advanced);
    isMore = step.nextLookTime! <= step.now;
  }
  expect(advanced.length).toBeGreaterThan(3);
  expect(Math.min(...advanced.slice(0, -1))).toBeGreaterThan(0);
  expect(advanced.reduce((sum, each) => sum + each)).toBe(200);
});

test("one schedule with much to catch up does not hold up the others", () => {
  create("busy", every(second, { catchUp: { mode: "all", windowMs: 86_400_000 } }));
  create("s", hourly(), otherAccount);
  clock.wall = at(13);
  // A call is over after one schedule.
  clock.lookMs = 5;
  const made: number[] = [];
  for (let calls = 0; calls < 4; calls++) {
    const { runs } = advance();
    made.push(runs.CREATED + runs.MISSED);
  }
  expect(Math.max(...made)).toBe(200);
  expect(executor.run("listRuns", ref("s", otherAccount))).toHaveLength(1);
});

test("schedules of a suspended account are put off in slices, too", () => {
  create("s");
  copy(199);
  create("theirs", hourly(), otherAccount);
  executor.run("updateAccount", account, { state: "SUSPENDED" }, note());
  clock.wall = at(13);
  clock.lookMs = 0.1;
  let calls = 0;
  let advanced = 0;
  for (let isMore = true; isMore; calls++) {
    const step = advance();
    advanced += step.advanced;
    isMore = step.nextLookTime! <= step.now;
  }
  expect(calls).toBeGreaterThan(3);
  expect(advanced).toBe(1);
});

test("an account with very many due schedules leaves others their turn in the first call", () => {
  create("s");
  copy(5_000);
  create("theirs", hourly(), otherAccount);
  clock.wall = at(13);
  clock.lookMs = 0.05;
  const { advanced } = advance();
  expect(advanced).toBeLessThan(150);
  expect(executor.run("listRuns", ref("theirs", otherAccount))).toHaveLength(1);
});

test("an account has a bounded number of schedules, and may have another once one is removed", () => {
  create("s");
  copy(mostSchedules - 1);
  executor.close();
  executor = new ClockedExecutor(dataDir, clock);
  expect(create("one-more")).toEqual({ kind: "too-many" });
  expect(create("s")).toEqual({ kind: "exists" });
  expect(create("theirs", hourly(), otherAccount)).toMatchObject({ kind: "created" });
  executor.run("removeSchedule", { accountId: account, scheduleId: "s1" }, note());
  expect(create("one-more")).toMatchObject({ kind: "created" });
  expect(create("another")).toEqual({ kind: "too-many" });
});

test("the key of a removed schedule is given to no other, and its runs expire", () => {
  create("s", every(second));
  const keyOf = () =>
    executor.database.db.prepare("SELECT max(schedule_key) AS key FROM schedules").get()!["key"];
  const first = keyOf();
  for (let elapsed = 0; elapsed < 600; elapsed++) {
    clock.wall += second;
    advance();
  }
  executor.run("removeSchedule", { accountId: account, scheduleId: "s" }, note());
  expect(executor.count("schedule_runs")).toBe(605 - 500);
  expect(executor.count("schedule_definitions")).toBe(0);
  create("s", every(second));
  expect(keyOf()).toBeGreaterThan(first as number);
  expect(executor.run("listRuns", ref("s"))).toHaveLength(5);
  clock.wall += 2 * 3_600_000;
  while (executor.run("removeExpired", 50).removed > 0);
  expect(executor.count("schedule_runs")).toBe(0);
});

test("what a removed account leaves is removed in pieces", () => {
  for (const id of ["a", "b", "c"]) create(id, every(second));
  executor.run("updateAccount", account, { state: "SUSPENDED" }, note());
  executor.run("removeAccount", account, note());
  const left = () => executor.count("schedules") + executor.count("schedule_runs");
  expect(left()).toBe(3 + 15);
  const pieces: number[] = [];
  for (let before = left(); before > 0; before = left()) {
    executor.run("removeExpired", 4);
    pieces.push(before - left());
  }
  expect(Math.max(...pieces)).toBe(4);
  expect(executor.count("schedule_definitions")).toBe(0);
});

function ref(scheduleId: string, accountId = account) {
  return { accountId, scheduleId, before: null, limit: 1_000 };
}
