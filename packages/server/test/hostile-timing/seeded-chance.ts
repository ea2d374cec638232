import { Chance } from "../history/support/chance.ts";

/** A chance that depends only on the seed and its purpose, not on what others have drawn. */
export function chanceOf(seed: string, ...purpose: readonly (string | number)[]): Chance {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from([seed, ...purpose].join("/"))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return new Chance(hash);
}

/** Picks one of these, more often one with a larger weight. */
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
