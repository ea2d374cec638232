import { DeadLetterGroups } from "../../../dead-letter-groups.ts";
import type { GroupRequest, GroupSlice } from "../../../store.ts";
import type { Row } from "../../connections/connections.ts";
import {
  beforeEveryKey,
  behindEveryKey,
  messageColumns,
  ownColumns,
  readMessage,
} from "../../rows/message-rows.ts";
import type { WorkContext } from "../context.ts";
import { lookedTargets, nextPlace, spanOf } from "./walk-targets.ts";
import type { Reached } from "./walk-targets.ts";

/** The most dead letters that one statement reads. */
const mostRead = 1_000;

/** Where a call ended, and how many dead letters of that target were met until there. */
type ReachedGroup = readonly [...Reached, met: number];

const atTheNewest = [Number.MAX_SAFE_INTEGER, behindEveryKey] as const;
const behindTheOldest = [Number.MIN_SAFE_INTEGER, beforeEveryKey] as const;

export function groupDeadLetters({ connections }: WorkContext) {
  return async (request: GroupRequest): Promise<GroupSlice> => {
    const { accountId, mostOfOne } = request;
    const begin: ReachedGroup = ["", ...atTheNewest, 0];
    const after = request.after === null ? begin : (JSON.parse(request.after) as ReachedGroup);
    const [from, time, key, metBefore] = after;
    const rows = await connections.query(
      {
        name: "group-dead-letters",
        text: `
          WITH ${lookedTargets}, dead AS MATERIALIZED (
            SELECT t.target_id, m.* FROM looked t CROSS JOIN LATERAL (
              SELECT target_key, ${ownColumns.join(", ")} FROM messages
              WHERE target_key = t.target_key AND dead_letter_time IS NOT NULL
                AND (dead_letter_time, message_id) <
                  (CASE WHEN t.target_id = $2 THEN $4::bigint ELSE $6::bigint END,
                   CASE WHEN t.target_id = $2 THEN $5::uuid ELSE $7::uuid END)
              ORDER BY dead_letter_time DESC, message_id DESC LIMIT ${mostRead}) AS m
            LIMIT ${mostRead}
          )
          SELECT ${messageColumns("m.target_id")}, m.message_id::text AS walked_key, l.*,
            m.expiration_time IS NULL OR m.expiration_time > (SELECT now_ms()) AS is_there,
            (SELECT a.status_code FROM attempts a
             WHERE a.message_id = m.message_id AND a.number = m.attempt_count) AS status_code
          FROM (SELECT count(*)::int AS looked, max(target_id) AS last_target FROM looked) AS l
          LEFT JOIN dead m ON true`,
        values: [accountId, ...spanOf(request, [from, time, key]), time, key, ...atTheNewest],
      },
      accountId,
    );
    const found = rows.filter((row) => row["walked_key"] !== null);
    const { met, end, groups } = gather(found, { targetId: from, met: metBefore, mostOfOne });
    if (end !== undefined) {
      const reached = JSON.stringify([end, ...behindTheOldest, 0] satisfies ReachedGroup);
      return { groups, exact: false, reached };
    }
    const place =
      found.length === mostRead ? placeOf(found.at(-1)!) : nextPlace(rows[0]!, behindTheOldest);
    return { groups, exact: true, reached: place && JSON.stringify([...place, met]) };
  };
}

function placeOf(row: Row): Reached {
  return [row["target_id"], row["dead_letter_time"], row["walked_key"]];
}

/**
 * Groups the rows, which come target by target. `end` names a target that has more dead letters than are wanted:
 * the rows behind them are left out.
 */
function gather(
  rows: readonly Row[],
  begin: { readonly targetId: string; readonly met: number; readonly mostOfOne: number },
) {
  const groups = new DeadLetterGroups();
  let { targetId, met } = begin;
  for (const row of rows) {
    if (row["target_id"] !== targetId) met = 0;
    targetId = row["target_id"] as string;
    if (met === begin.mostOfOne) return { met, end: targetId, groups: groups.all() };
    met++;
    if (row["is_there"]) groups.add(readMessage(row), row["status_code"]);
  }
  return { met, end: undefined, groups: groups.all() };
}
