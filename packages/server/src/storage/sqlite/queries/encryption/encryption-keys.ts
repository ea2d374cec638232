import { unsettledBy } from "../../../../domain/key-rotation.ts";
import type { KeyRotation } from "../../../../domain/key-rotation.ts";
import type { EncryptionState, KeyInUse, KeyUse } from "../../../store.ts";
import type { Context } from "../context.ts";

/** No other process can be on this store, so there is one node. */
export function useEncryptionKey(context: Context) {
  const { db, clock } = context;
  const read = encryptionState(context);
  const unsettle = db.prepare("UPDATE key_rotation SET revision = revision + 1, rotation = ?");
  const list = db.prepare("SELECT key_id FROM encryption_keys ORDER BY key_id");
  const add = db.prepare("INSERT INTO encryption_keys (key_id) VALUES (?) ON CONFLICT DO NOTHING");
  const forgetNodes = db.prepare("DELETE FROM sealing_nodes");
  const addNode = db.prepare(
    "INSERT INTO sealing_nodes (node_id, key_id, readable) VALUES (?, ?, ?)",
  );
  return ({ nodeId, keyId, readable, firstKeyId }: KeyInUse): KeyUse => {
    const known = list.all().map((row) => row["key_id"] as string);
    const needed = known.length === 0 && firstKeyId !== null ? [firstKeyId] : known;
    const missing = needed.filter((each) => !readable.includes(each));
    if (missing.length > 0) return { kind: "missing-keys", keyIds: missing };
    for (const each of new Set([...needed, keyId])) add.run(each);
    forgetNodes.run();
    addNode.run(nodeId, keyId, JSON.stringify(readable));
    const unsettled = unsettledBy(read().rotation, keyId, clock.now());
    if (unsettled !== undefined) unsettle.run(JSON.stringify(unsettled));
    return { kind: "used" };
  };
}

export function encryptionState({ db }: Context) {
  const list = db.prepare("SELECT key_id FROM encryption_keys ORDER BY key_id");
  const nodes = db.prepare("SELECT node_id, key_id FROM sealing_nodes");
  const select = db.prepare("SELECT revision, rotation FROM key_rotation");
  return (): EncryptionState => {
    const row = select.get();
    return {
      keyIds: list.all().map((each) => each["key_id"] as string),
      nodes: nodes.all().map((each) => ({
        nodeId: each["node_id"] as string,
        keyId: each["key_id"] as string,
      })),
      rotation: row === undefined ? null : (JSON.parse(row["rotation"] as string) as KeyRotation),
      revision: (row?.["revision"] as number | undefined) ?? 0,
    };
  };
}
