import type { AuditNote } from "../../../domain/audit.ts";
import type { KeptSigningKey } from "../../store.ts";
import type { Row } from "../connections/connections.ts";
import type { WorkContext } from "./context.ts";
import { writeNotes } from "./audit-entries.ts";

const newestFirst = {
  name: "list-signing-keys",
  text: "SELECT * FROM signing_keys ORDER BY creation_time DESC",
};

export function listSigningKeys({ connections }: WorkContext) {
  return async (): Promise<KeptSigningKey[]> =>
    (await connections.query(newestFirst)).map(readSigningKey);
}

export function addSigningKey({ connections }: WorkContext) {
  return (
    key: Omit<KeptSigningKey, "creationTime">,
    newest: string | null,
    note: AuditNote,
  ): Promise<boolean> =>
    connections.transaction(async (run) => {
      // One node at a time, so that each sees what the previous one has added.
      await run({ name: "", text: "LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE" });
      const [last] = await run(newestFirst);
      if ((last?.["key_id"] ?? null) !== newest) return false;
      await run({
        name: "add-signing-key",
        // Later than the last key, even after the clock was set back: this time gives the order.
        text: `INSERT INTO signing_keys (key_id, public_key, sealed_private_key, creation_time)
          VALUES ($1, $2, $3, greatest(now_ms(), $4::bigint + 1))`,
        values: [key.keyId, key.publicKey, key.sealedPrivateKey, last?.["creation_time"] ?? 0],
      });
      await writeNotes(run, [note]);
      return true;
    });
}

export function removeSigningKey({ connections }: WorkContext) {
  return (keyId: string, note: AuditNote): Promise<boolean> =>
    connections.transaction(async (run) => {
      const removed = await run({
        name: "remove-signing-key",
        text: "DELETE FROM signing_keys WHERE key_id = $1 RETURNING key_id",
        values: [keyId],
      });
      if (removed.length > 0) await writeNotes(run, [note]);
      return removed.length > 0;
    });
}

function readSigningKey(row: Row): KeptSigningKey {
  return {
    keyId: row["key_id"],
    publicKey: row["public_key"],
    sealedPrivateKey: row["sealed_private_key"],
    creationTime: row["creation_time"],
  };
}
