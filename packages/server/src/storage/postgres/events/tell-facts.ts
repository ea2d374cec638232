import type { EventMask } from "../../../domain/events/event-types.ts";
import { bitOf } from "../../../domain/events/event-types.ts";
import type { EventFacts } from "../../../domain/events/event.ts";
import type { Run } from "../connections/connections.ts";
import { arraysOf, unnest } from "../rows/given-columns.ts";
import type { GivenColumns } from "../rows/given-columns.ts";

/** An event of anything but a message, and the account that it belongs to. */
export interface ToldFacts {
  readonly accountId: string;
  readonly facts: EventFacts;
}

const columns: GivenColumns<ToldFacts> = {
  account_id: { type: "text", of: ({ accountId }) => accountId },
  target_id: { type: "text", of: ({ facts }) => facts.targetId },
  types: { type: "int", of: ({ facts }) => bitOf(facts.type) },
  time: { type: "bigint", of: ({ facts }) => facts.time },
  facts: { type: "text", of: ({ facts }) => JSON.stringify(facts) },
};

/** What concerns no target goes by the mask of the account. */
const insertStatement = `
  INSERT INTO event_outbox (account_id, types, time, facts)
  SELECT u.account_id, u.types, u.time, u.facts FROM ${unnest(columns)}
  CROSS JOIN LATERAL (
    SELECT a.event_mask FROM account_events a
    WHERE u.target_id IS NULL AND a.account_id = u.account_id
    UNION ALL
    SELECT e.event_mask FROM targets t JOIN target_events e ON e.target_key = t.target_key
    WHERE t.account_id = u.account_id AND t.target_id = u.target_id
    LIMIT 1) AS told
  WHERE told.event_mask & u.types <> 0`;

/**
 * Writes those events that somebody subscribes to. The transaction has locked what they are about, so that of two events
 * of one thing the later one gets the greater number.
 */
export async function tellFacts(run: Run, told: readonly ToldFacts[]): Promise<void> {
  if (told.length === 0) return;
  await run({ name: "tell-facts", text: insertStatement, values: arraysOf(columns, told) });
}

/** For one whose mask is known already. Asks the database for nothing if nobody is told. */
export async function tellIfWanted(run: Run, mask: EventMask, told: ToldFacts): Promise<void> {
  if ((mask & bitOf(told.facts.type)) !== 0) await tellFacts(run, [told]);
}
