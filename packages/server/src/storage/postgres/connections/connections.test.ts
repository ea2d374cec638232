import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { StoreUnavailable } from "../../store.ts";
import { StoreConflict } from "./connection-trouble.ts";
import { openConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";
import { startPostgres } from "../testing/start-postgres.ts";
import { testDatabases } from "../testing/test-databases.ts";

const patient = 8_000;
const makeDatabase = testDatabases();

const sql = (text: string) => ({ name: "", text });
const pidOf = async (connections: Connections): Promise<number> => {
  const [row] = await connections.query(sql("SELECT pg_backend_pid() AS pid"));
  return row!["pid"] as number;
};

/** A database, connections to it with these limits, and one more to watch and disturb them. */
async function setUp(max: number, deadlineMs: number) {
  const database = await makeDatabase();
  const [connections, other] = [
    openConnections(database.url, { max, deadlineMs }),
    openConnections(database.url, { max: 1, deadlineMs: patient }),
  ];
  return {
    connections,
    other,
    whenCounted: database.whenCounted,
    /** Ends the server's side of a connection, and waits until it is gone. */
    async end(pid: number): Promise<void> {
      await other.query(sql(`SELECT pg_terminate_backend(${pid})`));
      const left = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE pid = ${pid}`;
      await database.whenCounted(left, 0);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([connections.close(), other.close()]);
      await database.drop();
    },
  };
}

test("a connection that the server ends between two statements fails only its transaction", async () => {
  await using scene = await setUp(1, patient);
  const broken = scene.connections.transaction(async (query) => {
    const [row] = await query(sql("SELECT pg_backend_pid() AS pid"));
    await scene.end(row!["pid"] as number);
    await query(sql("SELECT 1"));
  });
  await expect(broken).rejects.toThrow(StoreUnavailable);
  await expect(scene.connections.query(sql("SELECT 1 AS one"))).resolves.toEqual([{ one: 1 }]);
});

test("the deadline is for the whole call, not for each statement", async () => {
  await using scene = await setUp(1, 1_000);
  const slow = scene.connections.transaction(async (query) => {
    await query(sql("CREATE TABLE left_behind ()"));
    await query(sql("SELECT pg_sleep(0.7)"));
    await query(sql("SELECT pg_sleep(0.7)"));
  });
  await expect(slow).rejects.toThrow(StoreUnavailable);
  const [row] = await scene.other.query(sql("SELECT to_regclass('left_behind') AS found"));
  expect(row).toEqual({ found: null });
});

test("a transaction whose statement gets no answer ends at the deadline", async () => {
  await using scene = await setUp(1, 1_000);
  const waiting = scene.connections.transaction((query) => query(sql("SELECT pg_sleep(60)")));
  await expect(waiting).rejects.toThrow(StoreUnavailable);
});

test("a statement that its caller abandoned ends in the database too", async () => {
  await using scene = await setUp(1, 1_000);
  const asleep = scene.connections.query(sql("SELECT pg_sleep(600)"));
  await expect(asleep).rejects.toThrow(StoreUnavailable);
  await scene.whenCounted(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'PgSleep'`,
    0,
  );
});

test("the database notices clients whose hosts have vanished within seconds", async () => {
  await using scene = await setUp(1, patient);
  const settings = await scene.connections.query(
    sql("SELECT name, setting FROM pg_settings WHERE name ~ '^tcp_|^client_connection_check'"),
  );
  expect(Object.fromEntries(settings.map((row) => [row["name"], Number(row["setting"])]))).toEqual({
    client_connection_check_interval: 1_000,
    tcp_keepalives_count: 3,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_user_timeout: 10_000,
  });
});

test("a call that waits for a lock is refused before the deadline, and its connection survives", async () => {
  await using scene = await setUp(1, 2_000);
  const pid = await pidOf(scene.connections);
  await scene.other.query(sql("SELECT pg_advisory_lock(1)"));
  const waiting = scene.connections.transaction((query) =>
    query(sql("SELECT pg_advisory_xact_lock(1)")),
  );
  await expect(waiting).rejects.toThrow(StoreConflict);
  expect(await pidOf(scene.connections)).toBe(pid);
});

test("a commit that waits for a standby continues when its caller is gone", async () => {
  const server = await startPostgres({ synchronous_standby_names: "nobody" });
  onTestFinished(() => server.stop());
  const connections = openConnections(server.url, { max: 2, deadlineMs: 1_000 });
  onTestFinished(() => connections.close());
  const local = new pg.Client({ connectionString: server.url });
  await local.connect();
  onTestFinished(() => local.end());
  await local.query("SET synchronous_commit = local; CREATE TABLE kept (place int)");
  const insert = (place: number) => sql(`INSERT INTO kept VALUES (${place})`);
  await expect(connections.query(insert(1))).rejects.toThrow(StoreUnavailable);
  const inTransaction = connections.transaction((query) => query(insert(2)));
  await expect(inTransaction).rejects.toThrow(StoreUnavailable);
  // Longer than any time limit of an abandoned session.
  await expect(connections.query(insert(3))).rejects.toThrow(StoreUnavailable);
  await expect(connections.query(insert(4))).rejects.toThrow(StoreUnavailable);
  const { rows } = await local.query<{ waiting: number; visible: number }>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep') AS waiting,
      (SELECT count(*)::int FROM kept) AS visible`,
  );
  expect(rows).toEqual([{ waiting: 4, visible: 0 }]);
}, 60_000);

test("waiting for a free connection counts against the deadline too", async () => {
  await using scene = await setUp(1, 1_000);
  const held = Promise.withResolvers<void>();
  const first = scene.connections.transaction(() => held.promise);
  const second = scene.connections.query(sql("SELECT 1"));
  await expect(second).rejects.toThrow(StoreUnavailable);
  held.resolve();
  await expect(first).rejects.toThrow(StoreUnavailable);
});

test("when one connection gets no answer, all are dropped", async () => {
  await using scene = await setUp(2, 1_000);
  const { connections } = scene;
  const silent = connections.query(sql("SELECT pg_sleep(60)"));
  const [, before] = await Promise.all([
    expect(silent).rejects.toThrow(StoreUnavailable),
    pidOf(connections),
  ]);
  expect(await pidOf(connections)).not.toBe(before);
});

test("when one connection finds the server read-only, all are dropped", async () => {
  await using scene = await setUp(2, patient);
  const { connections } = scene;
  const onBoth = (statement: string) =>
    Promise.all([1, 2].map(() => connections.query(sql(`${statement}, pg_sleep(0.2)`))));
  await onBoth("SELECT set_config('default_transaction_read_only', 'on', false)");
  await expect(connections.query(sql("CREATE TABLE kept ()"))).rejects.toThrow(StoreUnavailable);
  const now = await onBoth("SELECT current_setting('transaction_read_only') AS read_only");
  expect(now.map(([row]) => row!["read_only"])).toEqual(["off", "off"]);
});

test("a call that waits for a connection while all are dropped gets a new one", async () => {
  await using scene = await setUp(1, patient);
  let waiting: Promise<unknown> | undefined;
  const broken = scene.connections.transaction(async (query) => {
    const [row] = await query(sql("SELECT pg_backend_pid() AS pid"));
    const doomed = query(sql("SELECT pg_sleep(60)"));
    waiting = scene.connections.query(sql("SELECT 1 AS one"));
    await Promise.all([doomed, scene.end(row!["pid"] as number)]);
  });
  await expect(broken).rejects.toThrow(StoreUnavailable);
  await expect(waiting).resolves.toEqual([{ one: 1 }]);
});

test("a commit with a warning is not acknowledged", async () => {
  await using scene = await setUp(1, patient);
  const warned = scene.connections.query(sql("DO $$ BEGIN RAISE WARNING 'only local'; END $$"));
  await expect(warned).rejects.toThrow(StoreUnavailable);
  await expect(scene.connections.query(sql("SELECT 1 AS one"))).resolves.toEqual([{ one: 1 }]);
});

test("a warning is recognised by its code too, in any language of the server", async () => {
  await using scene = await setUp(1, patient);
  const saying = (code: string) =>
    scene.connections.query(sql(`DO $$ BEGIN RAISE NOTICE 'x' USING ERRCODE = '${code}'; END $$`));
  await expect(saying("01000")).rejects.toThrow(StoreUnavailable);
  await expect(saying("57P01")).rejects.toThrow(StoreUnavailable);
  await expect(saying("00000")).resolves.toEqual([]);
});

test("a statement that an operator cancels counts as unavailable, not as a bug", async () => {
  await using scene = await setUp(1, patient);
  const pid = await pidOf(scene.connections);
  const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE pid = ${pid} AND wait_event = 'PgSleep'`;
  const cancelOnceAsleep = async (): Promise<void> => {
    while ((await scene.other.query(sql(cancel))).length === 0);
  };
  const asleep = scene.connections.query(sql("SELECT pg_sleep(60)"));
  await Promise.all([expect(asleep).rejects.toThrow(StoreUnavailable), cancelOnceAsleep()]);
});

test("a login that fails without a password leaves no socket behind", async () => {
  /** What a server sends before it needs the password: how to log in, and the salt. */
  const said = [
    { step: 10, text: "SCRAM-SHA-256\0\0" },
    { step: 11, text: "r=x,s=eA==,i=4096" },
  ].map(({ step, text }) => {
    const message = Buffer.alloc(9 + text.length);
    message.write("R");
    message.writeInt32BE(8 + text.length, 1);
    message.writeInt32BE(step, 5);
    message.write(text, 9);
    return message;
  });
  const server = createServer((socket) => {
    const left = [...said];
    socket.on("data", () => socket.write(left.shift() ?? ""));
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connected = once(server, "connection") as Promise<[Socket]>;
  const url = `postgres://nobody@127.0.0.1:${port}/none`;
  const connections = openConnections(url, { max: 1, deadlineMs: patient });
  onTestFinished(() => connections.close());
  const refused = connections.query(sql("SELECT 1")).catch((error: unknown) => error);
  const [socket] = await connected;
  await once(socket, "close");
  expect(String(await refused)).toMatch(/password/);
});
