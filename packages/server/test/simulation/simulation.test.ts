import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { scenarioOf } from "./world/scenario.ts";
import type { Mode } from "./world/scenario.ts";
import { explain, tryScenario, trySeed } from "./world/try-seed.ts";

/** Seeds that once broke something; each stays here. */
const regressions: readonly [seed: string, mode: Mode, what: string][] = [];

const fresh = randomBytes(4).toString("hex");
const forMs = 25_000;

test.each(regressions)("seed %s, %s: %s", async (seed, mode) => {
  expect((await trySeed(seed, mode)).faults).toEqual([]);
});

test("a seed comes out the same again, to the last event", async () => {
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
    { timeout: 180_000 },
    async () => {
      const deadline = performance.now() + forMs;
      const seen = { worlds: 0, hours: 0, acknowledged: 0, unknown: 0, receipts: 0, crashes: 0 };
      for (let number = 0; performance.now() < deadline; number++) {
        const seed = `${fresh}-${mode}-${number}`;
        const { run, faults } = await trySeed(seed, mode);
        if (faults.length > 0) expect.fail(await explain(seed, mode));
        seen.worlds++;
        seen.hours += run.simulatedMs / 3_600_000;
        for (const { answer } of run.history.asked) {
          if (answer.kind === "ok") seen.acknowledged++;
          if (answer.kind === "unknown") seen.unknown++;
        }
        seen.receipts += run.history.receipts.length;
        seen.crashes += run.history.faults.filter(({ kind }) => kind === "crash").length;
      }
      process.stdout.write(`${mode}: seeds ${fresh}-${mode}-*, ${JSON.stringify(seen)}\n`);
      expect(seen.acknowledged).toBeGreaterThan(100);
      expect(seen.unknown).toBeGreaterThan(0);
      expect(seen.crashes).toBeGreaterThan(0);
      expect(seen.receipts).toBeGreaterThan(100);
    },
  );
});
