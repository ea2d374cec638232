import { messageWeight } from "../../message-weight.ts";
import type { ScheduleRequest, ScheduleResult, StoreClock } from "../../store.ts";
import { gather } from "../batches/gather.ts";
import type { GatherLimits } from "../batches/gather.ts";
import { gatherBy } from "../batches/gather-by.ts";
import type { Run } from "../connections/connections.ts";
import { candidatesOf } from "../rows/message-candidate.ts";
import type { WorkContext } from "./context.ts";
import { inOneRound, inRounds, unmet } from "./in-rounds.ts";
import type { Decided } from "./in-rounds.ts";
import { keepMessages } from "./keep-messages.ts";
import { scheduleNearLimit } from "./schedule-near-limit.ts";
import { heldIfInConflict, scheduleRound } from "./schedule-round.ts";

/**
 * One statement almost always suffices for the requests gathered from all accounts. What is left is decided
 * for each account by itself, so that no account waits for another one's: requests for a key that another
 * request has changed or is about to change, round by round, and those of an account that finds no share free
 * and large enough, in a transaction that waits for locks.
 */
export function scheduleMessages(context: WorkContext, clock: StoreClock, limits: GatherLimits) {
  const weighed = { ...limits, weigh: messageWeight };
  const ofOne = { ...weighed, mostUnderWay: 1 };
  const decideRound = scheduleRound(context, clock);
  const together = gather<ScheduleRequest, Decided>(scheduleTogether, {
    ...weighed,
    apart: ({ accountId }) => accountId,
  });
  const apart = gatherBy<ScheduleRequest, Decided>(
    (accountId, requests) =>
      inRounds(requests, (round) => decideRound(round, accountId).catch(heldIfInConflict(round))),
    ofOne,
  );
  const nearLimit = gatherBy<ScheduleRequest, Decided>(scheduleNearLimit(context), ofOne);

  return async (requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]> => {
    const results = await together(requests);
    if (results.includes(unmet)) await decideRest(requests, results, unmet, apart);
    if (results.includes(undefined)) await decideRest(requests, results, undefined, nearLimit);
    return results as ScheduleResult[];
  };

  async function scheduleTogether(requests: readonly ScheduleRequest[]): Promise<Decided[]> {
    if (!requests.every(isPlain)) return inOneRound(requests, decideRound);
    const run: Run = (query) => context.connections.query(query);
    const asked = candidatesOf(context.ids, requests);
    const decided = await keepMessages(run, asked, { around: clock.now(), now: null });
    return asked.map((candidate) => decided.get(candidate));
  }
}

/** Decides about the requests with this result, for each account by itself, and fills the results in. */
async function decideRest(
  requests: readonly ScheduleRequest[],
  results: Decided[],
  left: typeof unmet | undefined,
  decide: (accountId: string, requests: readonly ScheduleRequest[]) => Promise<Decided[]>,
): Promise<void> {
  const indexes = [...results.keys()].filter((index) => results[index] === left);
  const byAccount = Map.groupBy(indexes, (index) => requests[index]!.accountId);
  const decideOwn = async ([accountId, own]: [string, number[]]): Promise<void> => {
    const later = await decide(
      accountId,
      own.map((index) => requests[index]!),
    );
    for (const [position, index] of own.entries()) results[index] = later[position];
  };
  await Promise.all([...byAccount].map(decideOwn));
}

/** One statement stores any number of such messages, without a transaction around it. */
function isPlain({ idempotency, options }: ScheduleRequest): boolean {
  return idempotency === null && options === null;
}
