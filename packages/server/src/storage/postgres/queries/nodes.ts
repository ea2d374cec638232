import type { EndedMemberships, Holder, NodeRole, NodeView } from "../../store.ts";
import type { WorkContext } from "./context.ts";
import { epochsOf, seemsAlive } from "./is-member-alive.ts";

/** Each renewal writes the row anew, and so changes its xmin. A database that failed over may count from an earlier one. */
const versionOf = (row: string): string => `${row}.xmin::text || ':' || ${row}.renewal_time`;

export function join({ connections, leaseMs, timeZoneVersion, held, tests }: WorkContext) {
  return async (nodeId: string, role: NodeRole): Promise<Holder> => {
    const holder = await connections.transaction(async (run) => {
      await run({
        name: "end-earlier-memberships",
        text: `WITH ended AS (DELETE FROM nodes WHERE node_id = $1 RETURNING epoch)
          DELETE FROM claims WHERE epoch IN (SELECT epoch FROM ended)`,
        values: [nodeId],
      });
      const [row] = await run({
        name: "join-node",
        text: `INSERT INTO nodes (node_id, role, join_time, renewal_time, lease_until, time_zone_version)
          SELECT $1, $2, now, now, now + $3, $4 FROM (SELECT now_ms() AS now) AS clock
          RETURNING epoch`,
        values: [nodeId, role, leaseMs, timeZoneVersion],
      });
      return { nodeId, epoch: row!["epoch"] as number };
    });
    held.begin(holder);
    tests.begin(holder);
    return holder;
  };
}

export function renew({ connections, leaseMs }: WorkContext) {
  return async (holder: Holder): Promise<boolean> => {
    const rows = await connections.query({
      name: "renew-node",
      text: `UPDATE nodes SET renewal_time = clock.now, lease_until = clock.now + $2
        FROM (SELECT now_ms() AS now) AS clock WHERE epoch = $1 RETURNING epoch`,
      values: [holder.epoch, leaseMs],
    });
    return rows.length > 0;
  };
}

export function leave({ connections, held, tests }: WorkContext) {
  return async (holder: Holder): Promise<void> => {
    held.end(holder);
    tests.end(holder);
    await connections.query({
      name: "leave-node",
      text: `WITH ended AS (DELETE FROM nodes WHERE epoch = $1), silent AS (
          DELETE FROM sealing_nodes WHERE node_id = $2)
        DELETE FROM claims WHERE epoch = $1`,
      values: [holder.epoch, holder.nodeId],
    });
  };
}

export function listNodes({ connections, watched }: WorkContext) {
  return async (): Promise<NodeView[]> => {
    const rows = await connections.query({
      name: "list-nodes",
      text: `SELECT n.*, greatest(0, now_ms() - n.renewal_time) AS heartbeat_age,
          (SELECT count(*) FROM claims c WHERE c.epoch = n.epoch)::int AS in_flight
        FROM nodes n WHERE ${seemsAlive("n", "$1")} ORDER BY n.join_time, n.epoch`,
      values: [epochsOf(watched.quiet())],
    });
    return rows.map((row) => ({
      nodeId: row["node_id"],
      role: row["role"],
      joinTime: row["join_time"],
      heartbeatAgeMs: row["heartbeat_age"],
      inFlight: row["in_flight"],
    }));
  };
}

export function endLapsedMemberships({ connections, watched }: WorkContext) {
  return async (): Promise<EndedMemberships> => {
    const [over, quiet] = [watched.over(), watched.quiet()];
    const memberships = await connections.query({
      name: "end-lapsed-memberships",
      text: `
        WITH ended AS (
          DELETE FROM nodes n USING unnest($1::bigint[], $2::text[]) AS seen(epoch, version)
          WHERE n.epoch = seen.epoch AND ${versionOf("n")} = seen.version
          RETURNING n.epoch
        ), noted AS (
          INSERT INTO node_silences AS s (epoch, version, silent_ms)
          SELECT * FROM unnest($3::bigint[], $4::text[], $5::bigint[])
          ON CONFLICT (epoch) DO UPDATE SET version = excluded.version, silent_ms = CASE
            WHEN s.version = excluded.version THEN greatest(s.silent_ms, excluded.silent_ms)
            ELSE excluded.silent_ms END
        ), forgotten AS (
          DELETE FROM node_silences s
          WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.epoch = s.epoch)
        )
        SELECT n.epoch, ${versionOf("n")} AS version, n.lease_until - n.renewal_time AS lease_ms,
          coalesce(s.silent_ms, 0) AS silent_ms, e.epoch IS NOT NULL AS has_ended
        FROM nodes n LEFT JOIN ended e ON e.epoch = n.epoch
        LEFT JOIN node_silences s ON s.epoch = n.epoch AND s.version = ${versionOf("n")}`,
      values: [
        over.map(({ epoch }) => epoch),
        over.map(({ version }) => version),
        quiet.map(({ epoch }) => epoch),
        quiet.map(({ version }) => version),
        quiet.map(({ silentMs }) => silentMs),
      ],
    });
    const living = memberships.filter((row) => row["has_ended"] !== true);
    const areSomeGone = watched.note(
      living.map((row) => ({
        epoch: row["epoch"],
        version: row["version"],
        leaseMs: row["lease_ms"],
        silentMs: row["silent_ms"],
      })),
    );
    // Looks for claims without a membership, not only for those of the memberships just deleted: a
    // dead node's last claim may be committed a moment after its membership ended. Claims whose
    // outcome is being recorded right now are skipped.
    const voided = await connections.query({
      name: "void-dead-claims",
      text: `
        WITH orphaned AS MATERIALIZED (
          SELECT target_key, message_id FROM claims c
          WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.epoch = c.epoch)
          FOR UPDATE SKIP LOCKED
        ), voided AS (
          DELETE FROM claims c USING orphaned o
          WHERE c.target_key = o.target_key AND c.message_id = o.message_id
          RETURNING c.target_key)
        SELECT DISTINCT target_key FROM voided`,
    });
    return {
      count: memberships.length - living.length,
      areSomeGone,
      nextEndMs: watched.nextOverMs(),
      targetKeys: voided.map((row) => row["target_key"] as number),
    };
  };
}
