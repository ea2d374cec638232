import { activitySpans, addCounts, noActivity } from "../../../../domain/activity.ts";
import type { ActivityCounts } from "../../../../domain/activity.ts";
import type { TargetLook, TargetLookRequest } from "../../../store.ts";
import type { WorkContext } from "../context.ts";

/** Counts in the indexes, target by target. */
export function lookAtTargets({ connections }: WorkContext) {
  return async (request: TargetLookRequest): Promise<TargetLook[]> => {
    const { accountId, targets, mostDead, dueUntil, activeFrom } = request;
    const rows = await connections.query(
      {
        name: "look-at-targets",
        text: `
          SELECT due.count AS due, dead.count AS dead, active.counts AS active
          FROM unnest($2::int[], $3::int[]) WITH ORDINALITY AS t(target_key, most, place)
          CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
            SELECT 1 FROM messages m
            WHERE m.target_key = t.target_key AND m.next_delivery_time <= $5
            LIMIT t.most) AS met) AS due
          CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
            SELECT 1 FROM messages m
            WHERE m.target_key = t.target_key AND m.dead_letter_time IS NOT NULL
            LIMIT $4) AS met) AS dead
          CROSS JOIN LATERAL (SELECT coalesce(json_agg(a.counts), '[]') AS counts FROM activity a
            WHERE a.account_id = $1 AND a.target_key = t.target_key
              AND a.span = ${activitySpans.indexOf("minute")} AND a.time >= $6) AS active
          ORDER BY t.place`,
        values: [
          accountId,
          targets.map(({ targetKey }) => targetKey),
          targets.map(({ mostDue }) => mostDue),
          ...[mostDead, dueUntil, activeFrom],
        ],
      },
      accountId,
    );
    return rows.map((row) => ({
      due: row["due"] as number,
      dead: row["dead"] as number,
      activity: (row["active"] as ActivityCounts[]).reduce<ActivityCounts>(addCounts, noActivity()),
    }));
  };
}
