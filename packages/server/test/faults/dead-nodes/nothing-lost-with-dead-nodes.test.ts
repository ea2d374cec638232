import { test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept } from "../../history/expect-kept.ts";
import { deadNodesRun } from "./dead-nodes-run.ts";

const makeDatabase = preparedDatabases();

test("three nodes on one database: each is killed and restarted, and one stands still for 30 s", async () => {
  const { url } = await makeDatabase();
  const times = { leaseMs: 10_000, lifeMs: 4_000, stillMs: 30_000 };
  expectKept(await deadNodesRun(url, { ...times, kills: 3 }));
}, 300_000);
