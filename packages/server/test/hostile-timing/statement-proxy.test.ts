import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import type { TestDatabase } from "../../src/storage/postgres/testing/test-databases.ts";
import type { Intervened, Intervention } from "./interventions.ts";
import { proxyTo } from "./statement-proxy.ts";
import type { StatementProxy } from "./statement-proxy.ts";

const makeDatabase = testDatabases();

interface Setting {
  readonly database: TestDatabase;
  readonly proxy: StatementProxy;
  readonly over: readonly Intervened[];
  /** Resolves when the clients' host has vanished. */
  readonly vanished: Promise<void>;
}

/** Makes a table with one row, and a proxy that intervenes at the first statement of that name. */
async function setUp(name: string, intervention: Intervention): Promise<Setting> {
  const database = await makeDatabase();
  onTestFinished(() => database.drop());
  await (await connected(database.url)).query("CREATE TABLE counts AS SELECT 0 AS count");
  const over: Intervened[] = [];
  const vanishing = Promise.withResolvers<void>();
  let isMet = false;
  const proxy = await proxyTo(database.url, {
    intervene(statement) {
      if (isMet || statement.name !== name) return null;
      isMet = true;
      return intervention;
    },
    onIntervened: (intervened) => over.push(intervened),
    onVanished: vanishing.resolve,
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return { database, proxy, over, vanished: vanishing.promise };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** The driver has this option, but its types do not. */
const within = (timeoutMs: number, query: pg.QueryConfig): pg.QueryConfig =>
  Object.assign({ query_timeout: timeoutMs }, query);
const add = { name: "add", text: "UPDATE counts SET count = count + 1 RETURNING count" };
const counted = (count: number) => `SELECT count(*)::int FROM counts WHERE count = ${count}`;
const countOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ count: number }>("SELECT count FROM counts")).rows[0]!.count;

test("the proxy holds one statement and passes all the others", async () => {
  const { proxy, over } = await setUp("add", { kind: "hold", forMs: 300 });
  const [slow, quick] = [await connected(proxy.url), await connected(proxy.url)];
  const adding = slow.query(add);
  expect(await countOf(quick)).toBe(0);
  expect((await adding).rows).toEqual([{ count: 1 }]);
  expect(over).toMatchObject([{ statement: { name: "add", transaction: null } }]);
  expect(over[0]!.until - over[0]!.at).toBeGreaterThanOrEqual(299);
});

test("a statement arrives after its sender has given it up and closed", async () => {
  const { database, proxy } = await setUp("add", { kind: "deliver after close", afterMs: 50 });
  const client = await connected(proxy.url);
  await expect(client.query(within(100, add))).rejects.toThrow("timeout");
  const direct = await connected(database.url);
  expect(await countOf(direct)).toBe(0);
  await client.end();
  await proxy.settled();
  await database.whenCounted(counted(1), 1);
});

test("a commit arrives after its sender's close, and its locks hold until then", async () => {
  const { database, proxy, over } = await setUp("COMMIT", {
    kind: "deliver after close",
    afterMs: 50,
  });
  const client = await connected(proxy.url);
  await client.query("BEGIN");
  await client.query(add);
  await expect(client.query(within(100, { text: "COMMIT" }))).rejects.toThrow("timeout");
  await client.end();
  await proxy.settled();
  await database.whenCounted(counted(1), 1);
  expect(over).toMatchObject([{ statement: { transaction: ["BEGIN", "add"] } }]);
});

test("the statement is executed although its answer is held", async () => {
  const { database, proxy } = await setUp("add", { kind: "hold answer", forMs: 60_000 });
  const client = await connected(proxy.url);
  await expect(client.query(within(500, add))).rejects.toThrow("timeout");
  await database.whenCounted(counted(1), 1);
});

test("the connection breaks before the statement, or before its answer", async () => {
  const before = await setUp("add", { kind: "cut" });
  await expect((await connected(before.proxy.url)).query(add)).rejects.toThrow();
  await before.proxy.settled();
  expect(await countOf(await connected(before.database.url))).toBe(0);
  // A later connection finds everything as it was.
  expect((await (await connected(before.proxy.url)).query(add)).rows).toEqual([{ count: 1 }]);

  const after = await setUp("add", { kind: "cut answer" });
  await expect((await connected(after.proxy.url)).query(add)).rejects.toThrow();
  await after.proxy.settled();
  expect(await countOf(await connected(after.database.url))).toBe(1);
});

test("a host vanishes inside a transaction, and the database does not notice", async () => {
  const { database, proxy, vanished } = await setUp("COMMIT", {
    kind: "vanish",
    isDelivered: false,
  });
  const client = await connected(proxy.url);
  await client.query("BEGIN");
  await client.query(add);
  const committing = client.query(within(200, { text: "COMMIT" }));
  await vanished;
  await expect(committing).rejects.toThrow("timeout");
  await client.end();
  const other = await connected(database.url);
  await other.query("SET lock_timeout = '100ms'");
  await expect(other.query(add)).rejects.toThrow("lock timeout");
  await expect(connected(proxy.url)).rejects.toThrow();
});
