import type { AuditNote } from "../../../domain/audit.ts";
import { targetChangeTypes, targetEvent } from "../../../domain/events/other-events.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { Target, TargetKindName } from "../../../domain/target.ts";
import type {
  NewTarget,
  RemoveTargetResult,
  TargetChange,
  TargetRef,
  UpdateTargetResult,
} from "../../store.ts";
import type { EventLog } from "../tables/events/event-log.ts";
import type { Context } from "./context.ts";
import { assignments, insertInto } from "../rows/rows.ts";
import type { Row, ValuesOf } from "../rows/rows.ts";

/** Columns that an update writes. Every update writes all of them. */
const changing = [
  "sealed_settings",
  "sealed_secrets",
  "retry_policy",
  "max_concurrency",
  "rate_limit",
  "paused",
  "failing_after",
  "update_time",
  "revision",
] as const;
const inserted = ["account_key", "target_id", "kind", "creation_time", ...changing] as const;

function changedValues(target: Omit<Target, "targetKey">): ValuesOf<typeof changing> {
  return [
    target.sealedSettings,
    target.sealedSecrets,
    JSON.stringify(target.retryPolicy),
    target.maxConcurrency,
    target.rateLimit && JSON.stringify(target.rateLimit),
    Number(target.paused),
    target.failingAfter && JSON.stringify(target.failingAfter),
    target.updateTime,
    target.revision,
  ];
}

const kept = new Set<string>(["account_key", "target_id", "revision"]);
const replaced = inserted
  .filter((column) => !kept.has(column))
  .map((column) => `${column} = excluded.${column}`);
/** A removed target that is created again gets its old key, and its remaining messages. */
const insertTarget = `${insertInto("targets", inserted)}
  ON CONFLICT (account_key, target_id) DO UPDATE SET
    ${replaced.join(", ")}, removal_time = NULL, revision = targets.revision + 1`;

const live = `SELECT t.*, account_id FROM targets t JOIN accounts a USING (account_key)
  WHERE t.removal_time IS NULL AND a.removal_time IS NULL`;

export function getTarget({ db }: Context) {
  const select = db.prepare(`${live} AND account_id = ? AND target_id = ?`);
  return (ref: TargetRef): Target | undefined => {
    const row = select.get(ref.accountId, ref.targetId);
    return row && readTarget(row);
  };
}

export function getTargetByKey({ db }: Context) {
  const select = db.prepare(`${live} AND target_key = ?`);
  return (targetKey: number): Target | undefined => {
    const row = select.get(targetKey);
    return row && readTarget(row);
  };
}

export function listTargets({ db }: Context) {
  const select = db.prepare(
    `${live} AND account_id = ? AND target_id > ? ORDER BY target_id LIMIT ?`,
  );
  return (accountId: string, page: { after: string | null; limit: number }): Target[] =>
    select.all(accountId, page.after ?? "", page.limit).map(readTarget);
}

export function createTarget(context: Context) {
  const { db, clock, accounts, audit, rates, events } = context;
  const get = getTarget(context);
  const insert = db.prepare(insertTarget);
  return (target: NewTarget, note: AuditNote): Target | "exists" | "no-account" => {
    const accountKey = accounts.keyOf(target.accountId);
    if (accountKey === undefined) return "no-account";
    if (get(target) !== undefined) return "exists";
    const now = clock.now();
    const { failingAfter = null } = target;
    const made = { ...target, failingAfter, creationTime: now, updateTime: now, revision: 1 };
    insert.run(accountKey, target.targetId, target.kind, now, ...changedValues(made));
    audit.write(note);
    const created = get(target)!;
    rates.forget(created.targetKey);
    tellOfTarget(events, accountKey, "target.created", created, now);
    return created;
  };
}

export function updateTarget(context: Context) {
  const { db, clock, accounts, audit, events } = context;
  const get = getTarget(context);
  const update = db.prepare(`UPDATE targets SET ${assignments(changing)} WHERE target_key = ?`);
  return (
    ref: TargetRef,
    change: TargetChange,
    revision: number | null,
    note: AuditNote,
  ): UpdateTargetResult => {
    const before = get(ref);
    if (before === undefined) return { kind: "not-found" };
    if (revision !== null && before.revision !== revision) return { kind: "changed-meanwhile" };
    const target: Target = {
      ...before,
      ...change,
      updateTime: clock.now(),
      revision: before.revision + 1,
    };
    update.run(...changedValues(target), target.targetKey);
    audit.write(note);
    const accountKey = accounts.keyOf(ref.accountId)!;
    for (const type of targetChangeTypes(before, change)) {
      tellOfTarget(events, accountKey, type, target, target.updateTime);
    }
    return { kind: "updated", target };
  };
}

/** What prevents the removal of a target; undefined: it is removed now. */
export function removeUnlessScheduled(context: Context) {
  const { db, clock, targets, schedules, events, targetHealth } = context;
  const getByKey = getTargetByKey(context);
  const selectScheduled = db.prepare(
    `SELECT 1 FROM messages WHERE target_key = ? AND next_delivery_time IS NOT NULL LIMIT 1`,
  );
  const remove = db.prepare(
    `UPDATE targets SET removal_time = ?, sealed_settings = '', sealed_secrets = '',
       revision = revision + 1
     WHERE target_key = ?`,
  );
  return (target: {
    readonly accountKey: number;
    readonly targetKey: number;
    readonly targetId: string;
  }): "has-scheduled-messages" | "has-schedules" | undefined => {
    const { accountKey, targetKey, targetId } = target;
    if (schedules.areFor(accountKey, targetId)) return "has-schedules";
    if (selectScheduled.get(targetKey) !== undefined) return "has-scheduled-messages";
    const before = events.isOn ? getByKey(targetKey) : undefined;
    const now = clock.now();
    remove.run(now, targetKey);
    targets.forget();
    if (before !== undefined) {
      tellOfTarget(events, accountKey, "target.removed", before, now);
      targetHealth.forget(accountKey, targetKey);
    }
    return undefined;
  };
}

export function removeTarget(context: Context) {
  const { accounts, audit } = context;
  const get = getTarget(context);
  const remove = removeUnlessScheduled(context);
  return (ref: TargetRef, note: AuditNote): RemoveTargetResult => {
    const target = get(ref);
    if (target === undefined) return { kind: "not-found" };
    const obstacle = remove({ ...target, accountKey: accounts.keyOf(ref.accountId)! });
    if (obstacle !== undefined) return { kind: obstacle };
    audit.write(note);
    return { kind: "removed", target };
  };
}

function tellOfTarget(
  events: EventLog,
  accountKey: number,
  type: Parameters<typeof targetEvent>[0],
  target: Target,
  now: Instant,
): void {
  const { targetId } = target;
  events.tell(accountKey, { type, targetId }, () => targetEvent(type, target, now));
}

function readTarget(row: Row): Target {
  return {
    targetKey: row["target_key"] as number,
    accountId: row["account_id"] as string,
    targetId: row["target_id"] as string,
    kind: row["kind"] as TargetKindName,
    sealedSettings: row["sealed_settings"] as string,
    sealedSecrets: row["sealed_secrets"] as string,
    retryPolicy: JSON.parse(row["retry_policy"] as string),
    maxConcurrency: row["max_concurrency"] as number,
    rateLimit: row["rate_limit"] === null ? null : JSON.parse(row["rate_limit"] as string),
    paused: row["paused"] === 1,
    failingAfter: row["failing_after"] === null ? null : JSON.parse(row["failing_after"] as string),
    creationTime: row["creation_time"] as number,
    updateTime: row["update_time"] as number,
    revision: row["revision"] as number,
  };
}
