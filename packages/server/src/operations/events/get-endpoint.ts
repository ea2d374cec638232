import type { Caller } from "../../domain/access.ts";
import type { Store } from "../../storage/store.ts";
import { readEndpoint } from "./endpoint-ref.ts";
import { viewEndpoint } from "./endpoint-view.ts";
import type { EndpointView, ViewEndpointOptions } from "./endpoint-view.ts";

export interface GetEndpointOptions extends ViewEndpointOptions {
  readonly store: Pick<Store, "getEndpoint" | "marksAt">;
}

export async function getEventEndpoint(
  options: GetEndpointOptions,
  caller: Caller,
  endpointId: string,
): Promise<EndpointView> {
  return viewEndpoint(options, await readEndpoint(options.store, caller, endpointId));
}
