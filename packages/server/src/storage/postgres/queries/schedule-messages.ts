import { messageWeight } from "../../message-weight.ts";
import type { ScheduleRequest, ScheduleResult, StoreClock } from "../../store.ts";
import { StoreConflict } from "../connections/connection-trouble.ts";
import type { Run } from "../connections/connections.ts";
import type { WorkContext } from "./context.ts";
import { gather } from "../batches/gather.ts";
import type { GatherLimits } from "../batches/gather.ts";
import { gatherBy } from "../batches/gather-by.ts";
import { candidatesOf } from "../rows/message-candidate.ts";
import type { MessageCandidate } from "../rows/message-candidate.ts";
import { inRounds } from "./in-rounds.ts";
import type { unmet } from "./in-rounds.ts";
import { keepMessages } from "./keep-messages.ts";
import { scheduleInTransaction, undecided } from "./schedule-in-transaction.ts";
import { scheduleNearLimit } from "./schedule-near-limit.ts";
import { scheduleWithIdempotency } from "./schedule-with-idempotency.ts";
import { fitsOneStatement, scheduleWithOptions } from "./schedule-with-options.ts";

/**
 * One statement almost always suffices for the requests gathered from all accounts. If none of an
 * account's shares is free and large enough, the account is decided by itself, in a transaction
 * that waits for locks.
 */
export function scheduleMessages(context: WorkContext, clock: StoreClock, limits: GatherLimits) {
  const together = gather(scheduleTogether(context, clock), {
    ...limits,
    weigh: messageWeight,
    apart: ({ accountId }) => accountId,
  });
  const nearLimit = gatherBy(scheduleNearLimit(context), {
    ...limits,
    weigh: messageWeight,
    mostUnderWay: 1,
  });

  return async (requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]> => {
    const results = await together(requests);
    const undecided = new Map<string, number[]>();
    for (const [index, result] of results.entries()) {
      if (result !== undefined) continue;
      const { accountId } = requests[index]!;
      const indexes = undecided.get(accountId);
      if (indexes === undefined) undecided.set(accountId, [index]);
      else indexes.push(index);
    }
    const decide = async ([accountId, indexes]: [string, number[]]): Promise<void> => {
      const later = await nearLimit(
        accountId,
        indexes.map((index) => requests[index]!),
      );
      for (const [position, index] of indexes.entries()) results[index] = later[position];
    };
    if (undecided.size > 0) await Promise.all([...undecided].map(decide));
    return results as ScheduleResult[];
  };
}

type Decided = ScheduleResult | typeof unmet | undefined;

/** Undefined: undecided, and nothing has happened. */
function scheduleTogether(context: WorkContext, clock: StoreClock) {
  const { connections, ids, idempotencyRetentionMs } = context;

  const run: Run = (query) => connections.query(query);

  return (requests: readonly ScheduleRequest[]): Promise<(ScheduleResult | undefined)[]> =>
    requests.every(isPlain) ? schedulePlain(requests) : inRounds(requests, scheduleRound);

  async function schedulePlain(
    requests: readonly ScheduleRequest[],
  ): Promise<(ScheduleResult | undefined)[]> {
    const asked = candidatesOf(ids, requests);
    const decided = await keepMessages(run, asked, { around: clock.now(), now: null });
    return asked.map((candidate) => decided.get(candidate));
  }

  async function scheduleRound(requests: readonly ScheduleRequest[]): Promise<Decided[]> {
    const asked = candidatesOf(ids, requests);
    if (requests.every(({ options }) => options === null)) {
      const time = { around: clock.now(), retentionMs: idempotencyRetentionMs };
      const results = await scheduleWithIdempotency(run, asked, time);
      if (results !== undefined) return asked.map((candidate) => results.get(candidate));
    } else if (requests.every(fitsOneStatement)) {
      const results = await scheduleWithOptions(run, asked, clock.now());
      if (results !== undefined) return scheduleTheRest(asked, results);
    }
    return inTransaction(asked);
  }

  /** What is left are messages whose keys others hold. */
  async function scheduleTheRest(
    asked: readonly MessageCandidate[],
    results: ReadonlyMap<MessageCandidate, ScheduleResult>,
  ): Promise<Decided[]> {
    const left = asked.filter((candidate) => !results.has(candidate));
    const later = left.length === 0 ? [] : await inTransaction(left).catch(heldIfInConflict);
    return asked.map((candidate) => results.get(candidate) ?? later.shift());

    /** The others are stored, so the whole call must not be tried again. */
    function heldIfInConflict(error: unknown): Decided[] {
      if (!(error instanceof StoreConflict)) throw error;
      return left.map(() => ({ kind: "held", messageId: null }));
    }
  }

  async function inTransaction(asked: readonly MessageCandidate[]): Promise<Decided[]> {
    try {
      return await connections.transaction((each) => scheduleInTransaction(each, asked, context));
    } catch (error) {
      if (error === undecided) return asked.map(() => undefined);
      throw error;
    }
  }
}

/** One statement stores any number of such messages, without a transaction around it. */
function isPlain({ idempotency, options }: ScheduleRequest): boolean {
  return idempotency === null && options === null;
}
