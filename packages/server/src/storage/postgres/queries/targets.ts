import type { AuditNote } from "../../../domain/audit.ts";
import type { EventMask } from "../../../domain/events/event-types.ts";
import { targetChangeTypes, targetEvent } from "../../../domain/events/other-events.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Target } from "../../../domain/target.ts";
import type {
  NewTarget,
  RemoveTargetResult,
  TargetChange,
  TargetRef,
  UpdateTargetResult,
} from "../../store.ts";
import { enterAccount } from "../quotas/account-gate.ts";
import type { Row, Run } from "../connections/connections.ts";
import type { Context, WorkContext } from "./context.ts";
import { moveClaimFences } from "../claims/claim-fence.ts";
import { writeNotes } from "./audit-entries.ts";
import { maskNewTarget, writeFailingAfter } from "../events/event-masks.ts";
import { forgetHealth } from "../events/forget-health.ts";
import { tellIfWanted } from "../events/tell-facts.ts";

const ownColumns = [
  ...["target_key", "account_id", "target_id", "kind", "sealed_settings", "sealed_secrets"],
  ...["retry_policy", "max_concurrency", "rate_limit", "paused", "creation_time", "update_time"],
  ...["removal_time", "revision"],
];

/** The columns for `readTarget`, of a row `t` and its row `e` of `target_events`. */
export const targetColumns = `${ownColumns.map((column) => `t.${column}`).join(", ")},
  e.failing_after, coalesce(e.event_mask, 0) AS event_mask`;
const live = `SELECT ${targetColumns} FROM targets t
  LEFT JOIN target_events e ON e.target_key = t.target_key WHERE t.removal_time IS NULL`;

/** Columns that an update writes. Every update writes all of them. */
const changing: Readonly<Record<string, (target: NewTarget) => unknown>> = {
  sealed_settings: ({ sealedSettings }) => sealedSettings,
  sealed_secrets: ({ sealedSecrets }) => sealedSecrets,
  retry_policy: ({ retryPolicy }) => JSON.stringify(retryPolicy),
  max_concurrency: ({ maxConcurrency }) => maxConcurrency,
  rate_limit: ({ rateLimit }) => rateLimit && JSON.stringify(rateLimit),
  paused: ({ paused }) => paused,
};
const created: typeof changing = {
  account_id: ({ accountId }) => accountId,
  target_id: ({ targetId }) => targetId,
  kind: ({ kind }) => kind,
  ...changing,
};
const replaced = ["kind", ...Object.keys(changing), "creation_time", "update_time"];

/** A removed target that is created again gets its old key, and its remaining messages. */
const insertStatement = `
  WITH made AS (
    INSERT INTO targets AS t (${Object.keys(created).join(", ")}, creation_time, update_time, revision)
    SELECT ${Object.keys(created)
      .map((_, index) => `$${index + 1}`)
      .join(", ")}, now, now, 1
    FROM (SELECT now_ms() AS now) AS clock
    ON CONFLICT (account_id, target_id) DO UPDATE SET
      ${replaced.map((column) => `${column} = excluded.${column}`).join(", ")},
      removal_time = NULL, revision = t.revision + 1
    WHERE t.removal_time IS NOT NULL
    RETURNING ${ownColumns.map((column) => `t.${column}`).join(", ")}
  ), fence AS (
    INSERT INTO target_turns AS s (target_key) SELECT target_key FROM made
    ON CONFLICT (target_key) DO UPDATE SET turn = s.turn + 1, full_at = 0)
  SELECT ${ownColumns.join(", ")} FROM made`;

const updateStatement = `
  UPDATE targets SET ${Object.keys(changing)
    .map((column, index) => `${column} = $${index + 2}`)
    .join(", ")}, update_time = now_ms(), revision = revision + 1
  WHERE target_key = $1 RETURNING ${ownColumns.join(", ")}`;

export function getTarget({ connections }: Context) {
  return async (ref: TargetRef): Promise<Target | undefined> => {
    const [row] = await connections.query(
      {
        name: "get-target",
        text: `${live} AND t.account_id = $1 AND t.target_id = $2`,
        values: [ref.accountId, ref.targetId],
      },
      ref.accountId,
    );
    return row && readTarget(row);
  };
}

export function getTargetByKey({ connections }: WorkContext) {
  return async (targetKey: number): Promise<Target | undefined> => {
    const [row] = await connections.query({
      name: "get-target-by-key",
      text: `${live} AND t.target_key = $1`,
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
        text: `${live} AND t.account_id = $1 AND t.target_id > $2
          ORDER BY t.target_id LIMIT $3`,
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
      const eventMask = await maskNewTarget(run, made);
      await tellOfTarget(run, "target.created", { target: made, eventMask }, made.creationTime);
      await writeNotes(run, [note]);
      return made;
    }, target.accountId);
}

async function insertTarget(run: Run, target: NewTarget): Promise<Target | undefined> {
  const [row] = await run({
    name: "create-target",
    text: insertStatement,
    values: Object.values(created).map((part) => part(target)),
  });
  return row && { ...readTarget(row), failingAfter: target.failingAfter ?? null };
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
        text: `${live} AND t.account_id = $1 AND t.target_id = $2 FOR NO KEY UPDATE OF t`,
        values: [ref.accountId, ref.targetId],
      });
      if (row === undefined) return { kind: "not-found" };
      const before = readTarget(row);
      if (revision !== null && before.revision !== revision) return { kind: "changed-meanwhile" };
      const target = { ...before, ...change };
      await moveClaimFences(run, [target.targetKey]);
      const [updated] = await run({
        name: "update-target",
        text: updateStatement,
        values: [target.targetKey, ...Object.values(changing).map((part) => part(target))],
      });
      const { failingAfter } = target;
      if (change.failingAfter !== undefined) await writeFailingAfter(run, target);
      const after = { ...readTarget(updated!), failingAfter };
      const { event_mask: eventMask } = row;
      for (const type of targetChangeTypes(before, change)) {
        await tellOfTarget(run, type, { target: after, eventMask }, after.updateTime);
      }
      await writeNotes(run, [note]);
      return { kind: "updated", target: after };
    }, ref.accountId);
}

export function removeTarget({ connections }: Context) {
  return (ref: TargetRef, note: AuditNote): Promise<RemoveTargetResult> =>
    connections.transaction(async (run) => {
      const result = await removeTargetWithoutMessages(run, ref);
      if (result.kind === "removed") await writeNotes(run, [note]);
      return result;
    }, ref.accountId);
}

/** The caller writes the audit note. */
export async function removeTargetWithoutMessages(
  run: Run,
  { accountId, targetId }: TargetRef,
): Promise<RemoveTargetResult> {
  // Waits for calls that are scheduling to this target, and makes later ones wait.
  const [row] = await run({
    name: "lock-target-whole",
    text: `${live} AND t.account_id = $1 AND t.target_id = $2 FOR UPDATE OF t`,
    values: [accountId, targetId],
  });
  if (row === undefined) return { kind: "not-found" };
  const target = readTarget(row);
  if (await hasSchedules(run, { accountId, targetId })) return { kind: "has-schedules" };
  const scheduled = await run({
    name: "find-scheduled",
    text: `SELECT 1 FROM messages WHERE target_key = $1 AND next_delivery_time IS NOT NULL LIMIT 1`,
    values: [target.targetKey],
  });
  if (scheduled.length > 0) return { kind: "has-scheduled-messages" };
  await moveClaimFences(run, [target.targetKey]);
  const [removed] = await run({
    name: "remove-target",
    text: `UPDATE targets SET removal_time = now_ms(), sealed_settings = '',
        sealed_secrets = '', revision = revision + 1
      WHERE target_key = $1 RETURNING removal_time`,
    values: [target.targetKey],
  });
  const { event_mask: eventMask } = row;
  await tellOfTarget(run, "target.removed", { target, eventMask }, removed!["removal_time"]);
  await forgetHealth(run, target.targetKey, eventMask);
  return { kind: "removed", target };
}

async function tellOfTarget(
  run: Run,
  type: Parameters<typeof targetEvent>[0],
  { target, eventMask }: { readonly target: Target; readonly eventMask: EventMask },
  time: Instant,
): Promise<void> {
  const facts = targetEvent(type, target, time);
  await tellIfWanted(run, eventMask, { accountId: target.accountId, facts });
}

/** The caller has locked the target, so no schedule for it is created meanwhile. */
export async function hasSchedules(run: Run, { accountId, targetId }: TargetRef): Promise<boolean> {
  const rows = await run({
    name: "find-schedule-of-target",
    text: "SELECT 1 FROM schedules WHERE account_id = $1 AND target_id = $2 LIMIT 1",
    values: [accountId, targetId],
  });
  return rows.length > 0;
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
    failingAfter: row["failing_after"] == null ? null : JSON.parse(row["failing_after"]),
    creationTime: row["creation_time"],
    updateTime: row["update_time"],
    revision: row["revision"],
  };
}
