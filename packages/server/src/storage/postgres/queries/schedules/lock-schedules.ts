import type { Instant } from "../../../../domain/instant.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Run } from "../../connections/connections.ts";
import { readSchedule } from "../../rows/schedule-rows.ts";

/** Schedules that nobody else changes until the commit, as they are now. */
export interface LockedSchedules {
  readonly now: Instant;
  /** In the order of their keys. Those whose payloads are too much to load at once are left out. */
  readonly schedules: readonly OneOfMany[];
  readonly areSomeLeftOut: boolean;
}

export interface OneOfMany {
  readonly key: number;
  readonly schedule: Schedule;
  /** Its account is suspended or removed. */
  readonly isHeldBack: boolean;
}

/** What one transaction loads, but for the first payload. */
const mostPayloadBytes = 8 * 1_024 * 1_024;

/** Waits for nobody: those that somebody else has locked are left out. */
export async function lockSchedules(run: Run, keys: readonly number[]): Promise<LockedSchedules> {
  const rows = await run({
    name: "lock-schedules",
    text: `SELECT h.schedule_key, h.account_id, h.look_time, h.schedule
      FROM unnest($1::bigint[]) AS u(schedule_key)
      JOIN schedule_states h ON h.schedule_key = u.schedule_key
      FOR UPDATE OF h SKIP LOCKED`,
    values: [keys],
  });
  const placeOf = new Map(keys.map((key, place) => [key, place]));
  const locked = rows.toSorted(
    (one, other) => placeOf.get(one["schedule_key"])! - placeOf.get(other["schedule_key"])!,
  );
  // A separate statement sees what was committed before the schedules were locked.
  const details = await run({
    name: "read-locked-schedules",
    text: `
      WITH clock AS MATERIALIZED (
        SELECT now_ms() AS now
      ), held_back AS MATERIALIZED (
        SELECT array_agg(u.account_id) AS accounts FROM unnest($2::text[]) AS u(account_id)
        LEFT JOIN accounts a ON a.account_id = u.account_id
          AND a.suspension_time IS NULL AND a.removal_time IS NULL
        WHERE a.account_id IS NULL
      )
      SELECT clock.now, held_back.accounts, s.schedule_key, s.schedule_id,
        CASE WHEN s.bytes_before <= $3 THEN s.payload END AS payload
      FROM clock CROSS JOIN held_back
      LEFT JOIN (
        SELECT d.schedule_key, d.schedule_id, d.payload,
          sum(octet_length(d.payload)) OVER (ORDER BY u.place) - octet_length(d.payload) AS bytes_before
        FROM unnest($1::bigint[]) WITH ORDINALITY AS u(schedule_key, place)
        JOIN schedules d ON d.schedule_key = u.schedule_key
      ) AS s ON true`,
    values: [
      locked.map((row) => row["schedule_key"]),
      [...new Set(locked.map((row) => row["account_id"] as string))],
      mostPayloadBytes,
    ],
  });
  const { now, accounts } = details[0] as { now: Instant; accounts: readonly string[] | null };
  const heldBack = new Set(accounts);
  const detailsOf = new Map(details.map((row) => [row["schedule_key"] as number, row]));
  const schedules = locked.flatMap(({ schedule_key: key, account_id, look_time, schedule }) => {
    const { schedule_id, payload } = detailsOf.get(key)!;
    if (payload === null) return [];
    const read = readSchedule({ account_id, schedule_id, payload, look_time, schedule });
    return [{ key, schedule: read, isHeldBack: heldBack.has(account_id) }];
  });
  return { now, schedules, areSomeLeftOut: schedules.length < locked.length };
}
