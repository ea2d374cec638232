import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { endpointNotFound, endpointRef } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";
import type { EventControl } from "./event-control.ts";

export interface RemoveEndpointOptions extends ViewEndpointOptions {
  readonly store: Pick<Store, "removeEndpoint" | "marksAt">;
  readonly events: EventControl;
  readonly random: Random;
}

/** Answers with the endpoint as it was. */
export async function removeEventEndpoint(
  options: RemoveEndpointOptions,
  caller: Caller,
  endpointId: string,
): Promise<EndpointView> {
  const { store, events, random } = options;
  const { accountId } = caller;
  const note = auditNote(random, caller, {
    action: "event-endpoint.removed",
    accountId,
    subjectId: endpointId,
  });
  const removed = await store.removeEndpoint(endpointRef(caller, endpointId), note);
  if (removed === undefined) throw new RequestRefused(endpointNotFound(endpointId));
  events.endpointsChanged(accountId);
  return viewEndpoint(options, removed);
}
