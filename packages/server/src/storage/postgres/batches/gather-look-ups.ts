import { gather } from "./gather.ts";

const limits = { mostWeight: 1_000, mostUnderWay: 2, onBatch: () => {} };

/**
 * Makes look-ups of one thing each into a few statements for many: whoever looks up thousands keeps
 * nobody else waiting for longer than a statement takes.
 */
export function gatherLookUps<Asked, Found>(
  find: (asked: readonly Asked[]) => Promise<Found[]>,
): (asked: Asked) => Promise<Found> {
  // Reading comes in nobody's way, so there is nothing to try again apart.
  const call = gather(find, { ...limits, apart: () => "" });
  return async (asked) => (await call([asked]))[0]!;
}
