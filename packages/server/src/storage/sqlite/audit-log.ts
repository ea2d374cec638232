import type { DatabaseSync } from "node:sqlite";
import type { AuditNote } from "../../domain/audit.ts";
import type { Clock } from "../../platform/clock.ts";

/** Where every verb that changes something writes down who did what, in the commit of the change. */
export interface AuditLog {
  write(note: AuditNote): void;
}

export function createAuditLog(db: DatabaseSync, clock: Clock): AuditLog {
  const insert = db.prepare(
    `INSERT INTO audit_entries (entry_id, time, account_id, actor_kind, actor_id, request_id, action,
       subject_id, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    write(note) {
      insert.run(
        note.entryId,
        clock.now(),
        note.accountId,
        note.actor.kind,
        note.actor.id,
        note.requestId,
        note.action,
        note.subjectId,
        JSON.stringify(note.detail),
      );
    },
  };
}
