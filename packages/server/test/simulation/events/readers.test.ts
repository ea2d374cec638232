import { expect, test } from "vitest";
import { countTold, describeTold } from "../../history/events/count-told.ts";
import { seedsOfTree } from "../seeds-of-tree.ts";
import type { Defect } from "../world/open-world.ts";
import { scenarioOf } from "../world/scenario.ts";
import { explain, tryScenario, trySeed } from "../world/try-seed.ts";

const fresh = seedsOfTree();
const freshWorlds = 3;

test(`fresh seeds ${fresh}-events-0 onwards: every reader gets everything, wherever it connects`, async () => {
  const seen = { readings: 0, again: 0, requests: 0, repeats: 0 };
  for (let number = 0; number < freshWorlds; number++) {
    const seed = `${fresh}-events-${number}`;
    const { run, faults } = await trySeed(seed, "events");
    if (faults.length > 0) expect.fail(await explain(seed, "events"));
    const counts = countTold(run.history.events!);
    process.stdout.write(`seed ${seed}: ${describeTold(run.history.events!)}\n`);
    for (const what of Object.keys(seen) as (keyof typeof seen)[]) seen[what] += counts[what];
  }
  expect(seen.readings).toBeGreaterThan(50);
  expect(Math.min(seen.again, seen.requests, seen.repeats)).toBeGreaterThan(0);
}, 600_000);

/** Bugs that only readers see, and what shows them. An event apart from its commit is among the other bugs. */
const bugs: readonly [Defect, RegExp][] = [
  ["positions-by-sequence", /^G22 .*(behind \d+, where \d+ .* was due|sent on to|never took)/m],
  ["resume-off-by-one", /^G22 .*(behind \d+, where \d+ .* was due|told of a gap|came to)/m],
];
const mostWorlds = 30;
const longestMs = 10 * 60_000;

test.each(bugs)("%s is caught", { timeout: 300_000 }, async (defect, shows) => {
  for (let number = 0; number < mostWorlds; number++) {
    const scenario = scenarioOf(`told-${number}`, "liveness");
    if (scenario.endsAt > longestMs) continue;
    const { faults } = await tryScenario(scenario, new Set([defect]), true);
    if (faults.length === 0) continue;
    expect(faults.join("\n")).toMatch(shows);
    expect((await tryScenario(scenario, new Set(), true)).faults).toEqual([]);
    return;
  }
  expect.fail(`${defect} went unnoticed in every world`);
});

test.each([
  ["80da7d3f-2366", "a limit that was raised while a claim was under way"],
  ["cc609591-373", "messages of one key whose many attempts are no longer on record"],
])("seed %s: %s", async (seed) => {
  expect((await trySeed(seed, "events")).faults).toEqual([]);
});

test("a seed always gives the same run, whoever reads", async () => {
  const [one, other] = [await trySeed("again-5", "events"), await trySeed("again-5", "events")];
  expect(other.run.traceHash).toBe(one.run.traceHash);
  expect(other.run.history.events).toEqual(one.run.history.events);
});
