import { mostInBundle } from "../../event-log/bundles.ts";
import type { EventBundle } from "../../event-log/bundles.ts";
import type { Row } from "../connections/connections.ts";
import type { GivenColumns } from "./given-columns.ts";

export interface BundleOfAccount extends EventBundle {
  readonly accountId: string;
}

export const bundleColumns: GivenColumns<BundleOfAccount> = {
  account_id: { type: "text", of: ({ accountId }) => accountId },
  first_position: { type: "bigint", of: ({ firstPosition }) => firstPosition },
  last_position: { type: "bigint", of: ({ lastPosition }) => lastPosition },
  log_time: { type: "bigint", of: ({ logTime }) => logTime },
  seed: { type: "text", of: ({ seed }) => seed },
  events: { type: "text", of: ({ events }) => events },
};

/**
 * Bundles of `account` that have any of so many events behind a position, in their order. The bound on the last position ends
 * the walk along the index.
 */
export const bundlesBehind = (account: string, position: string, count: string): string => `
  SELECT first_position, last_position, log_time, seed, events FROM event_bundles
  WHERE event_bundles.account_id = ${account} AND last_position > ${position}
    AND last_position < ${position} + ${count} + ${mostInBundle}
    AND first_position <= ${position} + ${count}
  ORDER BY last_position`;

export function readBundle(row: Row): EventBundle {
  return {
    firstPosition: row["first_position"],
    lastPosition: row["last_position"],
    logTime: row["log_time"],
    seed: row["seed"],
    events: row["events"],
  };
}
