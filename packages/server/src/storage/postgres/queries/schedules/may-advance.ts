import type { Instant } from "../../../../domain/instant.ts";
import type { WatchedTimeZones } from "../../../../domain/time-zones/watched-time-zones.ts";
import { heldLookTime } from "../../../held-schedules.ts";
import type { Holder } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import type { Context } from "../context.ts";
import { epochsOf, isMemberAlive, seemsAlive } from "../is-member-alive.ts";

type Watched = Pick<Context, "watched">;

/** Whether no living node that makes runs has newer time-zone data than this. */
const isNewest = (version: string): string => `NOT EXISTS (
  SELECT 1 FROM nodes other WHERE ${seemsAlive("other", "$2")}
    AND other.role <> 'api' AND other.time_zone_version > ${version})`;

/** Whether this membership lives and has the newest time-zone data. Data that is missing is the oldest. */
const mayAdvance = `EXISTS (
  SELECT 1 FROM nodes own WHERE own.epoch = $1 AND ${isNewest("coalesce(own.time_zone_version, '')")})`;

export interface ScheduleLook {
  readonly now: Instant;
  readonly mayAdvance: boolean;
  /** Of all schedules; null: none will go on by itself. */
  readonly firstLookTime: Instant | null;
  /** Schedules of accounts that were resumed may still be held back. */
  readonly areSomeResumed: boolean;
}

export async function lookAtSchedules(
  run: Run,
  { watched }: Watched,
  { epoch }: Holder,
): Promise<ScheduleLook> {
  const [row] = await run({
    name: "look-at-schedules",
    text: `SELECT now_ms() AS now, ${mayAdvance} AS may_advance,
      (SELECT look_time FROM schedule_states WHERE look_time < $3
        ORDER BY look_time, schedule_key LIMIT 1) AS first_look_time,
      EXISTS (SELECT 1 FROM resumed_accounts) AS are_some_resumed`,
    values: [epoch, epochsOf(watched.quiet()), heldLookTime],
  });
  return {
    now: row!["now"],
    mayAdvance: row!["may_advance"],
    firstLookTime: row!["first_look_time"],
    areSomeResumed: row!["are_some_resumed"],
  };
}

/** Undoes what a holder did whose membership has ended meanwhile, or who has no longer the newest data. */
export const notHeld = new Error("the holder may not do this any more");

const advancing = { name: "see-whether-may-advance", condition: mayAdvance };

/** Whether the holder may compute the times of schedules now. */
export function holderMayAdvance(
  run: Run,
  { watched }: Watched,
  { epoch }: Holder,
): Promise<boolean> {
  return holds(run, advancing, [epoch, epochsOf(watched.quiet())]);
}

/** The last statement of a step. */
export async function ensureMayAdvance(run: Run, context: Watched, holder: Holder): Promise<void> {
  if (!(await holderMayAdvance(run, context, holder))) throw notHeld;
}

/** The last statement of what needs no time-zone data. */
export async function ensureAlive(run: Run, { epoch }: Holder): Promise<void> {
  const condition = { name: "see-whether-alive", condition: isMemberAlive("$1") };
  if (!(await holds(run, condition, [epoch]))) throw notHeld;
}

/** Undoes what a caller asked of a node that has no longer the newest data. */
export const notNewest = new Error("another node has newer time-zone data");

/** The last statement of a change that a caller asked for, which needs no membership. */
export async function ensureNewest(
  run: Run,
  zones: WatchedTimeZones,
  { timeZoneVersion, watched }: Pick<Context, "timeZoneVersion" | "watched">,
): Promise<void> {
  if (!zones.isAsked) return;
  const [row] = await run({
    name: "see-whether-newest",
    text: `SELECT ${isNewest("$1")} AS is_newest`,
    values: [timeZoneVersion, epochsOf(watched.quiet())],
  });
  if (row!["is_newest"] !== true) throw notNewest;
}

interface Condition {
  /** Of the statement. */
  readonly name: string;
  readonly condition: string;
}

async function holds(
  run: Run,
  { name, condition }: Condition,
  values: readonly unknown[],
): Promise<boolean> {
  const [row] = await run({ name, text: `SELECT ${condition} AS holds`, values: [...values] });
  return row!["holds"] === true;
}
