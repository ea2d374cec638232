import type { Holder } from "../../store.ts";
import type { Context } from "../context.ts";

export function join({ db, clock, claims }: Context) {
  const upsert = db.prepare(
    `INSERT INTO nodes (node_id, epoch, join_time) VALUES (?, 1, ?)
     ON CONFLICT (node_id) DO UPDATE SET epoch = epoch + 1, join_time = excluded.join_time
     RETURNING epoch`,
  );
  return (nodeId: string): Holder => {
    const row = upsert.get(nodeId, clock.now()) as { epoch: number };
    claims.clear();
    return { nodeId, epoch: row.epoch };
  };
}
