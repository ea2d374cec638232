import type { Caller } from "../../domain/access.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { EventEndpointRef, Store } from "../../storage/store.ts";

export const endpointIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Refuses an id that no endpoint can have before the store sees it. Some stores fail on such a text. */
export function endpointRef({ accountId }: Caller, endpointId: string): EventEndpointRef {
  if (!endpointIdPattern.test(endpointId)) throw new RequestRefused(endpointNotFound(endpointId));
  return { accountId, endpointId };
}

export async function readEndpoint(
  store: Pick<Store, "getEndpoint">,
  caller: Caller,
  endpointId: string,
): Promise<EventEndpoint> {
  const endpoint = await store.getEndpoint(endpointRef(caller, endpointId));
  if (endpoint === undefined) throw new RequestRefused(endpointNotFound(endpointId));
  return endpoint;
}

export function endpointNotFound(endpointId: string): Problem {
  return {
    code: codes.eventEndpointNotFound,
    message: `There is no event endpoint ${JSON.stringify(endpointId.slice(0, 100))}. Correct the endpointId.`,
  };
}

/** A stream has no settings, no secret and no progress. */
export function onlyForWebhooks(what: string): Problem {
  return {
    code: codes.eventEndpointKind,
    message: `${what} is only for event endpoints of kind webhook, and this one is a stream: its callers read it, and know how far they are.`,
  };
}
