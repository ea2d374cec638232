import { encodeBase32 } from "./base32.ts";
import type { Random } from "./random.ts";

/** The id of a new event: whoever is told twice knows it by this. */
export function newEventId(random: Random): string {
  return `evt_${encodeBase32(random.bytes(16))}`;
}
