import type pg from "pg";
import { StoreUnavailable } from "../../store.ts";

/**
 * A lock that was not free in time, a deadlock, or a transaction that came in another's way: the database
 * has undone all of it, its connection is as good as before, and others are not concerned.
 */
export class StoreConflict extends StoreUnavailable {}

/** By its code as well: the server says the severity in its own language. */
export function isWarning({
  severity,
  code,
}: Pick<pg.DatabaseError, "severity" | "code">): boolean {
  return severity === "WARNING" || /^(?:01|57)/.test(code ?? "");
}

/** What the caller is told. A bug stays what it is. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const { message } = error as Error;
  if (isConflict(error)) {
    return new StoreConflict(`PostgreSQL gave way to others: ${message}`, { cause: error });
  }
  if (!breaksConnection(error)) return error;
  return new StoreUnavailable(`PostgreSQL is not available: ${message}`, { cause: error });
}

/** Shutting down, starting up, or a standby now. */
export function isMoved(error: unknown): boolean {
  return /^(?:57P0[1-3]|25006)$/.test(codeOf(error) ?? "");
}

/** How the driver says that a statement had no answer in time. */
export function isSilence(error: unknown): boolean {
  return (error as Error).message === "Query read timeout";
}

/** Serialisation, deadlock, and a lock that was waited for too long. */
function isConflict(error: unknown): boolean {
  return /^(?:40001|40P01|55P03)$/.test(codeOf(error) ?? "");
}

/** Classes 08, 53 and 57, read-only standby, idle for too long. */
const unavailableStates = /^(?:08|53|57|25006|25P03)/;

/** The connection is not to be used again. */
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
