import type { CountRequest, CountSlice } from "../../../store.ts";
import { arrayLiteral } from "../../rows/array-literal.ts";
import { beforeEveryKey } from "../../rows/message-rows.ts";
import type { WorkContext } from "../context.ts";
import { behindTarget, lookedTargets, nextPlace, spanOf } from "./walk-targets.ts";
import type { Reached } from "./walk-targets.ts";

/** The most messages that one statement counts. */
const mostCounted = 10_000;

const columns = { scheduled: "next_delivery_time", "dead-letters": "dead_letter_time" } as const;

/** Counts in the index, without a look at the messages where the database knows that all see them. */
export function countMessages({ connections }: WorkContext) {
  return async (request: CountRequest): Promise<CountSlice> => {
    const { accountId, list, edges } = request;
    const column = columns[list];
    const begin: Reached = ["", edges[0]!, beforeEveryKey];
    const after = request.after === null ? begin : (JSON.parse(request.after) as Reached);
    const [row] = await connections.query(
      {
        name: `count-${list}`,
        text: `
          WITH ${lookedTargets}, counted AS MATERIALIZED (
            SELECT t.target_id, m.time, m.message_id FROM looked t CROSS JOIN LATERAL (
              SELECT m.${column} AS time, m.message_id FROM messages m
              WHERE m.target_key = t.target_key AND m.${column} < $8
                AND (m.${column}, m.message_id) >
                  (CASE WHEN t.target_id = $2 THEN $4::bigint ELSE $7::bigint END,
                   CASE WHEN t.target_id = $2 THEN $5::uuid ELSE $6::uuid END)
              ORDER BY m.${column}, m.message_id LIMIT ${mostCounted}) AS m
            LIMIT ${mostCounted}
          )
          SELECT (SELECT json_object_agg(place, count) FROM (
              SELECT width_bucket(time, $9::bigint[]) - 1 AS place, count(*)::int AS count
              FROM counted GROUP BY 1) AS placed) AS counts,
            (SELECT json_build_array(target_id, time, message_id)
             FROM (SELECT * FROM counted OFFSET ${mostCounted - 1} LIMIT 1) AS met) AS last,
            (SELECT count(*)::int FROM looked) AS looked,
            (SELECT max(target_id) FROM looked) AS last_target`,
        values: [
          ...[accountId, ...spanOf(request, after), after[1], after[2]],
          ...[beforeEveryKey, edges[0], edges.at(-1), arrayLiteral(edges)],
        ],
      },
      accountId,
    );
    const counts = Array.from({ length: edges.length - 1 }, () => 0);
    for (const [place, count] of Object.entries(row!["counts"] ?? {})) {
      counts[Number(place)] = count as number;
    }
    // They come target by target, and of each in the order of its index. The last is there if the limit was met.
    const reached = (row!["last"] as Reached | null) ?? nextPlace(row!, behindTarget);
    return { counts, reached: reached && JSON.stringify(reached) };
  };
}
