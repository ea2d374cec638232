import { parentPort, workerData } from "node:worker_threads";
import type { Mode } from "./world/scenario.ts";
import { tallyOf } from "./world/tally.ts";
import type { Tally } from "./world/tally.ts";
import { explain, trySeed } from "./world/try-seed.ts";

/** The worlds that one thread plays: every `step`-th from its first one on, until the time is up. */
export interface Share {
  readonly seeds: string;
  readonly first: number;
  readonly step: number;
  readonly modes: readonly Mode[];
  readonly forMs: number;
}

/** Reported after every world. */
export type Played =
  | { readonly kind: "kept"; readonly tally: Tally }
  | { readonly kind: "broken"; readonly seed: string; readonly mode: Mode; readonly why: string };

const { seeds, first, step, modes, forMs } = workerData as Share;
const say = (played: Played): void => parentPort!.postMessage(played);

const deadline = performance.now() + forMs;
for (let number = first; performance.now() < deadline; number += step) {
  const seed = `${seeds}-${number}`;
  // Does not use the number itself. With two threads, each would then see only one mode.
  const mode = modes[Math.floor(number / step) % modes.length]!;
  const { run, faults } = await trySeed(seed, mode);
  if (faults.length > 0) {
    say({ kind: "broken", seed, mode, why: await explain(seed, mode) });
    break;
  }
  say({ kind: "kept", tally: tallyOf(run) });
}
