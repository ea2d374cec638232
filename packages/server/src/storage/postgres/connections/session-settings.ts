import type { ClientBase } from "pg";

/**
 * Every statement goes from few rows to few rows by keys, and is to do so however large or small the
 * tables were when it was planned, or when they were last looked at. So each is planned once a connection
 * (planning a claim takes longer than executing it), and what would be a guess at sizes is switched off:
 * reading a whole table or sorting it because it is small today, joining in memory what is looked up by
 * key. A plain index scan also marks the dead entries it meets for whoever comes next.
 */
export const plannerSettings = [
  "plan_cache_mode = force_generic_plan",
  "jit = off",
  ...["seqscan", "bitmapscan", "sort", "incremental_sort"].map((way) => `enable_${way} = off`),
  ...["hashjoin", "mergejoin", "material", "memoize"].map((way) => `enable_${way} = off`),
].map((setting) => `SET ${setting}`);

/** The database asks so often whether the client of a running statement is still connected. */
const checkClientEveryMs = 1_000;

/**
 * A client that has closed its connection, or whose host has vanished, is noticed within seconds, also
 * while its statement runs or waits for a lock. That ends neither a commit nor its wait for a
 * synchronous standby. `statement_timeout` could end that wait, so it is not used.
 */
const goneClientSettings = [
  `client_connection_check_interval = ${checkClientEveryMs}`,
  "tcp_keepalives_idle = 5",
  "tcp_keepalives_interval = 2",
  "tcp_keepalives_count = 3",
  "tcp_user_timeout = 10000",
].map((setting) => `SET ${setting}`);

/**
 * What a session may hold and wait for, as parts of the deadline of a call. A transaction that stands
 * still is ended first, so that who waits for its locks can still be served; who waits for a lock is told
 * before its caller gives up.
 */
const idlePart = 3 / 8;
const lockPart = 5 / 8;
/** A statement that had no answer for so long waits for no lock: the server does not answer. */
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
 * Makes the settings, in one message after the login. Not as parameters of the login, which poolers
 * refuse. A database that knows no such setting does without. No deadline: nothing is bounded.
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
      // No answer at all: whoever is given the connection finds out, within a time of its own.
      if ((error as { code?: string }).code === undefined) return;
      for (const setting of settings) await send(setting).catch(() => {});
    }
  };
}
