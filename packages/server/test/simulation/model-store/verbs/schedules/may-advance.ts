import type { WatchedTimeZones } from "../../../../../src/domain/time-zones/watched-time-zones.ts";
import type { Holder } from "../../../../../src/storage/store.ts";
import type { Context } from "../../database-state.ts";
import { isMember } from "../jobs/jobs.ts";
import { seemsAlive } from "../memberships.ts";

/** Whether the holder is a member, and has the newest time-zone data. */
export function mayAdvance(context: Context, holder: Holder): boolean {
  return isMember(context.state, holder) && mayCompute(context);
}

/** Whether a decision with these zones stands: it needs no time-zone data, or this node has the newest. */
export function mayDecide(context: Context, zones: WatchedTimeZones): boolean {
  return !zones.isAsked || mayCompute(context);
}

/** Whether no live node that makes runs has newer time-zone data. */
function mayCompute({ state, node, quiet }: Context): boolean {
  const { clock, rules, memberships } = state;
  const seen = quiet();
  const live = [...memberships.values()].filter(
    (membership) => membership.role !== "api" && seemsAlive(membership, seen, clock.now()),
  );
  return rules.mayCompute(node.timeZoneVersion, live);
}
