import type { Instant } from "../../../../src/domain/message.ts";
import type { Run } from "../../../../src/domain/schedules/run.ts";
import { oldestKeptMonth } from "../../../../src/domain/usage.ts";
import type { StoredMessage } from "../message-table.ts";
import type { Context, KeptAccount } from "../database-state.ts";

/** Far longer than a cancel or reschedule may wait. A caller that began to wait before that has died. */
const longestWaitMs = 600_000;

/** Accounts that wait for an attempt in flight must not block the accounts behind them. */
const accountsAtATime = 20;

export function removeExpired(context: Context) {
  const { state, node } = context;
  const { clock, rules, messages, claims, usage, idempotencyKeys, auditLog } = state;

  /** Whether a caller may still move its message, and a change of the schedule take it back. */
  function isWaiting({ messageId }: Run): boolean {
    const message = messageId === null ? undefined : messages.get(messageId)?.message;
    return message?.state === "SCHEDULED" && message.attemptCount === 0;
  }

  return (limit: number): { removed: number; nextExpiry: Instant | null } => {
    const now = clock.now();
    const expired = rules.expired(context, now, limit);
    for (const stored of expired) messages.remove(stored);
    const others =
      idempotencyKeys.removeExpired(now, limit) +
      state.jobs.removeExpired(now, limit) +
      state.schedules.removeExpiredRuns(now, limit, isWaiting) +
      state.activity.removeExpired(now, limit) +
      usage.forgetBefore(oldestKeptMonth(now), limit) +
      claims.forgetChangesBegunBy(now - longestWaitMs, limit) +
      forget(state.revokedTokens, limit, (expirationTime) => expirationTime <= now) +
      forget(state.sessions, limit, ({ expirationTime }) => expirationTime <= now) +
      auditLog.forgetUntil(now - node.auditRetentionMs, limit);
    const emptied = emptyAccounts(context, limit);
    const expiries = [
      messages.expiring.first?.time,
      idempotencyKeys.nextExpiry,
      state.jobs.nextExpiry,
      state.schedules.nextExpiry,
    ];
    const next = Math.min(...expiries.map((time) => time ?? Infinity));
    const nextExpiry = next === Infinity ? null : next;
    return {
      removed: expired.length + others + emptied.removed,
      nextExpiry: emptied.isDone ? nextExpiry : now,
    };
  };
}

function forget<Kept>(
  kept: Map<string, Kept>,
  limit: number,
  isOld: (one: Kept) => boolean,
): number {
  const old = kept
    .entries()
    .filter(([, one]) => isOld(one))
    .take(limit)
    .toArray();
  for (const [name] of old) kept.delete(name);
  return old.length;
}

/**
 * Removes what removed accounts have left: scheduled messages, dead letters, idempotency keys and
 * activity. Everything else on record expires. A message in flight stays until its attempt has ended.
 */
function emptyAccounts(context: Context, limit: number): { removed: number; isDone: boolean } {
  const toEmpty = (): KeptAccount[] =>
    [...context.state.accounts.values()]
      .filter(({ removalTime, emptied }) => removalTime !== null && !emptied)
      .toSorted((one, other) => one.removalTime! - other.removalTime!);
  let removed = 0;
  for (const kept of toEmpty().slice(0, accountsAtATime)) {
    if (removed >= limit) break;
    removed += emptyOne(context, kept, limit - removed);
  }
  return { removed, isDone: toEmpty().length === 0 };
}

function emptyOne({ state }: Context, kept: KeptAccount, limit: number): number {
  const { messages, claims, targets, idempotencyKeys, activity, events } = state;
  const { accountId } = kept.account;
  const rows =
    idempotencyKeys.removeOf(accountId, limit) +
    activity.removeOf(accountId, limit) +
    events.removeLog(accountId, limit);
  const left = targets
    .ofAccount(accountId)
    .flatMap(({ target: { targetKey } }) =>
      [messages.scheduledOf(targetKey), messages.deadOf(targetKey)].flatMap((list) => [
        ...list.all(),
      ]),
    );
  const free: StoredMessage[] = left
    .filter(({ messageId }) => claims.get(messageId) === undefined)
    .slice(0, limit)
    .map(({ messageId }) => messages.get(messageId)!);
  for (const stored of free) messages.remove(stored);
  kept.emptied = free.length === left.length && rows < limit;
  return rows + free.length;
}
