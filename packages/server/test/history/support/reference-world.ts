import type { Crash } from "../faults.ts";
import type { Asked, Receipt } from "../history.ts";
import { Chance } from "./chance.ts";
import { ReferenceStore } from "./reference-store.ts";

export interface ReferenceOptions {
  readonly seed: number;
  readonly messages: number;
  /** Changes and reads of each, on average. */
  readonly calls: number;
  readonly crashes: number;
  readonly retentionMs: number;
  /** How many messages the account may schedule. */
  readonly limit: number;
}

/** How long callers and crashes go on. */
export const spanMs = 3_000;
const nodes = ["n1", "n2"];

type Act = (now: number) => void;

/** A clock that goes from one plan to the next, a store, nodes that crash, and the log of it all. */
export class ReferenceWorld {
  readonly chance: Chance;
  readonly store: ReferenceStore;
  readonly asked: Asked[] = [];
  readonly receipts: Receipt[] = [];
  readonly crashes: readonly Crash[];
  /** Latest first. */
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

  /** When the node crashes next, from now on; Infinity: never. */
  nextCrash(node: string): number {
    const ahead = this.crashes.filter((crash) => crash.node === node && crash.at >= this.now);
    return Math.min(Infinity, ...ahead.map(({ at }) => at));
  }
}
