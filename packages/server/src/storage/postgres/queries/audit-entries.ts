import type { AuditEntry, AuditNote } from "../../../domain/audit.ts";
import type { AuditQuery } from "../../store.ts";
import { nameOfWork } from "../connections/connections.ts";
import type { Row, Run } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { arraysOf, namesOf, unnest } from "../rows/given-columns.ts";
import type { GivenColumns } from "../rows/given-columns.ts";

const columns: GivenColumns<AuditNote> = {
  entry_id: { type: "text", of: ({ entryId }) => entryId },
  account_id: { type: "text", of: ({ accountId }) => accountId },
  actor_kind: { type: "text", of: ({ actor }) => actor.kind },
  actor_id: { type: "text", of: ({ actor }) => actor.id },
  request_id: { type: "text", of: ({ requestId }) => requestId },
  action: { type: "text", of: ({ action }) => action },
  subject_id: { type: "text", of: ({ subjectId }) => subjectId },
  detail: { type: "text", of: ({ detail }) => JSON.stringify(detail) },
};
const writeStatement = `INSERT INTO audit_entries (${namesOf(columns)}, time)
  SELECT u.*, clock.now FROM ${unnest(columns)} CROSS JOIN (SELECT now_ms() AS now) AS clock`;

/** Runs in the transaction of the change that the notes describe. */
export async function writeNotes(run: Run, notes: readonly AuditNote[]): Promise<void> {
  await run({ name: "write-audit-notes", text: writeStatement, values: arraysOf(columns, notes) });
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
      accountId ?? nameOfWork("operator"),
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
