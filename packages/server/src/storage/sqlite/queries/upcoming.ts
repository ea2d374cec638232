import type {
  DueTarget,
  DueWindow,
  TargetWindow,
  Upcoming,
  UpcomingByTarget,
} from "../../store.ts";
import type { Context } from "./context.ts";

/** Targets that may get deliveries. */
export const openTargets = `FROM targets t JOIN accounts a USING (account_key)
  WHERE paused = 0 AND t.removal_time IS NULL AND a.suspension_time IS NULL`;

const named = "account_id AS accountId, target_key AS targetKey, revision";

/** One index look-up for each target, however many messages wait. */
export function upcoming({ db }: Context) {
  const select = db.prepare(
    `SELECT ${named},
       (SELECT min(next_delivery_time) FROM messages m
        WHERE m.target_key = t.target_key AND next_delivery_time >= :from + (t.target_key <= :key))
         AS dueAt
     ${openTargets} AND dueAt <= :until`,
  );
  return ({ after, until }: DueWindow): Upcoming => ({
    targets: select
      .all({
        from: after?.time ?? Number.MIN_SAFE_INTEGER,
        key: after?.targetKey ?? 0,
        until: Math.min(until, Number.MAX_SAFE_INTEGER),
      })
      .map((row) => ({ ...row }) as unknown as DueTarget),
    reached: null,
  });
}

export function upcomingByTarget({ db }: Context) {
  const select = db.prepare(
    `SELECT ${named},
       (SELECT min(next_delivery_time) FROM messages m WHERE m.target_key = t.target_key) AS dueAt
     ${openTargets} AND target_key > :after ORDER BY target_key LIMIT :limit`,
  );
  return ({ after, until, limit }: TargetWindow): UpcomingByTarget => {
    const rows = select.all({
      after: after ?? 0,
      limit: Math.min(limit, Number.MAX_SAFE_INTEGER),
    }) as unknown as (Omit<DueTarget, "dueAt"> & { readonly dueAt: number | null })[];
    return {
      targets: rows
        .filter((row): row is DueTarget => row.dueAt !== null && row.dueAt <= until)
        .map((row) => ({ ...row })),
      reached: rows.length < limit ? null : rows.at(-1)!.targetKey,
    };
  };
}
