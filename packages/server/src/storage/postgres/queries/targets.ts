import type { AuditNote } from "../../../domain/audit.ts";
import type { Target } from "../../../domain/target.ts";
import type {
  NewTarget,
  RemoveTargetResult,
  TargetChange,
  TargetRef,
  UpdateTargetResult,
} from "../../store.ts";
import { enterAccount } from "../quotas/account-gate.ts";
import type { Row, Run } from "../connections.ts";
import type { Context } from "../context.ts";
import { moveTurnsOn } from "../turns.ts";
import { writeNotes } from "./audit-entries.ts";

const live = "SELECT * FROM targets WHERE removal_time IS NULL";

export function getTarget({ connections }: Context) {
  return async (ref: TargetRef): Promise<Target | undefined> => {
    const [row] = await connections.query(
      {
        name: "get-target",
        text: `${live} AND account_id = $1 AND target_id = $2`,
        values: [ref.accountId, ref.targetId],
      },
      ref.accountId,
    );
    return row && readTarget(row);
  };
}

export function getTargetByKey({ connections }: Context) {
  return async (targetKey: number): Promise<Target | undefined> => {
    const [row] = await connections.query({
      name: "get-target-by-key",
      text: `${live} AND target_key = $1`,
      values: [targetKey],
    });
    return row && readTarget(row);
  };
}

export function listTargets({ connections }: Context) {
  return async (
    accountId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<Target[]> => {
    const rows = await connections.query(
      {
        name: "list-targets",
        text: `${live} AND account_id = $1 AND target_id > $2 ORDER BY target_id LIMIT $3`,
        values: [accountId, page.after ?? "", page.limit],
      },
      accountId,
    );
    return rows.map(readTarget);
  };
}

export function createTarget({ connections }: Context) {
  return (target: NewTarget, note: AuditNote): Promise<Target | "exists" | "no-account"> =>
    connections.transaction(async (run) => {
      if (!(await enterAccount(run, target.accountId))) return "no-account";
      const made = await insertTarget(run, target);
      if (made === undefined) return "exists";
      await writeNotes(run, [note]);
      return made;
    }, target.accountId);
}

/** One that was removed comes back under its old key, and finds the messages it left. */
async function insertTarget(run: Run, target: NewTarget): Promise<Target | undefined> {
  const [row] = await run({
    name: "create-target",
    text: `
        WITH made AS (INSERT INTO targets AS t (account_id, target_id, kind, sealed_settings, sealed_secrets,
          retry_policy, max_concurrency, rate_limit, paused, creation_time, update_time, revision)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, now, now, 1 FROM (SELECT now_ms() AS now) AS clock
        ON CONFLICT (account_id, target_id) DO UPDATE SET
          kind = excluded.kind, sealed_settings = excluded.sealed_settings,
          sealed_secrets = excluded.sealed_secrets, retry_policy = excluded.retry_policy,
          max_concurrency = excluded.max_concurrency, rate_limit = excluded.rate_limit,
          paused = excluded.paused, creation_time = excluded.creation_time,
          update_time = excluded.update_time, removal_time = NULL, revision = t.revision + 1
        WHERE t.removal_time IS NOT NULL
        RETURNING t.*
        ), turn AS (
          INSERT INTO target_turns AS s (target_key) SELECT target_key FROM made
          ON CONFLICT (target_key) DO UPDATE SET turn = s.turn + 1, full_at = 0)
        SELECT * FROM made`,
    values: [
      target.accountId,
      target.targetId,
      target.kind,
      target.sealedSettings,
      target.sealedSecrets,
      JSON.stringify(target.retryPolicy),
      target.maxConcurrency,
      target.rateLimit && JSON.stringify(target.rateLimit),
      target.paused,
    ],
  });
  return row && readTarget(row);
}

export function updateTarget({ connections }: Context) {
  return (
    ref: TargetRef,
    change: TargetChange,
    revision: number | null,
    note: AuditNote,
  ): Promise<UpdateTargetResult> =>
    connections.transaction(async (run) => {
      const [row] = await run({
        name: "lock-target",
        text: `${live} AND account_id = $1 AND target_id = $2 FOR NO KEY UPDATE`,
        values: [ref.accountId, ref.targetId],
      });
      if (row === undefined) return { kind: "not-found" };
      const before = readTarget(row);
      if (revision !== null && before.revision !== revision) return { kind: "changed-meanwhile" };
      const target = { ...before, ...change };
      await moveTurnsOn(run, [target.targetKey]);
      const [updated] = await run({
        name: "update-target",
        text: `UPDATE targets SET sealed_settings = $2, sealed_secrets = $3, retry_policy = $4,
            max_concurrency = $5, rate_limit = $6, paused = $7, update_time = now_ms(),
            revision = revision + 1
          WHERE target_key = $1 RETURNING *`,
        values: [
          target.targetKey,
          target.sealedSettings,
          target.sealedSecrets,
          JSON.stringify(target.retryPolicy),
          target.maxConcurrency,
          target.rateLimit && JSON.stringify(target.rateLimit),
          target.paused,
        ],
      });
      await writeNotes(run, [note]);
      return { kind: "updated", target: readTarget(updated!) };
    }, ref.accountId);
}

export function removeTarget({ connections }: Context) {
  return (ref: TargetRef, note: AuditNote): Promise<RemoveTargetResult> =>
    connections.transaction(async (run) => {
      // Waits for whoever is scheduling to this target, and makes whoever comes next wait.
      const [row] = await run({
        name: "lock-target-whole",
        text: `${live} AND account_id = $1 AND target_id = $2 FOR UPDATE`,
        values: [ref.accountId, ref.targetId],
      });
      if (row === undefined) return { kind: "not-found" };
      const target = readTarget(row);
      const scheduled = await run({
        name: "find-scheduled",
        text: `SELECT 1 FROM messages WHERE target_key = $1 AND next_delivery_time IS NOT NULL LIMIT 1`,
        values: [target.targetKey],
      });
      if (scheduled.length > 0) return { kind: "has-scheduled-messages" };
      await moveTurnsOn(run, [target.targetKey]);
      await run({
        name: "remove-target",
        text: `UPDATE targets SET removal_time = now_ms(), sealed_settings = '',
            sealed_secrets = '', revision = revision + 1
          WHERE target_key = $1`,
        values: [target.targetKey],
      });
      await writeNotes(run, [note]);
      return { kind: "removed", target };
    }, ref.accountId);
}

export function readTarget(row: Row): Target {
  return {
    targetKey: row["target_key"],
    accountId: row["account_id"],
    targetId: row["target_id"],
    kind: row["kind"],
    sealedSettings: row["sealed_settings"],
    sealedSecrets: row["sealed_secrets"],
    retryPolicy: JSON.parse(row["retry_policy"]),
    maxConcurrency: row["max_concurrency"],
    rateLimit: row["rate_limit"] === null ? null : JSON.parse(row["rate_limit"]),
    paused: row["paused"],
    creationTime: row["creation_time"],
    updateTime: row["update_time"],
    revision: row["revision"],
  };
}
