import type { AuditAction, AuditEntry } from "../../../domain/audit.ts";
import type { Actor } from "../../../domain/access.ts";
import type { AuditQuery } from "../../store.ts";
import type { Context } from "../context.ts";
import type { Row } from "../rows.ts";

export function listAuditEntries({ db }: Context) {
  const select = (ofAccount: string) =>
    db.prepare(
      `SELECT * FROM audit_entries WHERE ${ofAccount} time BETWEEN ? AND ? AND (time, entry_id) < (?, ?)
       ORDER BY time DESC, entry_id DESC LIMIT ?`,
    );
  const selectAll = select("");
  const selectOfAccount = select("account_id = ? AND");
  return ({ accountId, minTime, maxTime, after, limit }: AuditQuery): AuditEntry[] => {
    const part = [
      minTime ?? Number.MIN_SAFE_INTEGER,
      maxTime ?? Number.MAX_SAFE_INTEGER,
      after?.time ?? Number.MAX_SAFE_INTEGER,
      after?.entryId ?? "",
      limit,
    ];
    const rows =
      accountId === null ? selectAll.all(...part) : selectOfAccount.all(accountId, ...part);
    return rows.map(readEntry);
  };
}

function readEntry(row: Row): AuditEntry {
  return {
    entryId: row["entry_id"] as string,
    time: row["time"] as number,
    actor: { kind: row["actor_kind"] as Actor["kind"], id: row["actor_id"] as string },
    requestId: row["request_id"] as string | null,
    action: row["action"] as AuditAction,
    accountId: row["account_id"] as string | null,
    subjectId: row["subject_id"] as string,
    detail: JSON.parse(row["detail"] as string),
  };
}
