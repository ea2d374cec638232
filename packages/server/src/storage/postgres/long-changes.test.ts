import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { BatchOutcome } from "../../domain/events/event-endpoint.ts";
import {
  changeEndpoint,
  createEndpoint,
  endpointRef,
  everything,
  moveAll,
  newEndpoint,
  newWebhook,
} from "../conformance/events/event-harness.ts";
import {
  account,
  exhausted,
  farFuture,
  makeTarget,
  past,
  resultOf,
  schedule,
} from "../conformance/harness.ts";
import { advance, refOf, scheduleMany, start } from "../conformance/jobs/job-harness.ts";
import { testStores } from "./testing/test-stores.ts";

/**
 * A change of a filter looks at all targets of its account, however many these are. What runs in the background for all
 * accounts does not wait for it.
 */
const makeStores = testStores();

async function open() {
  const { database, open: openStore } = await makeStores();
  const store = await openStore();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 100 });
  const holder = await store.join("node", "all");
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  return { store, targetKey, holder, aside };
}

test("a step of a job does not wait while its account is changed, and is taken afterwards", async () => {
  const { store, holder, aside } = await open();
  await scheduleMany(store, 3);
  const job = await start(store);
  expect(await store.takeJobs(holder, 1)).toEqual([refOf(job)]);
  await aside.query("BEGIN");
  await aside.query("SELECT pg_advisory_xact_lock(7070, hashtext($1))", [account]);
  expect(await advance(store, holder, job)).toEqual({ kind: "busy" });
  await aside.query("COMMIT");
  expect(await advance(store, holder, job)).toMatchObject({ kind: "advanced", job: { done: 3 } });
});

test("what a webhook has answered does not wait while its endpoint is changed, and is kept afterwards", async () => {
  const { store, holder, aside } = await open();
  await createEndpoint(store, newWebhook("w"));
  await schedule(store, "t", farFuture);
  await moveAll(store);
  expect(await store.takeWebhooks(holder, 1)).toHaveLength(1);
  const outcome: BatchOutcome = { kind: "delivered", position: 1, mark: null, sent: true };
  const record = () => store.recordBatch(holder, endpointRef("w"), 1, outcome);
  await aside.query("BEGIN");
  await aside.query("SELECT FROM event_endpoints WHERE endpoint_id = 'w' FOR UPDATE");
  expect(await record()).toBe("busy");
  await aside.query("ROLLBACK");
  expect(await record()).toMatchObject({ progress: { position: 1 } });
  await aside.query("BEGIN");
  await aside.query("DELETE FROM event_endpoints WHERE endpoint_id = 'w'");
  expect(await record()).toBe("busy");
  await aside.query("COMMIT");
  expect(await record()).toBe("stale");
});

test("where nobody is told of health any more, only targets that have one take a row of the outbox", async () => {
  const { store, targetKey, holder, aside } = await open();
  for (let index = 0; index < 30; index++) await makeTarget(store, `many-${index}`);
  await createEndpoint(store, newEndpoint("e", { filter: everything }));
  const fail = async (): Promise<void> => {
    await schedule(store, "t", past);
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    await store.recordAttempts(holder, [resultOf(claims[0]!, exhausted)]);
  };
  const forgotten = async (): Promise<number> => {
    const { rows } = await aside.query(
      "SELECT count(*)::int AS count FROM event_outbox WHERE types = 0",
    );
    return rows[0].count;
  };
  const stopTelling = () =>
    changeEndpoint(store, "e", { filter: { ...everything, types: ["message.cancelled"] } });
  await stopTelling();
  expect(await forgotten()).toBe(0);
  await changeEndpoint(store, "e", { filter: everything });
  await fail();
  await stopTelling();
  expect(await forgotten()).toBe(1);
  await moveAll(store);
  await changeEndpoint(store, "e", { filter: everything });
  await fail();
  await moveAll(store);
  await stopTelling();
  expect(await forgotten()).toBe(1);
  await moveAll(store);
  const { rows } = await aside.query("SELECT * FROM target_health");
  expect(rows).toEqual([]);
});
