import { engineBounds } from "../../../src/engine/delivery/bounds.ts";
import type { EngineBounds } from "../../../src/engine/delivery/bounds.ts";
import { promisedBounds } from "../../history/history.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A world has few targets. With these bounds the engine takes on so little at a time that it matters. */
const tinyBounds: EngineBounds = {
  mostAtOnce: 25,
  mostPreparing: 2,
  mostPassedOver: 2,
  mostTaken: 100,
  mostCopies: 2,
  mostSealedCharacters: 2_000,
  mostDistrusted: 1,
  mostEntries: 200,
};

/** Half of the worlds have tiny bounds. */
export function boundsOfWorld(random: SeededRandom): EngineBounds {
  return random.fork("bounds").fraction() < 0.5 ? tinyBounds : engineBounds;
}

/**
 * An engine with tiny bounds reads targets two at a time, so it is later than promised with no other
 * account to blame. A lane that waits for ever is later than this, too.
 */
export function isolationMsWith(bounds: EngineBounds): number {
  return bounds === tinyBounds ? 4 * promisedBounds.isolationMs : promisedBounds.isolationMs;
}
