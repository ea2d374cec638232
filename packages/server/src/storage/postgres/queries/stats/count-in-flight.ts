import type { WorkContext } from "../context.ts";

/** The claims of all nodes. A target has as many as it may have attempts at once, so there are few. */
export function countInFlight({ connections }: WorkContext) {
  return async (targetKeys: readonly number[]): Promise<number[]> => {
    const rows = await connections.query({
      name: "count-in-flight",
      text: `
        SELECT (SELECT count(*)::int FROM claims c WHERE c.target_key = t.target_key) AS count
        FROM unnest($1::int[]) WITH ORDINALITY AS t(target_key, place) ORDER BY t.place`,
      values: [targetKeys],
    });
    return rows.map((row) => row["count"] as number);
  };
}
