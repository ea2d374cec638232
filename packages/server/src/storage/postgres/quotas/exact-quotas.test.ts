import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import {
  account,
  farFuture,
  hour,
  limitMessages,
  newTarget,
  note,
} from "../../conformance/harness.ts";
import type { ClockedStore } from "../../conformance/month-suite.ts";
import { monthSuite } from "../../conformance/month-suite.ts";
import type { ScheduleRequest, Store } from "../../store.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { preparedDatabases } from "../testing/prepared-databases.ts";
import { patientDeadlineMs } from "../testing/test-stores.ts";

const makeDatabase = preparedDatabases();
const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clear of leftovers.splice(0).toReversed()) await clear();
});

const month = (): string => new Date().toISOString().slice(0, 7);
const accounts = ["acc_a", "acc_b", "acc_c", "acc_d", "acc_e"];

/** Stores for this many nodes, on one database with a target "t" in each account. */
async function openNodes(count: number, ids: readonly string[] = [account]) {
  const database = await makeDatabase();
  leftovers.push(() => database.drop());
  const addNode = async (): Promise<Store> => {
    const store = await openPostgresStore({
      databaseUrl: database.url,
      leaseMs: 10_000,
      deadlineMs: patientDeadlineMs,
      retentionMs: hour,
      idempotencyRetentionMs: hour,
      // Longer than any test takes on its clock.
      auditRetentionMs: 100_000 * hour,
    });
    leftovers.push(() => store.close());
    return store;
  };
  const stores: Store[] = [];
  while (stores.length < count) stores.push(await addNode());
  for (const accountId of ids) {
    await stores[0]!.ensureAccount(accountId, accountId);
    await stores[0]!.createTarget(newTarget("t", { accountId }), note());
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  leftovers.push(() => client.end());
  return { stores, client, addNode };
}

const request = (accountId = account, key: string | null = null): ScheduleRequest => ({
  options: null,
  accountId,
  targetId: "t",
  deliveryTime: farFuture,
  payload: "x",
  idempotency: key === null ? null : { key, fingerprint: "f" },
});

async function kept(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ account_id: string; count: number }>(
    "SELECT account_id, count(*)::int AS count FROM messages GROUP BY account_id",
  );
  return Object.fromEntries(rows.map((row) => [row.account_id, row.count]));
}

describe("several nodes", () => {
  test.each([
    ["all at once", 1_000, 1],
    ["from 50 callers, one call after the other", 50, 20],
  ])(
    "1,000 single calls at a limit of 500, %s: exactly 500 are accepted",
    async (_, callers, each) => {
      const { stores, client } = await openNodes(3);
      await limitMessages(stores[0]!, account, 500);
      const kinds: string[] = [];
      const call = async (store: Store): Promise<void> => {
        for (let times = 0; times < each; times++) {
          const [result] = await store.scheduleMessages([request()]);
          kinds.push(result!.kind);
        }
      };
      await Promise.all(Array.from({ length: callers }, (__, index) => call(stores[index % 3]!)));
      expect(kinds.filter((kind) => kind === "scheduled")).toHaveLength(500);
      expect(kinds.filter((kind) => kind === "over-quota")).toHaveLength(500);
      expect(await kept(client)).toEqual({ [account]: 500 });
      for (const store of stores) {
        expect(await store.getUsage(account)).toMatchObject({ used: 500, limit: 500 });
      }
    },
  );

  test("batches of many accounts in any order, while limits change: exact, and without waits in a circle", async () => {
    const { stores, client } = await openNodes(3, accounts);
    const limits = [0, 150, 333, 1_000];
    for (const [index, limit] of limits.entries()) {
      await limitMessages(stores[0]!, accounts[index]!, limit);
    }
    const accepted = new Map<string, number>();
    const rounds = 25;
    // A fixed pseudo-random sequence, so that a failure can be repeated.
    let state = 7;
    const next = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const oneCaller = async (store: Store, caller: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const order = accounts.toSorted(() => next(2) - 0.5);
        const keyOf = (index: number): string | null =>
          next(4) === 0 ? `${caller}/${round}/${index}` : null;
        const requests = Array.from({ length: 1 + next(20) }, (_, index) =>
          request(order[index % order.length], keyOf(index)),
        );
        const results = await store.scheduleMessages(requests);
        for (const [index, { kind }] of results.entries()) {
          const { accountId } = requests[index]!;
          if (kind === "scheduled") accepted.set(accountId, (accepted.get(accountId) ?? 0) + 1);
          else expect(kind).toBe("over-quota");
        }
      }
    };
    // Sets limits to their current values, and tries to remove targets that have messages. This
    // changes nothing, but locks everything for a moment while others schedule.
    const administrator = async (): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const index = next(limits.length);
        await limitMessages(stores[2]!, accounts[index]!, limits[index]!);
        const accountId = accounts[1 + next(accounts.length - 1)]!;
        const removed = await stores[2]!.removeTarget({ accountId, targetId: "t" }, note());
        expect(removed.kind).toBe("has-scheduled-messages");
      }
    };
    await oneCaller(stores[0]!, -1);
    const callers = Array.from({ length: 12 }, (_, index) => oneCaller(stores[index % 3]!, index));
    await Promise.all([...callers, administrator()]);
    const counted = await kept(client);
    for (const [index, accountId] of accounts.entries()) {
      const usage = await stores[1]!.getUsage(accountId);
      expect(usage?.used, accountId).toBe(accepted.get(accountId) ?? 0);
      expect(counted[accountId] ?? 0, accountId).toBe(usage?.used);
      const limit = limits[index] ?? Infinity;
      expect(usage!.used, accountId).toBeLessThanOrEqual(limit);
    }
    // There were enough requests to reach the lower limits.
    expect(counted).toMatchObject({ acc_b: 150, acc_c: 333 });
  });

  test("a limit that is set while messages are being scheduled counts every one of them", async () => {
    const { stores, client } = await openNodes(3);
    for (let round = 0; round < 15; round++) {
      await limitMessages(stores[0]!, account, null);
      const { used } = (await stores[0]!.getUsage(account))!;
      const limit = used + 20;
      const burst = (count: number) =>
        Array.from({ length: count }, (_, index) =>
          stores[index % 3]!.scheduleMessages([request()]),
        );
      const before = burst(12);
      const set = limitMessages(stores[1]!, account, limit);
      const after = burst(60);
      await Promise.all([...before, ...after, set]);
      await Promise.all(burst(60));
      const usage = await stores[2]!.getUsage(account);
      expect(usage).toMatchObject({ limit, used: (await kept(client))[account] });
      // Messages from before the limit may have filled it already. None has gone over it since.
      const results = await Promise.all(burst(9));
      const more = results.flat().filter(({ kind }) => kind === "scheduled").length;
      expect(usage!.used + more).toBe(Math.max(limit, usage!.used));
    }
  });
});

describe("no call waits", () => {
  async function withShares(...shares: readonly { used: number; granted: number | null }[]) {
    const opened = await openNodes(1);
    const limit = shares.reduce<number | null>(
      (sum, { granted }) => (granted === null || sum === null ? null : sum + granted),
      0,
    );
    await limitMessages(opened.stores[0]!, account, limit);
    for (const [share, { used, granted }] of shares.entries()) {
      await opened.client.query("INSERT INTO usage_shares VALUES ($1, $2, $3, $4, $5)", [
        month(),
        account,
        share,
        used,
        granted,
      ]);
    }
    return { store: opened.stores[0]!, client: opened.client };
  }

  test.each([null, 1_000])(
    "for a locked share, at a grant of %s, nor for the account",
    async (granted) => {
      const { store, client } = await withShares({ used: 0, granted }, { used: 0, granted });
      await client.query("BEGIN");
      await client.query("SELECT * FROM usage_shares WHERE share = 0 FOR UPDATE");
      await client.query("SELECT * FROM accounts FOR UPDATE");
      const [result] = await store.scheduleMessages([request()]);
      expect(result?.kind).toBe("scheduled");
      await client.query("ROLLBACK");
      const { rows } = await client.query("SELECT used::int FROM usage_shares ORDER BY share");
      expect(rows).toEqual([{ used: 0 }, { used: 1 }]);
    },
  );

  test("to learn that nothing is left", async () => {
    const { store, client } = await withShares({ used: 7, granted: 7 }, { used: 2, granted: 2 });
    await client.query("BEGIN");
    await client.query("SELECT * FROM usage_shares FOR UPDATE");
    await client.query("SELECT * FROM accounts FOR UPDATE");
    const [refused, other] = await store.scheduleMessages([request(), request(account, "k")]);
    expect([refused?.kind, other?.kind]).toEqual(["over-quota", "over-quota"]);
    await client.query("ROLLBACK");
  });

  test("the rest in other shares is found and used up", async () => {
    const { store } = await withShares(
      { used: 5, granted: 6 },
      { used: 0, granted: 2 },
      { used: 3, granted: 5 },
    );
    const results = await store.scheduleMessages(Array.from({ length: 7 }, () => request()));
    expect(results.filter(({ kind }) => kind === "scheduled")).toHaveLength(5);
    expect(await store.getUsage(account)).toMatchObject({ used: 13, limit: 13 });
  });
});

/**
 * The database's clock is a function that the test replaces. A node learns the time when it starts,
 * here with an error.
 */
function openWithError(errorMs: number): (time: number) => Promise<ClockedStore> {
  return async (time) => {
    const { client, addNode } = await openNodes(1, []);
    const setNow = async (now: number): Promise<void> => {
      await client.query(
        `CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE
          AS $$ SELECT ${now}::bigint $$`,
      );
    };
    await setNow(time + errorMs);
    const store = await addNode();
    await setNow(time);
    return { store, setNow, close: async () => {} };
  };
}

describe.each([-hour, hour])("postgres: the end of a month, seen by a node %i ms off", (errorMs) =>
  monthSuite(openWithError(errorMs)),
);
