import { gather } from "./gather.ts";

const limits = { mostWeight: 1_000, mostUnderWay: 2, onBatch: () => {} };

/**
 * Combines single look-ups into a few statements for many. A caller with thousands of look-ups
 * delays the others by no more than one statement.
 */
export function gatherLookUps<Asked, Found>(
  find: (asked: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  // Reads conflict with nothing, so no batch is tried again apart.
  const call = gather(find, { ...limits, apart: () => "" });
  return async (asked) => (await call([asked]))[0]!;
}
