import type { StoreCounts } from "../../store.ts";
import type { WorkContext } from "./context.ts";

const countedExactly = 100_000;

/** Exact up to a bound, then the planner's estimate: counting millions of rows takes seconds. */
export function countPending({ connections }: Pick<WorkContext, "connections">) {
  return async (): Promise<StoreCounts> => {
    const [row] = await connections.query({
      name: "count-pending",
      text: `
        SELECT counted.pending, index.reltuples::bigint AS estimate FROM
          (SELECT count(*)::int AS pending FROM
            (SELECT 1 FROM messages WHERE next_delivery_time IS NOT NULL LIMIT $1) AS first) AS counted,
          pg_class AS index
        WHERE index.oid = 'messages_due'::regclass`,
      values: [countedExactly],
    });
    const counted = row!["pending"] as number;
    const estimate = row!["estimate"] as number;
    return { pending: counted < countedExactly ? counted : Math.max(counted, estimate) };
  };
}
