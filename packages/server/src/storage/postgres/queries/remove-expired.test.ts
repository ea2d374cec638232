import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, makeTarget, past, refTo, resultOf, schedule } from "../../conformance/harness.ts";
import { rowKeyOf } from "../rows/message-rows.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

test("the waiting changes of dead calls are removed, and those of live calls stay", async () => {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "one");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  const message = await schedule(store, "t", past);
  const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims;
  const cancelled = store.cancelMessage({ ...refTo(message), waitMs: 60_000 });
  await database.whenCounted("SELECT count(*)::int AS count FROM waiting_changes", 1);

  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  const leave = (answer: string | null, ageMs: number) =>
    aside.query(
      `INSERT INTO waiting_changes (message_id, answer, creation_time)
        VALUES ($1, $2, now_ms() - $3)`,
      [rowKeyOf(message.messageId), answer, ageMs],
    );
  await leave("old", 600_000);
  await leave("older", 900_000);
  await leave(null, 900_000);
  await leave("new", 540_000);

  expect(await store.removeExpired(2)).toEqual({ removed: 2, nextExpiry: null });
  expect(await store.removeExpired(2)).toEqual({ removed: 1, nextExpiry: null });
  expect(await store.removeExpired(2)).toEqual({ removed: 0, nextExpiry: null });
  const { rows } = await aside.query("SELECT answer FROM waiting_changes ORDER BY change_id");
  expect(rows).toEqual([{ answer: null }, { answer: "new" }]);

  await store.recordAttempts(holder, [resultOf(claim!, { kind: "retry", delayMs: 5 })]);
  expect(await cancelled).toMatchObject({ kind: "changed", message: { state: "CANCELLED" } });
});
