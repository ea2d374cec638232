import type { Holder } from "../../../../../src/storage/store.ts";
import type { Context } from "../../database-state.ts";
import { isMember } from "../jobs/jobs.ts";

/** Whether the holder is a member, and no live node that makes runs has newer time-zone data. */
export function mayAdvance({ state, node }: Context, holder: Holder): boolean {
  const { clock, rules, memberships } = state;
  if (!isMember(state, holder)) return false;
  const live = [...memberships.values()].filter(
    ({ role, leaseUntil }) => role !== "api" && leaseUntil > clock.now(),
  );
  return rules.mayCompute(node.timeZoneVersion, live);
}
