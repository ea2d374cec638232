import { test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { flavours } from "./plan.ts";
import { expectPlayed, freshSeed } from "./play.ts";

const makeDatabase = preparedDatabases();

test("three nodes on PostgreSQL, with hostile timing of every kind", async () => {
  const { url } = await makeDatabase();
  await expectPlayed(url, { seed: freshSeed(), flavours, nodes: 3, forMs: 13_000 });
}, 240_000);
