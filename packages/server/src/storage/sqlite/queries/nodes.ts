import type { Holder, NodeRole, NodeView } from "../../store.ts";
import type { Context } from "./context.ts";

export function join({ db, clock, claims, jobBook }: Context) {
  const upsert = db.prepare(
    `INSERT INTO nodes (node_id, epoch, role, join_time) VALUES (?, 1, ?, ?)
     ON CONFLICT (node_id) DO UPDATE SET epoch = epoch + 1, role = excluded.role,
       join_time = excluded.join_time
     RETURNING epoch`,
  );
  return (nodeId: string, role: NodeRole): Holder => {
    const row = upsert.get(nodeId, role, clock.now()) as { epoch: number };
    claims.clear();
    const holder = { nodeId, epoch: row.epoch };
    jobBook.begin(holder);
    return holder;
  };
}

/** Only this node: no other can be on this store. */
export function listNodes({ db, claims, tests }: Context) {
  const select = db.prepare("SELECT * FROM nodes ORDER BY join_time DESC LIMIT 1");
  return (): NodeView[] =>
    select.all().map((row) => ({
      nodeId: row["node_id"] as string,
      role: row["role"] as NodeRole,
      joinTime: row["join_time"] as number,
      heartbeatAgeMs: 0,
      inFlight: claims.count + tests.count,
    }));
}
