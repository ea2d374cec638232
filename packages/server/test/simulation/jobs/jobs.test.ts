import { expect, test } from "vitest";
import type { Defect } from "../world/open-world.ts";
import { playJobWorld } from "./play-job-world.ts";
import { seedsOfTree } from "../seeds-of-tree.ts";

const fresh = seedsOfTree();
const freshWorlds = 12;

test(`fresh seeds ${fresh}-jobs-0 onwards: each message once, and nothing after a stop`, async () => {
  let [jobs, stops, faults] = [0, 0, 0];
  for (let number = 0; number < freshWorlds; number++) {
    const seed = `${fresh}-jobs-${number}`;
    const run = await playJobWorld(seed, { selfCheck: true });
    if (run.problems.length > 0) expect.fail(`${seed}\n${run.problems.join("\n")}`);
    jobs += run.jobs;
    stops += run.stops;
    faults += run.faults;
  }
  process.stdout.write(`seeds ${fresh}-jobs-*: ${jobs} jobs, ${stops} stops, ${faults} faults\n`);
  expect(jobs).toBeGreaterThan(freshWorlds);
  expect(stops).toBeGreaterThan(0);
  expect(faults).toBeGreaterThan(0);
}, 600_000);

const bugs: readonly [Defect, RegExp][] = [
  ["job-forgets-whom-it-met", /was shifted by/],
  ["stop-not-stored", /was stopped after/],
];

test.each(bugs)("%s is caught", async (defect, problem) => {
  for (let number = 0; number < 10; number++) {
    const { problems } = await playJobWorld(`mutant-${number}`, { defects: new Set([defect]) });
    if (problems.length > 0) return expect(problems.join("\n")).toMatch(problem);
  }
  expect.fail(`${defect} went unnoticed in every world`);
});

test("a seed always gives the same run", async () => {
  const [one, other] = [await playJobWorld("again"), await playJobWorld("again")];
  expect(other).toEqual(one);
});
