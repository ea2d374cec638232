import { writeFile } from "node:fs/promises";
import { tableOf } from "./figures/table.ts";
import { readOptions } from "./options.ts";
import { choosePhases } from "./phases/choose-phases.ts";
import { runBench } from "./run-bench.ts";

/** Measures Postdate through its HTTP API. It takes turns with the limits: bare versions of its parts. */
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const { options, phases } = understood();
const result = await runBench(options, phases);
const { machine, figures, failures } = result;
console.log(`\n${machine.join("\n")}\n\n${tableOf(figures)}`);
for (const failure of failures) console.log(`failed: ${failure}`);
if (options.json !== null) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
// Explicit: the package that runs PostgreSQL would let a process that ends by itself exit with 0.
process.exit(failures.length === 0 ? 0 : 1);

function understood() {
  try {
    const options = readOptions(process.argv.slice(2));
    return { options, phases: choosePhases(options) };
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(2);
  }
}
