import type { ScheduleRequest, ScheduleResult, StoreClock } from "../../store.ts";
import { StoreConflict } from "../connections/connection-trouble.ts";
import type { Run } from "../connections/connections.ts";
import { candidatesOf } from "../rows/message-candidate.ts";
import type { MessageCandidate } from "../rows/message-candidate.ts";
import type { WorkContext } from "./context.ts";
import type { Decided } from "./in-rounds.ts";
import { scheduleInTransaction, undecided } from "./schedule-in-transaction.ts";
import { scheduleWithIdempotency } from "./schedule-with-idempotency.ts";
import { fitsOneStatement, scheduleWithOptions } from "./schedule-with-options.ts";

export type ScheduleRound = (
  requests: readonly ScheduleRequest[],
  /** Whose turn the calls take. Left out: that of all scheduling. */
  name?: string,
) => Promise<Decided[]>;

/** Decides about requests of which no two want the same key. */
export function scheduleRound(context: WorkContext, clock: StoreClock): ScheduleRound {
  const { connections, ids, idempotencyRetentionMs } = context;

  return async (requests, name) => {
    const run: Run = (query) => connections.query(query, name);
    const asked = candidatesOf(ids, requests);
    if (requests.every(({ options }) => options === null)) {
      const time = { around: clock.now(), retentionMs: idempotencyRetentionMs };
      const results = await scheduleWithIdempotency(run, asked, time);
      if (results !== undefined) return asked.map((candidate) => results.get(candidate));
    } else if (requests.every(fitsOneStatement)) {
      const results = await scheduleWithOptions(run, asked, clock.now());
      if (results !== undefined) return scheduleTheRest(asked, results, name);
    }
    return inTransaction(asked, name);
  };

  /** What is left are messages whose keys others hold. */
  async function scheduleTheRest(
    asked: readonly MessageCandidate[],
    results: ReadonlyMap<MessageCandidate, ScheduleResult>,
    name: string | undefined,
  ): Promise<Decided[]> {
    const left = asked.filter((candidate) => !results.has(candidate));
    const later =
      left.length === 0 ? [] : await inTransaction(left, name).catch(heldIfInConflict(left));
    return asked.map((candidate) => results.get(candidate) ?? later.shift());
  }

  async function inTransaction(
    asked: readonly MessageCandidate[],
    name: string | undefined,
  ): Promise<Decided[]> {
    try {
      return await connections.transaction(
        (each) => scheduleInTransaction(each, asked, context),
        name,
      );
    } catch (error) {
      if (error === undecided) return asked.map(() => undefined);
      throw error;
    }
  }
}

/** For what is left when others are stored, so that the whole call must not be tried again. */
export function heldIfInConflict(left: readonly unknown[]): (error: unknown) => Decided[] {
  return (error) => {
    if (!(error instanceof StoreConflict)) throw error;
    return left.map(() => ({ kind: "held", messageId: null }));
  };
}
