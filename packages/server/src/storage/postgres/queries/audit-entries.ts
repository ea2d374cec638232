import type { AuditEntry, AuditNote } from "../../../domain/audit.ts";
import type { AuditQuery } from "../../store.ts";
import type { Row, Run } from "../connections.ts";
import type { Context } from "../context.ts";

/** In the transaction of what the notes tell of. */
export async function writeNotes(run: Run, notes: readonly AuditNote[]): Promise<void> {
  await run({
    name: "write-audit-notes",
    text: `INSERT INTO audit_entries (entry_id, time, account_id, actor_kind, actor_id, request_id,
        action, subject_id, detail)
      SELECT u.entry_id, clock.now, u.account_id, u.actor_kind, u.actor_id, u.request_id, u.action,
        u.subject_id, u.detail
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
          $8::text[])
        AS u(entry_id, account_id, actor_kind, actor_id, request_id, action, subject_id, detail)
      CROSS JOIN (SELECT now_ms() AS now) AS clock`,
    values: [
      notes.map(({ entryId }) => entryId),
      notes.map(({ accountId }) => accountId),
      notes.map(({ actor }) => actor.kind),
      notes.map(({ actor }) => actor.id),
      notes.map(({ requestId }) => requestId),
      notes.map(({ action }) => action),
      notes.map(({ subjectId }) => subjectId),
      notes.map(({ detail }) => JSON.stringify(detail)),
    ],
  });
}

export function listAuditEntries({ connections }: Context) {
  const text = (ofAccount: string): string => `
    SELECT * FROM audit_entries
    WHERE ${ofAccount} time BETWEEN $1 AND $2 AND (time, entry_id) < ($3::bigint, $4::text)
    ORDER BY time DESC, entry_id DESC LIMIT $5`;
  const all = { name: "list-audit-entries", text: text("") };
  const ofAccount = { name: "list-audit-entries-of-account", text: text("account_id = $6 AND") };
  return async (query: AuditQuery): Promise<AuditEntry[]> => {
    const { accountId, minTime, maxTime, after, limit } = query;
    const part = [
      minTime ?? Number.MIN_SAFE_INTEGER,
      maxTime ?? Number.MAX_SAFE_INTEGER,
      after?.time ?? Number.MAX_SAFE_INTEGER,
      after?.entryId ?? "",
      limit,
    ];
    const rows = await connections.query(
      accountId === null
        ? { ...all, values: part }
        : { ...ofAccount, values: [...part, accountId] },
    );
    return rows.map(readEntry);
  };
}

function readEntry(row: Row): AuditEntry {
  return {
    entryId: row["entry_id"],
    time: row["time"],
    actor: { kind: row["actor_kind"], id: row["actor_id"] },
    requestId: row["request_id"],
    action: row["action"],
    accountId: row["account_id"],
    subjectId: row["subject_id"],
    detail: JSON.parse(row["detail"]),
  };
}
