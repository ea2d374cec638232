import type { DatabaseSync } from "node:sqlite";
import type { AuditNote } from "../../../domain/audit.ts";
import type { Instant } from "../../../domain/message.ts";
import type { Clock } from "../../../platform/clock.ts";
import { insertInto } from "../rows/rows.ts";
import type { ValuesOf } from "../rows/rows.ts";

/** Every verb that changes something writes here who did what, in the commit of the change. */
export interface AuditLog {
  write(note: AuditNote): void;
}

const columns = [
  "entry_id",
  "time",
  "account_id",
  "actor_kind",
  "actor_id",
  "request_id",
  "action",
  "subject_id",
  "detail",
] as const;

function entryValues(note: AuditNote, time: Instant): ValuesOf<typeof columns> {
  return [
    note.entryId,
    time,
    note.accountId,
    note.actor.kind,
    note.actor.id,
    note.requestId,
    note.action,
    note.subjectId,
    JSON.stringify(note.detail),
  ];
}

export function createAuditLog(db: DatabaseSync, clock: Clock): AuditLog {
  const insert = db.prepare(insertInto("audit_entries", columns));
  return {
    write: (note) => void insert.run(...entryValues(note, clock.now())),
  };
}
