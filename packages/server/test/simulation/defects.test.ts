import { expect, test } from "vitest";
import type { Defect } from "./world/open-world.ts";
import { scenarioOf } from "./world/scenario.ts";
import type { Mode } from "./world/scenario.ts";
import { tryScenario } from "./world/try-seed.ts";

/**
 * Each bug, the promise that it breaks first, and the seed at which the search starts. The engine checks again
 * what the store hands it, so the store's bug shows only with the engine's.
 */
const bugs: readonly [Defect, breaks: RegExp, from: number, beside?: Defect][] = [
  ["result-not-fenced", /^G(6|11) /, 7],
  ["cancel-without-version-check", /^G(5|9) /, 2],
  ["quota-check-then-insert", /^G14 /, 155],
  ["page-cursor-off-by-one", /^G12 /, 7],
  ["retry-budget-not-reset", /^G(4|11) /, 2],
  ["commit-lost", /^G1 /, 7],
  ["lease-never-ends", /still waiting|^G7 /, 19],
  ["lease-by-the-stores-clock", /^G(6|13) /, 2],
  ["due-by-a-wrong-clock", /^G4 /, 4],
  ["expires-scheduled", /^G(1|3|11) /, 9],
  ["late-look-voids-newer-claims", /^G(5|6|10) /, 2288],
  ["outcome-lost-on-error", /^G(3|5) /, 4],
  ["lease-believed-longer", /^G(5|6) /, 2],
  ["idempotency-key-dropped", /^G2 /, 7],
  ["payload-cut-at-nul", /^G16 /, 2],
  ["rate-closed-after-step-back", /^G13 /, 38],
  ["accounts-not-told-apart", /^G(8|15) /, 43],
  ["delay-by-another-clock", /^G(4|11) /, 2],
  ["bound-not-checked", /^OPT /, 87],
  ["claims-after-the-bound", /^OPT /, 2, "bound-not-checked"],
  ["bound-never-ends", /still waiting|^OPT /, 2],
  ["replaced-message-lives-on", /^KEY /, 4],
  ["payload-not-replaced", /^KEY /, 4],
  ["replaced-in-flight", /^(KEY|G5) /, 4],
  ["key-free-in-flight", /^KEY /, 4],
  ["event-committed-apart", /^G22 /, 15],
];
const mostWorlds = 60;
const longestMs = 15 * 60_000;

/** Worlds that are quick to play. */
function* worldsFrom(first: number) {
  for (let number = first; number < first + mostWorlds; number++) {
    const mode: Mode = number % 2 === 0 ? "safety" : "liveness";
    const scenario = scenarioOf(`mutant-${number}`, mode);
    if (scenario.endsAt <= longestMs) yield scenario;
  }
}

test.each(bugs)("%s is caught", { timeout: 120_000 }, async (defect, breaks, first, beside) => {
  const defects = new Set(beside === undefined ? [defect] : [defect, beside]);
  for (const scenario of worldsFrom(first)) {
    const { faults } = await tryScenario(scenario, defects);
    if (faults.length === 0) continue;
    expect(faults.join("\n")).toMatch(new RegExp(breaks.source, "m"));
    expect((await tryScenario(scenario)).faults).toEqual([]);
    return;
  }
  expect.fail(`${defect} went unnoticed in every world`);
});
