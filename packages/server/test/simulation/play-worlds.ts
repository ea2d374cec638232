import { parentPort, workerData } from "node:worker_threads";
import { playWorld } from "./play-world.ts";
import type { PlayedWorld, WorldKind } from "./play-world.ts";

/** The worlds that one thread plays: every `step`-th from its first one on, until the time is up. */
export interface Share {
  readonly seeds: string;
  readonly first: number;
  readonly step: number;
  readonly kinds: readonly WorldKind[];
  readonly forMs: number;
}

/** Reported after every world. */
export interface Played extends PlayedWorld {
  readonly seed: string;
  readonly kind: WorldKind;
}

const { seeds, first, step, kinds, forMs } = workerData as Share;

const deadline = performance.now() + forMs;
for (let number = first; performance.now() < deadline; number += step) {
  const seed = `${seeds}-${number}`;
  // Does not use the number itself. With two threads, each would then see only some kinds.
  const kind = kinds[Math.floor(number / step) % kinds.length]!;
  const played: Played = { ...(await playWorld(seed, kind)), seed, kind };
  parentPort!.postMessage(played);
  if (played.why !== undefined) break;
}
