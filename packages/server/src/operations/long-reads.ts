import type { Caller } from "../domain/access.ts";
import { PlacesInTurn } from "../platform/places-in-turn.ts";

/** Operations that answer with many rows, or with a long text. */
export const longReads = [
  "listTargets",
  "listScheduledMessages",
  "listDeadLetters",
  "findMessages",
  "listJobs",
  "listSchedules",
  "getSchedule",
  "listRuns",
  "getActivity",
  "listAttempts",
  "readPayload",
  "listKeys",
  "listClients",
  "listAuditEntries",
] as const;

/** While the store reads for one, the service writes the answer of the other. */
const placesOfOne = 2;
/** For 32 accounts. Those beyond take turns with them. */
const places = 32 * placesOfOne;

type Read = (caller: Caller, ...values: unknown[]) => Promise<unknown>;

/**
 * A long read takes milliseconds of the event loop, to open what is sealed and to write the answer. So an
 * account has only a few under way. Between two of them others have their turn, however many the account
 * asks for at once.
 */
export function createReadsInTurn(): (read: Read) => Read {
  const inTurn = new PlacesInTurn({ places, placesOfOne });
  return (read) =>
    (caller, ...values) =>
      inTurn.run(caller.accountId, () => read(caller, ...values));
}
