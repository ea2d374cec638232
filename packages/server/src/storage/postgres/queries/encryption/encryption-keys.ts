import { startingNodeMs } from "../../../encryption-store.ts";
import { unsettledBy } from "../../../../domain/key-rotation.ts";
import type { KeyRotation } from "../../../../domain/key-rotation.ts";
import type { EncryptionState, KeyInUse, KeyUse } from "../../../store.ts";
import type { Row, Run } from "../../connections/connections.ts";
import type { WorkContext } from "../context.ts";

/** One call at a time decides which keys are in use, so that each sees what the one before has stored. */
export async function lockEncryptionKeys(run: Run): Promise<void> {
  await run({ name: "", text: "LOCK TABLE encryption_keys IN SHARE ROW EXCLUSIVE MODE" });
}

const listKeys = {
  name: "list-encryption-keys",
  text: "SELECT key_id FROM encryption_keys ORDER BY key_id",
};

/** Members of the cluster, and nodes that have started a moment ago and are about to join. */
const listSealingNodes = {
  name: "list-sealing-nodes",
  text: `SELECT n.node_id, s.key_id, s.readable
    FROM nodes n LEFT JOIN sealing_nodes s ON s.node_id = n.node_id WHERE n.lease_until > now_ms()
    UNION ALL
    SELECT s.node_id, s.key_id, s.readable FROM sealing_nodes s
    WHERE s.register_time > now_ms() - ${startingNodeMs}
      AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.node_id = s.node_id AND n.lease_until > now_ms())`,
};

export function useEncryptionKey({ connections, clock }: WorkContext) {
  return ({ nodeId, keyId, readable, firstKeyId }: KeyInUse): Promise<KeyUse> =>
    connections.transaction(async (run): Promise<KeyUse> => {
      await lockEncryptionKeys(run);
      const known = (await run(listKeys)).map((row) => row["key_id"] as string);
      const needed = known.length === 0 && firstKeyId !== null ? [firstKeyId] : known;
      const missing = needed.filter((each) => !readable.includes(each));
      if (missing.length > 0) return { kind: "missing-keys", keyIds: missing };
      if (!needed.includes(keyId)) {
        const others = (await run(listSealingNodes)).filter((row) => row["node_id"] !== nodeId);
        const blind = others.filter((row) => !readableOf(row).includes(keyId));
        // With no key known and no value sealed yet, other nodes start together with this one.
        if (blind.length > 0 && needed.length > 0)
          return { kind: "unread-by", nodeIds: namesOf(blind) };
      }
      await run({
        name: "add-encryption-keys",
        text: "INSERT INTO encryption_keys (key_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING",
        values: [[...new Set([...needed, keyId])]],
      });
      await run({
        name: "forget-sealing-nodes",
        text: `DELETE FROM sealing_nodes s WHERE s.register_time <= now_ms() - ${startingNodeMs}
          AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.node_id = s.node_id)`,
      });
      await run({
        name: "add-sealing-node",
        text: `INSERT INTO sealing_nodes (node_id, key_id, readable, register_time)
          VALUES ($1, $2, $3, now_ms())
          ON CONFLICT (node_id) DO UPDATE SET key_id = excluded.key_id, readable = excluded.readable,
            register_time = excluded.register_time`,
        values: [nodeId, keyId, JSON.stringify(readable)],
      });
      const [row] = await run({
        name: "hold-running-rotation",
        text: "SELECT rotation FROM key_rotation FOR UPDATE",
      });
      const running = row === undefined ? null : (JSON.parse(row["rotation"]) as KeyRotation);
      const unsettled = unsettledBy(running, keyId, clock.now());
      if (unsettled !== undefined) {
        await run({
          name: "unsettle-key-rotation",
          text: "UPDATE key_rotation SET revision = revision + 1, rotation = $1",
          values: [JSON.stringify(unsettled)],
        });
      }
      return { kind: "used" };
    });
}

export function encryptionState({ connections }: WorkContext) {
  return (): Promise<EncryptionState> => connections.transaction(readEncryptionState);
}

export async function readEncryptionState(run: Run): Promise<EncryptionState> {
  const keys = await run(listKeys);
  const nodes = await run(listSealingNodes);
  const [row] = await run({
    name: "read-key-rotation",
    text: "SELECT revision, rotation FROM key_rotation",
  });
  return {
    keyIds: keys.map((each) => each["key_id"] as string),
    nodes: nodes
      .map((each) => ({
        nodeId: each["node_id"] as string,
        keyId: each["key_id"] as string | null,
      }))
      .toSorted((one, other) => (one.nodeId < other.nodeId ? -1 : 1)),
    rotation: row === undefined ? null : (JSON.parse(row["rotation"]) as KeyRotation),
    revision: row === undefined ? 0 : (row["revision"] as number),
  };
}

function readableOf(row: Row): string[] {
  return row["readable"] === null ? [] : (JSON.parse(row["readable"]) as string[]);
}

function namesOf(rows: readonly Row[]): string[] {
  return rows.map((row) => row["node_id"] as string).toSorted();
}
