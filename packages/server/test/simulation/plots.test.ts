import { expect, test } from "vitest";
import { scenarioOf } from "./world/scenario.ts";
import type { Mode, Scenario } from "./world/scenario.ts";
import { tryScenario } from "./world/try-seed.ts";

/** What must not be left to chance: each plot by a target that it alone brings, and from which world on. */
const plots: readonly [plot: string, targetId: string][] = [
  ["a clock that is set back and forth while a backlog drains at its rate", "paced"],
  ["a rate limit that is taken away, which a node that only delivers is not told", "limited"],
  ["an account with dozens of targets that hang, while another is served", "crowd0"],
];
const worldsOfEach = 3;
const longestMs = 15 * 60_000;

/** Worlds that are quick to play, and have it. */
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
