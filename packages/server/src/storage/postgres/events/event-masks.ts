import { maskOfAccount, maskOfTarget } from "../../../domain/events/event-endpoint.ts";
import type { EventFilter } from "../../../domain/events/event-endpoint.ts";
import { healthMask } from "../../../domain/events/event-types.ts";
import type { FailingAfter } from "../../../domain/failing-after.ts";
import type { Run } from "../connections/connections.ts";
import { forgetHealthOf } from "./forget-health.ts";

/** The filters of all endpoints that the account has. */
async function readFilters(run: Run, accountId: string): Promise<EventFilter[]> {
  const rows = await run({
    name: "read-event-filters",
    text: "SELECT filter FROM event_endpoints WHERE account_id = $1",
    values: [accountId],
  });
  return rows.map((row) => JSON.parse(row["filter"]) as EventFilter);
}

const maskAccount = {
  name: "mask-account",
  text: `INSERT INTO account_events (account_id, event_mask) VALUES ($1, $2)
    ON CONFLICT (account_id) DO UPDATE SET event_mask = excluded.event_mask`,
};

/**
 * Each row of the outbox makes the events of all accounts wait, so only targets with a health, or with attempts that may yet
 * become one, get a row that forgets it.
 *
 * `named` has the targets that some filter names, also those that were removed, because jobs and schedules may still tell
 * about them.
 */
const maskTargets = {
  name: "mask-targets",
  text: `
    WITH changed AS MATERIALIZED (
      SELECT t.target_key, coalesce(e.event_mask, 0) AS before,
        coalesce(($4::int[])[array_position($3::text[], t.target_id)], $2::int) AS after
      FROM targets t LEFT JOIN target_events e ON e.target_key = t.target_key
      WHERE t.account_id = $1
      -- Along the index of the account's targets.
      ORDER BY t.target_id
    ), masked AS (
      INSERT INTO target_events AS e (target_key, event_mask)
      SELECT target_key, after FROM changed WHERE before <> after
      ON CONFLICT (target_key) DO UPDATE SET event_mask = excluded.event_mask
    )
    ${forgetHealthOf(`changed WHERE before & ${healthMask} <> 0 AND after & ${healthMask} = 0
      AND ((SELECT true FROM target_health h WHERE h.target_key = changed.target_key) IS NOT NULL
        OR target_key IN (
          SELECT target_key FROM event_outbox WHERE outbox_id > 0 AND number IS NOT NULL))`)}`,
};

/**
 * Writes what somebody is told about the account and its targets. The caller holds the gate of the account alone, so no
 * target is created meanwhile. Scheduling and recording read the masks without a lock: a change that begins after the commit finds
 * the new ones.
 */
export async function writeMasks(run: Run, accountId: string): Promise<void> {
  const filters = await readFilters(run, accountId);
  await run({ ...maskAccount, values: [accountId, maskOfAccount(filters)] });
  const named = [...new Set(filters.flatMap(({ targetIds }) => targetIds ?? []))];
  const ofOthers = maskOfAccount(filters.filter(({ targetIds }) => targetIds === null));
  const masks = named.map((targetId) => maskOfTarget(filters, targetId));
  await run({ ...maskTargets, values: [accountId, ofOthers, named, masks] });
}

export interface CreatedTarget {
  readonly accountId: string;
  readonly targetId: string;
  readonly targetKey: number;
  readonly failingAfter: FailingAfter | null;
}

/** Answers with the mask of a new target. The caller has passed the gate of the account. */
export async function maskNewTarget(run: Run, target: CreatedTarget): Promise<number> {
  const { accountId, targetId, targetKey, failingAfter } = target;
  const mask = maskOfTarget(await readFilters(run, accountId), targetId);
  await run({
    name: "mask-new-target",
    // One that was removed has a row.
    text: `
      WITH updated AS (
        UPDATE target_events SET event_mask = $2::int, failing_after = $3::text WHERE target_key = $1
        RETURNING target_key
      )
      INSERT INTO target_events (target_key, event_mask, failing_after)
      SELECT $1::int, $2::int, $3::text WHERE ($2::int <> 0 OR $3::text IS NOT NULL) AND NOT EXISTS (SELECT FROM updated)`,
    values: [targetKey, mask, failingAfter && JSON.stringify(failingAfter)],
  });
  return mask;
}

export async function writeFailingAfter(
  run: Run,
  { targetKey, failingAfter }: Pick<CreatedTarget, "targetKey" | "failingAfter">,
): Promise<void> {
  await run({
    name: "write-failing-after",
    text: `INSERT INTO target_events (target_key, failing_after) VALUES ($1, $2)
      ON CONFLICT (target_key) DO UPDATE SET failing_after = excluded.failing_after`,
    values: [targetKey, failingAfter && JSON.stringify(failingAfter)],
  });
}
