import { createHash } from "node:crypto";
import type { Random } from "../../../src/platform/random.ts";

/** A source of chance that is the same for the same seed. */
export interface SeededRandom extends Random {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  happens(chance: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** An independent source of chance, whatever else is drawn before or after. */
  fork(name: string): SeededRandom;
}

/** sfc32: small, quick, and good enough for a thousand years of faults. */
export function seededRandom(seed: string): SeededRandom {
  const state = new Int32Array(createHash("sha256").update(seed).digest().buffer.slice(0, 16));
  const next = (): number => {
    const sum = (((state[0]! + state[1]!) | 0) + state[3]!) | 0;
    state[3] = (state[3]! + 1) | 0;
    state[0] = state[1]! ^ (state[1]! >>> 9);
    state[1] = (state[2]! + (state[2]! << 3)) | 0;
    state[2] = (state[2]! << 21) | (state[2]! >>> 11);
    state[2] = (state[2] + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) next();
  const fraction = (): number => next() / 2 ** 32;
  return {
    fraction,
    bytes(length) {
      const bytes = Buffer.alloc(length);
      for (let place = 0; place < length; place++) bytes[place] = next() & 255;
      return bytes;
    },
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    happens: (chance) => fraction() < chance,
    pick: (items) => items[Math.floor(fraction() * items.length)]!,
    fork: (name) => seededRandom(`${seed}/${name}`),
  };
}
