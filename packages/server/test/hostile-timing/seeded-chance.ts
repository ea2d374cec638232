import { Chance } from "../history/support/chance.ts";

/** Chance that depends on the seed and on what it is for, and on nothing that was drawn elsewhere. */
export function chanceOf(seed: string, ...purpose: readonly (string | number)[]): Chance {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from([seed, ...purpose].join("/"))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return new Chance(hash);
}

/** One of these, more often where the weight is larger. */
export function pickWeighted<Item extends string>(
  chance: Chance,
  weights: Readonly<Record<Item, number>>,
): Item {
  const items = Object.entries(weights) as [Item, number][];
  let left = chance.fraction() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return items.at(-1)![0];
}
