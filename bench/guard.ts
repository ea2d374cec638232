import { whyTooSlow } from "./figures/too-slow.ts";
import { tableOf } from "./figures/table.ts";
import { readOptions } from "./options.ts";
import type { Phase } from "./phase.ts";
import { drain } from "./phases/drain.ts";
import { scheduleBatches } from "./phases/schedule-batches.ts";
import { scheduleSingle } from "./phases/schedule-single.ts";
import { runBench } from "./run-bench.ts";

/**
 * Guards against an unnoticed slowdown. A short benchmark fails if a ratio to a limit of the same run
 * is far too low, and never because of a time. A figure that is too slow is measured a second time
 * before it counts.
 */
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const options = {
  ...readOptions(["--quick", ...process.argv.slice(2)]),
  measuredMs: 1_000,
  spike: 5_000,
  quietMs: 2_000,
};
const problems: string[] = [];
for (const phase of [scheduleSingle, scheduleBatches, drain]) {
  const first = await problemsOf(phase);
  problems.push(...(first.length === 0 ? [] : await problemsOf(phase)));
}
for (const problem of problems) console.error(`Too slow: ${problem}`);
// Explicit: the package that runs PostgreSQL would let a process that ends by itself exit with 0.
process.exit(problems.length === 0 ? 0 : 1);

async function problemsOf(phase: Phase): Promise<string[]> {
  const { figures, failures } = await runBench(options, [phase]);
  console.log(tableOf(figures));
  return [...failures, ...figures.flatMap((figure) => whyTooSlow(figure) ?? [])];
}
