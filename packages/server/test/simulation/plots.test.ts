import { expect, test } from "vitest";
import { scenarioOf } from "./world/scenario.ts";
import type { Mode, Scenario } from "./world/scenario.ts";
import { tryScenario } from "./world/try-seed.ts";

/** The plots that must not be left to chance. Each is recognised by a target that only it has. */
const plots: readonly [plot: string, targetId: string][] = [
  ["a clock is set back and forward while a backlog drains at its rate", "paced"],
  ["a rate limit is removed, and a node that only delivers is not told", "limited"],
  ["dozens of targets of one account hang while another account is served", "crowd0"],
];
const worldsOfEach = 3;
const longestMs = 15 * 60_000;

/** Worlds that are quick to play and contain the plot. */
function* worldsWith(targetId: string): Generator<Scenario> {
  for (let number = 0; ; number++) {
    const mode: Mode = number % 2 === 0 ? "safety" : "liveness";
    const scenario = scenarioOf(`plot-${number}`, mode);
    const has = scenario.targets.some((target) => target.targetId === targetId);
    if (has && scenario.endsAt <= longestMs) yield scenario;
  }
}

test.each(plots)("%s", { timeout: 180_000 }, async (_, targetId) => {
  let attempts = 0;
  for (const scenario of worldsWith(targetId).take(worldsOfEach)) {
    const { faults, run } = await tryScenario(scenario);
    expect(faults, `seed ${scenario.seed}, ${scenario.mode}`).toEqual([]);
    attempts += run.history.receipts.filter((receipt) => receipt.targetId === targetId).length;
  }
  expect(attempts).toBeGreaterThan(0);
});
