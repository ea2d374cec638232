import { expect, test } from "vitest";
import { StoreUnavailable } from "../store.ts";
import { openConnections } from "./connections.ts";
import { testDatabases } from "./testing/test-databases.ts";

const one = { max: 1, deadlineMs: 8_000 };
const makeDatabase = testDatabases();

test("a connection that the server ends between two statements fails the transaction alone", async () => {
  const database = await makeDatabase();
  const [doomed, other] = [openConnections(database.url, one), openConnections(database.url, one)];
  const broken = doomed.transaction(async (query) => {
    const [row] = await query({ name: "", text: "SELECT pg_backend_pid() AS pid" });
    const pid = row!["pid"] as number;
    await other.query({ name: "", text: `SELECT pg_terminate_backend(${pid})` });
    const left = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE pid = ${pid}`;
    await database.whenCounted(left, 0);
    await query({ name: "", text: "SELECT 1" });
  });
  await expect(broken).rejects.toThrow(StoreUnavailable);
  await expect(doomed.query({ name: "", text: "SELECT 1 AS one" })).resolves.toEqual([{ one: 1 }]);
  await Promise.all([doomed.close(), other.close()]);
  await database.drop();
});
