import type { Move } from "./moves.ts";
import type { Scenario } from "./scenario.ts";

/**
 * Removes moves while the rest still fails: first half of them, then smaller and smaller parts. The result
 * is short enough to read.
 */
export async function shrink(
  scenario: Scenario,
  fails: (smaller: Scenario) => Promise<boolean>,
  mostRuns = 150,
): Promise<Scenario> {
  let { moves } = scenario;
  let runs = 0;
  for (let size = Math.ceil(moves.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < moves.length && runs < mostRuns;) {
      const fewer = [...moves.slice(0, start), ...moves.slice(start + size)];
      runs++;
      if (await fails({ ...scenario, moves: fewer })) moves = fewer;
      else start += size;
    }
  }
  return { ...scenario, moves };
}

export function story({ seed, mode, moves, targets, accounts, ...installation }: Scenario): string {
  return [
    `seed ${seed}, ${mode}, ${JSON.stringify(installation)}`,
    ...accounts.map((account) => `  account ${JSON.stringify(account)}`),
    ...targets.map((target) => `  target ${JSON.stringify(target)}`),
    ...moves.map((move) => `  ${describeMove(move)}`),
  ].join("\n");
}

function describeMove({ at, kind, ...rest }: Move): string {
  return `${(at / 1_000).toFixed(3).padStart(12)} s  ${kind} ${JSON.stringify(rest)}`;
}
