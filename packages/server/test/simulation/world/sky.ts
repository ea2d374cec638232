import type { Fault } from "../../history/faults.ts";
import type { StoreFault, StoreFaults } from "../model-store/with-faults.ts";
import { calm } from "./moves.ts";
import type { Strike, Weather } from "./moves.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** How long a call to the database waits before it gives up. */
const deadlineMs = 8_000;

/** The calls that a strike waits for, because they have consequences. */
const thatMatter: ReadonlySet<string> = new Set([
  "scheduleMessages",
  "changeNow",
  "beginToWait",
  "takeBack",
  "claimDue",
  "recordAttempts",
  "releaseClaims",
  "getTargetByKey",
  "createJob",
  "changeJob",
  "advanceJob",
  "createSchedule",
  "changeSchedule",
  "removeSchedule",
]);

/** Nodes make these calls all the time. They must not change what chance has in store for the others. */
const ofSchedules: ReadonlySet<string> = new Set(["advanceSchedules", "judgeRuns"]);

/** No caller waits for `voidLostClaims`, so it does harm only when it comes late. */
const harmfulWhenLate: ReadonlySet<string> = new Set([...thatMatter, "voidLostClaims"]);

export interface SkyOptions {
  readonly time: SimulatedTime;
  readonly random: SeededRandom;
  /** Null if the store is embedded. */
  readonly leaseMs: number | null;
  /** The share of calls that the store answers at once. */
  readonly prompt: number;
}

interface AwaitedStrike {
  readonly what: Strike;
  /** Only calls of this verb. */
  readonly verb: string | undefined;
  calls: number;
  readonly kill: () => void;
}

/** The faults between the nodes and their store, and a log of them. */
export class Sky {
  readonly faults: Fault[] = [];
  weather: Weather = calm;
  readonly #options: SkyOptions;
  readonly #time: SimulatedTime;
  readonly #cutOffUntil = new Map<string, number>();
  readonly #strikes = new Map<string, AwaitedStrike>();

  constructor(options: SkyOptions) {
    this.#options = options;
    this.#time = options.time;
  }

  cutOff(nodeId: string, forMs: number): void {
    this.#cutOffUntil.set(nodeId, this.#time.monotonic() + forMs);
  }

  strike(nodeId: string, strike: AwaitedStrike): void {
    this.#strikes.set(nodeId, strike);
  }

  clear(): void {
    this.weather = calm;
    this.#strikes.clear();
    this.#cutOffUntil.clear();
  }

  faultsOf(nodeId: string, process: SimulatedProcess): StoreFaults {
    const { leaseMs } = this.#options;
    const random = this.#options.random.fork(nodeId);
    const ownRandom = random.fork("schedules");
    // A renewal takes three calls, one after the other. Several slow ones cost the membership.
    const noteworthyMs = leaseMs === null ? 1_000 : Math.min(1_000, leaseMs / 20);
    const next = (verb: string): StoreFault => {
      const fault =
        this.#struck(nodeId, verb) ??
        this.#next(nodeId, ofSchedules.has(verb) ? ownRandom : random);
      // Calls to an embedded store are never lost on the way. They fail as a whole, or take time.
      return leaseMs === null ? { ...fault, kind: embeddedKinds[fault.kind] } : fault;
    };
    return {
      get dead() {
        return process.dead;
      },
      next: (verb) => {
        const fault = next(verb);
        const tookMs = fault.beforeMs + fault.afterMs;
        if (fault.kind !== "fine" || tookMs > noteworthyMs) this.#note(nodeId, fault, tookMs);
        return fault;
      },
    };
  }

  #struck(nodeId: string, verb: string): StoreFault | undefined {
    const strike = this.#strikes.get(nodeId);
    if (strike === undefined) return undefined;
    const { what, kill } = strike;
    const awaited = typeof what === "object" ? harmfulWhenLate : thatMatter;
    const isAwaited = strike.verb === undefined ? awaited.has(verb) : verb === strike.verb;
    if (!isAwaited || strike.calls-- > 0) return undefined;
    this.#strikes.delete(nodeId);
    if (typeof what === "object") {
      return { kind: "happens-late", beforeMs: what.happensAfterMs, afterMs: 1 };
    }
    if (what === "dies-before") kill();
    else if (what === "dies-after") this.#time.after(0.5, kill);
    else return { kind: what, beforeMs: 0, afterMs: 1 };
    return { kind: "fine", beforeMs: 0, afterMs: 1 };
  }

  #next(nodeId: string, random: SeededRandom): StoreFault {
    if ((this.#cutOffUntil.get(nodeId) ?? -1) > this.#time.monotonic()) {
      return { kind: "fails-before", beforeMs: 0, afterMs: random.pick([1, deadlineMs]) };
    }
    const { failsBefore, failsAfter, slow, slowestMs } = this.weather;
    // Most answers come at once, which is quick to simulate. Some let other events come in between.
    const afterMs = random.happens(this.#options.prompt) ? 0 : random.fraction();
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

const embeddedKinds = {
  fine: "fine",
  "fails-before": "fails-before",
  "fails-after": "fails-before",
  "happens-late": "fine",
} as const;
