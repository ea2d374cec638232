import type pg from "pg";
import { StoreUnavailable } from "../../store.ts";

/**
 * A lock that was not free in time, a deadlock, or a conflict with another transaction. The
 * database has undone the whole transaction, its connection still works, and other calls are not
 * affected.
 */
export class StoreConflict extends StoreUnavailable {}

/** Checks the code as well: the server reports the severity in its own language. */
export function isWarning({
  severity,
  code,
}: Pick<pg.DatabaseError, "severity" | "code">): boolean {
  return severity === "WARNING" || /^(?:01|57)/.test(code ?? "");
}

/** The error that the caller gets. A bug stays as it is. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const { message } = error as Error;
  if (isConflict(error)) {
    return new StoreConflict(`PostgreSQL undid the call because of a conflict: ${message}`, {
      cause: error,
    });
  }
  if (!breaksConnection(error)) return error;
  return new StoreUnavailable(`PostgreSQL is not available: ${message}`, { cause: error });
}

/** The server is shutting down, starting up, or now a standby. */
export function isMoved(error: unknown): boolean {
  return /^(?:57P0[1-3]|25006)$/.test(codeOf(error) ?? "");
}

/** The driver's error for a statement without an answer in time. */
export function isSilence(error: unknown): boolean {
  return (error as Error).message === "Query read timeout";
}

/** A serialisation failure, a deadlock, or a lock that took too long. */
function isConflict(error: unknown): boolean {
  return /^(?:40001|40P01|55P03)$/.test(codeOf(error) ?? "");
}

/** Classes 08, 53 and 57, a read-only standby, a session idle for too long. */
const unavailableStates = /^(?:08|53|57|25006|25P03)/;

/** The connection must not be used again. */
export function breaksConnection(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return !(error instanceof StoreConflict);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === undefined)
    return /terminated|timeout|closed|ended|not queryable/i.test(error.message);
  return unavailableStates.test(code) || /^E[A-Z]+$/.test(code);
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
