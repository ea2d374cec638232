import type { Instant } from "../../../../domain/instant.ts";
import type { Holder } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { isMemberAlive } from "../is-member-alive.ts";

/**
 * Whether this membership lives, and no other living one that makes runs has newer time-zone data. Data that is missing
 * is the oldest.
 */
const mayAdvance = `EXISTS (
  SELECT 1 FROM nodes own WHERE own.epoch = $1 AND own.lease_until > now_ms()
    AND NOT EXISTS (SELECT 1 FROM nodes other WHERE other.lease_until > now_ms()
      AND other.role <> 'api' AND other.time_zone_version > coalesce(own.time_zone_version, '')))`;

export interface ScheduleLook {
  readonly now: Instant;
  readonly mayAdvance: boolean;
  /** Of all schedules; null: none will go on by itself. */
  readonly firstLookTime: Instant | null;
}

export async function lookAtSchedules(run: Run, { epoch }: Holder): Promise<ScheduleLook> {
  const [row] = await run({
    name: "look-at-schedules",
    text: `SELECT now_ms() AS now, ${mayAdvance} AS may_advance,
      (SELECT look_time FROM schedule_states WHERE look_time IS NOT NULL
        ORDER BY look_time, schedule_key LIMIT 1) AS first_look_time`,
    values: [epoch],
  });
  return {
    now: row!["now"],
    mayAdvance: row!["may_advance"],
    firstLookTime: row!["first_look_time"],
  };
}

/** Undoes what a holder did whose membership has ended meanwhile, or who has no longer the newest data. */
export const notHeld = new Error("the holder may not do this any more");

const advancing = { name: "see-whether-may-advance", condition: mayAdvance };

/** Whether the holder may compute the times of schedules now. */
export function holderMayAdvance(run: Run, holder: Holder): Promise<boolean> {
  return holds(run, advancing, holder);
}

/** The last statement of a step. */
export function ensureMayAdvance(run: Run, holder: Holder): Promise<void> {
  return ensure(run, advancing, holder);
}

/** The last statement of what needs no time-zone data. */
export function ensureAlive(run: Run, holder: Holder): Promise<void> {
  return ensure(run, { name: "see-whether-alive", condition: isMemberAlive("$1") }, holder);
}

interface Condition {
  /** Of the statement. */
  readonly name: string;
  readonly condition: string;
}

async function ensure(run: Run, condition: Condition, holder: Holder): Promise<void> {
  if (!(await holds(run, condition, holder))) throw notHeld;
}

async function holds(run: Run, { name, condition }: Condition, { epoch }: Holder) {
  const [row] = await run({ name, text: `SELECT ${condition} AS holds`, values: [epoch] });
  return row!["holds"] === true;
}
