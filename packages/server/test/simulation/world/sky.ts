import type { Fault } from "../../history/faults.ts";
import type { StoreFault, StoreFaults } from "../model-store/with-faults.ts";
import { calm } from "./moves.ts";
import type { Weather } from "./moves.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** What a call to the database waits before it gives up. */
const deadlineMs = 8_000;

/** What stands between the nodes and their store, and a log of what it did to them. */
export class Sky {
  readonly faults: Fault[] = [];
  weather: Weather = calm;
  readonly #time: SimulatedTime;
  readonly #random: SeededRandom;
  readonly #cutOffUntil = new Map<string, number>();

  constructor(time: SimulatedTime, random: SeededRandom) {
    this.#time = time;
    this.#random = random;
  }

  cutOff(nodeId: string, forMs: number): void {
    this.#cutOffUntil.set(nodeId, this.#time.monotonic() + forMs);
  }

  clear(): void {
    this.weather = calm;
    this.#cutOffUntil.clear();
  }

  faultsOf(nodeId: string, process: SimulatedProcess): StoreFaults {
    const random = this.#random.fork(nodeId);
    return {
      get dead() {
        return process.dead;
      },
      next: () => {
        const fault = this.#next(nodeId, random);
        const tookMs = fault.beforeMs + fault.afterMs;
        if (fault.kind !== "fine" || tookMs > 1_000) this.#note(nodeId, fault, tookMs);
        return fault;
      },
    };
  }

  #next(nodeId: string, random: SeededRandom): StoreFault {
    if ((this.#cutOffUntil.get(nodeId) ?? -1) > this.#time.monotonic()) {
      return { kind: "fails-before", beforeMs: 0, afterMs: random.pick([1, deadlineMs]) };
    }
    const { failsBefore, failsAfter, slow, slowestMs } = this.weather;
    // Most answers come at once, which is quick to simulate; some let others come in between.
    const afterMs = random.happens(0.8) ? 0 : random.fraction();
    if (this.weather === calm) return { kind: "fine", beforeMs: 0, afterMs };
    const delayMs = random.happens(slow) ? random.fraction() * slowestMs : random.fraction();
    const beforeMs = Math.min(delayMs, deadlineMs);
    if (random.happens(failsBefore)) return { kind: "fails-before", beforeMs, afterMs };
    if (delayMs > deadlineMs) {
      return { kind: "happens-late", beforeMs: delayMs - deadlineMs, afterMs: deadlineMs };
    }
    const kind = random.happens(failsAfter) ? "fails-after" : "fine";
    return { kind, beforeMs, afterMs: random.happens(slow) ? random.fraction() * 1_000 : afterMs };
  }

  #note(nodeId: string, { kind }: StoreFault, tookMs: number): void {
    const at = this.#time.now();
    const commit = ({ "fails-before": "before", "fails-after": "after" } as const)[kind as never];
    this.faults.push({
      kind: "store",
      node: nodeId,
      at,
      until: Math.ceil(at + tookMs),
      commit: commit ?? "either",
    });
  }
}
