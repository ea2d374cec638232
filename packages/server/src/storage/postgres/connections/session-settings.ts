import type { ClientBase } from "pg";

/**
 * Every statement goes from few rows to few rows by keys. It must do so however large the tables
 * were when it was planned or last analysed. So a connection plans each statement once, since
 * planning a claim takes longer than executing it. Plans that depend on a guess at table sizes are
 * switched off: reading or sorting a whole table because it is small today, and joining in memory
 * what a key can look up. A plain index scan also marks the dead entries that it meets, so that
 * later scans skip them.
 */
export const plannerSettings = [
  "plan_cache_mode = force_generic_plan",
  "jit = off",
  ...["seqscan", "bitmapscan", "sort", "incremental_sort"].map((way) => `enable_${way} = off`),
  ...["hashjoin", "mergejoin", "material", "memoize"].map((way) => `enable_${way} = off`),
].map((setting) => `SET ${setting}`);

/** How often the database checks whether the client of a running statement is still connected. */
const checkClientEveryMs = 1_000;

/**
 * The database notices within seconds that a client has closed its connection or that its host has
 * vanished, also while its statement runs or waits for a lock. This ends neither a commit nor its
 * wait for a synchronous standby. `statement_timeout` could end that wait, so it is not used.
 */
const goneClientSettings = [
  `client_connection_check_interval = ${checkClientEveryMs}`,
  "tcp_keepalives_idle = 5",
  "tcp_keepalives_interval = 2",
  "tcp_keepalives_count = 3",
  "tcp_user_timeout = 10000",
].map((setting) => `SET ${setting}`);

/**
 * Time limits of a session, as fractions of a call's deadline. The database ends an idle
 * transaction first, so that calls waiting for its locks can still succeed. It refuses a call that
 * waits for a lock before the caller gives up.
 */
const idlePart = 3 / 8;
const lockPart = 5 / 8;
/**
 * After this long without an answer, a statement is not waiting for a lock: the server is silent.
 */
const silentPart = 6 / 8;

export interface SessionBounds {
  readonly idleInTransactionMs: number;
  readonly lockMs: number;
  readonly silentMs: number;
}

export function boundsWithin(deadlineMs: number): SessionBounds {
  const part = (share: number): number => Math.ceil(deadlineMs * share);
  return {
    idleInTransactionMs: part(idlePart),
    lockMs: part(lockPart),
    silentMs: part(silentPart),
  };
}

const slowestSettingMs = 4_000;

/**
 * Applies the settings in one message after the login. Login parameters would not do, because
 * poolers refuse them. If the database does not know a setting, the session works without it.
 * Without a deadline there are no time limits.
 */
export function settingSession(deadlineMs: number): (client: ClientBase) => Promise<void> {
  const { idleInTransactionMs, lockMs } = boundsWithin(deadlineMs);
  const bounds = [
    `SET idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
    `SET lock_timeout = ${lockMs}`,
  ];
  const settings = [...plannerSettings, ...goneClientSettings, ...(deadlineMs === 0 ? [] : bounds)];
  return async (client) => {
    const send = async (text: string): Promise<void> => {
      await client.query({ text, query_timeout: slowestSettingMs } as { text: string });
    };
    try {
      await send(settings.join("; "));
    } catch (error) {
      // No answer at all: the next call on this connection finds out, within its own deadline.
      if ((error as { code?: string }).code === undefined) return;
      for (const setting of settings) await send(setting).catch(() => {});
    }
  };
}
