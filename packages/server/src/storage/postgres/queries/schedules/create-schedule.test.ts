import { expect, test } from "vitest";
import { mostSchedules } from "../../../../domain/schedules/limits.ts";
import { account, note, otherAccount } from "../../../conformance/harness.ts";
import { hourly } from "../../../conformance/schedules/schedule-harness.ts";
import { scheduleNodes } from "../../testing/schedule-nodes.ts";

const open = scheduleNodes();

test("calls at two nodes make exactly as many schedules as an account may have, and one more once one is removed", async () => {
  const { world, two, aside } = await open();
  await world.create("first");
  const count = "UPDATE schedule_counts SET count = $1 WHERE account_id = $2";
  expect((await aside.query(count, [mostSchedules - 3, account])).rowCount).toBe(1);
  const create = (scheduleId: string, store = world.store, accountId = account) =>
    store.createSchedule({ accountId, scheduleId, definition: hourly() }, note());

  const results = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      create(`s${index}`, index % 2 === 0 ? world.store : two),
    ),
  );
  const kinds = results.map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual([...Array(3).fill("created"), ...Array(9).fill("too-many")]);
  const made = await aside.query("SELECT FROM schedules WHERE account_id = $1", [account]);
  expect(made.rowCount).toBe(1 + 3);

  expect(await create("first")).toEqual({ kind: "exists" });
  expect(await create("theirs", world.store, otherAccount)).toMatchObject({ kind: "created" });
  await world.store.removeSchedule({ accountId: account, scheduleId: "first" }, note());
  expect(await create("first")).toMatchObject({ kind: "created" });
  expect(await create("another")).toEqual({ kind: "too-many" });
});
