import type { AuditNote } from "../../../domain/audit.ts";
import type { KeptSigningKey } from "../../store.ts";
import type { Context } from "./context.ts";

/** Newest first. */
export function listSigningKeys({ db }: Context) {
  const select = db.prepare("SELECT * FROM signing_keys ORDER BY creation_time DESC");
  return (): KeptSigningKey[] =>
    select.all().map((row) => ({
      keyId: row["key_id"] as string,
      publicKey: row["public_key"] as string,
      sealedPrivateKey: row["sealed_private_key"] as string,
      creationTime: row["creation_time"] as number,
    }));
}

export function addSigningKey(context: Context) {
  const { db, clock, audit } = context;
  const list = listSigningKeys(context);
  const insert = db.prepare(
    `INSERT INTO signing_keys (key_id, public_key, sealed_private_key, creation_time)
     VALUES (?, ?, ?, ?)`,
  );
  return (
    key: Omit<KeptSigningKey, "creationTime">,
    newest: string | null,
    note: AuditNote,
  ): boolean => {
    const [last] = list();
    if ((last?.keyId ?? null) !== newest) return false;
    // Later than the last key, even if the clock was set back, because this time gives the order.
    const creationTime = Math.max(clock.now(), (last?.creationTime ?? 0) + 1);
    insert.run(key.keyId, key.publicKey, key.sealedPrivateKey, creationTime);
    audit.write(note);
    return true;
  };
}

export function removeSigningKey({ db, audit }: Context) {
  const remove = db.prepare("DELETE FROM signing_keys WHERE key_id = ?");
  return (keyId: string, note: AuditNote): boolean => {
    const removed = Number(remove.run(keyId).changes) > 0;
    if (removed) audit.write(note);
    return removed;
  };
}
