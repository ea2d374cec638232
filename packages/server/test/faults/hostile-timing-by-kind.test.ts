import { expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { flavours } from "../hostile-timing/plan.ts";
import type { PlanOptions } from "../hostile-timing/plan.ts";
import { expectPlayed, freshSeed } from "../hostile-timing/play.ts";

const makeDatabase = preparedDatabases();

/** Each kind alone, so that no other fault excuses its effects, and then all together. */
const runs: readonly Omit<PlanOptions, "seed">[] = [
  { flavours: ["answers-at-the-bound"], nodes: 1, forMs: 10_000 },
  { flavours: ["answers-at-the-bound"], nodes: 3, forMs: 10_000 },
  { flavours: ["late-statements"], nodes: 1, forMs: 14_000 },
  { flavours: ["late-statements"], nodes: 2, forMs: 28_000 },
  // Callers continue for longer than others need to take over from the vanished host.
  { flavours: ["vanishing-hosts"], nodes: 2, forMs: 28_000 },
  { flavours: ["vanishing-hosts"], nodes: 3, forMs: 5_000 },
  { flavours, nodes: 3, forMs: 16_000 },
];

test.each(runs)("hostile timing: $flavours, $nodes nodes, $forMs ms", async (run) => {
  const { url } = await makeDatabase();
  expect(await expectPlayed(url, { ...run, seed: freshSeed() })).toContain("clean");
});
