import { describe, expect, test } from "vitest";
import { runOutcomes, runTriggers } from "../../../../domain/schedules/run.ts";
import { account, note, refTo } from "../../../conformance/harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  refOf,
  second,
} from "../../../conformance/schedules/schedule-harness.ts";
import { rowKeyOf } from "../../rows/message-rows.ts";
import { scheduleNodes } from "../../testing/schedule-nodes.ts";

const open = scheduleNodes();
const target = { accountId: account, targetId: "t" };

describe("an edit and a step at the same time", () => {
  test("the edit waits for the step, and takes back what it has made", async () => {
    const { world, two, holderOfTwo, holdRuns, whenBlocked } = await open();
    await world.create("a");
    await world.goTo(at(13) - 3 * second);
    const release = await holdRuns();
    const advancing = two.advanceSchedules(holderOfTwo, 9);
    await whenBlocked(1);
    const editing = world.define("a", hourly({ payload: "edited" }));
    await whenBlocked(2);
    await release();
    expect(await advancing).toMatchObject({ runs: { CREATED: 1 } });
    await editing;
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    await world.goTo(at(13));
    const claims = await world.claim();
    expect(claims.map(({ payload }) => payload)).toEqual(["edited"]);
  });

  test("the step leaves the schedule to the edit, which makes the run", async () => {
    const { world, two, holderOfTwo, holdRuns, whenBlocked } = await open();
    await world.create("a");
    await world.goTo(at(13) - 3 * second);
    const release = await holdRuns();
    const editing = world.define("a", hourly({ payload: "edited" }));
    await whenBlocked(1);
    expect(await two.advanceSchedules(holderOfTwo, 9)).toMatchObject({ advanced: 0 });
    await release();
    await editing;
    expect(await two.advanceSchedules(holderOfTwo, 9)).toMatchObject({ advanced: 0 });
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
  });
});

describe("a claim and a pause at the same time", () => {
  /** A schedule whose next message is made and not due yet. */
  async function withOpenRun() {
    const nodes = await open();
    const { world } = nodes;
    await world.create("a");
    await world.liveUntil(at(13) - second);
    const [message] = await world.messages("a");
    return { ...nodes, message: message!, key: rowKeyOf(message!.messageId) };
  }

  test("a message that was claimed first is not taken back", async () => {
    const { world, aside, message, key, whenBlocked } = await withOpenRun();
    await aside.query("BEGIN");
    await aside.query("SELECT 1 FROM messages WHERE message_id = $1 FOR UPDATE", [key]);
    const pausing = world.pause("a");
    await whenBlocked(1);
    const claim = "INSERT INTO claims (target_key, message_id, epoch) VALUES ($1, $2, $3)";
    await aside.query(claim, [world.targetKey, key, world.holder.epoch]);
    await aside.query("COMMIT");
    await pausing;
    expect(await world.runs("a")).toEqual([madeRun(at(13))]);
    expect(await world.store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
  });

  test("a message that a pause takes back is not claimed", async () => {
    const { world, message, holdRuns, whenBlocked } = await withOpenRun();
    const release = await holdRuns();
    const pausing = world.pause("a");
    await whenBlocked(1);
    await world.goTo(at(13));
    expect(await world.claim()).toEqual([]);
    await release();
    await pausing;
    expect(await world.claim()).toEqual([]);
    expect(await world.store.getMessage(refTo(message))).toMatchObject({ state: "CANCELLED" });
    expect(await world.runs("a")).toEqual([]);
  });

  test("a pause waits for a reschedule of the message, and takes it back where it is now", async () => {
    const { world, aside, message, key, whenBlocked } = await withOpenRun();
    await aside.query("BEGIN");
    const move = `UPDATE messages SET version = version + 1, next_delivery_time = $2
      WHERE message_id = $1`;
    await aside.query(move, [key, at(13) + minute]);
    const pausing = world.pause("a");
    await whenBlocked(1);
    await aside.query("COMMIT");
    await pausing;
    expect(await world.store.getMessage(refTo(message))).toMatchObject({ state: "CANCELLED" });
  });
});

describe("the removal of a target and a schedule for it at the same time", () => {
  test("the removal waits for the schedule, and is refused", async () => {
    const { world, two, holdRuns, whenBlocked } = await open();
    const release = await holdRuns();
    const creating = world.tryToCreate("a", every(second));
    await whenBlocked(1);
    const removing = two.removeTarget(target, note());
    await whenBlocked(2);
    await release();
    expect(await creating).toMatchObject({ kind: "created" });
    expect(await removing).toEqual({ kind: "has-schedules" });
  });

  test("the schedule waits for the removal, and finds no target", async () => {
    const { world, aside, whenBlocked } = await open();
    await aside.query("BEGIN");
    await aside.query("SELECT 1 FROM targets WHERE target_key = $1 FOR UPDATE", [world.targetKey]);
    const creating = world.tryToCreate("a");
    await whenBlocked(1);
    await aside.query("UPDATE targets SET removal_time = 1 WHERE target_key = $1", [
      world.targetKey,
    ]);
    await aside.query("COMMIT");
    expect(await creating).toEqual({ kind: "no-target" });
    expect(await world.store.getSchedule(refOf("a"))).toBeUndefined();
  });

  test("an edit that moves a schedule there waits for the removal too", async () => {
    const { world, aside, whenBlocked } = await open();
    await world.create("a", hourly({ targetId: "other" }));
    await aside.query("BEGIN");
    await aside.query("SELECT 1 FROM targets WHERE target_key = $1 FOR UPDATE", [world.targetKey]);
    const change = { kind: "define", definition: hourly(), ifRevision: null } as const;
    const editing = world.tryToChange("a", change);
    await whenBlocked(1);
    await aside.query("UPDATE targets SET removal_time = 1 WHERE target_key = $1", [
      world.targetKey,
    ]);
    await aside.query("COMMIT");
    expect(await editing).toEqual({ kind: "no-target" });
    expect(await world.schedule("a")).toMatchObject({ targetId: "other", revision: 1 });
  });
});

test("a pause finds a run that is open behind 1,000 runs by hand", async () => {
  const { world, aside } = await open();
  const id = await world.createDelayed();
  const [message] = await world.messages(id);
  await world.pass(2 * second);
  await aside.query(
    `INSERT INTO schedule_runs (schedule_key, run_time, trigger, outcome, message_id, expiration_time)
     SELECT schedule_key, $1::bigint + g, $2, $3, gen_random_uuid(), $4
     FROM schedules, generate_series(1, 1500) AS g WHERE schedule_id = $5`,
    [at(13), runTriggers.indexOf("MANUAL"), runOutcomes.indexOf("CREATED"), at(23), id],
  );
  await world.pause(id);
  expect(await world.store.getMessage(refTo(message!))).toMatchObject({ state: "CANCELLED" });
});

test("a schedule in a zone that this node does not know can be removed, and not changed", async () => {
  const { world, aside } = await open();
  await world.create("a", hourly({ timeZone: "Europe/Berlin" }));
  await aside.query(
    "UPDATE schedule_states SET schedule = replace(schedule, 'Europe/Berlin', 'Mars/Olympus')",
  );
  const skip = { kind: "skip", time: at(13) } as const;
  expect(await world.tryToChange("a", skip)).toEqual({ kind: "older-time-zones" });
  expect(await world.remove("a")).toBeDefined();
});

test("of two creations with one id at the same time the second finds the first", async () => {
  const { world, two, aside, holdRuns, whenBlocked } = await open();
  const release = await holdRuns();
  const creating = world.tryToCreate("a", every(second));
  await whenBlocked(1);
  const order = { accountId: account, scheduleId: "a", definition: hourly() };
  const other = two.createSchedule(order, note());
  await whenBlocked(2);
  await release();
  expect(await creating).toMatchObject({ kind: "created" });
  expect(await other).toEqual({ kind: "exists" });
  const { rows } = await aside.query("SELECT count FROM schedule_counts");
  expect(rows).toEqual([{ count: 1 }]);
});

test("a schedule that is created while its namesake is removed is another one", async () => {
  const { world, two, aside, holdRuns, whenBlocked } = await open();
  await world.create("a", every(second));
  await world.pass(2 * second);
  const release = await holdRuns();
  const removing = world.remove("a");
  await whenBlocked(1);
  const order = { accountId: account, scheduleId: "a", definition: hourly() };
  await release();
  expect(await removing).toMatchObject({ scheduleId: "a" });
  expect(await two.createSchedule(order, note())).toMatchObject({ kind: "created" });
  expect(await world.runs("a")).toEqual([]);
  const { rows } = await aside.query("SELECT count FROM schedule_counts");
  expect(rows).toEqual([{ count: 1 }]);
});

test("changes, steps, claims and removals of the same schedules all come to an end", async () => {
  const { world, two, holderOfTwo } = await open();
  const ids = Array.from({ length: 8 }, (_, index) => `a${index}`);
  for (const id of ids) await world.create(id, every(second, { overlap: "replace" }));
  const { store } = world;
  const inTurn = async (work: (id: string) => Promise<unknown>) => {
    for (const id of ids) await work(id);
  };
  const claiming = async (): Promise<void> => {
    for (let count = 0; count < 4; count++) await world.finish();
  };
  for (let round = 0; round < 3; round++) {
    await world.pass(2 * second);
    await Promise.all([
      ...[world.advanceOnce(8), two.advanceSchedules(holderOfTwo, 8), claiming()],
      inTurn((id) => world.tryToChange(id, { kind: "pause", note: null, until: null })),
      inTurn((id) => two.changeSchedule(refOf(id), { kind: "resume" }, note())),
      inTurn((id) => two.changeSchedule(refOf(id), { kind: "trigger" }, note())),
      inTurn(() => two.removeTarget(target, note())),
      inTurn(() => store.updateAccount(account, { monthlyMessageLimit: 1_000 }, note())),
      inTurn((id) => two.removeSchedule(refOf(id), note())),
      inTurn((id) => world.tryToCreate(id, every(second))),
      inTurn(() => store.judgeRuns(world.holder, 9)),
    ]);
  }
  for (const id of ids) {
    const runs = await store.listRuns({ ...refOf(id), before: null, limit: 1_000 });
    const times = (runs ?? []).map(({ runTime }) => runTime);
    expect(new Set(times).size).toBe(times.length);
  }
});
