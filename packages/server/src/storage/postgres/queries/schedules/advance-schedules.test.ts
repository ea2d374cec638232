import { expect, test } from "vitest";
import {
  account,
  limitMessages,
  makeTarget,
  note,
  otherAccount,
} from "../../../conformance/harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  noon,
  refOf,
  second,
} from "../../../conformance/schedules/schedule-harness.ts";
import { scheduleNodes } from "../../testing/schedule-nodes.ts";

const open = scheduleNodes();

test("a step under way leaves to other nodes what it has not locked, and nobody makes a run twice", async () => {
  const { world, two, holderOfTwo, holdRuns, whenBlocked } = await open();
  for (let count = 0; count < 6; count++) await world.create(`a${count}`);
  await world.goTo(at(13));
  const release = await holdRuns();
  const advancing = world.advanceOnce(4);
  await whenBlocked(1);
  const other = two.advanceSchedules(holderOfTwo, 6);
  await whenBlocked(2);
  await release();
  const made = [(await advancing).runs.CREATED, (await other).runs.CREATED];
  expect(made).toEqual([4, 2]);
  for (let count = 0; count < 6; count++) {
    expect(await world.runs(`a${count}`)).toEqual([madeRun(at(13))]);
  }
  expect(await world.finish()).toHaveLength(6);
});

test("a membership whose lease ends during the step commits nothing, and another node makes the run", async () => {
  const { world, two, holderOfTwo, aside, holdRuns, whenBlocked } = await open();
  await world.create("a");
  await world.goTo(at(13));
  const release = await holdRuns();
  const advancing = world.advanceOnce();
  await whenBlocked(1);
  await aside.query("DELETE FROM nodes WHERE epoch = $1", [world.holder.epoch]);
  await release();
  expect(await advancing).toMatchObject({ advanced: 0, runs: { CREATED: 0 }, planned: [] });
  expect(await world.runs("a")).toEqual([]);
  expect(await world.store.getUsage(account)).toMatchObject({ used: 0 });
  expect(await world.advanceOnce()).toMatchObject({ advanced: 0, nextLookTime: null });
  expect(await two.advanceSchedules(holderOfTwo, 9)).toMatchObject({ advanced: 1 });
  expect(await world.runs("a")).toEqual([madeRun(at(13))]);
});

test("a step during which a node with newer time-zone data joins is undone", async () => {
  const { world, holdRuns, whenBlocked } = await open({ timeZoneVersion: "2026a" });
  const newer = await world.openAnother({ timeZoneVersion: "2026b" });
  await world.create("a");
  await world.goTo(at(13));
  const release = await holdRuns();
  const advancing = world.advanceOnce();
  await whenBlocked(1);
  const holder = await newer.join("newer", "all");
  await release();
  expect(await advancing).toMatchObject({ advanced: 0 });
  expect(await world.runs("a")).toEqual([]);
  expect(await newer.advanceSchedules(holder, 9)).toMatchObject({ advanced: 1 });
});

test("nodes that advance at once keep to the monthly limit exactly, and nothing is missing on record", async () => {
  const { world, two, holderOfTwo } = await open();
  for (let count = 0; count < 40; count++) await world.create(`a${count}`);
  await world.create("theirs", hourly(), otherAccount);
  await limitMessages(world.store, account, 25);
  await world.goTo(at(13));
  await Promise.all([
    ...[world.advanceOnce(30), two.advanceSchedules(holderOfTwo, 30)],
    ...[world.advanceOnce(30), two.advanceSchedules(holderOfTwo, 30)],
  ]);
  await world.advance();
  const runs = await Promise.all(
    Array.from({ length: 40 }, async (_, count) => (await world.runs(`a${count}`))[0]!),
  );
  expect(runs.map(({ runTime }) => runTime)).toEqual(runs.map(() => at(13)));
  expect(runs.filter(({ outcome }) => outcome === "CREATED")).toHaveLength(25);
  expect(runs.filter(({ reason }) => reason === "E-DI-5005")).toHaveLength(15);
  expect(await world.store.getUsage(account)).toMatchObject({ used: 25, limit: 25 });
  expect(await world.runs("theirs", otherAccount)).toEqual([madeRun(at(13))]);
});

test("two transactions make the runs of one account with very many, and keep to its limit exactly", async () => {
  const { world, aside } = await open();
  await world.create("a");
  await aside.query(`
    WITH one AS (SELECT * FROM schedules), copied AS (
      INSERT INTO schedules (account_id, schedule_id, target_id, paused, payload)
      SELECT account_id, schedule_id || i, target_id, paused, payload
      FROM one, generate_series(1, 299) AS i RETURNING schedule_key, account_id
    )
    INSERT INTO schedule_states SELECT c.schedule_key, c.account_id, h.look_time, h.schedule
    FROM copied c, schedule_states h`);
  await limitMessages(world.store, account, 280);
  await world.goTo(at(13));
  await world.advance();
  const { rows } = await aside.query(`SELECT outcome, count(*)::int, count(message_id)::int AS made
    FROM schedule_runs GROUP BY outcome ORDER BY outcome`);
  expect(rows).toEqual([
    { outcome: 0, count: 280, made: 280 },
    { outcome: 1, count: 20, made: 0 },
  ]);
  expect(await world.store.getUsage(account)).toMatchObject({ used: 280, limit: 280 });
});

test("a pause that ends, or begins with dead letters, leaves the payload as it is", async () => {
  const { world, aside } = await open();
  await world.create("a", hourly({ payload: "of a", pauseAfterDeadLetters: 1 }));
  await world.change("a", { kind: "pause", note: null, until: at(12, 30) });
  await world.goTo(at(13));
  await world.advance();
  expect(await world.schedule("a")).toMatchObject({ pause: null, payload: "of a" });
  const { rows } = await aside.query(
    "SELECT convert_from(payload, 'UTF8') AS payload FROM messages",
  );
  expect(rows).toEqual([{ payload: "of a" }]);
  await world.goTo(at(13, 1));
  await world.finish("dead");
  await world.pass(minute);
  await world.judge();
  expect(await world.schedule("a")).toMatchObject({
    pause: { reason: "DEAD_LETTERS" },
    payload: "of a",
  });
});

test("the first runs of a month are counted without a wait, one share for each account", async () => {
  const { world, aside } = await open({ now: Date.UTC(2026, 10, 30, 23, 30) });
  const december = Date.UTC(2026, 11, 1);
  await world.create("a");
  await world.create("theirs", hourly(), otherAccount);
  await limitMessages(world.store, account, 3);
  await world.goTo(december);
  const step = await world.advanceOnce();
  expect(step).toMatchObject({ advanced: 2, runs: { CREATED: 2 } });
  expect(await world.store.getUsage(account)).toEqual({ month: "2026-12", used: 1, limit: 3 });
  const { rows } = await aside.query(
    "SELECT share, granted::int FROM usage_shares ORDER BY granted",
  );
  expect(rows).toEqual([
    { share: 0, granted: 3 },
    { share: 0, granted: null },
  ]);
});

test("an account with a flood of schedules delays mostly its own", async () => {
  const { world } = await open();
  for (let count = 0; count < 30; count++) await world.create(`a${count}`, every(minute));
  await world.pass(2 * second);
  for (const id of ["x", "y"]) await world.create(id, every(minute), otherAccount);
  await world.pass(2 * minute);
  const first = await world.advanceOnce(8);
  expect(first.advanced).toBe(8);
  expect(first.nextLookTime).toBeLessThan(world.now);
  for (const id of ["x", "y"]) expect(await world.runs(id, otherAccount)).not.toEqual([]);
  let advanced = first.advanced;
  for (let rounds = 0; rounds < 3; rounds++) advanced += (await world.advanceOnce(8)).advanced;
  expect(advanced).toBe(32);
});

test("an account with large schedules leaves room in each commit for the others", async () => {
  const { world } = await open();
  const payload = "x".repeat(256 * 1_024);
  for (let count = 0; count < 40; count++) await world.create(`a${count}`, hourly({ payload }));
  await world.create("theirs", hourly(), otherAccount);
  await world.goTo(at(13));
  const first = await world.advanceOnce();
  expect(first.advanced).toBeLessThan(41);
  expect(first.nextLookTime).toBeLessThan(world.now);
  expect(await world.runs("theirs", otherAccount)).toEqual([madeRun(at(13))]);
  await world.advance();
  for (let count = 0; count < 40; count++) {
    expect(await world.runs(`a${count}`)).toEqual([madeRun(at(13))]);
  }
});

test("accounts have their turns one after the other", async () => {
  const { world } = await open();
  const accounts = Array.from({ length: 6 }, (_, index) => `acc_${index}`);
  for (const accountId of accounts) {
    await world.store.ensureAccount(accountId, accountId);
    await makeTarget(world.store, "t", { accountId });
  }
  // The flood is due earlier than anything else.
  for (let count = 0; count < 40; count++) await world.create(`a${count}`, every(minute));
  await world.pass(second);
  for (const accountId of accounts) await world.create("own", every(minute), accountId);
  await world.pass(2 * minute);
  const served: string[][] = [];
  for (let rounds = 0; rounds < 3; rounds++) {
    const { planned } = await world.advanceOnce(4);
    served.push(planned.map(({ accountId }) => accountId).filter((id) => id !== account));
  }
  expect(served.flat().toSorted()).toEqual(accounts);
  expect(served.every((ids) => ids.length <= 2)).toBe(true);
});

test("a commit makes a bounded number of messages, and the rest follows at once", async () => {
  const { world } = await open();
  const catchUp = { mode: "all", windowMs: 24 * 60 * minute } as const;
  for (let count = 0; count < 14; count++)
    await world.create(`a${count}`, every(second, { catchUp }));
  await world.pass(10 * minute);
  const step = await world.advanceOnce();
  expect(step.runs.CREATED).toBeLessThan(2_400);
  expect(step.nextLookTime).toBeLessThanOrEqual(step.now);
  await world.advance();
  for (let count = 0; count < 14; count++) {
    const runs = await world.runs(`a${count}`);
    const times = runs.map(({ runTime }) => runTime);
    expect(times).toEqual(times.map((_, index) => times[0]! - index * second));
    expect(times.at(-1)).toBe(noon + second);
  }
});

test("a schedule in a zone that this node does not know stops no other, and waits", async () => {
  const { world, aside } = await open();
  await world.create("unknown", hourly({ timeZone: "Europe/Berlin" }));
  await world.create("a");
  await aside.query(
    "UPDATE schedule_states SET schedule = replace(schedule, 'Europe/Berlin', 'Mars/Olympus')",
  );
  await world.goTo(at(13));
  const step = await world.advanceOnce();
  expect(step).toMatchObject({ runs: { CREATED: 1 }, nextLookTime: at(13) + 30 * second });
  expect(await world.runs("a")).toEqual([madeRun(at(13))]);
});

test("a suspended account holds up nobody, and a schedule that lost its target either", async () => {
  const { world, aside } = await open();
  await world.create("a");
  await world.create("theirs", hourly(), otherAccount);
  // As a node of an older version could do, which knows no schedules.
  await aside.query("UPDATE targets SET removal_time = 1 WHERE account_id = $1", [otherAccount]);
  await world.store.updateAccount(account, { state: "SUSPENDED" }, note());
  await world.goTo(at(13));
  const step = await world.advanceOnce();
  expect(step).toMatchObject({ advanced: 0, nextLookTime: at(13) + 30 * second });
  expect(await world.store.listRuns({ ...refOf("a"), before: null, limit: 9 })).toEqual([]);
});

test("a removed schedule leaves no rows of runs without a message", async () => {
  const { world, aside } = await open();
  const count = async (condition: string): Promise<number> => {
    const { rows } = await aside.query(
      `SELECT count(*)::int FROM schedule_runs WHERE ${condition}`,
    );
    return rows[0].count;
  };
  await limitMessages(world.store, account, 700);
  await world.create("a", every(second, { catchUp: { mode: "all", windowMs: 60 * minute } }));
  for (let looks = 0; looks < 8; looks++) {
    await world.pass(200 * second);
    await world.advance();
  }
  expect(await count("message_id IS NULL")).toBeGreaterThan(500);
  await world.remove("a");
  expect(await count("message_id IS NULL")).toBe(0);
  expect(await count("true")).toBe(200);
});
