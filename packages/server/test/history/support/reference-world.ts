import type { Crash } from "../faults.ts";
import type { Asked, Receipt } from "../history.ts";
import { Chance } from "./chance.ts";
import { ReferenceStore } from "./reference-store.ts";

export interface ReferenceOptions {
  readonly seed: number;
  readonly messages: number;
  /** The average number of changes and reads for each message. */
  readonly calls: number;
  readonly crashes: number;
  readonly retentionMs: number;
  /** How many messages the account may schedule. */
  readonly limit: number;
}

/** How long callers and crashes continue. */
export const spanMs = 3_000;
const nodes = ["n1", "n2"];

type Act = (now: number) => void;

/** A simulated clock, a store, nodes that crash, and the log of everything. */
export class ReferenceWorld {
  readonly chance: Chance;
  readonly store: ReferenceStore;
  readonly asked: Asked[] = [];
  readonly receipts: Receipt[] = [];
  readonly crashes: readonly Crash[];
  /** The latest comes first. */
  readonly #plans: { readonly at: number; readonly act: Act }[] = [];
  now = 0;

  constructor({ seed, crashes, retentionMs, limit }: ReferenceOptions) {
    this.chance = new Chance(seed);
    this.store = new ReferenceStore(retentionMs, limit);
    this.crashes = Array.from({ length: crashes }, () => {
      const at = this.chance.between(0, spanMs);
      const backAt = at + this.chance.between(1, 400);
      return { kind: "crash", node: this.chance.pick(nodes)!, at, backAt };
    });
  }

  at(time: number, act: Act): void {
    let [low, high] = [0, this.#plans.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#plans[middle]!.at > time) low = middle + 1;
      else high = middle;
    }
    this.#plans.splice(low, 0, { at: time, act });
  }

  run(): void {
    for (let plan = this.#plans.pop(); plan !== undefined; plan = this.#plans.pop()) {
      this.now = plan.at;
      plan.act(plan.at);
    }
  }

  get aliveNodes(): string[] {
    const down = this.crashes.filter(({ at, backAt }) => at <= this.now && backAt! > this.now);
    return nodes.filter((node) => down.every((crash) => crash.node !== node));
  }

  /** The node's next crash after now. Infinity if there is none. */
  nextCrash(node: string): number {
    const ahead = this.crashes.filter((crash) => crash.node === node && crash.at >= this.now);
    return Math.min(Infinity, ...ahead.map(({ at }) => at));
  }
}
