import { expect, test } from "vitest";
import { account, note, otherAccount } from "../../../conformance/harness.ts";
import { at, hourly, madeRun } from "../../../conformance/schedules/schedule-harness.ts";
import { scheduleNodes } from "../../testing/schedule-nodes.ts";
import type { ScheduleNodes } from "../../testing/schedule-nodes.ts";

const open = scheduleNodes();

const setState = ({ world }: ScheduleNodes, state: "ACTIVE" | "SUSPENDED") =>
  world.store.updateAccount(account, { state }, note());

test("a look while the account is being resumed holds nothing back", async () => {
  const nodes = await open();
  const { world, aside } = nodes;
  await world.create("a");
  await setState(nodes, "SUSPENDED");
  await world.goTo(at(13));
  await aside.query("BEGIN");
  await aside.query("SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE", [account]);
  expect(await world.advanceOnce()).toMatchObject({ advanced: 0 });
  await aside.query("COMMIT");
  await setState(nodes, "ACTIVE");
  await world.advance();
  expect(await world.runs("a")).toEqual([madeRun(at(13))]);
});

test("whoever resumes an account waits for a look that holds its schedules back", async () => {
  const nodes = await open();
  const { world, holdRuns, whenBlocked } = nodes;
  await world.create("a");
  await world.create("theirs", hourly(), otherAccount);
  await setState(nodes, "SUSPENDED");
  await world.goTo(at(13));
  const release = await holdRuns();
  const looking = world.advanceOnce();
  await whenBlocked(1);
  const resuming = setState(nodes, "ACTIVE");
  await whenBlocked(2);
  await release();
  expect(await looking).toMatchObject({ advanced: 1 });
  expect(await resuming).toMatchObject({ state: "ACTIVE" });
  await world.advance();
  expect(await world.runs("a")).toEqual([madeRun(at(13))]);
});

test("a held schedule that is locked when its account is resumed goes on later", async () => {
  const nodes = await open();
  const { world, aside } = nodes;
  await world.create("a");
  await world.create("b", hourly({ payload: "b" }));
  await setState(nodes, "SUSPENDED");
  await world.goTo(at(13));
  await world.advance();
  await aside.query("BEGIN");
  await aside.query(
    `SELECT 1 FROM schedule_states WHERE schedule_key =
      (SELECT schedule_key FROM schedules WHERE schedule_id = 'a') FOR UPDATE`,
  );
  await setState(nodes, "ACTIVE");
  expect(await world.advanceOnce()).toMatchObject({ advanced: 1, nextLookTime: at(13) });
  await aside.query("COMMIT");
  await world.advance();
  expect(await world.runs("a")).toEqual([madeRun(at(13))]);
  expect(await world.runs("b")).toEqual([madeRun(at(13))]);
});
