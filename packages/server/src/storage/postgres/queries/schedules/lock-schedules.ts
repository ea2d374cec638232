import type { Instant } from "../../../../domain/instant.ts";
import type { Schedule } from "../../../../domain/schedules/schedule.ts";
import type { Run } from "../../connections/connections.ts";
import { arrayLiteral } from "../../rows/array-literal.ts";
import { readSchedule } from "../../rows/schedule-rows.ts";

/** Schedules that nobody else changes until the commit, as they are now. */
export interface LockedSchedules {
  readonly now: Instant;
  /** In the order of their keys. */
  readonly schedules: readonly OneOfMany[];
}

export interface OneOfMany {
  readonly key: number;
  /** With an empty payload: few of a thousand schedules may need theirs, and those are read by `load-payloads.ts`. */
  readonly schedule: Schedule;
  readonly payloadBytes: number;
  /** Its account is suspended or removed. */
  readonly isHeldBack: boolean;
}

const noPayload = Buffer.alloc(0);

/** Waits for nobody: those that somebody else has locked are left out. */
export async function lockSchedules(run: Run, keys: readonly number[]): Promise<LockedSchedules> {
  const rows = await run({
    name: "lock-schedules",
    text: `SELECT h.schedule_key, h.account_id, h.look_time, h.schedule
      FROM unnest($1::bigint[]) AS u(schedule_key)
      JOIN schedule_states h ON h.schedule_key = u.schedule_key
      FOR UPDATE OF h SKIP LOCKED`,
    values: [arrayLiteral(keys)],
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
      SELECT clock.now, held_back.accounts, s.schedule_key, s.schedule_id, s.payload_bytes
      FROM clock CROSS JOIN held_back
      LEFT JOIN (
        SELECT d.schedule_key, d.schedule_id, octet_length(d.payload) AS payload_bytes
        FROM unnest($1::bigint[]) AS u(schedule_key)
        JOIN schedules d ON d.schedule_key = u.schedule_key
      ) AS s ON true`,
    values: [
      arrayLiteral(locked.map((row) => row["schedule_key"])),
      [...new Set(locked.map((row) => row["account_id"] as string))],
    ],
  });
  const { now, accounts } = details[0] as { now: Instant; accounts: readonly string[] | null };
  const heldBack = new Set(accounts);
  const detailsOf = new Map(details.map((row) => [row["schedule_key"] as number, row]));
  const schedules = locked.map(({ schedule_key: key, account_id, look_time, schedule }) => {
    const { schedule_id, payload_bytes: payloadBytes } = detailsOf.get(key)!;
    const read = readSchedule({
      ...{ account_id, schedule_id, payload: noPayload, look_time, schedule },
    });
    return { key, schedule: read, payloadBytes, isHeldBack: heldBack.has(account_id) };
  });
  return { now, schedules };
}
