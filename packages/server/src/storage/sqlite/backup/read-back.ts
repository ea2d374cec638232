import { DatabaseSync } from "node:sqlite";
import { messageStates } from "../../../domain/message.ts";
import { refuseNewerSchema } from "../../schema-version.ts";
import { readSchemaStatus } from "../database/migrate.ts";
import type { BackupFacts } from "./backup-facts.ts";

/** Reads a copy as a whole, and throws an error that says why it is not a sound backup. */
export function readBack(path: string): BackupFacts {
  using db = new DatabaseSync(path);
  // A copy of a working database expects a log beside it. A backup is one file.
  db.exec("PRAGMA journal_mode = DELETE");
  const status = readSchemaStatus(db);
  refuseNewerSchema(status);
  if (status.version === 0) throw new Error("it holds no data of Postdate");
  const [first, ...more] = db.prepare("PRAGMA integrity_check").all() as unknown as Checked[];
  if (first?.integrity_check !== "ok") {
    throw new Error(
      `it is damaged: ${first?.integrity_check}${more.length > 0 ? ", and more" : ""}`,
    );
  }
  const encryptionKeyIds = status.version < firstWithKeyIds ? [] : keyIdsIn(db);
  return { schema: status.version, ...countMessages(db), encryptionKeyIds };
}

interface Checked {
  readonly integrity_check: string;
}

export function countMessages(db: DatabaseSync): Pick<BackupFacts, "messages" | "scheduled"> {
  const scheduled = messageStates.indexOf("SCHEDULED");
  return db
    .prepare(
      `SELECT count(*) AS messages, count(*) FILTER (WHERE state = ${scheduled}) AS scheduled
       FROM messages`,
    )
    .get() as unknown as Pick<BackupFacts, "messages" | "scheduled">;
}

/** Sealed with the encryption key of the data; null: the data is older than such checks. */
export function encryptionCheckIn(path: string): string | null {
  using db = new DatabaseSync(path, { readOnly: true });
  if (readSchemaStatus(db).version < firstWithCheck) return null;
  const row = db.prepare("SELECT sealed FROM encryption_check").get();
  return (row?.["sealed"] as string | undefined) ?? null;
}

const firstWithCheck = 2;
const firstWithKeyIds = 14;

function keyIdsIn(db: DatabaseSync): string[] {
  const rows = db.prepare("SELECT key_id FROM encryption_keys ORDER BY key_id").all();
  return rows.map((row) => row["key_id"] as string);
}
