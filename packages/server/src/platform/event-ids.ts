import { encodeBase32 } from "./base32.ts";
import type { Random } from "./random.ts";

/** The id of a new event: whoever is told twice knows it by this. */
export function newEventId(random: Random): string {
  return `evt_${encodeBase32(random.bytes(16))}`;
}

const seedLength = 15;
const seedsAtOnce = 64;

/** Makes seeds of 24 characters for the ids of events that are written together. The two characters behind count them. */
export function createEventSeeds(random: Random): () => string {
  let bytes = random.bytes(0);
  let used = 0;
  return () => {
    if (used >= bytes.length) {
      bytes = random.bytes(seedLength * seedsAtOnce);
      used = 0;
    }
    return encodeBase32(bytes.subarray(used, (used += seedLength)));
  };
}

/** The id of the event with this index among those of one seed, of which there are at most 1,024. */
export function seededEventId(seed: string, index: number): string {
  return `evt_${seed}${index.toString(32).padStart(2, "0")}`;
}
