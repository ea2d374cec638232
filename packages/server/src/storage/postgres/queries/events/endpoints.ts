import type { AuditNote } from "../../../../domain/audit.ts";
import {
  changedEndpoint,
  createdEndpoint,
  mostEndpoints,
} from "../../../../domain/events/event-endpoint.ts";
import type {
  EndpointChange,
  EventEndpoint,
  NewEventEndpoint,
} from "../../../../domain/events/event-endpoint.ts";
import type {
  CreateEndpointResult,
  EventEndpointRef,
  UpdateEndpointResult,
} from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { closeAccount } from "../../quotas/account-gate.ts";
import {
  changingEndpointValues,
  endpointColumns,
  endpointValues,
  insertEndpoint,
  readEndpoint,
  updateEndpointRow,
} from "../../rows/endpoint-rows.ts";
import { writeNotes } from "../audit-entries.ts";
import type { Context } from "../context.ts";
import { writeMasks } from "../../events/event-masks.ts";

/** The endpoints of a removed account do not exist, whether or not they are removed yet. */
const ofAccount = `SELECT ${endpointColumns} FROM event_endpoints p
  JOIN accounts a ON a.account_id = p.account_id
  WHERE p.account_id = $1 AND a.removal_time IS NULL`;

/**
 * The gate is closed meanwhile: whoever creates a target or takes a step of a job or a schedule in the account comes before
 * or afterwards. Scheduling and recording go on.
 */
export function createEndpoint({ connections }: Context) {
  return (order: NewEventEndpoint, note: AuditNote): Promise<CreateEndpointResult> =>
    connections.transaction(async (run) => {
      const { accountId, endpointId } = order;
      await closeAccount(run, accountId);
      const log = await beginLog(run, accountId);
      if (log === undefined) return { kind: "no-account" };
      const others = await endpointsOf(run, accountId);
      if (others.some((other) => other.endpointId === endpointId)) return { kind: "exists" };
      if (others.length >= mostEndpoints) return { kind: "too-many" };
      const endpoint = createdEndpoint(order, log.last, log.now);
      await run({ ...insertEndpoint, values: endpointValues(endpoint) });
      await writeMasks(run, accountId);
      await writeNotes(run, [note]);
      return { kind: "created", endpoint };
    }, order.accountId);
}

/** Where the log ends. What is in the outbox comes behind that. Undefined: there is no such account. */
async function beginLog(
  run: Run,
  accountId: string,
): Promise<{ readonly last: number; readonly now: number } | undefined> {
  await run({
    name: "begin-event-log",
    text: `INSERT INTO event_logs (account_id, last_position, removed_up_to, last_time)
      SELECT account_id, 0, 0, 0 FROM accounts WHERE account_id = $1 AND removal_time IS NULL
      ON CONFLICT (account_id) DO NOTHING`,
    values: [accountId],
  });
  const [row] = await run({
    name: "see-event-log",
    text: `SELECT l.last_position AS last, now_ms() AS now FROM event_logs l
      JOIN accounts a ON a.account_id = l.account_id
      WHERE l.account_id = $1 AND a.removal_time IS NULL`,
    values: [accountId],
  });
  return row as { readonly last: number; readonly now: number } | undefined;
}

async function endpointsOf(run: Run, accountId: string): Promise<EventEndpoint[]> {
  const rows = await run({
    name: "list-endpoints",
    text: `${ofAccount} ORDER BY p.endpoint_id`,
    values: [accountId],
  });
  return rows.map(readEndpoint);
}

export function listEndpoints({ connections }: Context) {
  return (accountId: string): Promise<EventEndpoint[]> =>
    endpointsOf((query) => connections.query(query, accountId), accountId);
}

export function getEndpoint({ connections }: Context) {
  return async ({
    accountId,
    endpointId,
  }: EventEndpointRef): Promise<EventEndpoint | undefined> => {
    const [row] = await connections.query(
      {
        name: "get-endpoint",
        text: `${ofAccount} AND p.endpoint_id = $2`,
        values: [accountId, endpointId],
      },
      accountId,
    );
    return row && readEndpoint(row);
  };
}

export function updateEndpoint({ connections }: Context) {
  return (
    ref: EventEndpointRef,
    change: EndpointChange,
    revision: number | null,
    note: AuditNote,
  ): Promise<UpdateEndpointResult> =>
    connections.transaction(async (run) => {
      if (change.filter !== undefined) await closeAccount(run, ref.accountId);
      const stored = await lockEndpoint(run, ref);
      if (stored === undefined) return { kind: "not-found" };
      const { endpoint: before, now } = stored;
      if (revision !== null && before.revision !== revision) return { kind: "changed-meanwhile" };
      const endpoint = changedEndpoint(before, change, now);
      await run({ ...updateEndpointRow, values: changingEndpointValues(endpoint) });
      if (change.filter !== undefined) await writeMasks(run, ref.accountId);
      await writeNotes(run, [note]);
      return { kind: "updated", endpoint };
    }, ref.accountId);
}

export function removeEndpoint({ connections }: Context) {
  return (ref: EventEndpointRef, note: AuditNote): Promise<EventEndpoint | undefined> =>
    connections.transaction(async (run) => {
      await closeAccount(run, ref.accountId);
      const stored = await lockEndpoint(run, ref);
      if (stored === undefined) return undefined;
      await run({
        name: "remove-endpoint",
        text: "DELETE FROM event_endpoints WHERE account_id = $1 AND endpoint_id = $2",
        values: [ref.accountId, ref.endpointId],
      });
      await writeMasks(run, ref.accountId);
      await writeNotes(run, [note]);
      return stored.endpoint;
    }, ref.accountId);
}

async function lockEndpoint(
  run: Run,
  { accountId, endpointId }: EventEndpointRef,
): Promise<{ readonly endpoint: EventEndpoint; readonly now: number } | undefined> {
  const [row] = await run({
    name: "lock-endpoint",
    text: `SELECT ${endpointColumns}, now_ms() AS now FROM event_endpoints p
      JOIN accounts a ON a.account_id = p.account_id
      WHERE p.account_id = $1 AND a.removal_time IS NULL AND p.endpoint_id = $2 FOR UPDATE OF p`,
    values: [accountId, endpointId],
  });
  return row && { endpoint: readEndpoint(row), now: row["now"] };
}
