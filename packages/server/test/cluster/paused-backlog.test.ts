import pg from "pg";
import { expect, test } from "vitest";
import { LookAhead } from "../../src/engine/cluster/look-ahead.ts";
import type { Timers } from "../../src/platform/timers.ts";
import {
  account,
  makeTarget,
  newTarget,
  note,
  otherAccount,
  past,
  schedule,
} from "../../src/storage/conformance/harness.ts";
import { testStores } from "../../src/storage/postgres/testing/test-stores.ts";
import type { Store } from "../../src/storage/store.ts";

const makeStores = testStores();

/** More messages than a node reads in a dozen look-ups by time. */
const backlog = 60_000;

/** Copies the one message many times, each copy due a little later than the one before. */
const multiply = `
  INSERT INTO messages (message_id, account_id, target_key, state, version, scheduling_time,
    original_delivery_time, next_delivery_time, delivery_failure_count, attempt_count,
    attempts_this_round, planning_time, payload)
  SELECT gen_random_uuid(), account_id, target_key, state, version, scheduling_time,
    original_delivery_time + g, next_delivery_time + g, 0, 0, 0, planning_time, payload
  FROM messages, generate_series(1, ${backlog}) AS g`;

const closed: Record<string, (store: Store) => Promise<unknown>> = {
  "a paused target": (store) =>
    store.updateTarget({ accountId: account, targetId: "full" }, { paused: true }, null, note()),
  "a suspended account": (store) => store.updateAccount(account, { state: "SUSPENDED" }, note()),
  "a target that is only slow": () => Promise.resolve(),
};

test.each(Object.keys(closed))(
  "a starting node finds overdue messages behind the backlog of %s in a few calls",
  async (whose) => {
    const { database, open } = await makeStores();
    const store = await open();
    await store.ensureAccount(account, "One");
    await store.ensureAccount(otherAccount, "Two");
    await makeTarget(store, "full");
    await schedule(store, "full", past);
    const aside = new pg.Client(database.url);
    await aside.connect();
    await aside.query(multiply);
    await aside.end();
    await closed[whose]!(store);
    const hidden = newTarget("t", { accountId: otherAccount });
    const made = await store.createTarget(hidden, note());
    const { targetKey } = made as Exclude<typeof made, string>;
    await schedule(store, "t", past + 2 * backlog, { accountId: otherAccount });

    let calls = 0;
    const found = new Set<number>();
    // This timer never fires, so the node finds messages only at its start.
    const timers: Timers = { after: () => ({ cancel: () => {} }) };
    const lookAhead = new LookAhead({
      store: {
        ...store,
        upcoming: (window) => (calls++, store.upcoming(window)),
        upcomingByTarget: (window) => (calls++, store.upcomingByTarget(window)),
      },
      timers,
      observer: {
        lookedAhead() {},
        trouble: (error) => {
          throw error;
        },
      },
      found: (target) => void found.add(target.targetKey),
      reliedUpon: () => false,
      bounds: { mostEntries: 5_000 },
    });
    await lookAhead.start();
    await lookAhead.stop();
    expect(found).toContain(targetKey);
    expect(calls).toBeLessThanOrEqual(3);
  },
);
