import type { Caller } from "../../domain/access.ts";
import type { AuditAction, AuditDetail } from "../../domain/audit.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { EndpointChange, Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import type { ChangesInTurn } from "../changes/changes-in-turn.ts";
import { endpointNotFound, endpointRef, readEndpoint } from "./endpoint-ref.ts";
import type { EventControl } from "./event-control.ts";

export interface ChangeEndpointOptions {
  readonly store: Pick<Store, "getEndpoint" | "updateEndpoint">;
  readonly events: EventControl;
  readonly random: Random;
  readonly changesInTurn: Pick<ChangesInTurn, "make">;
}

/** How the audit log describes the change. */
export interface EndpointAction {
  readonly action: AuditAction;
  readonly detail?: AuditDetail;
}

/** Reads an endpoint, computes the change and applies it only if the endpoint is still what was read. */
export async function changeEndpoint(
  { store, events, random, changesInTurn }: ChangeEndpointOptions,
  caller: Caller,
  endpointId: string,
  audited: EndpointAction,
  changeOf: (endpoint: EventEndpoint) => Promise<EndpointChange> | EndpointChange,
): Promise<EventEndpoint> {
  const { accountId } = caller;
  const note = auditNote(random, caller, { ...audited, accountId, subjectId: endpointId });
  return changesInTurn.make(`event endpoint ${endpointId} of ${accountId}`, async () => {
    const endpoint = await readEndpoint(store, caller, endpointId);
    const change = await changeOf(endpoint);
    if (Object.keys(change).length === 0) return endpoint;
    const ref = endpointRef(caller, endpointId);
    const result = await store.updateEndpoint(ref, change, endpoint.revision, note);
    if (result.kind === "not-found") throw new RequestRefused(endpointNotFound(endpointId));
    if (result.kind !== "updated") return undefined;
    events.endpointsChanged(accountId);
    return result.endpoint;
  });
}
