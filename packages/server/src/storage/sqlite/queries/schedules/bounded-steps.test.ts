import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { mostSchedules, mostSkips } from "../../../../domain/schedules/limits.ts";
import { Effort } from "../../../../domain/schedules/occurrences/effort.ts";
import { mostSteps } from "../../../../domain/schedules/occurrences/occurrences.ts";
import { runOutcomes, runTriggers } from "../../../../domain/schedules/run.ts";
import type { ScheduleChange } from "../../../../domain/schedules/steps.ts";
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

test("a removed schedule leaves no rows of runs without a message", () => {
  executor.run("updateAccount", account, { monthlyMessageLimit: 700 }, note());
  create("s", every(second, { catchUp: { mode: "all", windowMs: 3_600_000 } }));
  for (let looks = 0; looks < 8; looks++) {
    clock.wall += 200 * second;
    while (advance().nextLookTime! <= clock.wall);
  }
  expect(executor.count("schedule_runs WHERE message_id IS NULL")).toBeGreaterThan(500);
  executor.run("removeSchedule", { accountId: account, scheduleId: "s" }, note());
  expect(executor.count("schedule_runs WHERE message_id IS NULL")).toBe(0);
  expect(executor.count("schedule_runs")).toBe(200);
});

test("to resume an account takes one row, however many schedules it has", () => {
  create("s");
  copy(1_499);
  executor.run("updateAccount", account, { state: "SUSPENDED" }, note());
  clock.wall = at(13);
  while ((advance().nextLookTime ?? Infinity) <= clock.wall);
  const before = executor.count("schedules WHERE look_time > 9e15");
  executor.run("updateAccount", account, { state: "ACTIVE" }, note());
  expect(executor.count("resumed_accounts")).toBe(1);
  expect(executor.count("schedules WHERE look_time > 9e15")).toBe(before);
  expect(before).toBe(1_500);
  let looks = 0;
  for (; executor.count("resumed_accounts") > 0; looks++) advance();
  expect(looks).toBe(16);
  expect(executor.count("schedules WHERE look_time > 9e15")).toBe(0);
});

test("a call gives way to others after a few milliseconds, and the next one goes on", () => {
  create("s");
  copy(199);
  clock.wall = at(13);
  clock.lookMs = 0.2;
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
  clock.lookMs = 10;
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
  clock.lookMs = 0.2;
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
  clock.lookMs = 0.1;
  const { advanced } = advance();
  expect(advanced).toBeLessThan(150);
  expect(executor.run("listRuns", ref("theirs", otherAccount))).toHaveLength(1);
});

test("accounts have their turns one after the other, however few schedules a call comes to", () => {
  create("s");
  // The flood is due earlier than anything else.
  copy(500);
  const others = Array.from({ length: 6 }, (_, index) => `acc_${index}`);
  clock.wall += second;
  for (const accountId of others) {
    executor.run("ensureAccount", accountId, accountId);
    executor.run("createTarget", newTarget("t", { accountId }), note());
    create("own", every(3_600_000), accountId);
  }
  clock.wall = at(13) + second;
  // A call is over after one schedule.
  clock.lookMs = 10;
  const served: string[] = [];
  for (let calls = 0; calls < 2 * (others.length + 1); calls++) {
    const { advanced, planned } = advance();
    expect(advanced).toBe(1);
    served.push(...planned.map(({ accountId }) => accountId));
  }
  expect(served.filter((accountId) => accountId !== account).toSorted()).toEqual(others);
  // Those that are the longest due have every other call.
  const longestDue = served.filter((_, index) => index % 2 === 1);
  expect(new Set(longestDue)).toEqual(new Set([account]));
});

test("a schedule in a zone that this process does not know stops no other, and waits", () => {
  create("unknown", hourly({ timeZone: "Europe/Berlin" }));
  create("s");
  executor.database.db.exec(`
    UPDATE schedule_definitions SET definition = json_set(definition, '$.timeZone', 'Mars/Olympus')
    WHERE definition ->> '$.scheduleId' = 'unknown'`);
  clock.wall = at(13);
  expect(advance()).toMatchObject({ runs: { CREATED: 1 }, nextLookTime: at(13) + 30 * second });
  expect(executor.run("listRuns", ref("s"))).toHaveLength(1);
  const unknown = { accountId: account, scheduleId: "unknown" };
  const skip = { kind: "skip", time: at(14) } as const;
  const skipped = executor.run("changeSchedule", unknown, skip, note());
  expect(skipped).toEqual({ kind: "older-time-zones" });
  expect(executor.run("removeSchedule", unknown, note())).toBeDefined();
});

test("a pause finds a run that is open behind 1,000 runs by hand", () => {
  clock.wall = at(13) - second;
  const scheduleId = createDelayed();
  clock.wall = at(13) + 2 * second;
  executor.database.db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
    INSERT INTO schedule_runs
      (schedule_key, run_time, trigger, outcome, reason, message_id, judge_time, expiration_time)
    SELECT schedule_key, ${at(13)} + i, ${runTriggers.indexOf("MANUAL")},
      ${runOutcomes.indexOf("CREATED")}, NULL,
      (SELECT message_id FROM messages LIMIT 1), NULL, ${at(23)}
    FROM n CROSS JOIN schedules WHERE schedule_id = '${scheduleId}'`);
  const pause = { kind: "pause", note: null, until: null } as const;
  executor.run("changeSchedule", { accountId: account, scheduleId }, pause, note());
  expect(executor.count("messages WHERE next_delivery_time IS NOT NULL")).toBe(0);
});

/** Creates a schedule whose run of 13:00 is made, and due some minutes later. Answers with its id. */
function createDelayed(): string {
  for (let count = 0; ; count++) {
    const scheduleId = `delayed-${count}`;
    create(scheduleId, hourly({ flexWindowMs: 3_600_000 }));
    const isDelayed = executor.count(`messages WHERE next_delivery_time > ${at(13, 10)}`) > 0;
    if (isDelayed) return scheduleId;
    executor.run("removeSchedule", { accountId: account, scheduleId }, note());
  }
}

test("1,000 skips of a union that is costly to search take bounded effort, whatever is changed", () => {
  const rare = Array.from({ length: 9 }, (_, index) => `${index} 0 29 2 +MON`);
  const cron = [...rare, "* * * * *"];
  create("s", hourly({ cron, timeZone: "Europe/Berlin" }));
  const { nextRunTime } = executor.run("getSchedule", { accountId: account, scheduleId: "s" })!;
  // All but one that may be called off, one after the other.
  executor.database.db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${mostSkips - 2})
    UPDATE schedules SET state = json_set(state, '$.skips',
      (SELECT json_group_array(${nextRunTime} + i * 60000) FROM n))`);
  const spend = vi.spyOn(Effort.prototype, "spend");
  onTestFinished(() => spend.mockRestore());
  const changes: readonly ScheduleChange[] = [
    { kind: "skip", time: nextRunTime! + (mostSkips - 1) * 60_000 },
    { kind: "pause", note: null, until: noon + 90_000 },
    { kind: "resume" },
    { kind: "define", definition: hourly({ cron: rare }), ifRevision: null },
  ];
  for (const change of changes) {
    spend.mockClear();
    const ofSchedule = { accountId: account, scheduleId: "s" };
    const changed = executor.run("changeSchedule", ofSchedule, change, note());
    expect(changed).toMatchObject({ kind: "changed" });
    expect(spend.mock.calls.length, change.kind).toBeLessThan(10 * mostSteps);
  }
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
