import { describe, expect, test } from "vitest";
import { scenarioOf } from "./world/scenario.ts";
import type { Mode } from "./world/scenario.ts";
import { describeTally, noWorlds, tallyOf, together } from "./world/tally.ts";
import { explain, tryScenario, trySeed } from "./world/try-seed.ts";
import { seedsOfTree } from "./seeds-of-tree.ts";

/** Seeds that once broke something, in the service or in the simulation. Each one stays here. */
const regressions: readonly [seed: string, mode: Mode, what: string][] = [
  ["mutant-189", "liveness", "a late join ended the next membership"],
  ["bench-188", "safety", "an outcome that a frozen node could not write before it was stopped"],
  ["6a240527-liveness-24", "liveness", "a crash amid the first attempt after a long freeze"],
  ["0cfb51a9-5024", "liveness", "an answer that its node slept through, and no record of it left"],
  ["0b951236-207", "liveness", "a crash amid a stop that waited for a hanging target"],
  ["a0998609-1098", "liveness", "a target left alone after a failed claim, then due"],
  ["854c946a-1748", "safety", "a target that waited for its own slow answers while others hung"],
  ["aa411fa1-811", "liveness", "a target that changed its mood after the end of all faults"],
  ["d0f9a4f5-3830", "liveness", "a bound by a clock that was set back"],
  ["890c563b-499", "liveness", "a claim that came only after the bound of its message"],
  ["f93a3812-2342", "liveness", "a clock set back to the very millisecond of a lost attempt"],
  ["4b4c842a-1626", "liveness", "a lost call whose message ended by its bound, unseen"],
  ["093e11f0-1585", "liveness", "a frozen node that joined again too late for what had become due"],
  ["917da787-safety-8", "safety", "a bound kept by a reschedule that was asked before it"],
  ["aa6a0ead-safety-1", "safety", "a limit reached by a message that one of two calls had made"],
];

const fresh = seedsOfTree();
/** A count and not a time, so that a busy machine tests as much as a quiet one. */
const freshWorlds = 18;

test.each(regressions)("seed %s, %s: %s", async (seed, mode) => {
  expect((await trySeed(seed, mode)).faults).toEqual([]);
});

test("a seed always gives the same run, to the last event", async () => {
  for (const mode of ["safety", "liveness"] as const) {
    const scenario = scenarioOf(`again-${mode}`, mode);
    const [first, second] = [await tryScenario(scenario), await tryScenario(scenario)];
    expect(second.run.traceHash).toBe(first.run.traceHash);
    expect(second.run.happenings).toBe(first.run.happenings);
    const other = await tryScenario(scenarioOf(`another-${mode}`, mode));
    expect(other.run.traceHash).not.toBe(first.run.traceHash);
  }
});

describe.each<Mode>(["safety", "liveness"])("%s", (mode) => {
  test(
    `fresh seeds ${fresh}-${mode}-0 onwards keep every promise`,
    { timeout: 600_000 },
    async () => {
      let seen = noWorlds;
      for (let number = 0; number < freshWorlds; number++) {
        const seed = `${fresh}-${mode}-${number}`;
        const { run, faults } = await trySeed(seed, mode);
        if (faults.length > 0) expect.fail(await explain(seed, mode));
        seen = together(seen, tallyOf(run));
      }
      process.stdout.write(`${mode}, seeds ${fresh}-${mode}-*: ${describeTally(seen)}\n`);
      expect(seen.acknowledged).toBeGreaterThan(100);
      expect(seen.lostAnswers).toBeGreaterThan(0);
      expect(seen.nodeFaults).toBeGreaterThan(0);
      expect(seen.storeFaults).toBeGreaterThan(0);
      expect(seen.attempts).toBeGreaterThan(100);
    },
  );
});
